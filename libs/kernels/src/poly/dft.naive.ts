import type { Field } from '../field/field.js';

/** Σ_j values[j]·root^(ij) by definition, in O(n²): the oracle of every NTT. */
export function naiveDft<E>(field: Field<E>, values: readonly E[], root: E): E[] {
  return values.map((_, i) => {
    let step = field.one;
    for (let k = 0; k < i; k++) step = field.mul(step, root);
    let sum = field.zero;
    let power = field.one;
    for (const value of values) {
      sum = field.add(sum, field.mul(value, power));
      power = field.mul(power, step);
    }
    return sum;
  });
}
