import {
  batchInverse,
  type Cubic,
  cubicExtension as E,
  evaluatePolynomial,
  goldilocks,
  inverseNtt,
  log2Exact,
  power,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';

/** The trace's columns at z and at h·z, and the composition's chunks at z. */
export interface OutOfDomainValues {
  readonly traceAtZ: readonly Cubic[];
  readonly traceAtZNext: readonly Cubic[];
  readonly chunksAtZ: readonly Cubic[];
}

/**
 * The composition polynomial at z as the constraints define it (docs/stark-proof-format.md, section 6).
 * @param z outside the base field, so that no divisor vanishes
 */
export function evaluateComposition(
  air: Air,
  boundary: readonly BoundaryConstraint[],
  traceLength: number,
  alpha: Cubic,
  z: Cubic,
  { traceAtZ, traceAtZNext }: OutOfDomainValues,
): Cubic {
  const generator = rootOfUnity(log2Exact(traceLength));
  const zToLength = power(E, z, BigInt(traceLength));
  const lastRow = goldilocks.inverse(generator);
  const rows = [...new Set(boundary.map(({ row }) => row))];
  const rowPoints = rows.map(row => E.fromBase(power(goldilocks, generator, BigInt(row))));
  const [inverseZerofier, ...inverseRowDivisors] = batchInverse(E, [
    E.sub(zToLength, E.one),
    ...rowPoints.map(point => E.sub(z, point)),
  ]);
  const divisorOfRow = new Map(rows.map((row, i) => [row, inverseRowDivisors[i]]));

  const transitions = air.evaluateTransition(E, {
    current: traceAtZ,
    next: traceAtZNext,
    periodic: evaluatePeriodic(air, traceLength, z),
  });
  const weights = powers(E, alpha, transitions.length + boundary.length);
  const transitionSum = sumOf(transitions.map((value, i) => E.mul(weights[i], value)));
  const transitionDivisor = E.mul(E.sub(z, E.fromBase(lastRow)), inverseZerofier);
  const boundarySum = sumOf(
    boundary.map(({ column, row, value }, j) => {
      const difference = E.sub(traceAtZ[column], E.fromBase(value));
      const quotient = E.mul(difference, divisorOfRow.get(row) as Cubic);
      return E.mul(weights[transitions.length + j], quotient);
    }),
  );
  return E.add(E.mul(transitionSum, transitionDivisor), boundarySum);
}

/** The composition polynomial at z put together from its chunks: Σ z^(k·N)·C_k(z). */
export function recombineChunks(chunks: readonly Cubic[], z: Cubic, traceLength: number): Cubic {
  return evaluatePolynomial(E, chunks, power(E, z, BigInt(traceLength)));
}

/** Coefficients of the polynomials P with P(ω^i) = value i, one for each periodic column of the AIR. */
export function periodicPolynomials(air: Air): readonly (readonly bigint[])[] {
  let polynomials = polynomialsOf.get(air);
  if (!polynomials) {
    polynomials = air.periodicColumns.map(values => inverseNtt(goldilocks, values));
    polynomialsOf.set(air, polynomials);
  }
  return polynomials;
}

const polynomialsOf = new WeakMap<Air, readonly (readonly bigint[])[]>();

function evaluatePeriodic(air: Air, traceLength: number, z: Cubic): Cubic[] {
  const powersByPeriod = new Map<number, readonly Cubic[]>();
  return periodicPolynomials(air).map(coefficients => {
    const period = coefficients.length;
    let zPowers = powersByPeriod.get(period);
    if (!zPowers) {
      zPowers = powers(E, power(E, z, BigInt(traceLength / period)), period);
      powersByPeriod.set(period, zPowers);
    }
    return sumOf(coefficients.map((c, i) => E.scale(zPowers[i], c)));
  });
}

function sumOf(values: readonly Cubic[]): Cubic {
  return values.reduce((sum, value) => E.add(sum, value), E.zero);
}
