// Scalar arithmetic in the Goldilocks field, p = 2^64 - 2^32 + 1, with 2^64 = EPSILON (mod p).
// A "lazy" value is any u64 congruent to the element; a "canonical" one is below p. Whatever is
// stored for another kernel or for the host is canonical.

export const EPSILON: u64 = 0xffffffff;
export const P: u64 = 0xffffffff00000001;
/** Square root of -1: the primitive fourth root of unity on which all smaller subgroups agree. */
export const SQRT_MINUS_ONE: u64 = 0x1000000000000;

/** Folds a 128-bit product hi·2^64 + lo into a lazy element (2^96 = -1 mod p). */
// @ts-ignore: decorator
@inline
function reduce(lo: u64, hi: u64): u64 {
  const hiHigh = hi >> 32;
  const hiLow = hi & EPSILON;
  const t = lo - hiHigh - EPSILON * u64(lo < hiHigh);
  const m = (hiLow << 32) - hiLow;
  const r = t + m;
  return r + EPSILON * u64(r < m);
}

/** Lazy product of two lazy elements. */
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
  return a - P * u64(a >= P);
}

/** Canonical product. */
// @ts-ignore: decorator
@inline
export function mulc(a: u64, b: u64): u64 {
  return canonical(mul(a, b));
}

/** Canonical sum of canonical elements. */
// @ts-ignore: decorator
@inline
export function add(a: u64, b: u64): u64 {
  const complement = P - b;
  return a - complement + P * u64(a < complement);
}

/** Canonical difference of canonical elements. */
// @ts-ignore: decorator
@inline
export function sub(a: u64, b: u64): u64 {
  return a - b + P * u64(a < b);
}

export function pow(base: u64, exponent: u64): u64 {
  let result: u64 = 1;
  for (let e = exponent; e; e >>= 1) {
    if (e & 1) result = mul(result, base);
    base = mul(base, base);
  }
  return canonical(result);
}

/** a^(p-2); the inverse of 0 is 0. */
export function inverse(a: u64): u64 {
  return pow(a, P - 2);
}

/** Canonical product of two elements, for the host. */
export function glMul(a: u64, b: u64): u64 {
  return mulc(a, b);
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
