import {
  batchInverse,
  circlePoints,
  type CirclePoint,
  circleVanishing,
  evaluateOnCircle,
  inverseCircleFft,
  m31,
  traceRowAt,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import { circlePeriodicPolynomials, evaluateCircleExclusion, type ProofGeometry } from '@svc/stark-verifier';

/** What constraint evaluation needs on its domain and what depends on AIR and trace length alone; all in circle order. */
export interface CircleQuotientTables {
  /** The standard coset of so many points. */
  readonly size: number;
  readonly points: readonly CirclePoint<bigint>[];
  /** Where the next row of the trace stands, for each position. */
  readonly nextPositions: readonly number[];
  /** Values of each periodic column at each position. */
  readonly periodic: readonly (readonly bigint[])[];
  /** The exclusion over the trace domain's vanishing polynomial. */
  readonly transitionDivisors: readonly bigint[];
}

/**
 * Coefficients of the composition polynomial: the constraints are of total degree d·N/2, the exclusion of t/2 + 1, the
 * vanishing polynomial takes N/2 away, and a boundary quotient has N/2.
 */
export function circleCompositionLength(
  { constraintDegree }: Pick<Air, 'constraintDegree'>,
  { traceLength, rowCount }: Pick<ProofGeometry, 'traceLength' | 'rowCount'>,
): number {
  const maskCount = traceLength - rowCount;
  return 1 + Math.max(traceLength, (constraintDegree - 1) * traceLength + maskCount + 2);
}

/** Points that the composition polynomial is evaluated on: the least standard coset that holds its coefficients. */
export function circleQuotientSize(
  air: Pick<Air, 'constraintDegree'>,
  geometry: Pick<ProofGeometry, 'traceLength' | 'rowCount'>,
): number {
  return 2 ** Math.ceil(Math.log2(circleCompositionLength(air, geometry)));
}

/** Tables of the coset on which the composition polynomial is evaluated; it is independent of the blowup factor. */
export function circleQuotientTables(air: Air, geometry: ProofGeometry): CircleQuotientTables {
  const { traceLength } = geometry;
  const size = circleQuotientSize(air, geometry);
  const points = circlePoints(size);
  const rows = points.map((_, position) => traceRowAt(size, position));
  const positionOfRow = new Array<number>(size);
  rows.forEach((row, position) => (positionOfRow[row] = position));
  const inverseVanishing = batchInverse(
    m31,
    points.map(({ x }) => circleVanishing(m31, x, traceLength)),
  );
  const exclusion = evaluateOnCircle(m31, exclusionCoefficients(geometry), size);
  return {
    size,
    points,
    nextPositions: rows.map(row => positionOfRow[(row + size / traceLength) % size]),
    periodic: circlePeriodicPolynomials(air).map(coefficients =>
      periodicValues(coefficients, size / traceLength, rows),
    ),
    transitionDivisors: exclusion.map((value, position) => m31.mul(value, inverseVanishing[position])),
  };
}

/** The exclusion in the circle basis; its total degree is t/2 + 1, so it takes t + 3 coefficients. */
export function exclusionCoefficients(geometry: Pick<ProofGeometry, 'traceLength' | 'rowCount'>): bigint[] {
  const length = geometry.traceLength - geometry.rowCount + 3;
  const points = circlePoints(2 ** Math.ceil(Math.log2(length)));
  return inverseCircleFft(
    m31,
    points.map(point => evaluateCircleExclusion(m31, geometry, point)),
  ).slice(0, length);
}

// The polynomial of a periodic column at N/period times each point: its own coset, once extended, repeats.
function periodicValues(
  coefficients: readonly bigint[],
  extension: number,
  rows: readonly number[],
): bigint[] {
  if (coefficients.length === 1) return rows.map(() => coefficients[0]);
  const size = coefficients.length * extension;
  const values = evaluateOnCircle(m31, coefficients, size);
  const valueOfRow = new Array<bigint>(size);
  values.forEach((value, position) => (valueOfRow[traceRowAt(size, position)] = value));
  return rows.map(row => valueOfRow[row % size]);
}
