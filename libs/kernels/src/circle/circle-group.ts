import type { Field } from '../field/field.js';
import { m31 } from '../field/m31.js';

/** A point of the circle x² + y² = 1 over some field. The points form a group, written additively: angles add. */
export interface CirclePoint<E> {
  readonly x: E;
  readonly y: E;
}

/** The circle group over M31 is cyclic of order p + 1 = 2^31. */
export const CIRCLE_LOG2_ORDER = 31;

/** Generates the circle group over M31. */
export const CIRCLE_GENERATOR: CirclePoint<bigint> = { x: 2n, y: 1_268_011_823n };

/** Sum of two points: 4 multiplications and 2 additions. */
export function addPoints<E>(field: Field<E>, a: CirclePoint<E>, b: CirclePoint<E>): CirclePoint<E> {
  return {
    x: field.sub(field.mul(a.x, b.x), field.mul(a.y, b.y)),
    y: field.add(field.mul(a.x, b.y), field.mul(a.y, b.x)),
  };
}

/** The sum of a point over any field and a point over M31: 4 scalings and 2 additions. */
export function translatePoint<E>(
  field: Field<E>,
  a: CirclePoint<E>,
  by: CirclePoint<bigint>,
): CirclePoint<E> {
  return {
    x: field.sub(field.scale(a.x, by.x), field.scale(a.y, by.y)),
    y: field.add(field.scale(a.x, by.y), field.scale(a.y, by.x)),
  };
}

/** −(x, y) = (x, −y). */
export function negatePoint<E>(field: Field<E>, { x, y }: CirclePoint<E>): CirclePoint<E> {
  return { x, y: field.sub(field.zero, y) };
}

/** (x, y) twice: (2x² − 1, 2xy). 2 multiplications and 3 additions. */
export function doublePoint<E>(field: Field<E>, { x, y }: CirclePoint<E>): CirclePoint<E> {
  const xy = field.mul(x, y);
  return { x: doubleX(field, x), y: field.add(xy, xy) };
}

/** The x-coordinate of a point's double: π(x) = 2x² − 1. One multiplication and 2 additions. */
export function doubleX<E>(field: Field<E>, x: E): E {
  const square = field.mul(x, x);
  return field.sub(field.add(square, square), field.one);
}

/** `point` added to itself 2^count times in all: `count` doublings. */
export function doublePointTimes<E>(field: Field<E>, point: CirclePoint<E>, count: number): CirclePoint<E> {
  let result = point;
  for (let i = 0; i < count; i++) result = doublePoint(field, result);
  return result;
}

/** The `factor`-fold of a point over M31, factor ≥ 0. */
export function multiplyPoint(point: CirclePoint<bigint>, factor: number): CirclePoint<bigint> {
  let result: CirclePoint<bigint> = { x: 1n, y: 0n };
  let double = point;
  for (let rest = factor; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = addPoints(m31, result, double);
    double = doublePoint(m31, double);
  }
  return result;
}

/**
 * A generator of the subgroup of order 2^`log2Order`; each is the double of the next.
 * @throws RangeError unless 0 ≤ log2Order ≤ 31
 */
export function circleGenerator(log2Order: number): CirclePoint<bigint> {
  const generator = GENERATORS[log2Order];
  if (generator === undefined) {
    throw new RangeError(`log2Order must be an integer in 0…${CIRCLE_LOG2_ORDER}, got ${log2Order}`);
  }
  return generator;
}

const GENERATORS: readonly CirclePoint<bigint>[] = Array.from({ length: CIRCLE_LOG2_ORDER + 1 }, (_, k) =>
  doublePointTimes(m31, CIRCLE_GENERATOR, CIRCLE_LOG2_ORDER - k),
);
