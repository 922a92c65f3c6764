import { GaussianNoise } from './gaussian-noise.js';

const LOWEST_HZ = 10;

/**
 * Noise with as much power in each octave from 10 Hz up, as rooms and traffic have: first-order noises an octave apart, of the
 * same power, whose sum falls by 3 dB an octave within half a decibel.
 *
 * @example
 * new PinkNoise(44_100, 1).addTo(samples, 0.1);
 */
export class PinkNoise {
  readonly #white: GaussianNoise;
  readonly #keep: Float64Array;
  readonly #feed: Float64Array;
  readonly #state: Float64Array;

  constructor(sampleRateHz: number, seed: number) {
    this.#white = new GaussianNoise(seed);
    const octaves = Math.floor(Math.log2(sampleRateHz / 2 / LOWEST_HZ)) + 1;
    this.#keep = Float64Array.from({ length: octaves }, (_, k) =>
      Math.exp((-2 * Math.PI * LOWEST_HZ * 2 ** k) / sampleRateHz),
    );
    this.#feed = this.#keep.map(keep => Math.sqrt((1 - keep * keep) / octaves));
    this.#state = new Float64Array(octaves);
  }

  /** Mean 0, variance 1 in the long run. */
  next(): number {
    let sum = 0;
    for (let k = 0; k < this.#state.length; k++) {
      this.#state[k] = this.#keep[k] * this.#state[k] + this.#feed[k] * this.#white.next();
      sum += this.#state[k];
    }
    return sum;
  }

  /** @returns the same samples, with noise of that standard deviation on them */
  addTo(samples: Float32Array, sigma: number): Float32Array {
    for (let n = 0; n < samples.length; n++) samples[n] += sigma * this.next();
    return samples;
  }
}
