import { SeededRandom } from '@svc/kernels/testing';
import { GaussianNoise } from './gaussian-noise.js';

const { cos, exp, PI, sin } = Math;

/** Strokes a second while keys are shaken. */
const STROKES_PER_SECOND = 25;

/** What no longer rings is looked for this often: numbers that shrink without end would become slow. */
const SWEEP_SAMPLES = 2_048;

/** A ringing mode, turned on by one complex multiplication a sample. */
interface Mode {
  re: number;
  im: number;
  readonly turnRe: number;
  readonly turnIm: number;
}

/**
 * Keys that are shaken, by a seed and without end: strokes at random, each with modes from 9 to 21.5 kHz that ring for 1 to
 * 20 ms, between pauses with faint noise. The loudest ultrasound that pockets make.
 */
export class JinglingKeys {
  readonly #random: SeededRandom;
  readonly #noise: GaussianNoise;
  #modes: Mode[] = [];
  #untilStroke = 0;
  #untilSweep = 0;
  #strokesLeft = 0;

  constructor(
    readonly sampleRateHz: number,
    seed: number,
  ) {
    this.#random = new SeededRandom(seed);
    this.#noise = new GaussianNoise(seed);
  }

  /** The next samples, seldom beyond ± 1. */
  fill(samples: Float32Array): Float32Array {
    for (let n = 0; n < samples.length; n++) {
      if (this.#untilStroke-- <= 0) this.#strike();
      if (this.#untilSweep-- <= 0) this.#sweep();
      let sum = 0.001 * this.#noise.next();
      for (const mode of this.#modes) {
        const re = mode.re * mode.turnRe - mode.im * mode.turnIm;
        mode.im = mode.re * mode.turnIm + mode.im * mode.turnRe;
        mode.re = re;
        sum += re;
      }
      samples[n] = sum;
    }
    return samples;
  }

  #sweep(): void {
    this.#untilSweep = SWEEP_SAMPLES;
    this.#modes = this.#modes.filter(({ re, im }) => re * re + im * im > 1e-9);
  }

  #strike(): void {
    const random = this.#random;
    if (this.#strokesLeft-- <= 0) {
      this.#strokesLeft = Math.round(random.logUniform(3, 60));
      this.#untilStroke = Math.round(random.logUniform(0.1, 2) * this.sampleRateHz);
      return;
    }
    const wait = -Math.log(1 - random.uniform()) / STROKES_PER_SECOND;
    this.#untilStroke = Math.round(wait * this.sampleRateHz);
    const loud = random.logUniform(0.01, 0.25);
    for (let k = 0; k < 6; k++) {
      const turn = (2 * PI * random.uniform(9_000, 21_500)) / this.sampleRateHz;
      const keep = exp(-1 / (random.logUniform(0.001, 0.02) * this.sampleRateHz));
      const phase = random.uniform(0, 2 * PI);
      const level = loud * random.uniform();
      this.#modes.push({
        ...{ re: level * cos(phase), im: level * sin(phase) },
        ...{ turnRe: keep * cos(turn), turnIm: keep * sin(turn) },
      });
    }
    this.#modes = this.#modes.slice(-24);
  }
}
