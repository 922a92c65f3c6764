import { batchInverse } from '../field/batch-inverse.js';
import type { Field } from '../field/field.js';
import { m31 } from '../field/m31.js';
import { log2Exact } from '../poly/ntt.js';
import { type CirclePoint, doubleX } from './circle-group.js';
import { circlePoints } from './circle-domain.js';

/**
 * Circle FFT (Haböck, Levit, Papini, ePrint 2024/278, section 4): evaluations on the standard coset of n = coefficients.length
 * points, in circle order, of Σ c_j·b_j with b_j = y^(j0)·x^(j1)·π(x)^(j2)·π²(x)^(j3)…, j0 the lowest bit of j.
 * (n/2)·log2 n butterflies of one scaling and two additions. Twiddles are not counted: they depend on n alone.
 * @param coefficients a power of two of them, at least 2 and at most 2^30
 */
export function circleFft<E>(field: Field<E>, coefficients: readonly E[]): E[] {
  const values = [...coefficients];
  const twiddles = twiddlesOf(values.length);
  // Above bit k an index counts points already, below it counts coefficients still.
  for (let k = twiddles.length - 1; k >= 0; k--) {
    forEachPair(values.length, k, (low, high, group) => {
      const odd = field.scale(values[high], twiddles[k].factors[group]);
      values[high] = field.sub(values[low], odd);
      values[low] = field.add(values[low], odd);
    });
  }
  return values;
}

/** The inverse of `circleFft`: coefficients from evaluations; n scalings more. */
export function inverseCircleFft<E>(field: Field<E>, evaluations: readonly E[]): E[] {
  const values = [...evaluations];
  twiddlesOf(values.length).forEach(({ inverses }, k) => {
    forEachPair(values.length, k, (low, high, group) => {
      const difference = field.sub(values[low], values[high]);
      values[low] = field.add(values[low], values[high]);
      values[high] = field.scale(difference, inverses[group]);
    });
  });
  const inverseSize = m31.inverse(BigInt(values.length));
  return values.map(value => field.scale(value, inverseSize));
}

/**
 * Evaluations on the standard coset of `size` points, in circle order.
 * @param size a power of two, at least coefficients.length
 */
export function evaluateOnCircle<E>(field: Field<E>, coefficients: readonly E[], size: number): E[] {
  const padded = new Array<E>(size).fill(field.zero);
  coefficients.forEach((c, i) => (padded[i] = c));
  return circleFft(field, padded);
}

/**
 * b_0 … b_(count−1) at a point. One multiplication a basis function of more than one factor, and a doubling (one
 * multiplication, two additions) for each power of two from 4 up to below `count`.
 * @param count a power of two
 */
export function circleBasis<E>(field: Field<E>, point: CirclePoint<E>, count: number): E[] {
  const factors: E[] = [];
  for (let k = 0; k < log2Exact(count); k++) {
    factors.push(k === 0 ? point.y : k === 1 ? point.x : doubleX(field, factors[k - 1]));
  }
  return basisOfFactors(field, factors);
}

/** x^(j0)·π(x)^(j1)·π²(x)^(j2)… for j < count: the basis that final polynomials on a line are written in. */
export function lineBasis<E>(field: Field<E>, x: E, count: number): E[] {
  const factors: E[] = [];
  for (let k = 0; k < log2Exact(count); k++) factors.push(k === 0 ? x : doubleX(field, factors[k - 1]));
  return basisOfFactors(field, factors);
}

/** Vanishes on the standard coset of `size` points and nowhere else: π applied log2(size) − 1 times to x. */
export function circleVanishing<E>(field: Field<E>, x: E, size: number): E {
  let value = x;
  for (let k = 1; k < log2Exact(size); k++) value = doubleX(field, value);
  return value;
}

function basisOfFactors<E>(field: Field<E>, factors: readonly E[]): E[] {
  const basis = [field.one];
  for (const factor of factors) {
    const known = basis.length;
    for (let j = 0; j < known; j++) basis.push(j === 0 ? factor : field.mul(basis[j], factor));
  }
  return basis;
}

// Calls back for the two indices of each pair that differ in bit k, and the number made of the bits above k.
function forEachPair(
  size: number,
  k: number,
  visit: (low: number, high: number, group: number) => void,
): void {
  const half = 2 ** k;
  for (let group = 0; group < size / (2 * half); group++) {
    for (let low = group * 2 * half; low < group * 2 * half + half; low++) visit(low, low + half, group);
  }
}

interface LayerTwiddles {
  readonly factors: readonly bigint[];
  readonly inverses: readonly bigint[];
}

const TWIDDLES = new Map<number, readonly LayerTwiddles[]>();

// For bit k: y (k = 0), x, π(x), … of the first point of each group of 2^(k+1) positions.
function twiddlesOf(size: number): readonly LayerTwiddles[] {
  let layers = TWIDDLES.get(size);
  if (!layers) {
    const points = circlePoints(size);
    let factors = points.filter((_, position) => position % 2 === 0).map(({ y }) => y);
    layers = Array.from({ length: log2Exact(size) }, (_, k) => {
      if (k === 1) factors = points.filter((__, position) => position % 4 === 0).map(({ x }) => x);
      if (k > 1) factors = factors.filter((__, i) => i % 2 === 0).map(x => doubleX(m31, x));
      return { factors, inverses: batchInverse(m31, factors) };
    });
    TWIDDLES.set(size, layers);
  }
  return layers;
}
