import { RealFft } from '@svc/kernels';

/**
 * The whole of samples ∗ response, samples + response − 1 long, block by block through a transform (overlap-add), so that
 * memory does not grow with the sound's length more than the answer's own.
 *
 * @example
 * convolve(Float32Array.of(1, 2), Float64Array.of(1, 0, 3)); // 1, 2, 3, 6
 */
export function convolve(samples: ArrayLike<number>, response: ArrayLike<number>): Float32Array {
  const out = new Float32Array(Math.max(0, samples.length + response.length - 1));
  if (out.length === 0) return out;
  const size = 2 ** Math.max(8, Math.ceil(Math.log2(Math.min(2 * out.length, 4 * response.length))));
  const fft = new RealFft(size);
  const filter = fft.forward(response);
  const step = size - response.length + 1;
  const block = new Float64Array(size);
  const spectrum = new Float64Array(2 * fft.bins);
  for (let start = 0; start < samples.length; start += step) {
    const count = Math.min(step, samples.length - start);
    for (let n = 0; n < size; n++) block[n] = n < count ? samples[start + n] : 0;
    multiply(fft.forward(block, spectrum), filter);
    const sound = fft.inverse(spectrum);
    const end = Math.min(size, out.length - start);
    for (let n = 0; n < end; n++) out[start + n] += sound[n];
  }
  return out;
}

function multiply(spectrum: Float64Array, filter: Float64Array): void {
  for (let k = 0; k < spectrum.length; k += 2) {
    const re = spectrum[k] * filter[k] - spectrum[k + 1] * filter[k + 1];
    spectrum[k + 1] = spectrum[k] * filter[k + 1] + spectrum[k + 1] * filter[k];
    spectrum[k] = re;
  }
}
