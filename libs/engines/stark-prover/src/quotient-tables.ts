import {
  batchInverse,
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
  /** Points of the domain: the chunk count rounded up to a power of two, times the trace length. */
  readonly size: number;
  /** 7·ω^i. */
  readonly points: readonly bigint[];
  /** Values of each periodic column; index i stands at i mod length. */
  readonly periodic: readonly (readonly bigint[])[];
  /** (x − h^(N−1)) / (x^N − 1). */
  readonly transitionDivisors: readonly bigint[];
}

/** Tables of the coset on which the composition polynomial is evaluated; it is independent of the blowup factor. */
export function quotientTables(air: Air, { traceLength, chunkCount }: ProofGeometry): QuotientTables {
  const size = 2 ** Math.ceil(Math.log2(chunkCount)) * traceLength;
  const generator = rootOfUnity(log2Exact(size));
  const points = powers(goldilocks, generator, size).map(x => goldilocks.mul(GOLDILOCKS_GENERATOR, x));
  const lastRow = goldilocks.inverse(rootOfUnity(log2Exact(traceLength)));
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
    transitionDivisors: points.map((x, i) => goldilocks.mul(goldilocks.sub(x, lastRow), inverseZerofiers[i])),
  };
}
