import { type BaseField, type BaseFieldName, power } from './field.js';

/**
 * The integers modulo a prime on BigInt: the readable reference that every faster kernel is tested against.
 *
 * Each field has its own text of the three operations. JavaScript engines compile a function for the operands it has seen:
 * shared with a field of 64-bit elements, those of a 31-bit one lose their single-word arithmetic and half their speed.
 */
export abstract class PrimeField implements BaseField {
  readonly zero = 0n;
  readonly one = 1n;

  constructor(
    readonly name: BaseFieldName,
    readonly modulus: bigint,
    readonly elementBytes: number,
  ) {}

  abstract add(a: bigint, b: bigint): bigint;
  abstract sub(a: bigint, b: bigint): bigint;
  abstract mul(a: bigint, b: bigint): bigint;

  scale(a: bigint, c: bigint): bigint {
    return this.mul(a, c);
  }

  fromBase(c: bigint): bigint {
    return c;
  }

  equals(a: bigint, b: bigint): boolean {
    return a === b;
  }

  /** Fermat's a^(p−2). */
  inverse(a: bigint): bigint {
    if (a === 0n) throw new RangeError('zero has no inverse');
    return power(this, a, this.modulus - 2n);
  }
}
