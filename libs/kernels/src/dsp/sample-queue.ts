import type { Dsp } from './dsp.js';

/** Room behind the newest sample that kernels may read in whole vectors; what they make of it is thrown away. */
const SLACK = 32;

/** Samples of a stream that are still needed, in a Dsp's memory: the oldest first, at one address. */
export class SampleQueue {
  readonly address: number;
  #length = 0;

  /** @param capacity most samples held at once */
  constructor(
    readonly dsp: Dsp,
    readonly capacity: number,
  ) {
    this.address = dsp.allocate(capacity + SLACK);
    dsp.floats(this.address, capacity + SLACK).fill(0);
  }

  get length(): number {
    return this.#length;
  }

  /** Takes what fits of `chunk` from `start` on, and says how many samples. */
  push(chunk: Float32Array, start: number): number {
    const count = Math.min(chunk.length - start, this.capacity - this.#length);
    this.#view().set(chunk.subarray(start, start + count), this.#length);
    this.#length += count;
    return count;
  }

  pushZeros(count: number): void {
    if (count > this.capacity - this.#length) throw new RangeError(`${count} samples do not fit`);
    this.#view().fill(0, this.#length, this.#length + count);
    this.#length += count;
  }

  /** Forgets the oldest `count`. */
  drop(count: number): void {
    this.#view().copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  clear(): void {
    this.#length = 0;
  }

  /** The oldest `count`; valid until the memory grows. */
  oldest(count: number, start = 0): Float32Array {
    return this.dsp.floats(this.address + 4 * start, count);
  }

  free(): void {
    this.dsp.release(this.address, this.capacity + SLACK);
  }

  #view(): Float32Array {
    return this.dsp.floats(this.address, this.capacity);
  }
}
