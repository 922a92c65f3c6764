/** What a window holds of a tone. */
export interface WindowSum {
  re: number;
  im: number;
}

/**
 * The newest hops of the two tones of a packet, complex sums over a fraction of a bit: any window's sum at any frequency near a
 * tone is made of a few of them.
 */
export class ToneHistory {
  readonly #mask: number;
  readonly #sums: Float64Array;
  #count = 0;

  /** @param log2Kept log2 of the hops that are kept */
  constructor(log2Kept: number) {
    this.#mask = 2 ** log2Kept - 1;
    this.#sums = new Float64Array(4 * 2 ** log2Kept);
  }

  /** Hops so far; the next one has this number. */
  get count(): number {
    return this.#count;
  }

  /** The oldest hop that is still kept. */
  get oldest(): number {
    return Math.max(0, this.#count - this.#mask - 1);
  }

  /** Takes a hop: I and Q of space, then of mark, from `at` on. What is no number counts as silence. */
  push(sums: Float32Array, at: number): void {
    const slot = 4 * (this.#count & this.#mask);
    for (let i = 0; i < 4; i++) this.#sums[slot + i] = Number.isFinite(sums[at + i]) ? sums[at + i] : 0;
    this.#count++;
  }

  /** One part of a hop: 0 and 1 are I and Q of space, 2 and 3 of mark; 0 where nothing is kept. */
  part(hop: number, part: number): number {
    return hop < this.oldest || hop >= this.#count ? 0 : this.#sums[4 * (hop & this.#mask) + part];
  }

  /**
   * The sum of a tone's hops from `from` to `to`, those that the window cuts counting by the part within it, at `radiansPerHop` beside
   * the tone; its phase is taken at hop 0.
   *
   * @param tone 0 space, 1 mark
   */
  window(tone: 0 | 1, from: number, to: number, radiansPerHop: number, into: WindowSum): void {
    const first = Math.floor(from);
    const last = Math.ceil(to);
    const turnRe = Math.cos(radiansPerHop);
    const turnIm = -Math.sin(radiansPerHop);
    let cos = Math.cos(radiansPerHop * first);
    let sin = -Math.sin(radiansPerHop * first);
    into.re = 0;
    into.im = 0;
    for (let hop = first; hop < last; hop++) {
      const weight = Math.min(hop + 1, to) - Math.max(hop, from);
      const re = weight * this.part(hop, 2 * tone);
      const im = weight * this.part(hop, 2 * tone + 1);
      into.re += re * cos - im * sin;
      into.im += re * sin + im * cos;
      const turned = cos * turnRe - sin * turnIm;
      sin = cos * turnIm + sin * turnRe;
      cos = turned;
    }
  }
}
