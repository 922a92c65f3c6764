import { PATCH_PX } from './modality.js';
import { cubicAt, type Alignment } from './resample-square.js';

/** The edges of the patch were normalised with less about them than in the fresh picture. */
const MARGIN_PX = 12;
const STRIDE_PX = 3;
const STEPS_MAX = 12;
/** At the corner of the patch: less is no change worth another step. */
const STEP_PX_MIN = 0.01;
/** Farther than this from where it began it has left its peak. */
const WANDERED_PX = 6;

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
  readonly inverse: number[][] | undefined;
}

/** What {@link refineAlignment} needs of a patch. */
export function followedPatch(enrolled: Float32Array): FollowedPatch {
  const samples = samplesOf(enrolled);
  return { samples, inverse: invertSymmetric(normalMatrix(samples)) };
}

/**
 * Follows a rough alignment to its peak: least squares between the enrolled patch and the fresh picture over shift and rotation
 * (inverse compositional alignment, Baker and Matthews, IJCV 56, 2004: the gradient is the enrolled patch’s, so that it is taken
 * once).
 *
 * @returns where it ended, and the correlation of the two there
 */
export function refineAlignment(
  { samples, inverse }: FollowedPatch,
  fresh: Float32Array,
  sidePx: number,
  start: Alignment,
): { alignment: Alignment; correlation: number } {
  const centre = (sidePx - 1) / 2;
  const at = { x: start.shiftXPx, y: start.shiftYPx, angle: (start.rotationDeg * Math.PI) / 180 };
  let best = { alignment: start, correlation: -1 };
  for (let step = 0; step <= STEPS_MAX; step++) {
    const { gradient, correlation } = compare(samples, fresh, sidePx, centre, at);
    if (correlation > best.correlation) {
      const rotationDeg = (at.angle * 180) / Math.PI;
      best = { alignment: { shiftXPx: at.x, shiftYPx: at.y, rotationDeg }, correlation };
    }
    if (!inverse) break;
    const [dx, dy, turn] = inverse.map(
      row => row[0] * gradient[0] + row[1] * gradient[1] + row[2] * gradient[2],
    );
    // What moves the patch forwards moves the picture backwards.
    const angle = at.angle - turn;
    at.x -= Math.cos(angle) * dx - Math.sin(angle) * dy;
    at.y -= Math.sin(angle) * dx + Math.cos(angle) * dy;
    at.angle = angle;
    if (Math.hypot(at.x - start.shiftXPx, at.y - start.shiftYPx) > WANDERED_PX) break;
    if (Math.hypot(dx, dy) + Math.abs(turn) * PATCH_PX * Math.SQRT1_2 < STEP_PX_MIN) break;
  }
  return best;
}

function samplesOf(patch: Float32Array): Sample[] {
  const samples: Sample[] = [];
  const middle = (PATCH_PX - 1) / 2;
  for (let row = MARGIN_PX; row < PATCH_PX - MARGIN_PX; row += STRIDE_PX) {
    for (let column = MARGIN_PX; column < PATCH_PX - MARGIN_PX; column += STRIDE_PX) {
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

/** How a sample changes with a shift along x, along y and a rotation about the middle. */
const slopes = ({ dx, dy, alongX, alongY }: Sample) => [alongX, alongY, alongY * dx - alongX * dy];

function normalMatrix(samples: readonly Sample[]): number[][] {
  const matrix = [0, 1, 2].map(() => [0, 0, 0]);
  for (const sample of samples) {
    const slope = slopes(sample);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) matrix[i][j] += slope[i] * slope[j];
  }
  return matrix;
}

function compare(
  samples: readonly Sample[],
  fresh: Float32Array,
  sidePx: number,
  centre: number,
  at: { x: number; y: number; angle: number },
) {
  const cos = Math.cos(at.angle);
  const sin = Math.sin(at.angle);
  const gradient = [0, 0, 0];
  let products = 0;
  let enrolledSquares = 0;
  let freshSquares = 0;
  for (const sample of samples) {
    const { dx, dy, value, alongX, alongY } = sample;
    const x = centre + at.x + cos * dx - sin * dy;
    const y = centre + at.y + sin * dx + cos * dy;
    if (x < 0 || y < 0 || x > sidePx - 1 || y > sidePx - 1) continue;
    const seen = cubicAt(fresh, sidePx, x, y);
    const difference = seen - value;
    gradient[0] += alongX * difference;
    gradient[1] += alongY * difference;
    gradient[2] += (alongY * dx - alongX * dy) * difference;
    products += seen * value;
    enrolledSquares += value * value;
    freshSquares += seen * seen;
  }
  const length = Math.sqrt(enrolledSquares * freshSquares);
  return { gradient, correlation: length > 0 ? products / length : 0 };
}

/** Of 3 × 3, by its adjugate; undefined where the patch has no structure to hold on to. */
function invertSymmetric(matrix: number[][]): number[][] | undefined {
  const [[a, b, c], [, d, e], [, , f]] = matrix;
  const determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
  if (!(determinant > 1e-9 * Math.abs(a * d * f))) return undefined;
  return [
    [d * f - e * e, c * e - b * f, b * e - c * d],
    [c * e - b * f, a * f - c * c, b * c - a * e],
    [b * e - c * d, b * c - a * e, a * d - b * b],
  ].map(row => row.map(value => value / determinant));
}
