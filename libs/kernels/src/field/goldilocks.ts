import { type BaseField, power } from './field.js';

/** p = 2^64 − 2^32 + 1. */
export const GOLDILOCKS_MODULUS = 0xffff_ffff_0000_0001n;

/** Generates the multiplicative group of order p − 1 = 2^32 · (2^32 − 1). */
export const GOLDILOCKS_GENERATOR = 7n;

/** The largest k such that the field has a subgroup of order 2^k. */
export const GOLDILOCKS_TWO_ADICITY = 32;

/**
 * Goldilocks on BigInt: the readable reference that every faster kernel is tested against.
 * Inversion is Fermat's a^(p−2), which costs 126 multiplications.
 */
export class GoldilocksField implements BaseField {
  readonly name = 'goldilocks';
  readonly modulus = GOLDILOCKS_MODULUS;
  readonly elementBytes = 8;
  readonly zero = 0n;
  readonly one = 1n;

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
    return power(this, a, GOLDILOCKS_MODULUS - 2n);
  }
}

export const goldilocks = new GoldilocksField();

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
