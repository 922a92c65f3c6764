// The cubic extension F[φ]/(φ³ - φ - 1) of the Goldilocks field. A vector of extension elements is
// three planes of base elements, `plane` bytes apart: c0, c1, c2.
import { add, mul, sub } from './goldilocks';
import {
  addX2,
  halves,
  halvesSwapped,
  loadEpsilon,
  loadPrime,
  loadSign,
  mulByHalves,
} from './goldilocks-x2';

/**
 * The product (x0, x1, x2)·(y0, y1, y2) reduced by φ³ = φ + 1, φ⁴ = φ² + φ, component by component:
 * c0 = x0y0 + t, c1 = x0y1 + x1y0 + t + x2y2, c2 = x0y2 + x1y1 + x2y0 + x2y2 with t = x1y2 + x2y1.
 */
// @ts-ignore: decorator
@inline
export function product0(x0: u64, x1: u64, x2: u64, y0: u64, y1: u64, y2: u64): u64 {
  return add(mul(x0, y0), add(mul(x1, y2), mul(x2, y1)));
}

// @ts-ignore: decorator
@inline
export function product1(x0: u64, x1: u64, x2: u64, y0: u64, y1: u64, y2: u64): u64 {
  const t = add(mul(x1, y2), mul(x2, y1));
  return add(add(mul(x0, y1), mul(x1, y0)), add(t, mul(x2, y2)));
}

// @ts-ignore: decorator
@inline
export function product2(x0: u64, x1: u64, x2: u64, y0: u64, y1: u64, y2: u64): u64 {
  return add(add(mul(x0, y2), mul(x1, y1)), add(mul(x2, y0), mul(x2, y2)));
}

/** out[i] = a[i] · b[i], elements of 24 bytes one after the other; out may be a or b. */
export function cubicVectorMul(out: usize, a: usize, b: usize, count: i32): void {
  for (let i = 0; i < count; i++, a += 24, b += 24, out += 24) {
    const a0 = load<u64>(a);
    const a1 = load<u64>(a, 8);
    const a2 = load<u64>(a, 16);
    const b0 = load<u64>(b);
    const b1 = load<u64>(b, 8);
    const b2 = load<u64>(b, 16);
    store<u64>(out, product0(a0, a1, a2, b0, b1, b2));
    store<u64>(out, product1(a0, a1, a2, b0, b1, b2), 8);
    store<u64>(out, product2(a0, a1, a2, b0, b1, b2), 16);
  }
}

/**
 * planes[i] = base^i for i < count (a power of two). The planes are filled by doubling, each pass
 * multiplying what is there by one constant.
 */
export function cubicPowers(planes: usize, plane: usize, x0: u64, x1: u64, x2: u64, count: i32): void {
  store<u64>(planes, 1);
  store<u64>(planes + plane, 0);
  store<u64>(planes + 2 * plane, 0);
  for (let filled: usize = 8; filled < <usize>count << 3; filled <<= 1) {
    for (let i: usize = 0; i < filled; i += 8) {
      const from = planes + i;
      const to = from + filled;
      const a0 = load<u64>(from);
      const a1 = load<u64>(from + plane);
      const a2 = load<u64>(from + 2 * plane);
      store<u64>(to, product0(a0, a1, a2, x0, x1, x2));
      store<u64>(to + plane, product1(a0, a1, a2, x0, x1, x2));
      store<u64>(to + 2 * plane, product2(a0, a1, a2, x0, x1, x2));
    }
    const y0 = product0(x0, x1, x2, x0, x1, x2);
    const y1 = product1(x0, x1, x2, x0, x1, x2);
    x2 = product2(x0, x1, x2, x0, x1, x2);
    x0 = y0;
    x1 = y1;
  }
}

/**
 * For each of `width` base polynomials of `count` coefficients, `stride` apart: its value, 24 bytes at
 * out + 24·column, at the point whose powers are given. count is even.
 */
export function evaluateAtPowers(
  out: usize,
  columns: usize,
  stride: usize,
  width: i32,
  powers: usize,
  plane: usize,
  count: i32,
): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const bytes = <usize>count << 3;
  for (let c = 0; c < width; c++, columns += stride, out += 24) {
    let s0 = i64x2.splat(0);
    let s1 = i64x2.splat(0);
    let s2 = i64x2.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const f = v128.load(columns + i);
      const fHalves = halves(f);
      const fSwapped = halvesSwapped(f);
      const p = powers + i;
      const p0 = mulByHalves(v128.load(p), fHalves, fSwapped, epsilon, sign, prime);
      const p1 = mulByHalves(v128.load(p + plane), fHalves, fSwapped, epsilon, sign, prime);
      const p2 = mulByHalves(v128.load(p + 2 * plane), fHalves, fSwapped, epsilon, sign, prime);
      s0 = addX2(s0, p0, sign, prime);
      s1 = addX2(s1, p1, sign, prime);
      s2 = addX2(s2, p2, sign, prime);
    }
    store<u64>(out, add(i64x2.extract_lane(s0, 0), i64x2.extract_lane(s0, 1)));
    store<u64>(out, add(i64x2.extract_lane(s1, 0), i64x2.extract_lane(s1, 1)), 8);
    store<u64>(out, add(i64x2.extract_lane(s2, 0), i64x2.extract_lane(s2, 1)), 16);
  }
}

/**
 * Adds Σ weight_c · column_c to the extension planes at out, for elements first … first+count-1: the
 * columns' `width` 32-bit addresses are at `columns`, their weights of 24 bytes at `weights`. count is
 * even.
 */
export function accumulateColumns(
  out: usize,
  plane: usize,
  columns: usize,
  width: i32,
  weights: usize,
  first: i32,
  count: i32,
): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const from = <usize>first << 3;
  const to = from + (<usize>count << 3);
  for (let c = 0; c < width; c++, columns += 4, weights += 24) {
    const column = <usize>load<u32>(columns);
    const w0 = v128.load64_splat(weights);
    const w1 = v128.load64_splat(weights, 8);
    const w2 = v128.load64_splat(weights, 16);
    const w0Halves = halves(w0);
    const w0Swapped = halvesSwapped(w0);
    const w1Halves = halves(w1);
    const w1Swapped = halvesSwapped(w1);
    const w2Halves = halves(w2);
    const w2Swapped = halvesSwapped(w2);
    for (let i = from; i < to; i += 16) {
      const f = v128.load(column + i);
      const o = out + i;
      const p0 = mulByHalves(f, w0Halves, w0Swapped, epsilon, sign, prime);
      const p1 = mulByHalves(f, w1Halves, w1Swapped, epsilon, sign, prime);
      const p2 = mulByHalves(f, w2Halves, w2Swapped, epsilon, sign, prime);
      v128.store(o, addX2(v128.load(o), p0, sign, prime));
      v128.store(o + plane, addX2(v128.load(o + plane), p1, sign, prime));
      v128.store(o + 2 * plane, addX2(v128.load(o + 2 * plane), p2, sign, prime));
    }
  }
}

/** out[i] += weight · in[i] over extension planes, for i from first to first+count-1. */
export function accumulateScaled(
  out: usize,
  outPlane: usize,
  input: usize,
  inputPlane: usize,
  weight: usize,
  first: i32,
  count: i32,
): void {
  const w0 = load<u64>(weight);
  const w1 = load<u64>(weight, 8);
  const w2 = load<u64>(weight, 16);
  const from = <usize>first << 3;
  const to = from + (<usize>count << 3);
  for (let i = from; i < to; i += 8) {
    const a0 = load<u64>(input + i);
    const a1 = load<u64>(input + inputPlane + i);
    const a2 = load<u64>(input + 2 * inputPlane + i);
    const o = out + i;
    store<u64>(o, add(load<u64>(o), product0(a0, a1, a2, w0, w1, w2)));
    store<u64>(o + outPlane, add(load<u64>(o + outPlane), product1(a0, a1, a2, w0, w1, w2)));
    store<u64>(o + 2 * outPlane, add(load<u64>(o + 2 * outPlane), product2(a0, a1, a2, w0, w1, w2)));
  }
}

/**
 * In place: the `count` coefficients of f over extension planes become those of the quotient of f by
 * (X - point), the remainder f(point) dropped (synthetic division).
 */
export function divideByLinear(planes: usize, plane: usize, x0: u64, x1: u64, x2: u64, count: i32): void {
  let q0: u64 = 0;
  let q1: u64 = 0;
  let q2: u64 = 0;
  for (let i = count - 1; i >= 0; i--) {
    const at = planes + (<usize>i << 3);
    const f0 = load<u64>(at);
    const f1 = load<u64>(at + plane);
    const f2 = load<u64>(at + 2 * plane);
    store<u64>(at, q0);
    store<u64>(at + plane, q1);
    store<u64>(at + 2 * plane, q2);
    const n0 = add(f0, product0(q0, q1, q2, x0, x1, x2));
    const n1 = add(f1, product1(q0, q1, q2, x0, x1, x2));
    q2 = add(f2, product2(q0, q1, q2, x0, x1, x2));
    q0 = n0;
    q1 = n1;
  }
}

/** The same division by (X - point) with the point in the base field. */
export function divideByLinearBase(planes: usize, plane: usize, point: u64, count: i32): void {
  let q0: u64 = 0;
  let q1: u64 = 0;
  let q2: u64 = 0;
  for (let i = count - 1; i >= 0; i--) {
    const at = planes + (<usize>i << 3);
    const f0 = load<u64>(at);
    const f1 = load<u64>(at + plane);
    const f2 = load<u64>(at + 2 * plane);
    store<u64>(at, q0);
    store<u64>(at + plane, q1);
    store<u64>(at + 2 * plane, q2);
    q0 = add(f0, mul(q0, point));
    q1 = add(f1, mul(q1, point));
    q2 = add(f2, mul(q2, point));
  }
}

/**
 * FRI folding by 8 in coefficient form: out[i] = Σ_(k<8) powers_k · f[8i + k], where powers holds the
 * eight powers of the challenge, 24 bytes each; for i from first to first+count-1.
 */
export function foldByEight(
  out: usize,
  outPlane: usize,
  input: usize,
  inputPlane: usize,
  powers: usize,
  first: i32,
  count: i32,
): void {
  for (let i = <usize>first << 3, end = i + (<usize>count << 3); i < end; i += 8) {
    let s0: u64 = 0;
    let s1: u64 = 0;
    let s2: u64 = 0;
    for (let k: usize = 0; k < 8; k++) {
      const f = input + (i << 3) + (k << 3);
      const p = powers + 24 * k;
      const a0 = load<u64>(f);
      const a1 = load<u64>(f + inputPlane);
      const a2 = load<u64>(f + 2 * inputPlane);
      const b0 = load<u64>(p);
      const b1 = load<u64>(p, 8);
      const b2 = load<u64>(p, 16);
      s0 = add(s0, product0(a0, a1, a2, b0, b1, b2));
      s1 = add(s1, product1(a0, a1, a2, b0, b1, b2));
      s2 = add(s2, product2(a0, a1, a2, b0, b1, b2));
    }
    store<u64>(out + i, s0);
    store<u64>(out + outPlane + i, s1);
    store<u64>(out + 2 * outPlane + i, s2);
  }
}

/**
 * Splits a polynomial of degree < 2N, given modulo X^N - a and modulo X^N - b, into its two halves:
 * low = r_a - a·high, high = (r_a - r_b)/(a - b). In place over base planes: ra becomes low, rb high.
 */
export function splitResidues(ra: usize, rb: usize, a: u64, inverseDifference: u64, count: i32): void {
  for (let i: usize = 0, end = <usize>count << 3; i < end; i += 8) {
    const x = load<u64>(ra + i);
    const high = mul(sub(x, load<u64>(rb + i)), inverseDifference);
    store<u64>(rb + i, high);
    store<u64>(ra + i, sub(x, mul(high, a)));
  }
}
