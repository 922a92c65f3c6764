import { evaluateOnCoset, goldilocks, power } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import { periodicPolynomials } from '@svc/stark-verifier';
import { RecentValues } from './recent-values.js';

/** Cosets of an AIR whose tables are kept: those of a composition at four or five sizes. */
const KEPT_COSETS_MAX = 16;
/** Tables with more elements in all are made anew each time, for what they would hold in memory. */
const KEPT_ELEMENTS_MAX = 2 ** 14;

const recentTables = new WeakMap<Air, RecentValues<readonly BigUint64Array[]>>();

/**
 * Each periodic column on the coset shift·H of 2^log2Size points, in their order; a column repeats after its period. They depend on
 * AIR and coset alone, and take as long as a third of a short proof.
 */
export function periodicTables(air: Air, log2Size: number, shift: bigint): readonly BigUint64Array[] {
  const make = () =>
    periodicPolynomials(air).map(coefficients => {
      const period = coefficients.length;
      const offset = power(goldilocks, shift, BigInt(2 ** log2Size / period));
      return BigUint64Array.from(evaluateOnCoset(goldilocks, coefficients, offset, period));
    });
  const elementCount = air.periodicColumns.reduce((sum, { length }) => sum + length, 0);
  if (elementCount > KEPT_ELEMENTS_MAX) return make();
  const recent = recentTables.get(air) ?? new RecentValues(KEPT_COSETS_MAX);
  recentTables.set(air, recent);
  return recent.get(`${log2Size}/${shift}`, make);
}
