/** A size that the transform has no plan for. */
export class FftSizeError extends Error {
  override readonly name = 'FftSizeError';
  readonly code = 'FFT_SIZE';
  constructor(
    readonly got: number,
    readonly min = FFT_SIZE_MIN,
    readonly max = FFT_SIZE_MAX,
  ) {
    super(`size must be a power of two from ${min} to ${max}, got ${got}`);
  }
}

export const FFT_SIZE_MIN = 4;
export const FFT_SIZE_MAX = 2 ** 22;

/**
 * Discrete Fourier transform of real samples, X[k] = Σ x[n]·e^(−2πikn/N), and back.
 *
 * A plan holds the twiddles and the work space of one size: make it once, use it from one caller at a time. The samples
 * are packed in pairs as complex numbers, so that a transform of half the size does (Press et al., Numerical Recipes, 3rd
 * ed., 12.3).
 *
 * @example
 * const fft = new RealFft(8);
 * const spectrum = fft.forward(new Float64Array([1, 0, 0, 0, 0, 0, 0, 0])); // 1, 0, 1, 0, … : five bins of 1 + 0i
 */
export class RealFft {
  /** Of the spectrum: 0 Hz to half the sample rate, both included. */
  readonly bins: number;
  readonly #half: number;
  /** e^(−2πik/N), k < N/2, interleaved. The transform of half the size takes every second. */
  readonly #twiddles: Float64Array;
  readonly #reversed: Uint32Array;
  readonly #work: Float64Array;

  /**
   * @param size samples, a power of two from 4
   * @throws FftSizeError for any other
   */
  constructor(readonly size: number) {
    if (!Number.isInteger(size) || size < FFT_SIZE_MIN || size > FFT_SIZE_MAX || (size & (size - 1)) !== 0) {
      throw new FftSizeError(size);
    }
    this.#half = size / 2;
    this.bins = this.#half + 1;
    this.#twiddles = unitCircle(size);
    this.#reversed = bitReversal(this.#half);
    this.#work = new Float64Array(size);
  }

  /**
   * @param samples at most `size`; zeros follow where there are fewer
   * @param spectrum where to write, 2·bins numbers; made where it is left out
   * @returns real and imaginary parts of each bin, interleaved
   */
  forward(
    samples: ArrayLike<number>,
    spectrum: Float64Array = new Float64Array(2 * this.bins),
  ): Float64Array {
    const half = this.#half;
    const work = this.#work;
    const reversed = this.#reversed;
    const count = Math.min(samples.length, this.size);
    for (let i = 0; i < half; i++) {
      const from = 2 * i;
      const to = 2 * reversed[i];
      work[to] = from < count ? samples[from] : 0;
      work[to + 1] = from + 1 < count ? samples[from + 1] : 0;
    }
    this.#butterflies(-1);
    spectrum[0] = work[0] + work[1];
    spectrum[1] = 0;
    spectrum[2 * half] = work[0] - work[1];
    spectrum[2 * half + 1] = 0;
    for (let k = 1, j = half - 1; k <= j; k++, j--) this.#unpack(spectrum, k, j);
    return spectrum;
  }

  /**
   * The samples of a spectrum, so that `inverse(forward(x))` is x.
   *
   * @param spectrum 2·bins numbers; the imaginary parts of its first and last bin count as 0
   * @param samples where to write, `size` numbers; made where it is left out
   */
  inverse(spectrum: ArrayLike<number>, samples: Float64Array = new Float64Array(this.size)): Float64Array {
    const half = this.#half;
    const work = this.#work;
    const reversed = this.#reversed;
    for (let k = 0; k < half; k++) this.#pack(spectrum, k, 2 * reversed[k]);
    this.#butterflies(1);
    const scale = 1 / half;
    for (let i = 0; i < this.size; i++) samples[i] = work[i] * scale;
    return samples;
  }

  /** Bins k and j = N/2 − k from the transform Z of the packed pairs: even part plus twiddle times odd part. */
  #unpack(spectrum: Float64Array, k: number, j: number): void {
    const work = this.#work;
    const cos = this.#twiddles[2 * k];
    const sin = this.#twiddles[2 * k + 1];
    const evenRe = (work[2 * k] + work[2 * j]) / 2;
    const evenIm = (work[2 * k + 1] - work[2 * j + 1]) / 2;
    const oddRe = (work[2 * k + 1] + work[2 * j + 1]) / 2;
    const oddIm = (work[2 * j] - work[2 * k]) / 2;
    const turnedRe = oddRe * cos - oddIm * sin;
    const turnedIm = oddRe * sin + oddIm * cos;
    spectrum[2 * k] = evenRe + turnedRe;
    spectrum[2 * k + 1] = evenIm + turnedIm;
    spectrum[2 * j] = evenRe - turnedRe;
    spectrum[2 * j + 1] = turnedIm - evenIm;
  }

  /** The other way: Z[k] = (X[k] + X*[N/2 − k])/2 + i·e^(2πik/N)·(X[k] − X*[N/2 − k])/2. */
  #pack(spectrum: ArrayLike<number>, k: number, to: number): void {
    const j = this.#half - k;
    const edge = k === 0 ? 0 : 1;
    const [aRe, aIm] = [spectrum[2 * k], edge * spectrum[2 * k + 1]];
    const [bRe, bIm] = [spectrum[2 * j], -edge * spectrum[2 * j + 1]];
    const cos = this.#twiddles[2 * k];
    const sin = -this.#twiddles[2 * k + 1];
    const oddRe = (aRe - bRe) / 2;
    const oddIm = (aIm - bIm) / 2;
    this.#work[to] = (aRe + bRe) / 2 - (oddRe * sin + oddIm * cos);
    this.#work[to + 1] = (aIm + bIm) / 2 + (oddRe * cos - oddIm * sin);
  }

  /** Radix 2, decimation in time, in place, on the bit-reversed work space; `direction` is the sign of the exponent. */
  #butterflies(direction: 1 | -1): void {
    const half = this.#half;
    const work = this.#work;
    const twiddles = this.#twiddles;
    for (let span = 1; span < half; span *= 2) {
      // Twiddles of the span's circle of 2·span points lie this far apart among those of N points.
      const stride = this.size / span;
      for (let block = 0; block < half; block += 2 * span) {
        for (let i = 0, at = 0; i < span; i++, at += stride) {
          const cos = twiddles[at];
          const sin = -direction * twiddles[at + 1];
          const low = 2 * (block + i);
          const high = low + 2 * span;
          const re = work[high] * cos - work[high + 1] * sin;
          const im = work[high] * sin + work[high + 1] * cos;
          work[high] = work[low] - re;
          work[high + 1] = work[low + 1] - im;
          work[low] += re;
          work[low + 1] += im;
        }
      }
    }
  }
}

function unitCircle(size: number): Float64Array {
  const twiddles = new Float64Array(size);
  for (let k = 0; k < size / 2; k++) {
    const angle = (-2 * Math.PI * k) / size;
    twiddles[2 * k] = Math.cos(angle);
    twiddles[2 * k + 1] = Math.sin(angle);
  }
  return twiddles;
}

function bitReversal(size: number): Uint32Array {
  const bits = Math.log2(size);
  const reversed = new Uint32Array(size);
  for (let i = 1; i < size; i++) reversed[i] = (reversed[i >> 1] >> 1) | ((i & 1) << (bits - 1));
  return reversed;
}
