/**
 * Hann window as of a transform, w[n] = sin²(πn/N): w[0] is 0, and N such windows half a length apart add up to one.
 *
 * Of amplitude: its sum is N/2; of power: the sum of its squares is 3N/8, so that a bin holds the noise of 1.5 bins
 * (Harris, On the use of windows for harmonic analysis with the DFT, Proc. IEEE 66, 1978).
 *
 * @param size samples
 */
export function hannWindow(size: number): Float64Array {
  const window = new Float64Array(size);
  for (let n = 0; n < size; n++) window[n] = Math.sin((Math.PI * n) / size) ** 2;
  return window;
}

/**
 * Where between the bins the top of a peak lies: the parabola through three logarithms.
 *
 * @param before level of the bin before the highest, in dB or any logarithm
 * @param top of the highest
 * @param after of the one after
 * @returns bins from the highest, −0.5 to 0.5
 */
export function parabolicOffset(before: number, top: number, after: number): number {
  const curvature = before - 2 * top + after;
  if (!(curvature < 0)) return 0;
  return Math.max(-0.5, Math.min(0.5, (before - after) / (2 * curvature)));
}
