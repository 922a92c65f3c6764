/** y[n] = Σ x[n + k]·t[k] for every n, zeros behind the samples. */
export function naiveCorrelation(samples: ArrayLike<number>, template: ArrayLike<number>): Float64Array {
  return Float64Array.from({ length: samples.length }, (_, n) => {
    let sum = 0;
    for (let k = 0; k < template.length && n + k < samples.length; k++) sum += samples[n + k] * template[k];
    return sum;
  });
}

/** The same of interleaved complex numbers: y[n] = Σ x[n + k]·conj(t[k]). */
export function naiveComplexCorrelation(
  samples: ArrayLike<number>,
  template: ArrayLike<number>,
): Float64Array {
  const sums = new Float64Array(samples.length);
  for (let n = 0; 2 * n < samples.length; n++) {
    for (let k = 0; 2 * k < template.length && 2 * (n + k) < samples.length; k++) {
      const [re, im] = [samples[2 * (n + k)], samples[2 * (n + k) + 1]];
      const [cos, sin] = [template[2 * k], -template[2 * k + 1]];
      sums[2 * n] += re * cos - im * sin;
      sums[2 * n + 1] += re * sin + im * cos;
    }
  }
  return sums;
}
