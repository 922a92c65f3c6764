import type { Dsp } from './dsp.js';
import { FftSizeError } from './real-fft.js';

export const COMPLEX_FFT_SIZE_MIN = 8;
export const COMPLEX_FFT_SIZE_MAX = 2 ** 20;

/** Transforms of one size on interleaved complex numbers in a Dsp's memory: what one dimension and two have in common. */
class FftPlan {
  readonly #twiddles: number;

  /** @throws FftSizeError for a size that is no power of two from 8 to 2^20 */
  constructor(
    readonly dsp: Dsp,
    readonly size: number,
  ) {
    if (
      !Number.isInteger(size) ||
      size < COMPLEX_FFT_SIZE_MIN ||
      size > COMPLEX_FFT_SIZE_MAX ||
      (size & (size - 1)) !== 0
    ) {
      throw new FftSizeError(size, COMPLEX_FFT_SIZE_MIN, COMPLEX_FFT_SIZE_MAX);
    }
    this.#twiddles = dsp.table(`fft twiddles ${size}`, () => twiddleTable(size));
  }

  /** `columns` transforms at once; the result is where it returns, `data` or `work`. */
  run(data: number, work: number, columns: number, isInverse: boolean): number {
    return this.dsp.exports.fft(data, work, this.size, columns, this.#twiddles, isInverse);
  }
}

/**
 * Discrete Fourier transform of complex numbers, X[k] = Σ x[n]·e^(−2πikn/N), in 32-bit floats and in place: fill `data`, transform,
 * read `data`. The error is about 1e-7 of the largest value times log₂ N.
 *
 * @example
 * const fft = new ComplexFft(dsp, 8);
 * fft.data.fill(0);
 * fft.data[0] = 1;
 * fft.forward(); // data: 1, 0, 1, 0, …
 */
export class ComplexFft {
  readonly #plan: FftPlan;
  readonly #address: number;
  readonly #work: number;
  #view: Float32Array;

  /**
   * @param size complex numbers, a power of two from 8 to 2^20
   * @throws FftSizeError for any other
   */
  constructor(
    readonly dsp: Dsp,
    readonly size: number,
  ) {
    this.#plan = new FftPlan(dsp, size);
    this.#address = dsp.allocate(2 * size);
    this.#work = dsp.allocate(2 * size);
    this.#view = dsp.floats(this.#address, 2 * size);
  }

  /** Real and imaginary parts, 2·size floats: a view, to be taken afresh after anything else was made on the same Dsp. */
  get data(): Float32Array {
    if (this.#view.length === 0) this.#view = this.dsp.floats(this.#address, 2 * this.size);
    return this.#view;
  }

  forward(): void {
    const at = this.#plan.run(this.#address, this.#work, 1, false);
    if (at !== this.#address) this.dsp.exports.scaleFloats(this.#address, at, 1, 2 * this.size);
  }

  /** So that `inverse` after `forward` gives what was there: scaled by 1/N. */
  inverse(): void {
    const at = this.#plan.run(this.#address, this.#work, 1, true);
    this.dsp.exports.scaleFloats(this.#address, at, 1 / this.size, 2 * this.size);
  }

  /** data[k] = data[k]·spectrum[k], for 2·size interleaved floats at an address in the Dsp's memory (a convolution). */
  multiplyBy(spectrumAddress: number): void {
    this.dsp.exports.multiplySpectra(this.#address, spectrumAddress, this.size);
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.dsp.release(this.#address, 2 * this.size);
    this.dsp.release(this.#work, 2 * this.size);
  }
}

/**
 * The same for pictures, row by row: X[v, u] = Σ x[y, x]·e^(−2πi(ux/width + vy/height)) at data[2(v·width + u)].
 */
export class ComplexFft2d {
  readonly #rows: FftPlan;
  readonly #columns: FftPlan;
  readonly #count: number;
  readonly #address: number;
  readonly #work: number;
  #view: Float32Array;

  /**
   * @param width and @param height powers of two from 8; at most 2^24 numbers together
   * @throws FftSizeError for any other
   */
  constructor(
    readonly dsp: Dsp,
    readonly width: number,
    readonly height: number,
  ) {
    this.#rows = new FftPlan(dsp, width);
    this.#columns = new FftPlan(dsp, height);
    if (width * height > 2 ** 24) throw new FftSizeError(width * height, 64, 2 ** 24);
    this.#count = 2 * width * height;
    this.#address = dsp.allocate(this.#count);
    this.#work = dsp.allocate(this.#count);
    this.#view = dsp.floats(this.#address, this.#count);
  }

  /** Real and imaginary parts: a view, to be taken afresh after anything else was made on the same Dsp. */
  get data(): Float32Array {
    if (this.#view.length === 0) this.#view = this.dsp.floats(this.#address, this.#count);
    return this.#view;
  }

  forward(): void {
    this.#transform(false, 1);
  }

  /** Scaled by 1/(width·height). */
  inverse(): void {
    this.#transform(true, 1 / (this.width * this.height));
  }

  /** data[k] = data[k]·spectrum[k], for as many interleaved floats at an address in the Dsp's memory. */
  multiplyBy(spectrumAddress: number): void {
    this.dsp.exports.multiplySpectra(this.#address, spectrumAddress, this.#count / 2);
  }

  /** Gives its buffers back; it must not be used after. */
  free(): void {
    this.dsp.release(this.#address, this.#count);
    this.dsp.release(this.#work, this.#count);
  }

  #transform(isInverse: boolean, factor: number): void {
    const rowBytes = 8 * this.width;
    let from = this.#address;
    let to = this.#work;
    for (let row = 0; row < this.height; row++) {
      const at = this.#rows.run(this.#address + row * rowBytes, this.#work + row * rowBytes, 1, isInverse);
      // Rows are of one size, so that all of them end on the same side.
      if (row === 0 && at !== this.#address) [from, to] = [to, from];
    }
    const at = this.#columns.run(from, to, this.width, isInverse);
    if (at !== this.#address || factor !== 1) {
      this.dsp.exports.scaleFloats(this.#address, at, factor, this.#count);
    }
  }
}

/** For each pass of radix 4 the three twiddles of each of its rows, as the kernel reads them: (re, re, im, im). */
function twiddleTable(size: number): Float32Array {
  let rows = 0;
  for (let n = size; n >= 4; n /= 4) rows += n / 4;
  const table = new Float32Array(12 * rows);
  let at = 0;
  for (let n = size; n >= 4; n /= 4) {
    for (let p = 0; p < n / 4; p++) {
      for (let k = 1; k <= 3; k++, at += 4) {
        const angle = (-2 * Math.PI * k * p) / n;
        table.fill(Math.cos(angle), at, at + 2).fill(Math.sin(angle), at + 2, at + 4);
      }
    }
  }
  return table;
}
