// Scalar arithmetic in the Goldilocks field, p = 2^64 - 2^32 + 1, with 2^64 = EPSILON (mod p).
// A "lazy" value is any u64 congruent to the element; a "canonical" one is below p. Whatever is
// stored for another kernel or for the host is canonical.

export const EPSILON: u64 = 0xffffffff;
export const P: u64 = 0xffffffff00000001;

/**
 * The canonical element congruent to hi·2^64 + lo. With hi = top·2^32 + third it is lo - top +
 * third·EPSILON, as 2^96 = -1. The last sum is taken as t - (p - third·EPSILON): a product of 32-bit
 * words is at most 2^64 - 2^33 + 1, so that one correction by p leaves less than p in either case.
 */
// @ts-ignore: decorator
@inline
function reduce(lo: u64, hi: u64): u64 {
  const top = hi >> 32;
  const third = hi & EPSILON;
  const t = lo - top - select<u64>(EPSILON, 0, lo < top);
  const complement = P + third - (third << 32);
  return t - complement + select<u64>(P, 0, t < complement);
}

/** Canonical product of two lazy elements. */
// @ts-ignore: decorator
@inline
export function mul(a: u64, b: u64): u64 {
  const aLow = a & EPSILON;
  const aHigh = a >> 32;
  const bLow = b & EPSILON;
  const bHigh = b >> 32;
  const ll = aLow * bLow;
  const hl = aHigh * bLow;
  const lh = aLow * bHigh;
  const hh = aHigh * bHigh;
  const t0 = hl + (ll >> 32);
  const t1 = lh + (t0 & EPSILON);
  return reduce((t1 << 32) | (ll & EPSILON), hh + (t0 >> 32) + (t1 >> 32));
}

// @ts-ignore: decorator
@inline
export function canonical(a: u64): u64 {
  return a - select<u64>(P, 0, a >= P);
}

/** Canonical sum of canonical elements. */
// @ts-ignore: decorator
@inline
export function add(a: u64, b: u64): u64 {
  const complement = P - b;
  return a - complement + select<u64>(P, 0, a < complement);
}

/** Canonical difference of canonical elements. */
// @ts-ignore: decorator
@inline
export function sub(a: u64, b: u64): u64 {
  return a - b + select<u64>(P, 0, a < b);
}

/** 7·a for canonical a: seven is the square of φ in the quadratic extension. */
// @ts-ignore: decorator
@inline
export function timesSeven(a: u64): u64 {
  return sub(reduce(a << 3, a >> 61), a);
}

export function pow(base: u64, exponent: u64): u64 {
  let result: u64 = 1;
  for (let e = exponent; e; e >>= 1) {
    if (e & 1) result = mul(result, base);
    base = mul(base, base);
  }
  return result;
}

/** a^(p-2); the inverse of 0 is 0. */
export function inverse(a: u64): u64 {
  return pow(a, P - 2);
}

/** Canonical product of two elements, for the host. */
export function glMul(a: u64, b: u64): u64 {
  return mul(a, b);
}

export function glAdd(a: u64, b: u64): u64 {
  return add(canonical(a), canonical(b));
}

export function glSub(a: u64, b: u64): u64 {
  return sub(canonical(a), canonical(b));
}

export function glInverse(a: u64): u64 {
  return inverse(a);
}

export function glPow(a: u64, exponent: u64): u64 {
  return pow(a, exponent);
}
