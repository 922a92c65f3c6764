/**
 * Arithmetic of a field as a value, so that one algorithm serves the base field, its extension, and a counting double.
 *
 * Elements are canonical: every operation takes and returns reduced representatives.
 */
export interface Field<E> {
  readonly zero: E;
  readonly one: E;
  add(a: E, b: E): E;
  sub(a: E, b: E): E;
  mul(a: E, b: E): E;
  /** The product of an element and a base-field constant. */
  scale(a: E, c: bigint): E;
  /** Embeds a base-field element. */
  fromBase(c: bigint): E;
  equals(a: E, b: E): boolean;
  /** @throws RangeError if `a` is zero */
  inverse(a: E): E;
}

export type BaseFieldName = 'goldilocks' | 'm31';

/** A prime field that traces are written in. */
export interface BaseField extends Field<bigint> {
  readonly name: BaseFieldName;
  readonly modulus: bigint;
  /** Bytes of a serialised element. */
  readonly elementBytes: number;
}

/** An element of an extension: its base-field coordinates, as many as the extension's degree. */
export type Ext = readonly bigint[];

/** An extension that challenges are drawn from, over the field that traces are written in. */
export interface ExtensionField extends Field<Ext> {
  readonly base: BaseField;
  /** Coordinates of an element. */
  readonly degree: number;
}

/** Raises `base` to `exponent` ≥ 0 by square and multiply. */
export function power<E>(field: Field<E>, base: E, exponent: bigint): E {
  if (exponent < 0n) throw new RangeError(`exponent must be at least 0, got ${exponent}`);
  let result = field.one;
  let square = base;
  for (let bits = exponent; bits > 0n; bits >>= 1n) {
    if (bits & 1n) result = field.mul(result, square);
    if (bits > 1n) square = field.mul(square, square);
  }
  return result;
}

/** 1, base, base², … (`count` of them). Costs max(0, count − 2) multiplications. */
export function powers<E>(field: Field<E>, base: E, count: number): E[] {
  const result: E[] = [];
  for (let i = 0; i < count; i++) {
    result.push(i === 0 ? field.one : i === 1 ? base : field.mul(result[i - 1], base));
  }
  return result;
}

/** Horner's rule; coefficients lowest degree first. One multiplication and one addition a coefficient. */
export function evaluatePolynomial<E>(field: Field<E>, coefficients: readonly E[], x: E): E {
  let value = field.zero;
  for (let i = coefficients.length - 1; i >= 0; i--) value = field.add(field.mul(value, x), coefficients[i]);
  return value;
}
