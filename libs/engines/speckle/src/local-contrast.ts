import type { ModalityParameters } from './modality.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { max, min, sqrt } = Math;

/** A square picture freed of its illumination: mean nought and deviation one in every neighbourhood. */
export interface NormalisedSquare {
  readonly sidePx: number;
  readonly values: Float32Array;
  /** 1 where there is no structure to speak of. */
  readonly flat: Uint8Array;
  /** Standard deviation by mean of the intensity, its slow changes divided out. */
  readonly contrast: number;
}

/** A speck of dust is no reason for the pixels beside it to be heard less. */
const LIMIT = 4;
/** Of white: below this there is no light to divide by. */
const DARKNESS = 0.5;

/**
 * High-pass and local contrast normalisation: (x − mean)/deviation, both over a neighbourhood that narrows at the edges of
 * the square, so that nothing outside it is needed.
 */
export function normaliseContrast(
  square: Float32Array,
  sidePx: number,
  { neighbourhoodPx, flatContrast }: ModalityParameters,
): NormalisedSquare {
  const mean = boxMeanTwice(square, sidePx, neighbourhoodPx);
  const values = new Float32Array(square.length);
  const squares = new Float32Array(square.length);
  let relative = 0;
  for (let i = 0; i < square.length; i++) {
    const difference = square[i] - mean[i];
    values[i] = difference;
    squares[i] = difference * difference;
    relative += squares[i] / (mean[i] * mean[i] + DARKNESS * DARKNESS);
  }
  const variance = boxMeanTwice(squares, sidePx, neighbourhoodPx);
  // Close by alone: what is flat is so up to the edge of what is not.
  const near = boxMean(values, sidePx, neighbourhoodPx >> 1);
  const nearSquares = boxMean(squares, sidePx, neighbourhoodPx >> 1);
  const flat = new Uint8Array(square.length);
  for (let i = 0; i < square.length; i++) {
    const floor = flatContrast * (mean[i] + DARKNESS);
    // Running sums leave a little less than nought where nothing is left.
    const deviation = sqrt(max(0, variance[i]));
    flat[i] = nearSquares[i] - near[i] * near[i] < floor * floor ? 1 : 0;
    values[i] = max(-LIMIT, min(LIMIT, values[i] / max(deviation, floor)));
  }
  return { sidePx, values, flat, contrast: sqrt(relative / square.length) };
}

/** The mean over a box of 2·radius + 1 a side, applied twice: a tent, which leaves no ripple as one box does. */
export function boxMeanTwice(square: Float32Array, sidePx: number, radius: number): Float32Array {
  return boxMean(boxMean(square, sidePx, radius), sidePx, radius);
}

const boxMean = (square: Float32Array, sidePx: number, radius: number) =>
  meanOfColumns(meanOfRows(square, sidePx, radius), sidePx, radius);

/** Running sums in 64 bits: in 32 the error would wander along the row. */
function meanOfRows(square: Float32Array, sidePx: number, radius: number): Float32Array {
  const means = new Float32Array(square.length);
  for (let row = 0; row < sidePx; row++) {
    const start = row * sidePx;
    let sum = 0;
    for (let x = 0; x < min(radius, sidePx); x++) sum += square[start + x];
    for (let x = 0; x < sidePx; x++) {
      const enters = x + radius;
      const leaves = x - radius - 1;
      if (enters < sidePx) sum += square[start + enters];
      if (leaves >= 0) sum -= square[start + leaves];
      means[start + x] = sum / (min(enters, sidePx - 1) - max(leaves, -1));
    }
  }
  return means;
}

function meanOfColumns(square: Float32Array, sidePx: number, radius: number): Float32Array {
  const means = new Float32Array(square.length);
  const sums = new Float64Array(sidePx);
  for (let y = 0; y < min(radius, sidePx); y++) {
    for (let x = 0; x < sidePx; x++) sums[x] += square[y * sidePx + x];
  }
  for (let y = 0; y < sidePx; y++) {
    const enters = y + radius;
    const leaves = y - radius - 1;
    const count = min(enters, sidePx - 1) - max(leaves, -1);
    const to = y * sidePx;
    if (enters < sidePx && leaves >= 0) {
      const [first, last] = [enters * sidePx, leaves * sidePx];
      for (let x = 0; x < sidePx; x++) {
        const sum = sums[x] + square[first + x] - square[last + x];
        sums[x] = sum;
        means[to + x] = sum / count;
      }
      continue;
    }
    if (enters < sidePx) for (let x = 0; x < sidePx; x++) sums[x] += square[enters * sidePx + x];
    if (leaves >= 0) for (let x = 0; x < sidePx; x++) sums[x] -= square[leaves * sidePx + x];
    for (let x = 0; x < sidePx; x++) means[to + x] = sums[x] / count;
  }
  return means;
}
