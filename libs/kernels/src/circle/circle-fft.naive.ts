import { type Field, power } from '../field/field.js';
import { circlePoints } from './circle-domain.js';
import { doubleX } from './circle-group.js';

/** Σ c_j·b_j at every point of the standard coset by the definition, in circle order: the oracle of `circleFft`, O(n²·log n). */
export function naiveCircleEvaluation<E>(field: Field<E>, coefficients: readonly E[]): E[] {
  return circlePoints(coefficients.length).map(({ x, y }) =>
    coefficients.reduce((sum, c, j) => {
      let basis = power(field, field.fromBase(y), BigInt(j & 1));
      let factor = field.fromBase(x);
      for (let bits = j >> 1; bits > 0; bits >>= 1) {
        if (bits & 1) basis = field.mul(basis, factor);
        factor = doubleX(field, factor);
      }
      return field.add(sum, field.mul(c, basis));
    }, field.zero),
  );
}
