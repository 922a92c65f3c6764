import type { Field } from '../field/field.js';

/** Horner's rule; coefficients lowest degree first. One multiplication and one addition a coefficient. */
export function evaluatePolynomial<E>(field: Field<E>, coefficients: readonly E[], x: E): E {
  let value = field.zero;
  for (let i = coefficients.length - 1; i >= 0; i--) value = field.add(field.mul(value, x), coefficients[i]);
  return value;
}
