/** y[n] = Σ taps[k]·x[n·decimation − k], silence before the first sample. */
export function naiveFir(samples: ArrayLike<number>, taps: ArrayLike<number>, decimation = 1): Float64Array {
  const count = Math.ceil(samples.length / decimation);
  return Float64Array.from({ length: count }, (_, n) => {
    let sum = 0;
    for (let k = 0; k < taps.length && k <= n * decimation; k++) sum += taps[k] * samples[n * decimation - k];
    return sum;
  });
}
