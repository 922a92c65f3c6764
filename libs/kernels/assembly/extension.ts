// Extensions of the Goldilocks field, by degree: F[φ]/(φ² - 7) for 2, F[φ]/(φ³ - φ - 1) for 3. A vector
// of extension elements is `degree` planes of base elements, `plane` bytes apart: c0, c1(, c2). A single
// element is its coordinates one after the other.
//
// The degree is a constant wherever it matters: every export branches on it once, into inlined code of
// which the optimiser keeps the half that applies.
import { add, mul, timesSeven } from './goldilocks';
import {
  addX2,
  halves,
  halvesSwapped,
  loadEpsilon,
  loadPrime,
  loadSign,
  mulByHalves,
  mulX2,
  timesSevenX2,
} from './goldilocks-x2';
import { scratchArea } from './scratch';

/** Coordinate 0 of a product. */
// @ts-ignore: decorator
@inline
export function product0(degree: i32, x0: u64, x1: u64, x2: u64, y0: u64, y1: u64, y2: u64): u64 {
  if (degree == 2) return add(mul(x0, y0), timesSeven(mul(x1, y1)));
  return add(mul(x0, y0), add(mul(x1, y2), mul(x2, y1)));
}

/** Coordinate 1 of a product. */
// @ts-ignore: decorator
@inline
export function product1(degree: i32, x0: u64, x1: u64, x2: u64, y0: u64, y1: u64, y2: u64): u64 {
  if (degree == 2) return add(mul(x0, y1), mul(x1, y0));
  const t = add(mul(x1, y2), mul(x2, y1));
  return add(add(mul(x0, y1), mul(x1, y0)), add(t, mul(x2, y2)));
}

/** Coordinate 2 of a product of degree 3, by φ³ = φ + 1 and φ⁴ = φ² + φ. */
// @ts-ignore: decorator
@inline
export function product2(x0: u64, x1: u64, x2: u64, y0: u64, y1: u64, y2: u64): u64 {
  return add(add(mul(x0, y2), mul(x1, y1)), add(mul(x2, y0), mul(x2, y2)));
}

/** out = a · b for single elements; out may be a or b. */
export function extensionMul(degree: i32, out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  if (degree == 2) {
    store<u64>(out, product0(2, a0, a1, 0, b0, b1, 0));
    store<u64>(out, product1(2, a0, a1, 0, b0, b1, 0), 8);
    return;
  }
  const a2 = load<u64>(a, 16);
  const b2 = load<u64>(b, 16);
  store<u64>(out, product0(3, a0, a1, a2, b0, b1, b2));
  store<u64>(out, product1(3, a0, a1, a2, b0, b1, b2), 8);
  store<u64>(out, product2(a0, a1, a2, b0, b1, b2), 16);
}

/** to[i] = from[i] · factor over planes, for `bytes` bytes, a multiple of 16. */
// @ts-ignore: decorator
@inline
function multiplyPlanes(degree: i32, to: usize, from: usize, plane: usize, factor: usize, bytes: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const y0 = v128.load64_splat(factor);
  const y1 = v128.load64_splat(factor, 8);
  const y2 = degree == 3 ? v128.load64_splat(factor, 16) : y1;
  const seven = timesSevenX2(y1, epsilon, sign, prime);
  for (let i: usize = 0; i < bytes; i += 16) {
    const x0 = v128.load(from + i);
    const x1 = v128.load(from + plane + i);
    const head = mulX2(x0, y0, epsilon, sign, prime);
    const cross = addX2(
      mulX2(x0, y1, epsilon, sign, prime),
      mulX2(x1, y0, epsilon, sign, prime),
      sign,
      prime,
    );
    if (degree == 2) {
      v128.store(to + i, addX2(head, mulX2(x1, seven, epsilon, sign, prime), sign, prime));
      v128.store(to + plane + i, cross);
    } else {
      const x2 = v128.load(from + 2 * plane + i);
      const x2y2 = mulX2(x2, y2, epsilon, sign, prime);
      const t = addX2(mulX2(x1, y2, epsilon, sign, prime), mulX2(x2, y1, epsilon, sign, prime), sign, prime);
      const last = addX2(
        addX2(mulX2(x0, y2, epsilon, sign, prime), mulX2(x1, y1, epsilon, sign, prime), sign, prime),
        mulX2(x2, y0, epsilon, sign, prime),
        sign,
        prime,
      );
      v128.store(to + i, addX2(head, t, sign, prime));
      v128.store(to + plane + i, addX2(cross, addX2(t, x2y2, sign, prime), sign, prime));
      v128.store(to + 2 * plane + i, addX2(last, x2y2, sign, prime));
    }
  }
}

/**
 * planes[i] = base^i for i < count (a power of two, at least 2). The planes are filled by doubling, each
 * pass multiplying what is there by one constant.
 */
export function extensionPowers(degree: i32, planes: usize, plane: usize, base: usize, count: i32): void {
  const factor = scratchArea();
  for (let c: usize = 0; c < <usize>degree; c++) {
    const coordinate = load<u64>(base + (c << 3));
    store<u64>(planes + c * plane, c == 0 ? 1 : 0);
    store<u64>(planes + c * plane, coordinate, 8);
    store<u64>(factor + (c << 3), coordinate);
  }
  for (let filled: usize = 16; filled < <usize>count << 3; filled <<= 1) {
    extensionMul(degree, factor, factor, factor);
    if (degree == 2) multiplyPlanes(2, planes + filled, planes, plane, factor, filled);
    else multiplyPlanes(3, planes + filled, planes, plane, factor, filled);
  }
}

// @ts-ignore: decorator
@inline
function dotProducts(degree: i32, out: usize, column: usize, powers: usize, plane: usize, bytes: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  let s0 = i64x2.splat(0);
  let s1 = i64x2.splat(0);
  let s2 = i64x2.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    const f = v128.load(column + i);
    const fHalves = halves(f);
    const fSwapped = halvesSwapped(f);
    const p = powers + i;
    s0 = addX2(s0, mulByHalves(v128.load(p), fHalves, fSwapped, epsilon, sign, prime), sign, prime);
    s1 = addX2(s1, mulByHalves(v128.load(p + plane), fHalves, fSwapped, epsilon, sign, prime), sign, prime);
    if (degree == 3) {
      s2 = addX2(s2, mulByHalves(v128.load(p + 2 * plane), fHalves, fSwapped, epsilon, sign, prime), sign, prime);
    }
  }
  store<u64>(out, add(i64x2.extract_lane(s0, 0), i64x2.extract_lane(s0, 1)));
  store<u64>(out, add(i64x2.extract_lane(s1, 0), i64x2.extract_lane(s1, 1)), 8);
  if (degree == 3) store<u64>(out, add(i64x2.extract_lane(s2, 0), i64x2.extract_lane(s2, 1)), 16);
}

/**
 * For each of `width` base polynomials of `count` coefficients, `stride` apart: its value, one element
 * after the other at out, at the point whose powers are given. count is even.
 */
export function evaluateAtPowers(
  degree: i32,
  out: usize,
  columns: usize,
  stride: usize,
  width: i32,
  powers: usize,
  plane: usize,
  count: i32,
): void {
  const bytes = <usize>count << 3;
  for (let c = 0; c < width; c++, columns += stride, out += <usize>degree << 3) {
    if (degree == 2) dotProducts(2, out, columns, powers, plane, bytes);
    else dotProducts(3, out, columns, powers, plane, bytes);
  }
}

// @ts-ignore: decorator
@inline
function accumulate(degree: i32, out: usize, plane: usize, column: usize, weight: usize, from: usize, to: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const w0 = v128.load64_splat(weight);
  const w1 = v128.load64_splat(weight, 8);
  const w2 = degree == 3 ? v128.load64_splat(weight, 16) : w1;
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
    v128.store(o, addX2(v128.load(o), p0, sign, prime));
    v128.store(o + plane, addX2(v128.load(o + plane), p1, sign, prime));
    if (degree == 3) {
      const p2 = mulByHalves(f, w2Halves, w2Swapped, epsilon, sign, prime);
      v128.store(o + 2 * plane, addX2(v128.load(o + 2 * plane), p2, sign, prime));
    }
  }
}

/**
 * out = Σ weight_c · column_c over extension planes, or out += it if `isAdded`, for elements first … first+count-1: the
 * columns' `width` 32-bit addresses are at `columns`, their weights, one element after the other, at
 * `weights`. count is even. A plane of an extension vector is a column whose weight has a factor φ^plane.
 */
export function combineColumns(
  degree: i32,
  out: usize,
  plane: usize,
  columns: usize,
  width: i32,
  weights: usize,
  first: i32,
  count: i32,
  isAdded: bool,
): void {
  const to = <usize>(first + count) << 3;
  // A part of the sums stays in the innermost cache while the columns pass over it.
  for (let from = <usize>first << 3; from < to; from += SUM_PART_BYTES) {
    const end = min(from + SUM_PART_BYTES, to);
    if (!isAdded) {
      for (let p: usize = 0; p < <usize>degree; p++) memory.fill(out + p * plane + from, 0, end - from);
    }
    for (let c: usize = 0; c < <usize>width; c++) {
      const column = <usize>load<u32>(columns + (c << 2));
      if (degree == 2) accumulate(2, out, plane, column, weights + (c << 4), from, end);
      else accumulate(3, out, plane, column, weights + 24 * c, from, end);
    }
  }
}

const SUM_PART_BYTES: usize = 8192;

/**
 * In place: the `count` coefficients of f over extension planes become those of the quotient of f by
 * (X - point), the remainder f(point) dropped (synthetic division).
 */
export function divideByLinear(degree: i32, planes: usize, plane: usize, point: usize, count: i32): void {
  const x0 = load<u64>(point);
  const x1 = load<u64>(point, 8);
  let q0: u64 = 0;
  let q1: u64 = 0;
  if (degree == 2) {
    const x1Sevenfold = timesSeven(x1);
    for (let at = planes + (<usize>count << 3); at > planes; ) {
      at -= 8;
      const f0 = load<u64>(at);
      const f1 = load<u64>(at + plane);
      store<u64>(at, q0);
      store<u64>(at + plane, q1);
      const n0 = add(add(f0, mul(q0, x0)), mul(q1, x1Sevenfold));
      q1 = add(add(f1, mul(q0, x1)), mul(q1, x0));
      q0 = n0;
    }
    return;
  }
  const x2 = load<u64>(point, 16);
  let q2: u64 = 0;
  for (let at = planes + (<usize>count << 3); at > planes; ) {
    at -= 8;
    const f0 = load<u64>(at);
    const f1 = load<u64>(at + plane);
    const f2 = load<u64>(at + 2 * plane);
    store<u64>(at, q0);
    store<u64>(at + plane, q1);
    store<u64>(at + 2 * plane, q2);
    const n0 = add(f0, product0(3, q0, q1, q2, x0, x1, x2));
    const n1 = add(f1, product1(3, q0, q1, q2, x0, x1, x2));
    q2 = add(f2, product2(q0, q1, q2, x0, x1, x2));
    q0 = n0;
    q1 = n1;
  }
}

/** In place: the `count` coefficients of a base polynomial become those of its quotient by (X - point). */
export function divideByLinearBase(at: usize, point: u64, count: i32): void {
  let q: u64 = 0;
  for (let p = at + (<usize>count << 3); p > at; ) {
    p -= 8;
    const f = load<u64>(p);
    store<u64>(p, q);
    q = add(f, mul(q, point));
  }
}

/** Coefficients 8i + k and 8(i + 1) + k as the two lanes of a vector. */
// @ts-ignore: decorator
@inline
function everyEighth(at: usize, odd: bool): v128 {
  const low = v128.load(at);
  const high = v128.load(at, 64);
  return odd ? v128.shuffle<u64>(low, high, 1, 3) : v128.shuffle<u64>(low, high, 0, 2);
}

/**
 * FRI folding by 8 in coefficient form: out[i] = Σ_(k<8) powers_k · f[8i + k], where powers holds the
 * eight powers of the challenge, one element after the other; for i from first to first+count-1. A plane of
 * f is a base polynomial, so that its share in the sum is a product of base elements with the powers times
 * φ^plane. count is even.
 */
export function foldByEight(
  degree: i32,
  out: usize,
  outPlane: usize,
  input: usize,
  inputPlane: usize,
  powers: usize,
  first: i32,
  count: i32,
): void {
  if (degree == 2) foldOf(2, out, outPlane, input, inputPlane, powers, first, count);
  else foldOf(3, out, outPlane, input, inputPlane, powers, first, count);
}

// @ts-ignore: decorator
@inline
function foldOf(
  degree: i32,
  out: usize,
  outPlane: usize,
  input: usize,
  inputPlane: usize,
  powers: usize,
  first: i32,
  count: i32,
): void {
  const weights = scratchArea();
  const element = <usize>degree << 3;
  // Weight (plane p, k) = φ^p · λ^k.
  memory.copy(weights, powers, 8 * element);
  const phi = weights + <usize>degree * 8 * element;
  memory.fill(phi, 0, element);
  store<u64>(phi, 1, 8);
  for (let i: usize = 8; i < 8 * <usize>degree; i++) {
    extensionMul(degree, weights + i * element, weights + (i - 8) * element, phi);
  }
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const zero = i64x2.splat(0);
  for (let i = <usize>first << 3, end = i + (<usize>count << 3); i < end; i += 16) {
    let s0 = zero;
    let s1 = zero;
    let s2 = zero;
    for (let p: usize = 0; p < <usize>degree; p++) {
      const f = input + p * inputPlane + (i << 3);
      const w = weights + p * 8 * element;
      for (let k: usize = 0; k < 8; k++) {
        const value = everyEighth(f + ((k >> 1) << 4), (k & 1) != 0);
        const vHalves = halves(value);
        const vSwapped = halvesSwapped(value);
        const at = w + k * element;
        s0 = addX2(s0, mulByHalves(v128.load64_splat(at), vHalves, vSwapped, epsilon, sign, prime), sign, prime);
        s1 = addX2(s1, mulByHalves(v128.load64_splat(at, 8), vHalves, vSwapped, epsilon, sign, prime), sign, prime);
        if (degree == 3) {
          s2 = addX2(s2, mulByHalves(v128.load64_splat(at, 16), vHalves, vSwapped, epsilon, sign, prime), sign, prime);
        }
      }
    }
    v128.store(out + i, s0);
    v128.store(out + outPlane + i, s1);
    if (degree == 3) v128.store(out + 2 * outPlane + i, s2);
  }
}
