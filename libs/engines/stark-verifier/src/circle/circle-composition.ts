import {
  addPoints,
  type CirclePoint,
  circleBasis,
  circleGenerator,
  circleVanishing,
  doublePointTimes,
  doubleX,
  type Ext,
  evaluatePolynomial,
  type Field,
  inverseCircleFft,
  lineBasis,
  log2Exact,
  m31,
  multiplyPoint,
  negatePoint,
  nextRowStep,
  powers,
  qm31,
  tracePoint,
  translatePoint,
  traceRowAt,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import type { OutOfDomainValues, ProofGeometry } from '../profile.js';

/** Coefficients of the composition that K chunks have no room for: the exclusion raises its degree by one. */
export const OVERFLOW_LENGTH = 3;

/**
 * The composition polynomial at z as the constraints define it (docs/stark-format.md).
 * @param z outside the circle over CM31, so that no divisor vanishes
 */
export function evaluateCircleComposition(
  air: Air,
  boundary: readonly BoundaryConstraint[],
  geometry: ProofGeometry,
  alpha: Ext,
  z: CirclePoint<Ext>,
  { traceAtZ, traceAtZNext }: OutOfDomainValues,
): Ext {
  const { traceLength } = geometry;
  const transitions = air.evaluateTransition(qm31, {
    current: traceAtZ,
    next: traceAtZNext,
    periodic: circlePeriodicPolynomials(air).map(coefficients =>
      evaluateCirclePeriodic(qm31, coefficients, traceLength, z),
    ),
  });
  const weights = powers(qm31, alpha, transitions.length + boundary.length);
  let transitionSum = qm31.zero;
  transitions.forEach((value, i) => (transitionSum = qm31.add(transitionSum, qm31.mul(weights[i], value))));
  const vanishing = circleVanishing(qm31, z.x, traceLength);
  const transitionDivisor = qm31.mul(evaluateCircleExclusion(qm31, geometry, z), qm31.inverse(vanishing));

  const divisorOfRow = new Map<number, Ext>();
  let boundarySum = qm31.zero;
  boundary.forEach(({ column, row, value }, j) => {
    let divisor = divisorOfRow.get(row);
    if (!divisor) {
      divisor = inverseRowDivisor(z, tracePoint(traceLength, row));
      divisorOfRow.set(row, divisor);
    }
    const quotient = qm31.mul(qm31.sub(traceAtZ[column], qm31.fromBase(value)), divisor);
    boundarySum = qm31.add(boundarySum, qm31.mul(weights[transitions.length + j], quotient));
  });
  return qm31.add(qm31.mul(transitionSum, transitionDivisor), boundarySum);
}

// (1 + x')/y' with (x', y') = z − row: a simple pole at the row, and nowhere else but at infinity.
function inverseRowDivisor(z: CirclePoint<Ext>, row: CirclePoint<bigint>): Ext {
  const { x, y } = translatePoint(qm31, z, negatePoint(m31, row));
  return qm31.mul(qm31.add(qm31.one, x), qm31.inverse(y));
}

/** One line a·x + b·y − c of the exclusion, a² + b² = 1. */
export interface ExclusionLine {
  readonly direction: CirclePoint<bigint>;
  readonly offset: bigint;
}

/**
 * The lines whose product excludes rows U − 1 … N − 1 from the transition constraints, since their next row is a mask, or
 * would wrap: chords through two neighbouring rows each, and the tangent at the last row.
 */
export function exclusionLines({
  traceLength,
  rowCount,
}: Pick<ProofGeometry, 'traceLength' | 'rowCount'>): ExclusionLine[] {
  const step = nextRowStep(traceLength);
  const twoSteps = addPoints(m31, step, step);
  const halfStep = circleGenerator(log2Exact(traceLength) + 1);
  const lines: ExclusionLine[] = [];
  let direction = multiplyPoint(step, rowCount);
  for (let row = rowCount; row < traceLength; row += 2) {
    lines.push({ direction, offset: halfStep.x });
    direction = addPoints(m31, direction, twoSteps);
  }
  lines.push({ direction: tracePoint(traceLength, traceLength - 1), offset: 1n });
  return lines;
}

/** The exclusion at a point: the product of the chords and of 1 − x(point − last row). */
export function evaluateCircleExclusion<E>(
  field: Field<E>,
  geometry: Pick<ProofGeometry, 'traceLength' | 'rowCount'>,
  { x, y }: CirclePoint<E>,
): E {
  let product = field.fromBase(m31.sub(0n, 1n));
  for (const { direction, offset } of exclusionLines(geometry)) {
    const along = field.add(field.scale(x, direction.x), field.scale(y, direction.y));
    product = field.mul(product, field.sub(along, field.fromBase(offset)));
  }
  return product;
}

/** The composition polynomial at z put together from its chunks and from what they have no room for. */
export function recombineCircleChunks(
  { traceLength, chunkCount, overflowLength }: ProofGeometry,
  z: CirclePoint<Ext>,
  chunksAtZ: readonly Ext[],
  overflow: readonly Ext[],
): Ext {
  // Masked chunks are of 3N/4 coefficients: powers of b_(3N/4) = v_(N/2)·v_(N/4) place them.
  if (overflowLength === 0) {
    const quarter = circleVanishing(qm31, z.x, traceLength / 4);
    return evaluatePolynomial(qm31, chunksAtZ, qm31.mul(quarter, doubleX(qm31, quarter)));
  }
  const vanishing = circleVanishing(qm31, z.x, traceLength);
  const places = lineBasis(qm31, vanishing, 2 ** Math.ceil(Math.log2(chunkCount + 1)));
  const beyond = [qm31.one, z.y, z.x].reduce(
    (sum, basis, j) => qm31.add(sum, qm31.mul(overflow[j], basis)),
    qm31.zero,
  );
  return [...chunksAtZ, beyond].reduce(
    (sum, value, k) => qm31.add(sum, qm31.mul(places[k], value)),
    qm31.zero,
  );
}

/** Coefficients of the polynomials that take a periodic column's values on the standard coset of its period. */
export function circlePeriodicPolynomials(air: Air): readonly (readonly bigint[])[] {
  let polynomials = polynomialsOf.get(air);
  if (!polynomials) {
    polynomials = air.periodicColumns.map(values =>
      values.length === 1
        ? values
        : inverseCircleFft(
            m31,
            values.map((_, position) => values[traceRowAt(values.length, position)]),
          ),
    );
    polynomialsOf.set(air, polynomials);
  }
  return polynomials;
}

const polynomialsOf = new WeakMap<Air, readonly (readonly bigint[])[]>();

/** A periodic column at a point: its polynomial at N/period times the point. */
export function evaluateCirclePeriodic<E>(
  field: Field<E>,
  coefficients: readonly bigint[],
  traceLength: number,
  point: CirclePoint<E>,
): E {
  const period = coefficients.length;
  const multiple = doublePointTimes(field, point, log2Exact(traceLength / period));
  const basis = circleBasis(field, multiple, period);
  return coefficients.reduce((sum, c, j) => field.add(sum, field.scale(basis[j], c)), field.zero);
}
