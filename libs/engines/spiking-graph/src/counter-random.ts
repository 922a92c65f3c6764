// A function of the module: a look-up in the global object costs as much as the hash itself where that is a sandbox's.
const { imul } = Math;

/** 32 bits that (a, b) decide, mod 2^32: two rounds of a multiplicative hash (Wellons' `lowbias32` constants). */
function mix(x: number): number {
  x ^= x >>> 16;
  x = imul(x, 0x21f0aaad);
  x ^= x >>> 15;
  x = imul(x, 0x735a2d97);
  return x ^ (x >>> 15);
}

/**
 * Random words by counter: word i of a stream depends on the seed, the stream and i alone, so that no order of asking
 * changes it.
 *
 * @example new CounterRandom(seed, restart, step).word(node)
 */
export class CounterRandom {
  private readonly key0: number;
  private readonly key1: number;

  constructor(seed: number, first: number, second = 0) {
    const low = mix(seed + imul(first, 0x9e3779b9));
    this.key0 = mix(low + imul(second, 0x85ebca6b));
    this.key1 = mix(this.key0 + 0x6a09e667);
  }

  /** 0 … 2^32 − 1. */
  word(i: number): number {
    return mix(mix(i + this.key0) + this.key1) >>> 0;
  }

  /** 0 … bound − 1, bound ≤ 2^20: of a million draws about one is unevenly likely. */
  below(bound: number, i: number): number {
    return Math.floor((this.word(i) / 4_294_967_296) * bound);
  }
}

/** Quantiles that a word's upper 12 bits choose among. */
const QUANTILES = 4096;
export const QUANTILE_SHIFT = 20;

const quantiles = (inverse: (share: number) => number): Float64Array =>
  Float64Array.from({ length: QUANTILES }, (_, i) => inverse((i + 0.5) / QUANTILES));

/** Logistic noise: a threshold that is off by it turns a potential into a spike with the probability of the sigmoid. */
export const LOGISTIC = quantiles(share => Math.log(share / (1 - share)));

/** Gumbel noise: of units whose potentials carry it, unit c is first with probability exp(u_c)/Σ exp(u). */
export const GUMBEL = quantiles(share => -Math.log(-Math.log(share)));
