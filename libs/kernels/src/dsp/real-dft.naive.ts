/**
 * X[k] = Σ x[n]·e^(−2πikn/N) for k = 0 … ⌊N/2⌋ by definition, in O(N²): the oracle of `RealFft`.
 *
 * @returns real and imaginary parts of each bin, interleaved
 */
export function naiveRealDft(samples: ArrayLike<number>): Float64Array {
  const size = samples.length;
  const bins = Math.floor(size / 2) + 1;
  const spectrum = new Float64Array(2 * bins);
  for (let k = 0; k < bins; k++) {
    for (let n = 0; n < size; n++) {
      // k·n modulo N first: the angle keeps all its digits.
      const angle = (-2 * Math.PI * ((k * n) % size)) / size;
      spectrum[2 * k] += samples[n] * Math.cos(angle);
      spectrum[2 * k + 1] += samples[n] * Math.sin(angle);
    }
  }
  return spectrum;
}
