import {
  batchInverse,
  type Ext,
  type ExtensionField,
  evaluatePolynomial,
  goldilocks,
  inverseNtt,
  log2Exact,
  power,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import type { VerifierBackend } from './backend.js';
import { evaluateExclusion, type TraceRows } from './exclusion.js';
import type { OutOfDomainValues } from './profile.js';

/**
 * The composition polynomial at z as the constraints define it (docs/stark-format.md, section 6).
 * @param z outside the base field, so that no divisor vanishes
 */
export function evaluateComposition(
  extension: ExtensionField,
  air: Air,
  boundary: readonly BoundaryConstraint[],
  { traceLength, rowCount }: TraceRows,
  alpha: Ext,
  z: Ext,
  { traceAtZ, traceAtZNext }: OutOfDomainValues,
  backend: VerifierBackend,
): Ext {
  const e = extension;
  const generator = rootOfUnity(log2Exact(traceLength));
  const zToLength = power(e, z, BigInt(traceLength));
  const rows = [...new Set(boundary.map(({ row }) => row))];
  const rowPoints = rows.map(row => e.fromBase(power(goldilocks, generator, BigInt(row))));
  const [inverseZerofier, ...inverseRowDivisors] = batchInverse(e, [
    e.sub(zToLength, e.one),
    ...rowPoints.map(point => e.sub(z, point)),
  ]);
  const divisorOfRow = new Map(rows.map((row, i) => [row, inverseRowDivisors[i]]));

  const transitions = air.evaluateTransition(e, {
    current: traceAtZ,
    next: traceAtZNext,
    periodic: evaluatePeriodic(extension, air, traceLength, z),
  });
  const weights = powers(e, alpha, transitions.length + boundary.length);
  const transitionSum = sumOf(
    e,
    transitions.map((value, i) => e.mul(weights[i], value)),
  );
  const excluded = evaluateExclusion(extension, { traceLength, rowCount }, z, backend);
  const transitionDivisor = e.mul(excluded, inverseZerofier);
  const boundarySum = sumOf(
    e,
    boundary.map(({ column, row, value }, j) => {
      const difference = e.sub(traceAtZ[column], e.fromBase(value));
      const quotient = e.mul(difference, divisorOfRow.get(row) as Ext);
      return e.mul(weights[transitions.length + j], quotient);
    }),
  );
  return e.add(e.mul(transitionSum, transitionDivisor), boundarySum);
}

/** The composition polynomial at z put together from its chunks: Σ z^(k·S)·C_k(z) for chunks of degree below S. */
export function recombineChunks(
  extension: ExtensionField,
  chunks: readonly Ext[],
  z: Ext,
  chunkLength: number,
): Ext {
  return evaluatePolynomial(extension, chunks, power(extension, z, BigInt(chunkLength)));
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

function evaluatePeriodic(extension: ExtensionField, air: Air, traceLength: number, z: Ext): Ext[] {
  const e = extension;
  const powersByPeriod = new Map<number, readonly Ext[]>();
  return periodicPolynomials(air).map(coefficients => {
    const period = coefficients.length;
    let zPowers = powersByPeriod.get(period);
    if (!zPowers) {
      zPowers = powers(e, power(e, z, BigInt(traceLength / period)), period);
      powersByPeriod.set(period, zPowers);
    }
    return sumOf(
      e,
      coefficients.map((c, i) => e.scale(zPowers[i], c)),
    );
  });
}

function sumOf(extension: ExtensionField, values: readonly Ext[]): Ext {
  return values.reduce((sum, value) => extension.add(sum, value), extension.zero);
}
