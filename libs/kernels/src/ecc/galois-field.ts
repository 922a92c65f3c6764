import { primitivePolynomial } from './m-sequence.js';

/** GF(2^degree) of {@link primitivePolynomial}, its elements as masks of polynomials in α: 2 is α. */
export class GaloisField {
  private static readonly made = new Map<number, GaloisField>();

  /** Elements but zero, and the order of α. */
  readonly order: number;
  /** α^i, for i from 0 to twice the order. */
  private readonly power: Uint16Array;
  private readonly log: Uint16Array;

  private constructor(readonly degree: number) {
    const polynomial = primitivePolynomial(degree);
    this.order = 2 ** degree - 1;
    this.power = new Uint16Array(2 * this.order + 1);
    this.log = new Uint16Array(this.order + 1);
    let element = 1;
    for (let i = 0; i < this.order; i++) {
      this.power[i] = this.power[i + this.order] = element;
      this.log[element] = i;
      element <<= 1;
      if (element > this.order) element ^= polynomial;
    }
    this.power[2 * this.order] = 1;
  }

  /**
   * @param degree 2 to 10
   * @throws RangeError for another one
   */
  static of(degree: number): GaloisField {
    let field = GaloisField.made.get(degree);
    if (!field) GaloisField.made.set(degree, (field = new GaloisField(degree)));
    return field;
  }

  multiply(a: number, b: number): number {
    return a === 0 || b === 0 ? 0 : this.power[this.log[a] + this.log[b]];
  }

  /** @throws RangeError where b is zero */
  divide(a: number, b: number): number {
    if (b === 0) throw new RangeError('zero divides nothing');
    return a === 0 ? 0 : this.power[this.log[a] + this.order - this.log[b]];
  }

  /** α^exponent, of any integer. */
  alphaTo(exponent: number): number {
    return this.power[((exponent % this.order) + this.order) % this.order];
  }

  /**
   * The polynomial over GF(2) of least degree that α^exponent is a root of, as a mask: the product of x − α^(exponent·2^i).
   */
  minimalPolynomial(exponent: number): number {
    let product = [1];
    let conjugate = exponent % this.order;
    do {
      const root = this.alphaTo(conjugate);
      const raised = [0, ...product];
      product = raised.map((above, i) => above ^ (i < product.length ? this.multiply(product[i], root) : 0));
      conjugate = (2 * conjugate) % this.order;
    } while (conjugate !== exponent % this.order);
    return product.reduce((mask, coefficient, i) => mask | (coefficient << i), 0);
  }
}
