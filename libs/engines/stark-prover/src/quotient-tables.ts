import {
  batchInverse,
  evaluateOnCoset,
  evaluatePolynomial,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  log2Exact,
  power,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import { periodicPolynomials, type ProofGeometry } from '@svc/stark-verifier';

/** What constraint evaluation needs on its domain and what depends on AIR and trace length alone. */
export interface QuotientTables {
  /** Points of the domain; see quotientSize. */
  readonly size: number;
  /** 7·ω^i. */
  readonly points: readonly bigint[];
  /** Values of each periodic column; index i stands at i mod length. */
  readonly periodic: readonly (readonly bigint[])[];
  /** ∏ (x − h^r) over the excluded rows r = U − 1 … N − 1, over x^N − 1. */
  readonly transitionDivisors: readonly bigint[];
}

/**
 * Points that the composition polynomial is evaluated on: the least power of two that its coefficients need. The
 * constraints have degree d·(N − 1), the exclusion t + 1, the zerofier takes N away, and a boundary quotient has degree N − 2.
 */
export function quotientSize(
  { constraintDegree }: Pick<Air, 'constraintDegree'>,
  { traceLength, rowCount }: Pick<ProofGeometry, 'traceLength' | 'rowCount'>,
): number {
  const excludedCount = traceLength - rowCount + 1;
  const degree = constraintDegree * (traceLength - 1) + excludedCount - traceLength;
  const length = Math.max(traceLength - 1, degree + 1);
  return 2 ** Math.ceil(Math.log2(length));
}

/** Tables of the coset on which the composition polynomial is evaluated; it is independent of the blowup factor. */
export function quotientTables(air: Air, geometry: ProofGeometry): QuotientTables {
  const { traceLength, rowCount } = geometry;
  const size = quotientSize(air, geometry);
  const generator = rootOfUnity(log2Exact(size));
  const points = powers(goldilocks, generator, size).map(x => goldilocks.mul(GOLDILOCKS_GENERATOR, x));
  const exclusion = exclusionPolynomial(traceLength, rowCount);
  const excluded = evaluateOnCoset(goldilocks, exclusion, GOLDILOCKS_GENERATOR, size);
  const inverseZerofiers = batchInverse(
    goldilocks,
    points.map(x => goldilocks.sub(power(goldilocks, x, BigInt(traceLength)), 1n)),
  );
  return {
    size,
    points,
    periodic: periodicPolynomials(air).map(coefficients => {
      const period = coefficients.length;
      // x^(N/period) runs through size·period/N values and repeats.
      const values = points.slice(0, (size / traceLength) * period);
      return values.map(x =>
        evaluatePolynomial(goldilocks, coefficients, power(goldilocks, x, BigInt(traceLength / period))),
      );
    }),
    transitionDivisors: excluded.map((value, i) => goldilocks.mul(value, inverseZerofiers[i])),
  };
}

/** Coefficients of ∏ (X − h^r) over the rows r = U − 1 … N − 1, which no transition constraint need hold on. */
export function exclusionPolynomial(traceLength: number, rowCount: number): bigint[] {
  const generator = rootOfUnity(log2Exact(traceLength));
  let coefficients = [1n];
  let point = power(goldilocks, generator, BigInt(rowCount - 1));
  for (let row = rowCount - 1; row < traceLength; row++) {
    const shifted = [0n, ...coefficients];
    coefficients = shifted.map((c, i) => goldilocks.sub(c, goldilocks.mul(coefficients[i] ?? 0n, point)));
    point = goldilocks.mul(point, generator);
  }
  return coefficients;
}
