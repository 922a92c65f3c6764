import { type BaseField, power } from './field.js';

/** p = 2^31 − 1. */
export const M31_MODULUS = 0x7fff_ffffn;

/**
 * The Mersenne prime field on BigInt: the readable reference that every faster kernel is tested against.
 * Inversion is Fermat's a^(p−2), which costs 60 multiplications.
 */
export class M31Field implements BaseField {
  readonly name = 'm31';
  readonly modulus = M31_MODULUS;
  readonly elementBytes = 4;
  readonly zero = 0n;
  readonly one = 1n;

  add(a: bigint, b: bigint): bigint {
    const sum = a + b;
    return sum >= M31_MODULUS ? sum - M31_MODULUS : sum;
  }

  sub(a: bigint, b: bigint): bigint {
    return a >= b ? a - b : a - b + M31_MODULUS;
  }

  mul(a: bigint, b: bigint): bigint {
    return (a * b) % M31_MODULUS;
  }

  scale(a: bigint, c: bigint): bigint {
    return this.mul(a, c);
  }

  fromBase(c: bigint): bigint {
    return c;
  }

  equals(a: bigint, b: bigint): boolean {
    return a === b;
  }

  inverse(a: bigint): bigint {
    if (a === 0n) throw new RangeError('zero has no inverse');
    return power(this, a, M31_MODULUS - 2n);
  }
}

export const m31 = new M31Field();
