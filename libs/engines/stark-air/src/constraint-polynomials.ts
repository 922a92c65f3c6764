import type { BaseField, Field } from '@svc/kernels';
import type { Air } from './air.js';
import { fieldOf } from './check-trace.js';

/** What a variable's number is written in. */
const VARIABLES_MAX = 65_536;

/**
 * A polynomial as its terms: coefficients, none zero, by monomial. A monomial is a string with one UTF-16 unit a factor, the
 * numbers of its variables in ascending order: `''` is the constant, and equal monomials are equal keys.
 */
type Polynomial = ReadonlyMap<string, bigint>;

/**
 * An AIR's transition constraints as polynomials over the AIR's field, serialised in their one canonical form
 * (docs/stark-format.md, section 6): two ways to compute the same polynomial give the same bytes, and two polynomials differ.
 * The variables are the columns of the current row, those of the next row, and the periodic columns, in this order.
 *
 * @returns for each constraint u32 number of terms, then the terms by ascending degree and, within one, by ascending variables:
 *   coefficient (an element), u8 degree, u16 variables ascending; little-endian
 * @throws TypeError if a constraint is no polynomial, RangeError if it has more variables than are numbered
 */
export function constraintBytes(air: Air): Uint8Array {
  const { columnCount, periodicColumns } = air;
  const base = fieldOf(air);
  if (2 * columnCount + periodicColumns.length > VARIABLES_MAX) {
    throw new RangeError(`${air.id} has more than ${VARIABLES_MAX} variables`);
  }
  const variables = (first: number, count: number): Polynomial[] =>
    Array.from({ length: count }, (_, i) => new Map([[String.fromCharCode(first + i), 1n]]));
  const constraints = air.evaluateTransition<Polynomial>(new PolynomialRing(base), {
    current: variables(0, columnCount),
    next: variables(columnCount, columnCount),
    periodic: variables(2 * columnCount, periodicColumns.length),
  });
  return serialise(constraints, base);
}

/** The ring of polynomials, with the operations that constraints are written in. */
class PolynomialRing implements Field<Polynomial> {
  readonly zero: Polynomial = new Map();
  readonly one: Polynomial = new Map([['', 1n]]);

  constructor(private readonly base: BaseField) {}

  add(a: Polynomial, b: Polynomial): Polynomial {
    const sum = new Map(a);
    for (const [monomial, coefficient] of b) this.addTerm(sum, monomial, coefficient);
    return sum;
  }

  sub(a: Polynomial, b: Polynomial): Polynomial {
    const difference = new Map(a);
    for (const [monomial, coefficient] of b) {
      this.addTerm(difference, monomial, this.base.sub(0n, coefficient));
    }
    return difference;
  }

  mul(a: Polynomial, b: Polynomial): Polynomial {
    const product = new Map<string, bigint>();
    for (const [left, leftCoefficient] of a) {
      for (const [right, rightCoefficient] of b) {
        const coefficient = this.base.mul(leftCoefficient, rightCoefficient);
        this.addTerm(product, productOf(left, right), coefficient);
      }
    }
    return product;
  }

  scale(a: Polynomial, c: bigint): Polynomial {
    return this.mul(a, this.fromBase(c));
  }

  fromBase(c: bigint): Polynomial {
    return c === 0n ? this.zero : new Map([['', c]]);
  }

  equals(a: Polynomial, b: Polynomial): boolean {
    return this.sub(a, b).size === 0;
  }

  inverse(a: Polynomial): Polynomial {
    const constant = a.get('') ?? 0n;
    if (a.size > 1 || (a.size === 1 && constant === 0n)) {
      throw new TypeError('the inverse of a column is not a polynomial');
    }
    return this.fromBase(this.base.inverse(constant));
  }

  private addTerm(sum: Map<string, bigint>, monomial: string, coefficient: bigint): void {
    const total = this.base.add(sum.get(monomial) ?? 0n, coefficient);
    if (total === 0n) sum.delete(monomial);
    else sum.set(monomial, total);
  }
}

function productOf(left: string, right: string): string {
  if (left === '') return right;
  if (right === '') return left;
  // By UTF-16 units, as the comparison of strings is.
  return (left + right).split('').sort().join('');
}

function serialise(constraints: readonly Polynomial[], { elementBytes }: BaseField): Uint8Array {
  const terms = constraints.map(constraint =>
    [...constraint].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)),
  );
  const byteCount = terms.flat().reduce((sum, [{ length }]) => sum + elementBytes + 1 + 2 * length, 0);
  const bytes = new Uint8Array(4 * constraints.length + byteCount);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const constraint of terms) {
    view.setUint32(at, constraint.length, true);
    at += 4;
    for (const [monomial, coefficient] of constraint) {
      if (elementBytes === 4) view.setUint32(at, Number(coefficient), true);
      else view.setBigUint64(at, coefficient, true);
      at += elementBytes;
      view.setUint8(at++, monomial.length);
      for (let i = 0; i < monomial.length; i++, at += 2) view.setUint16(at, monomial.charCodeAt(i), true);
    }
  }
  return bytes;
}
