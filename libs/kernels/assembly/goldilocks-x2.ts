// Two Goldilocks elements in one v128. The vector constants are passed in by the caller, who loads
// them from static memory once, before its loop: V8 12 and later rebuild a v128.const at each use,
// which made the same kernels half as slow again.
import { EPSILON, P } from './goldilocks';

const SIGN: u64 = 0x8000000000000000;
const CONSTANTS: usize = memory.data<u64>([EPSILON, EPSILON, SIGN, SIGN, P, P], 16);

/** 2^32 - 1 in both lanes: the low-half mask, and 2^64 mod p. */
// @ts-ignore: decorator
@inline
export function loadEpsilon(): v128 {
  return v128.load(CONSTANTS);
}

/** 2^63 in both lanes: flips unsigned order into the signed order that SIMD compares in. */
// @ts-ignore: decorator
@inline
export function loadSign(): v128 {
  return v128.load(CONSTANTS, 16);
}

/** p in both lanes. */
// @ts-ignore: decorator
@inline
export function loadPrime(): v128 {
  return v128.load(CONSTANTS, 32);
}

/** The 32-bit halves of b as (low0, low1, high0, high1). */
// @ts-ignore: decorator
@inline
export function halves(b: v128): v128 {
  return v128.shuffle<u32>(b, b, 0, 2, 1, 3);
}

/** The 32-bit halves of b as (high0, high1, low0, low1). */
// @ts-ignore: decorator
@inline
export function halvesSwapped(b: v128): v128 {
  return v128.shuffle<u32>(b, b, 1, 3, 0, 2);
}

/**
 * The canonical element congruent to hi·2^64 + lo, as the scalar `reduce` has it. Subtracting a 32-bit
 * word borrows exactly when a non-negative value turns negative.
 */
// @ts-ignore: decorator
@inline
export function reduceX2(lo: v128, hi: v128, epsilon: v128, sign: v128, prime: v128): v128 {
  const top = i64x2.shr_u(hi, 32);
  let t = i64x2.sub(lo, top);
  const borrow = i64x2.lt_s(v128.andnot(t, lo), i64x2.splat(0));
  t = v128.xor(i64x2.sub(t, i64x2.shr_u(borrow, 32)), sign);
  const third = v128.and(hi, epsilon);
  const complement = i64x2.sub(i64x2.add(v128.xor(prime, sign), third), i64x2.shl(third, 32));
  // Both are sign-flipped: their difference is not, and signed order is the order of the values.
  return i64x2.add(i64x2.sub(t, complement), v128.and(i64x2.lt_s(t, complement), prime));
}

/**
 * Canonical product of lazy a with an element whose halves are given: a factor that serves a whole loop
 * is split once.
 */
// @ts-ignore: decorator
@inline
export function mulByHalves(
  a: v128,
  bHalves: v128,
  bSwapped: v128,
  epsilon: v128,
  sign: v128,
  prime: v128,
): v128 {
  const aHalves = halves(a);
  const ll = i64x2.extmul_low_i32x4_u(aHalves, bHalves);
  const hh = i64x2.extmul_high_i32x4_u(aHalves, bHalves);
  const lh = i64x2.extmul_low_i32x4_u(aHalves, bSwapped);
  const hl = i64x2.extmul_high_i32x4_u(aHalves, bSwapped);
  const t0 = i64x2.add(hl, i64x2.shr_u(ll, 32));
  const t1 = i64x2.add(lh, v128.and(t0, epsilon));
  const hi = i64x2.add(i64x2.add(hh, i64x2.shr_u(t0, 32)), i64x2.shr_u(t1, 32));
  const lo = v128.or(i64x2.shl(t1, 32), v128.and(ll, epsilon));
  return reduceX2(lo, hi, epsilon, sign, prime);
}

/** Canonical product of lazy elements. */
// @ts-ignore: decorator
@inline
export function mulX2(a: v128, b: v128, epsilon: v128, sign: v128, prime: v128): v128 {
  return mulByHalves(a, halves(b), halvesSwapped(b), epsilon, sign, prime);
}

/** All ones in each lane where a < b as unsigned numbers. */
// @ts-ignore: decorator
@inline
export function lessX2(a: v128, b: v128, sign: v128): v128 {
  return i64x2.lt_s(v128.xor(a, sign), v128.xor(b, sign));
}

/** Canonical form of a value given sign-flipped. */
// @ts-ignore: decorator
@inline
export function canonicalOfFlipped(flipped: v128, prime: v128, sign: v128): v128 {
  const below = i64x2.lt_s(flipped, v128.xor(prime, sign));
  return i64x2.sub(v128.xor(flipped, sign), v128.andnot(prime, below));
}

/** Canonical sum of canonical elements. */
// @ts-ignore: decorator
@inline
export function addX2(a: v128, b: v128, sign: v128, prime: v128): v128 {
  const complement = i64x2.sub(prime, b);
  const wraps = lessX2(a, complement, sign);
  return i64x2.add(i64x2.sub(a, complement), v128.and(wraps, prime));
}

/** Canonical difference of canonical elements. */
// @ts-ignore: decorator
@inline
export function subX2(a: v128, b: v128, sign: v128, prime: v128): v128 {
  const wraps = lessX2(a, b, sign);
  return i64x2.add(i64x2.sub(a, b), v128.and(wraps, prime));
}

/** 7·a for canonical a. */
// @ts-ignore: decorator
@inline
export function timesSevenX2(a: v128, epsilon: v128, sign: v128, prime: v128): v128 {
  return subX2(reduceX2(i64x2.shl(a, 3), i64x2.shr_u(a, 61), epsilon, sign, prime), a, sign, prime);
}

/** out[i] = a[i] · b[i] for i < count; count even, values canonical; out may be a or b. */
export function vectorMul(out: usize, a: usize, b: usize, count: i32): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const end = <usize>count << 3;
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, mulX2(v128.load(a + i), v128.load(b + i), epsilon, sign, prime));
  }
}

/** out[i] = a[i] + b[i]. */
export function vectorAdd(out: usize, a: usize, b: usize, count: i32): void {
  const sign = loadSign();
  const prime = loadPrime();
  const end = <usize>count << 3;
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, addX2(v128.load(a + i), v128.load(b + i), sign, prime));
  }
}

/** out[i] = a[i] - b[i]. */
export function vectorSub(out: usize, a: usize, b: usize, count: i32): void {
  const sign = loadSign();
  const prime = loadPrime();
  const end = <usize>count << 3;
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, subX2(v128.load(a + i), v128.load(b + i), sign, prime));
  }
}

/** out[i] = a[i] · factor. */
export function vectorScale(out: usize, a: usize, factor: u64, count: i32): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const factorX2 = i64x2.splat(factor);
  const fHalves = halves(factorX2);
  const fSwapped = halvesSwapped(factorX2);
  const end = <usize>count << 3;
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, mulByHalves(v128.load(a + i), fHalves, fSwapped, epsilon, sign, prime));
  }
}
