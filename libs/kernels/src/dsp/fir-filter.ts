import type { Dsp } from './dsp.js';
import { FIR_TAPS_MAX, FilterDesignError } from './fir-design.js';
import { SampleQueue } from './sample-queue.js';

/** Results computed in one call of the kernel. */
const BLOCK = 4_096;

/**
 * A filter of finite impulse response on a stream: y[n] = Σ taps[k]·x[n·decimation − k], silence before the first sample. How
 * the stream is cut into chunks changes no bit of what comes out.
 *
 * @example
 * const filter = new FirFilter(dsp, lowPassTaps(4_000, { sampleRateHz: 44_100, transitionHz: 1_000 }), { decimation: 4 });
 * for (const chunk of chunks) use(filter.process(chunk));
 */
export class FirFilter {
  readonly decimation: number;
  /** What a filter with linear phase holds its input back by. */
  readonly delaySamples: number;
  readonly #queue: SampleQueue;
  readonly #taps: number;
  readonly #tapCount: number;
  readonly #out: number;

  /**
   * @param taps 1 to FIR_TAPS_MAX coefficients
   * @throws FilterDesignError for other numbers of taps, or a decimation that is no whole number from 1 to 1,024
   */
  constructor(
    readonly dsp: Dsp,
    taps: ArrayLike<number>,
    options: { decimation?: number } = {},
  ) {
    const { decimation = 1 } = options;
    if (taps.length < 1 || taps.length > FIR_TAPS_MAX) {
      throw new FilterDesignError(`${taps.length} taps, 1 to ${FIR_TAPS_MAX} are taken`);
    }
    if (!Number.isInteger(decimation) || decimation < 1 || decimation > 1_024) {
      throw new FilterDesignError(`decimation is a whole number from 1 to 1024, got ${decimation}`);
    }
    this.decimation = decimation;
    this.delaySamples = (taps.length - 1) / 2;
    // Never fewer taps than samples are skipped: what is dropped has always come.
    this.#tapCount = 4 * Math.ceil(Math.max(taps.length, decimation) / 4);
    this.#taps = dsp.allocate(this.#tapCount);
    const reversed = new Float32Array(this.#tapCount);
    for (let k = 0; k < taps.length; k++) reversed[this.#tapCount - 1 - k] = taps[k];
    dsp.floats(this.#taps, this.#tapCount).set(reversed);
    this.#out = dsp.allocate(BLOCK + 8);
    this.#queue = new SampleQueue(dsp, this.#tapCount + BLOCK * decimation);
    this.reset();
  }

  /** Forgets all samples, as before the first. */
  reset(): void {
    this.#queue.clear();
    this.#queue.pushZeros(this.#tapCount - 1);
  }

  /** @returns the results that `chunk` completes: all together ceil(samples/decimation) */
  process(chunk: Float32Array): Float32Array {
    const { dsp, decimation } = this;
    const results = new Float32Array(this.#ready(this.#queue.length + chunk.length));
    let written = 0;
    for (let taken = 0; taken < chunk.length;) {
      taken += this.#queue.push(chunk, taken);
      const count = Math.min(this.#ready(this.#queue.length), BLOCK);
      if (count === 0) continue;
      const { address } = this.#queue;
      if (decimation === 1) {
        dsp.exports.slidingSums(this.#out, address, this.#taps, this.#tapCount, count);
      } else {
        dsp.exports.decimatingSums(this.#out, address, this.#taps, this.#tapCount, count, decimation);
      }
      results.set(dsp.floats(this.#out, count), written);
      written += count;
      this.#queue.drop(count * decimation);
    }
    return results;
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.dsp.release(this.#taps, this.#tapCount);
    this.dsp.release(this.#out, BLOCK + 8);
    this.#queue.free();
  }

  #ready(samples: number): number {
    return Math.max(0, Math.floor((samples - this.#tapCount) / this.decimation) + 1);
  }
}
