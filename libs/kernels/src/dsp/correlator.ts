import { ComplexFft, COMPLEX_FFT_SIZE_MAX } from './complex-fft.js';
import type { Dsp } from './dsp.js';
import { SampleQueue } from './sample-queue.js';

/** What the numbers of a template or a stream are: real, or interleaved complex. */
export type NumberKind = 'real' | 'complex';

/** A template that no transform is long enough for. */
export class CorrelatorError extends Error {
  override readonly name = 'CorrelatorError';
  readonly code = 'CORRELATOR_TEMPLATE';
  readonly max = COMPLEX_FFT_SIZE_MAX / 4;

  constructor(readonly got: number) {
    super(`a template has 1 to ${COMPLEX_FFT_SIZE_MAX / 4} numbers, got ${got}`);
  }
}

/**
 * A matched filter on a stream: y[n] = Σ x[n + k]·conj(t[k]) for n from 0 on, by overlap and save. Of real samples with a real
 * template two blocks go through one transform, as its real and imaginary part. Results come a block at a time; how the stream
 * is cut into chunks changes no bit of them.
 *
 * @example
 * const correlator = new Correlator(dsp, chirp);
 * for (const chunk of chunks) look(correlator.process(chunk)); // numbers follow on each other
 * look(correlator.end());
 */
export class Correlator {
  /** Results that come at once; with a complex result each is two floats. */
  readonly blockLength: number;
  readonly #fft: ComplexFft;
  readonly #template: number;
  readonly #queue: SampleQueue;
  /** Floats a sample. */
  readonly #sampleFloats: 1 | 2;
  readonly #resultFloats: 1 | 2;
  /** Samples between the two blocks of one transform, or between transforms. */
  readonly #hop: number;
  #pending = 0;

  /**
   * @param template interleaved where `template` of the options is complex
   * @param options of what kind template and samples are, both real by default; complex samples want a complex template
   * @throws CorrelatorError for an empty template or one of more than 2^18 numbers
   */
  constructor(
    readonly dsp: Dsp,
    template: ArrayLike<number>,
    options: { template?: NumberKind; samples?: NumberKind } = {},
  ) {
    const { template: kind = 'real', samples = 'real' } = options;
    if (samples === 'complex' && kind === 'real')
      throw new TypeError('complex samples want a complex template');
    this.#resultFloats = kind === 'complex' ? 2 : 1;
    this.#sampleFloats = samples === 'complex' ? 2 : 1;
    const length = template.length / this.#resultFloats;
    if (!Number.isInteger(length) || length < 1 || 4 * length > COMPLEX_FFT_SIZE_MAX) {
      throw new CorrelatorError(length);
    }
    const size = 2 ** Math.max(8, Math.ceil(Math.log2(3 * length)));
    this.#hop = size - length + 1;
    this.blockLength = kind === 'complex' ? this.#hop : 2 * this.#hop;
    this.#fft = new ComplexFft(dsp, size);
    this.#template = dsp.allocate(2 * size);
    this.#transformTemplate(template);
    const needed = kind === 'complex' ? size : size + this.#hop;
    this.#queue = new SampleQueue(dsp, this.#sampleFloats * needed);
  }

  /** Forgets all samples, as before the first. */
  reset(): void {
    this.#queue.clear();
    this.#pending = 0;
  }

  /** @returns the results of the blocks that `chunk` completes: none at most times, and whole blocks */
  process(chunk: Float32Array): Float32Array {
    this.#pending += chunk.length / this.#sampleFloats;
    const parts: Float32Array[] = [];
    for (let taken = 0; taken < chunk.length;) {
      taken += this.#queue.push(chunk, taken);
      if (this.#queue.length === this.#queue.capacity) parts.push(this.#block());
    }
    return this.#joined(parts);
  }

  /** The results still outstanding, one for each sample in the end, with zeros behind the stream. The next chunk begins anew. */
  end(): Float32Array {
    const parts: Float32Array[] = [];
    while (this.#pending > 0) {
      const outstanding = this.#pending;
      this.#queue.pushZeros(this.#queue.capacity - this.#queue.length);
      const block = this.#block();
      parts.push(block.subarray(0, Math.min(block.length, this.#resultFloats * outstanding)));
    }
    this.reset();
    return this.#joined(parts);
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.#fft.free();
    this.dsp.release(this.#template, 2 * this.#fft.size);
    this.#queue.free();
  }

  /** Conjugated, since a correlation is a product with the conjugate. */
  #transformTemplate(template: ArrayLike<number>): void {
    const { data, size } = this.#fft;
    data.fill(0);
    if (this.#resultFloats === 2) data.set(template);
    else for (let k = 0; k < template.length; k++) data[2 * k] = template[k];
    this.#fft.forward();
    const spectrum = this.dsp.floats(this.#template, 2 * size);
    spectrum.set(this.#fft.data);
    for (let i = 1; i < spectrum.length; i += 2) spectrum[i] = -spectrum[i];
  }

  #block(): Float32Array {
    const fft = this.#fft;
    const { data } = fft;
    const hop = this.#hop;
    const samples = this.#queue.oldest(this.#queue.capacity);
    if (this.#sampleFloats === 2) data.set(samples);
    else {
      const isPair = this.#resultFloats === 1;
      for (let n = 0; n < fft.size; n++) {
        data[2 * n] = samples[n];
        data[2 * n + 1] = isPair ? samples[n + hop] : 0;
      }
    }
    fft.forward();
    fft.multiplyBy(this.#template);
    fft.inverse();
    this.#queue.drop(this.#sampleFloats * this.blockLength);
    this.#pending -= this.blockLength;
    if (this.#resultFloats === 2) return data.slice(0, 2 * hop);
    const results = new Float32Array(2 * hop);
    for (let n = 0; n < hop; n++) {
      results[n] = data[2 * n];
      results[hop + n] = data[2 * n + 1];
    }
    return results;
  }

  #joined(parts: readonly Float32Array[]): Float32Array {
    if (parts.length === 1) return parts[0].slice();
    const all = new Float32Array(parts.reduce((count, part) => count + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
