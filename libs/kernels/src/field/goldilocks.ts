import { power } from './field.js';
import { PrimeField } from './prime-field.js';

/** p = 2^64 − 2^32 + 1. */
export const GOLDILOCKS_MODULUS = 0xffff_ffff_0000_0001n;

/** Generates the multiplicative group of order p − 1 = 2^32 · (2^32 − 1). */
export const GOLDILOCKS_GENERATOR = 7n;

/** The largest k such that the field has a subgroup of order 2^k. */
export const GOLDILOCKS_TWO_ADICITY = 32;

/** An inversion costs 126 multiplications. */
class GoldilocksField extends PrimeField {
  add(a: bigint, b: bigint): bigint {
    const sum = a + b;
    return sum >= GOLDILOCKS_MODULUS ? sum - GOLDILOCKS_MODULUS : sum;
  }

  sub(a: bigint, b: bigint): bigint {
    return a >= b ? a - b : a - b + GOLDILOCKS_MODULUS;
  }

  mul(a: bigint, b: bigint): bigint {
    return (a * b) % GOLDILOCKS_MODULUS;
  }
}

export const goldilocks: PrimeField = new GoldilocksField('goldilocks', GOLDILOCKS_MODULUS, 8);

/**
 * A generator of the subgroup of order 2^`log2Order`: 7^((p−1)/2^log2Order).
 * @throws RangeError unless 0 ≤ log2Order ≤ 32
 */
export function rootOfUnity(log2Order: number): bigint {
  const root = ROOTS_OF_UNITY[log2Order];
  if (root === undefined) {
    throw new RangeError(`log2Order must be an integer in 0…${GOLDILOCKS_TWO_ADICITY}, got ${log2Order}`);
  }
  return root;
}

const ROOTS_OF_UNITY: readonly bigint[] = Array.from({ length: GOLDILOCKS_TWO_ADICITY + 1 }, (_, k) =>
  power(goldilocks, GOLDILOCKS_GENERATOR, (GOLDILOCKS_MODULUS - 1n) >> BigInt(k)),
);
