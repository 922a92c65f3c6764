import type { Dsp } from './dsp.js';
import { interpolationFilters, type InterpolationFilters } from './interpolation-filters.js';
import { SampleQueue } from './sample-queue.js';

const BLOCK = 2_048;
/** With this many phases a line between neighbouring ones is within −105 dB. */
const DENSE_PHASES = 512;
/** The rate may be changed by this much at most, either way. */
export const RESAMPLING_FACTOR_MAX = 64;

/** Rates that cannot be resampled from or to. */
export class ResamplingError extends Error {
  override readonly name = 'ResamplingError';
  readonly code = 'RESAMPLING_RATE';
}

/**
 * Changes the sample rate of a stream: output j is the input at j·fromHz/toHz, filtered to the lower rate's band (flat to 0.907
 * of it; images and aliases of that are 90 dB down). How the stream is cut into chunks changes no bit of what comes out.
 *
 * @example
 * const resampler = new Resampler(dsp, 48_000, 44_100);
 * const parts = [...chunks.map(chunk => resampler.process(chunk)), resampler.end()];
 */
export class Resampler {
  readonly #filters: InterpolationFilters;
  /** Exact: output phases repeat after few; otherwise lines between dense phases. */
  readonly #exact?: { phases: number; step: number };
  readonly #queue: SampleQueue;
  readonly #table: number;
  readonly #out: number;
  readonly #step: number;
  #outputs = 0;
  #inputs = 0;
  /** Where the queue begins, in samples of the input. */
  #origin = 0;

  /** @throws ResamplingError for rates that are no whole numbers from 1, or more than 64 times apart */
  constructor(
    readonly dsp: Dsp,
    readonly fromHz: number,
    readonly toHz: number,
  ) {
    const valid = [fromHz, toHz].every(hz => Number.isInteger(hz) && hz >= 1 && hz <= 2 ** 22);
    if (!valid || Math.max(fromHz / toHz, toHz / fromHz) > RESAMPLING_FACTOR_MAX) {
      throw new ResamplingError(`cannot resample from ${fromHz} Hz to ${toHz} Hz`);
    }
    const divisor = greatestCommonDivisor(fromHz, toHz);
    const phases = toHz / divisor;
    if (phases <= DENSE_PHASES) this.#exact = { phases, step: fromHz / divisor };
    this.#step = fromHz / toHz;
    this.#filters = interpolationFilters(this.#exact ? phases : DENSE_PHASES, Math.min(1, toHz / fromHz));
    this.#table = dsp.allocate(this.#filters.coefficients.length);
    dsp.floats(this.#table, this.#filters.coefficients.length).set(this.#filters.coefficients);
    this.#out = dsp.allocate(BLOCK);
    const span = Math.ceil(BLOCK * this.#step) + this.#filters.tapCount + 2;
    this.#queue = new SampleQueue(dsp, span);
    this.reset();
  }

  /** Forgets all samples, as before the first. */
  reset(): void {
    const before = this.#filters.tapCount / 2 - 1;
    this.#queue.clear();
    this.#queue.pushZeros(before);
    this.#origin = -before;
    this.#inputs = 0;
    this.#outputs = 0;
  }

  /** @returns the outputs that `chunk` completes */
  process(chunk: Float32Array): Float32Array {
    this.#inputs += chunk.length;
    if (this.fromHz === this.toHz) return chunk.slice();
    return this.#run(chunk, Infinity);
  }

  /** The outputs that silence after the stream completes: all together ceil(samples·toHz/fromHz). The next chunk begins anew. */
  end(): Float32Array {
    const total = Math.ceil((this.#inputs * this.toHz) / this.fromHz);
    const rest =
      this.fromHz === this.toHz
        ? new Float32Array(0)
        : this.#run(new Float32Array(this.#filters.tapCount / 2 + 1), total - this.#outputs);
    this.reset();
    return rest;
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.dsp.release(this.#table, this.#filters.coefficients.length);
    this.dsp.release(this.#out, BLOCK);
    this.#queue.free();
  }

  #run(chunk: Float32Array, countMax: number): Float32Array {
    const parts: Float32Array[] = [];
    let count = 0;
    for (let taken = 0; ;) {
      taken += this.#queue.push(chunk, taken);
      const ready = Math.min(this.#ready(), BLOCK, countMax - count);
      if (ready > 0) {
        parts.push(this.#block(ready));
        count += ready;
        this.#dropPassed();
      } else if (taken === chunk.length) break;
    }
    return joined(parts, count);
  }

  /** How many outputs have all their samples in the queue. */
  #ready(): number {
    // The last sample that output j needs is floor(j·step) + tapCount/2.
    const newest = this.#origin + this.#queue.length - 1 - this.#filters.tapCount / 2;
    if (newest < 0) return 0;
    const end = Math.ceil(((newest + 1) * this.toHz) / this.fromHz);
    return Math.max(0, end - this.#outputs);
  }

  #block(count: number): Float32Array {
    const { exports } = this.dsp;
    const { address } = this.#queue;
    const { tapCount, phases } = this.#filters;
    // The kernel reads from tapCount/2 − 1 samples before the place: so much earlier than the place is its origin.
    const origin = this.#origin + tapCount / 2 - 1;
    if (this.#exact) {
      const { step } = this.#exact;
      const whole = Math.floor((this.#outputs * step) / phases);
      const phase = this.#outputs * step - whole * phases;
      const at = address + 4 * (whole - origin);
      exports.polyphase(this.#out, at, this.#table, tapCount, phases, phase, step, count);
    } else {
      const first = this.#outputs;
      exports.interpolateSteps(
        this.#out,
        address,
        this.#table,
        tapCount,
        phases,
        first,
        this.#step,
        origin,
        count,
      );
    }
    this.#outputs += count;
    return this.dsp.floats(this.#out, count).slice();
  }

  #dropPassed(): void {
    const oldest = Math.floor(this.#outputs * this.#step) - this.#filters.tapCount / 2 - 1;
    const passed = Math.min(oldest - this.#origin, this.#queue.length);
    if (passed <= 0) return;
    this.#queue.drop(passed);
    this.#origin += passed;
  }
}

/**
 * A signal between its samples, for time scales near 1 (motion, drifting clocks) and places of any kind. It keeps the whole band:
 * flat to 0.907 of it, images 90 dB down. Silence outside the samples.
 */
export class Interpolator {
  readonly #tapCount: number;
  readonly #table: number;
  readonly #tableCount: number;
  readonly #out: number;
  readonly #places: number;
  readonly #span: number;
  readonly #samples: number;

  constructor(readonly dsp: Dsp) {
    const { coefficients, tapCount } = interpolationFilters(DENSE_PHASES);
    this.#tapCount = tapCount;
    this.#tableCount = coefficients.length;
    this.#table = dsp.allocate(coefficients.length);
    dsp.floats(this.#table, coefficients.length).set(coefficients);
    this.#out = dsp.allocate(BLOCK);
    this.#places = dsp.allocate(2 * BLOCK);
    this.#span = 8 * BLOCK;
    this.#samples = dsp.allocate(this.#span);
  }

  /** @returns `count` values: number i stands at start + i·step */
  atStep(samples: Float32Array, start: number, step: number, count: number): Float32Array {
    return this.#values(samples, count, i => start + i * step);
  }

  /** @returns a value for each position, in samples from the first */
  at(samples: Float32Array, positions: ArrayLike<number>): Float32Array {
    return this.#values(samples, positions.length, i => positions[i]);
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.dsp.release(this.#table, this.#tableCount);
    this.dsp.release(this.#out, BLOCK);
    this.dsp.release(this.#places, 2 * BLOCK);
    this.dsp.release(this.#samples, this.#span);
  }

  #values(samples: Float32Array, count: number, place: (i: number) => number): Float32Array {
    const values = new Float32Array(count);
    const places = new Float64Array(BLOCK);
    for (let done = 0; done < count;) {
      let least = Infinity;
      let most = -Infinity;
      let block = 0;
      for (; block < BLOCK && done + block < count; block++) {
        const at = place(done + block);
        if (!Number.isFinite(at)) throw new RangeError(`position ${done + block} is ${at}`);
        // Far outside is silence, wherever.
        const near = Math.min(Math.max(at, -this.#tapCount), samples.length + this.#tapCount);
        const low = Math.min(least, near);
        const high = Math.max(most, near);
        if (high - low > this.#span - this.#tapCount - 4) break;
        [least, most, places[block]] = [low, high, near];
      }
      values.set(this.#block(samples, places.subarray(0, block), least, most), done);
      done += block;
    }
    return values;
  }

  #block(samples: Float32Array, places: Float64Array, least: number, most: number): Float32Array {
    const before = this.#tapCount / 2 - 1;
    const first = Math.floor(least) - before;
    const end = Math.floor(most) + this.#tapCount / 2 + 2;
    const room = this.dsp.floats(this.#samples, this.#span).fill(0, 0, end - first);
    const from = Math.max(first, 0);
    if (end > from) room.set(samples.subarray(from, end), from - first);
    this.dsp.doubles(this.#places, places.length).set(places.map(at => at - before - first));
    this.dsp.exports.interpolateAt(
      this.#out,
      this.#samples,
      this.#table,
      this.#tapCount,
      DENSE_PHASES,
      this.#places,
      places.length,
    );
    return this.dsp.floats(this.#out, places.length);
  }
}

/**
 * The samples at 0, ratio, 2·ratio, … as far as there are any: a ratio of 1.005 is heard 0.5 % shorter and higher.
 *
 * @param ratio above 0.5 and below 2
 * @throws ResamplingError for other ratios
 */
export function resampleByRatio(dsp: Dsp, samples: Float32Array, ratio: number): Float32Array {
  if (!(ratio > 0.5 && ratio < 2)) throw new ResamplingError(`ratio ${ratio} is not between 0.5 and 2`);
  if (samples.length === 0) return new Float32Array(0);
  const interpolator = new Interpolator(dsp);
  const values = interpolator.atStep(samples, 0, ratio, Math.floor((samples.length - 1) / ratio) + 1);
  interpolator.free();
  return values;
}

function joined(parts: readonly Float32Array[], count: number): Float32Array {
  if (parts.length === 1) return parts[0];
  const all = new Float32Array(count);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
