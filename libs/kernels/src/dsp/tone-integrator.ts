import type { Dsp } from './dsp.js';
import { SampleQueue } from './sample-queue.js';

const BLOCK = 8_192;
/** Longest hop, in samples. */
export const TONE_HOP_SAMPLES_MAX = 65_536;

/** Tones and hops that cannot be integrated. */
export class ToneIntegratorError extends Error {
  override readonly name = 'ToneIntegratorError';
  readonly code = 'TONE_INTEGRATOR';
}

/** What is integrated, and over how long. */
export interface ToneIntegration {
  sampleRateHz: number;
  /** Tones, each above −sampleRateHz/2 and below sampleRateHz/2. */
  frequenciesHz: readonly number[];
  /** 1 to 65,536; need not be whole: hop j is round(j·hopSamples) ≤ n < round((j + 1)·hopSamples). */
  hopSamples: number;
}

/**
 * Sums of a stream against tones over consecutive hops: I = Σ x[n]·cos(2πf·n/fs), Q = −Σ x[n]·sin(2πf·n/fs), where n counts from
 * the first sample of the stream, so that the tones' phases go on through hops and calls, and sums of neighbouring hops add up
 * to those of longer ones. Noncoherent correlators at any offset are made of them. How the stream is cut into chunks
 * changes no bit of the sums.
 *
 * @example
 * const tones = new ToneIntegrator(dsp, { sampleRateHz: 44_100, frequenciesHz: [18_600, 19_200], hopSamples: 18.375 });
 * const sums = tones.process(chunk); // for each hop: I, Q of 18,600 Hz, I, Q of 19,200 Hz
 */
export class ToneIntegrator {
  readonly hopSamples: number;
  readonly #cycles: readonly number[];
  readonly #queue: SampleQueue;
  readonly #ends: number;
  readonly #out: number;
  readonly #hopsMax: number;
  /** Of the queue's first sample, and how many hops lie before it. */
  #origin = 0;
  #hops = 0;

  /** @throws ToneIntegratorError for hops or tones out of their ranges */
  constructor(
    readonly dsp: Dsp,
    integration: ToneIntegration,
  ) {
    const { sampleRateHz, frequenciesHz, hopSamples } = integration;
    if (!(hopSamples >= 1 && hopSamples <= TONE_HOP_SAMPLES_MAX)) {
      throw new ToneIntegratorError(`hops are of 1 to ${TONE_HOP_SAMPLES_MAX} samples, got ${hopSamples}`);
    }
    const cycles = frequenciesHz.map(hz => hz / sampleRateHz);
    if (cycles.length === 0 || !cycles.every(turn => Math.abs(turn) < 0.5)) {
      throw new ToneIntegratorError(`tones of ${frequenciesHz.join(', ')} Hz at ${sampleRateHz} Hz`);
    }
    this.hopSamples = hopSamples;
    this.#cycles = cycles;
    const capacity = BLOCK + Math.ceil(hopSamples) + 1;
    this.#queue = new SampleQueue(dsp, capacity);
    this.#hopsMax = Math.floor(capacity / hopSamples) + 2;
    this.#ends = dsp.allocate(this.#hopsMax);
    this.#out = dsp.allocate(2 * cycles.length * this.#hopsMax);
  }

  /** Forgets all samples, as before the first. */
  reset(): void {
    this.#queue.clear();
    this.#origin = 0;
    this.#hops = 0;
  }

  /** @returns 2·tones floats for each hop that `chunk` completes */
  process(chunk: Float32Array): Float32Array {
    const hopFloats = 2 * this.#cycles.length;
    const end = this.#origin + this.#queue.length + chunk.length;
    const sums = new Float32Array(hopFloats * Math.max(0, this.#hopsWithin(end) - this.#hops));
    let written = 0;
    for (let taken = 0; taken < chunk.length;) {
      taken += this.#queue.push(chunk, taken);
      const hops = this.#hopsWithin(this.#origin + this.#queue.length) - this.#hops;
      if (hops <= 0) continue;
      sums.set(this.#run(hops), written);
      written += hopFloats * hops;
    }
    return sums;
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.dsp.release(this.#ends, this.#hopsMax);
    this.dsp.release(this.#out, 2 * this.#cycles.length * this.#hopsMax);
    this.#queue.free();
  }

  #endOf(hop: number): number {
    return Math.round((hop + 1) * this.hopSamples);
  }

  /** How many hops end at or before sample `end`. */
  #hopsWithin(end: number): number {
    let hops = Math.max(0, Math.floor(end / this.hopSamples) - 1);
    while (this.#endOf(hops) <= end) hops++;
    return hops;
  }

  #run(hops: number): Float32Array {
    const { dsp } = this;
    const ends = dsp.words(this.#ends, hops);
    for (let h = 0; h < hops; h++) ends[h] = this.#endOf(this.#hops + h) - this.#origin;
    const used = ends[hops - 1];
    const hopFloats = 2 * this.#cycles.length;
    this.#cycles.forEach((cycles, tone) => {
      const out = this.#out + 8 * tone;
      dsp.exports.toneHops(out, 4 * hopFloats, this.#queue.address, this.#ends, hops, this.#origin, cycles);
    });
    this.#queue.drop(used);
    this.#origin += used;
    this.#hops += hops;
    return dsp.floats(this.#out, hopFloats * hops);
  }
}
