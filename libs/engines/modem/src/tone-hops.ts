import { PACKET_SAMPLE_RATE_HZ } from './tones.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { ceil, cos, floor, max, min, PI, sin } = Math;

/**
 * What a sound holds of one tone: its product with the tone's complex exponential, summed over hops of a few samples, the
 * last of them kept. Sums over any window with a whole or broken number of hops, and at frequencies near the tone, are then
 * made of a few values.
 */
export class ToneHops {
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #mask: number;
  readonly #re: Float32Array;
  readonly #im: Float32Array;
  #count = 0;
  /** Steps of 1/44,100 of a period that the tone is at. */
  #phase = 0;

  /**
   * @param frequencyHz whole Hz
   * @param log2Kept log2 of the hops that are kept
   */
  constructor(
    readonly frequencyHz: number,
    readonly hopSamples: number,
    log2Kept: number,
  ) {
    const angle = (n: number) =>
      (2 * PI * ((n * frequencyHz) % PACKET_SAMPLE_RATE_HZ)) / PACKET_SAMPLE_RATE_HZ;
    this.#cos = Float64Array.from({ length: hopSamples }, (_, n) => cos(angle(n)));
    this.#sin = Float64Array.from({ length: hopSamples }, (_, n) => sin(angle(n)));
    this.#mask = 2 ** log2Kept - 1;
    this.#re = new Float32Array(2 ** log2Kept);
    this.#im = new Float32Array(2 ** log2Kept);
  }

  /** Hops so far; the next one has this number. */
  get count(): number {
    return this.#count;
  }

  /** The oldest hop that is still kept. */
  get oldest(): number {
    return max(0, this.#count - this.#mask - 1);
  }

  /** Takes the next samples, a whole number of hops. */
  push(samples: Float32Array): void {
    const { hopSamples } = this;
    const cosines = this.#cos;
    const sines = this.#sin;
    const step = (hopSamples * this.frequencyHz) % PACKET_SAMPLE_RATE_HZ;
    for (let from = 0; from + hopSamples <= samples.length; from += hopSamples) {
      let re = 0;
      let im = 0;
      for (let n = 0; n < hopSamples; n++) {
        const x = samples[from + n];
        re += x * cosines[n];
        im -= x * sines[n];
      }
      const angle = (2 * PI * this.#phase) / PACKET_SAMPLE_RATE_HZ;
      const c = cos(angle);
      const s = sin(angle);
      const slot = this.#count & this.#mask;
      this.#re[slot] = re * c + im * s;
      this.#im[slot] = im * c - re * s;
      this.#count++;
      this.#phase = (this.#phase + step) % PACKET_SAMPLE_RATE_HZ;
    }
  }

  /** Real part of hop `at`; 0 before the first. */
  re(at: number): number {
    return at < 0 ? 0 : this.#re[at & this.#mask];
  }

  /** Imaginary part of hop `at`. */
  im(at: number): number {
    return at < 0 ? 0 : this.#im[at & this.#mask];
  }

  /**
   * Sums the hops from `from` to `to`, turned back by `radiansPerHop` a hop from `radiansAtFrom` on; hops that the window cuts
   * count by the part within it.
   *
   * @param into its [re, im] are set
   */
  windowSum(
    from: number,
    to: number,
    radiansPerHop: number,
    radiansAtFrom: number,
    into: Float64Array,
  ): void {
    const first = floor(from);
    const last = ceil(to);
    const angle = radiansAtFrom + radiansPerHop * (first + 0.5 - from);
    let c = cos(angle);
    let s = sin(angle);
    const dc = cos(radiansPerHop);
    const ds = sin(radiansPerHop);
    let re = 0;
    let im = 0;
    for (let at = first; at < last; at++) {
      const weight = min(at + 1, to) - max(at, from);
      const x = this.re(at) * weight;
      const y = this.im(at) * weight;
      re += x * c + y * s;
      im += y * c - x * s;
      const turned = c * dc - s * ds;
      s = s * dc + c * ds;
      c = turned;
    }
    into[0] = re;
    into[1] = im;
  }
}
