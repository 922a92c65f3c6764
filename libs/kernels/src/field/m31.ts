import { PrimeField } from './prime-field.js';

/** p = 2^31 − 1. */
export const M31_MODULUS = 0x7fff_ffffn;

/** The Mersenne prime field; an inversion costs 60 multiplications. */
class M31Field extends PrimeField {
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
}

export const m31: PrimeField = new M31Field('m31', M31_MODULUS, 4);
