import { PATCH_PX } from './modality.js';
import type { PatchPlace } from './pose-bank.js';
import { cubicAt, type Alignment } from './resample-square.js';

// Taken once: in the context of a test runner every look at a global is slow.
const { isNaN } = Number;

/** The edges of the patch were normalised with less about them than in the fresh picture. */
const MARGIN_PX = 12;
const STRIDE_PX = 3;
const STEPS_MAX = 12;
/** At the corner of the patch: less is no change worth another step. */
const STEP_PX_MIN = 0.01;
const WANDERED_PX = 6;
/** Turning about a place aside moves the middle: a step of the bank, half of it. */
const WANDERED_SHARE = 0.06;
const SCALE_WANDERED = 0.1;

interface Sample {
  readonly dx: number;
  readonly dy: number;
  readonly value: number;
  readonly alongX: number;
  readonly alongY: number;
}

/** An enrolled patch as it is followed from any start. */
export interface FollowedPatch {
  readonly samples: readonly Sample[];
  /** Undefined where the patch has no structure to hold on to. */
  readonly inverse: readonly (readonly number[])[] | undefined;
  /** Farther than this from where it began it has left its peak. */
  readonly reachPx: number;
}

/**
 * What {@link refineAlignment} needs of a patch.
 * @param radiusPx of the part that is followed: the smaller, the farther from its peak it may begin
 * @param about the middle of that part
 */
export function followedPatch(
  enrolled: Float32Array,
  radiusPx = PATCH_PX,
  about: PatchPlace = { dx: 0, dy: 0 },
): FollowedPatch {
  const samples = samplesOf(enrolled, radiusPx, about);
  const reachPx = WANDERED_PX + WANDERED_SHARE * Math.hypot(about.dx, about.dy);
  return { samples, inverse: invertSymmetric(normalMatrix(samples)), reachPx };
}

/**
 * Follows a rough alignment to its peak: least squares between the enrolled patch and the fresh picture over shift, rotation and
 * scale (inverse compositional alignment, Baker and Matthews, IJCV 56, 2004: the gradient is the enrolled patch’s, so that it is
 * taken once).
 *
 * @returns where it ended, and the correlation of the two there
 */
export function refineAlignment(
  { samples, inverse, reachPx }: FollowedPatch,
  fresh: Float32Array,
  sidePx: number,
  start: Alignment,
): { alignment: Alignment; correlation: number } {
  const centre = (sidePx - 1) / 2;
  const at = {
    ...{
      x: start.shiftXPx,
      y: start.shiftYPx,
      angle: (start.rotationDeg * Math.PI) / 180,
      scale: start.scale,
    },
  };
  let best = { alignment: start, correlation: -1 };
  for (let step = 0; step <= STEPS_MAX; step++) {
    const { gradient, correlation } = compare(samples, fresh, sidePx, centre, at);
    if (correlation > best.correlation) {
      const rotationDeg = (at.angle * 180) / Math.PI;
      const alignment = { shiftXPx: at.x, shiftYPx: at.y, rotationDeg, scale: at.scale };
      best = { alignment, correlation };
    }
    if (!inverse) break;
    const [dx, dy, turn, growth] = inverse.map(row =>
      row.reduce((sum, value, i) => sum + value * gradient[i], 0),
    );
    // What moves the patch forwards moves the picture backwards.
    at.angle -= turn;
    at.scale /= 1 + growth;
    at.x -= at.scale * (Math.cos(at.angle) * dx - Math.sin(at.angle) * dy);
    at.y -= at.scale * (Math.sin(at.angle) * dx + Math.cos(at.angle) * dy);
    if (Math.hypot(at.x - start.shiftXPx, at.y - start.shiftYPx) > reachPx * start.scale) break;
    if (Math.abs(at.scale / start.scale - 1) > SCALE_WANDERED) break;
    if (Math.hypot(dx, dy) + (Math.abs(turn) + Math.abs(growth)) * PATCH_PX * Math.SQRT1_2 < STEP_PX_MIN)
      break;
  }
  return best;
}

function samplesOf(patch: Float32Array, radiusPx: number, about: PatchPlace): Sample[] {
  const samples: Sample[] = [];
  const middle = (PATCH_PX - 1) / 2;
  for (let row = MARGIN_PX; row < PATCH_PX - MARGIN_PX; row += STRIDE_PX) {
    for (let column = MARGIN_PX; column < PATCH_PX - MARGIN_PX; column += STRIDE_PX) {
      if (Math.hypot(column - middle - about.dx, row - middle - about.dy) > radiusPx) continue;
      const at = row * PATCH_PX + column;
      samples.push({
        dx: column - middle,
        dy: row - middle,
        value: patch[at],
        alongX: (patch[at + 1] - patch[at - 1]) / 2,
        alongY: (patch[at + PATCH_PX] - patch[at - PATCH_PX]) / 2,
      });
    }
  }
  return samples;
}

/** How a sample changes with a shift along x, along y, a rotation about the middle and a growth from it. */
const slopes = ({ dx, dy, alongX, alongY }: Sample) => [
  ...[alongX, alongY, alongY * dx - alongX * dy, alongX * dx + alongY * dy],
];

function normalMatrix(samples: readonly Sample[]): number[][] {
  const matrix = [0, 1, 2, 3].map(() => [0, 0, 0, 0]);
  for (const sample of samples) {
    const slope = slopes(sample);
    for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) matrix[i][j] += slope[i] * slope[j];
  }
  return matrix;
}

function compare(
  samples: readonly Sample[],
  fresh: Float32Array,
  sidePx: number,
  centre: number,
  at: { x: number; y: number; angle: number; scale: number },
) {
  const cos = at.scale * Math.cos(at.angle);
  const sin = at.scale * Math.sin(at.angle);
  const gradient = [0, 0, 0, 0];
  let products = 0;
  let enrolledSquares = 0;
  let freshSquares = 0;
  for (const sample of samples) {
    const { dx, dy, value, alongX, alongY } = sample;
    const x = centre + at.x + cos * dx - sin * dy;
    const y = centre + at.y + sin * dx + cos * dy;
    if (x < 0 || y < 0 || x > sidePx - 1 || y > sidePx - 1) continue;
    const seen = cubicAt(fresh, sidePx, x, y);
    // Not a number: there is no picture.
    if (isNaN(seen)) continue;
    const difference = seen - value;
    gradient[0] += alongX * difference;
    gradient[1] += alongY * difference;
    gradient[2] += (alongY * dx - alongX * dy) * difference;
    gradient[3] += (alongX * dx + alongY * dy) * difference;
    products += seen * value;
    enrolledSquares += value * value;
    freshSquares += seen * seen;
  }
  const length = Math.sqrt(enrolledSquares * freshSquares);
  return { gradient, correlation: length > 0 ? products / length : 0 };
}

/** By Gauss and Jordan; undefined where a pivot is close to zero. */
function invertSymmetric(matrix: number[][]): number[][] | undefined {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < size; i++) {
    // Of a matrix of squares the pivots need no exchange of rows.
    if (!(rows[i][i] > 1e-6 * matrix[i][i])) return undefined;
    rows[i] = rows[i].map(value => value / rows[i][i]);
    for (let other = 0; other < size; other++) {
      if (other === i) continue;
      const share = rows[other][i];
      rows[other] = rows[other].map((value, j) => value - share * rows[i][j]);
    }
  }
  return rows.map(row => row.slice(size));
}
