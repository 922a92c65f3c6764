import { PATCH_PX } from './modality.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { floor, PI } = Math;

/**
 * Where the enrolled patch lies in a picture: its pixel (x, y) is found at middle + shift + scale·R(rotation)·(x − 127.5, y − 127.5).
 * Turned from the x axis (right) towards the y axis (down), so clockwise as it is seen.
 */
export interface Alignment {
  readonly shiftXPx: number;
  readonly shiftYPx: number;
  readonly rotationDeg: number;
  /** Pixels of the picture for one of the patch. */
  readonly scale: number;
}

export const UNMOVED: Alignment = { shiftXPx: 0, shiftYPx: 0, rotationDeg: 0, scale: 1 };

export interface ResampledPatch {
  /** Outside the square, its nearest pixel. */
  readonly values: Float32Array;
  /** 1 where the square has no pixel. */
  readonly outside: Uint8Array;
}

/**
 * The patch where an alignment puts it, by cubic convolution (Keys 1981, a = −½): exact at whole pixels, and within a few
 * thousandths up to the frequencies that the filters pass.
 */
export function resamplePatch(square: Float32Array, sidePx: number, alignment: Alignment): ResampledPatch {
  return resampleSquare(square, sidePx, alignment, PATCH_PX);
}

/** {@link resamplePatch} of more than the patch, or less, about its middle. */
export function resampleSquare(
  square: Float32Array,
  sidePx: number,
  alignment: Alignment,
  wantedPx: number,
): ResampledPatch {
  const values = new Float32Array(wantedPx * wantedPx);
  const outside = new Uint8Array(wantedPx * wantedPx);
  const middle = (wantedPx - 1) / 2;
  const angle = (alignment.rotationDeg * PI) / 180;
  const cos = alignment.scale * Math.cos(angle);
  const sin = alignment.scale * Math.sin(angle);
  const centre = (sidePx - 1) / 2;
  if (alignment === UNMOVED && (sidePx - wantedPx) % 2 === 0) {
    const start = ((sidePx - wantedPx) / 2) * (sidePx + 1);
    for (let row = 0; row < wantedPx; row++) {
      const from = start + row * sidePx;
      values.set(square.subarray(from, from + wantedPx), row * wantedPx);
    }
    return { values, outside };
  }
  for (let row = 0; row < wantedPx; row++) {
    for (let column = 0; column < wantedPx; column++) {
      const dx = column - middle;
      const dy = row - middle;
      const x = centre + alignment.shiftXPx + cos * dx - sin * dy;
      const y = centre + alignment.shiftYPx + sin * dx + cos * dy;
      const at = row * wantedPx + column;
      values[at] = cubicAt(square, sidePx, x, y);
      outside[at] = x > -0.5 && y > -0.5 && x < sidePx - 0.5 && y < sidePx - 0.5 ? 0 : 1;
    }
  }
  return { values, outside };
}

/** The value between the pixels; beyond the edges their nearest pixel goes on. */
export function cubicAt(square: Float32Array, sidePx: number, x: number, y: number): number {
  const left = floor(x);
  const top = floor(y);
  const u = x - left;
  const v = y - top;
  if (left >= 1 && top >= 1 && left < sidePx - 2 && top < sidePx - 2) {
    const at = (top - 1) * sidePx + left - 1;
    return cubic(
      cubic(square[at], square[at + 1], square[at + 2], square[at + 3], u),
      cubicRow(square, at + sidePx, u),
      cubicRow(square, at + 2 * sidePx, u),
      cubicRow(square, at + 3 * sidePx, u),
      v,
    );
  }
  const last = sidePx - 1;
  const pixel = (dx: number, dy: number) => square[clamp(top + dy, last) * sidePx + clamp(left + dx, last)];
  const row = (dy: number) => cubic(pixel(-1, dy), pixel(0, dy), pixel(1, dy), pixel(2, dy), u);
  return cubic(row(-1), row(0), row(1), row(2), v);
}

const cubicRow = (square: Float32Array, at: number, u: number) =>
  cubic(square[at], square[at + 1], square[at + 2], square[at + 3], u);

function cubic(a: number, b: number, c: number, d: number, u: number): number {
  return b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
}

const clamp = (value: number, last: number) => (value < 0 ? 0 : value > last ? last : value);
