import { type BaseField, type Ext, type ExtensionField, powers } from '@svc/kernels';
import type { Air, BoundaryConstraint, TransitionFrame } from '@svc/stark-air';

/** The points that constraints are evaluated on, by their positions. */
export interface ConstraintDomain {
  readonly size: number;
  frameAt(position: number): TransitionFrame<bigint>;
  /** What the sum of the transition constraints is multiplied by. */
  readonly transitionDivisors: readonly bigint[];
  /** What the boundary constraints of a row are multiplied by at each position: a function with a simple pole at the row. */
  rowDivisors(row: number): readonly bigint[];
}

/** Every constraint over what it vanishes on, weighed with the powers of α: the composition polynomial on a domain. */
export function sumConstraints(
  field: BaseField,
  e: ExtensionField,
  { air, boundary, alpha }: { air: Air; boundary: readonly BoundaryConstraint[]; alpha: Ext },
  domain: ConstraintDomain,
): Ext[] {
  const weights = powers(e, alpha, air.transitionNames.length + boundary.length);
  const terms = boundary.map((constraint, j) => ({
    ...constraint,
    weight: weights[air.transitionNames.length + j],
  }));
  const groups = [...new Set(boundary.map(({ row }) => row))].map(row => ({
    terms: terms.filter(term => term.row === row),
    divisors: domain.rowDivisors(row),
  }));
  return Array.from({ length: domain.size }, (_, position) => {
    const frame = domain.frameAt(position);
    const values = air.evaluateTransition(field, frame);
    let sum = e.zero;
    for (let c = 0; c < values.length; c++) sum = e.add(sum, e.scale(weights[c], values[c]));
    sum = e.scale(sum, domain.transitionDivisors[position]);
    for (const { terms, divisors } of groups) {
      let numerator = e.zero;
      for (const { column, value, weight } of terms) {
        numerator = e.add(numerator, e.scale(weight, field.sub(frame.current[column], value)));
      }
      sum = e.add(sum, e.scale(numerator, divisors[position]));
    }
    return sum;
  });
}
