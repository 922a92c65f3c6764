import type { InkPicture } from './grey-picture.js';

/** Scanners and people lay a page down at most as crooked; more is turned on purpose and stays as it is. */
export const SKEW_DEGREES_MAX = 4;
const COARSE_DEGREES = 0.25;
const FINE_DEGREES = 0.05;
/** Ink pixels that are looked at: enough for a page of text. */
const SAMPLES_MAX = 60_000;

/** How sharply rows of ink part from rows of paper when the page is sheared by an angle. */
function sharpness(xs: Int32Array, ys: Int32Array, height: number, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const rows = new Int32Array(height * 2);
  for (let i = 0; i < xs.length; i++) {
    const row = Math.round(ys[i] - xs[i] * slope) + (height >> 1);
    if (row >= 0 && row < rows.length) rows[row]++;
  }
  let sum = 0;
  for (let row = 1; row < rows.length; row++) sum += (rows[row] - rows[row - 1]) ** 2;
  return sum;
}

/**
 * Degrees, clockwise, that a page lies turned by: the angle at which its lines of text and its rules fall into rows
 * (projection profile, Postl 1986).
 */
export function skewDegrees({ width, height, ink, dpi }: InkPicture): number {
  const step = Math.max(1, Math.round(dpi / 100));
  const found: number[] = [];
  for (let y = 0; y < height; y += step) {
    for (let x = 0; x < width; x += step) if (ink[y * width + x] === 1) found.push(y * width + x);
  }
  const every = Math.max(1, Math.ceil(found.length / SAMPLES_MAX));
  const sampled = found.filter((_, i) => i % every === 0);
  const xs = Int32Array.from(sampled, at => Math.floor((at % width) / step));
  const ys = Int32Array.from(sampled, at => Math.floor(at / width / step));
  const rows = Math.ceil(height / step);
  const bestOf = (from: number, to: number, by: number) => {
    let [best, degrees] = [-1, 0];
    for (let angle = from; angle <= to + 1e-9; angle += by) {
      const score = sharpness(xs, ys, rows, angle);
      if (score > best) [best, degrees] = [score, angle];
    }
    return degrees;
  };
  const coarse = bestOf(-SKEW_DEGREES_MAX, SKEW_DEGREES_MAX, COARSE_DEGREES);
  return bestOf(coarse - COARSE_DEGREES, coarse + COARSE_DEGREES, FINE_DEGREES);
}
