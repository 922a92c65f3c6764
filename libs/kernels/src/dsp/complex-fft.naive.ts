/** X[k] = Σ x[n]·e^(∓2πikn/N) by definition, interleaved complex numbers; `sign` −1 forward, +1 back (without 1/N). */
export function naiveComplexDft(samples: ArrayLike<number>, sign: 1 | -1): Float64Array {
  const size = samples.length / 2;
  const spectrum = new Float64Array(2 * size);
  for (let k = 0; k < size; k++) {
    for (let n = 0; n < size; n++) {
      const angle = (sign * 2 * Math.PI * ((k * n) % size)) / size;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      spectrum[2 * k] += samples[2 * n] * cos - samples[2 * n + 1] * sin;
      spectrum[2 * k + 1] += samples[2 * n] * sin + samples[2 * n + 1] * cos;
    }
  }
  return spectrum;
}

/** The same of a picture, row by row: X[v, u] = Σ x[y, x]·e^(∓2πi(ux/width + vy/height)). */
export function naiveComplexDft2d(
  pixels: ArrayLike<number>,
  width: number,
  height: number,
  sign: 1 | -1,
): Float64Array {
  const spectrum = new Float64Array(2 * width * height);
  for (let row = 0; row < height; row++) {
    const line = Array.from({ length: 2 * width }, (_, i) => pixels[2 * width * row + i]);
    spectrum.set(naiveComplexDft(line, sign), 2 * width * row);
  }
  for (let column = 0; column < width; column++) {
    const at = (row: number) => 2 * (width * row + column);
    const line = Array.from({ length: 2 * height }, (_, i) => spectrum[at(i >> 1) + (i & 1)]);
    naiveComplexDft(line, sign).forEach((x, i) => (spectrum[at(i >> 1) + (i & 1)] = x));
  }
  return spectrum;
}
