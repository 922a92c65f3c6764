import { logGamma } from '../src/log-gamma.js';
import { SeededWords } from '../src/seeded-words.js';

const WORD = 2 ** 32;
const KNUTH_MAX = 12;

/** Draws of the distributions that a branching network is made of, by a seed. */
export class Draws {
  private readonly words: SeededWords;
  constructor(seed: number) {
    this.words = new SeededWords(seed);
  }

  uniform(): number {
    return (this.words.word() + 0.5) / WORD;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Exact for every mean: Knuth's product of uniforms for small ones, transformed rejection for large ones. */
  poisson(mean: number): number {
    if (mean >= KNUTH_MAX) return this.poissonByRejection(mean);
    let count = 0;
    const limit = Math.exp(-mean);
    for (let product = this.uniform(); product > limit; product *= this.uniform()) count++;
    return count;
  }

  /** W. Hörmann: The transformed rejection method for generating Poisson random variables, 1993, algorithm PTRS. */
  private poissonByRejection(mean: number): number {
    const b = 0.931 + 2.53 * Math.sqrt(mean);
    const a = -0.059 + 0.02483 * b;
    const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
    for (;;) {
      const u = this.uniform() - 0.5;
      const v = this.uniform();
      const us = 0.5 - Math.abs(u);
      const k = Math.floor(((2 * a) / us + b) * u + mean + 0.43);
      if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
      if (k < 0 || (us < 0.013 && v > us)) continue;
      const logAccept = -mean + k * Math.log(mean) - logGamma(k + 1);
      if (Math.log((v * inverseAlpha) / (a / (us * us) + b)) <= logAccept) return k;
    }
  }

  /** Of so many, how many are hit: the gaps between hits are geometric, so that few hits take few draws. */
  binomial(count: number, probability: number): number {
    const logMiss = Math.log1p(-probability);
    let hits = -1;
    for (let at = 0; at <= count; hits++) at += 1 + Math.floor(Math.log(this.uniform()) / logMiss);
    return hits;
  }
}

export interface DrivenBranching {
  /** m: offspring of a spike in the next bin. */
  readonly ratio: number;
  /** Mean spikes of a bin; the drive is mean·(1 − m). */
  readonly mean: number;
  readonly bins: number;
  /** Probability with which a spike is seen; 1 if absent. */
  readonly seen?: number;
}

/** A(t + 1) = Poisson(m·A(t) + h), run in until it has forgotten its start, and of each spike whether it is seen. */
export function drivenBranching({ ratio, mean, bins, seen = 1 }: DrivenBranching, seed: number): Uint32Array {
  const draws = new Draws(seed);
  const drive = mean * (1 - ratio);
  const runIn = Math.ceil(10 / (1 - ratio));
  const counts = new Uint32Array(bins);
  let activity = draws.poisson(mean);
  for (let t = -runIn; t < bins; t++) {
    activity = draws.poisson(ratio * activity + drive);
    if (t >= 0) counts[t] = seen === 1 ? activity : draws.binomial(activity, seen);
  }
  return counts;
}
