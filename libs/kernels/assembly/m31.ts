// The Mersenne field of p = 2^31 - 1. An element is a canonical 32-bit word (< p); the results of every
// function are canonical where its arguments are.

/** The modulus. */
export const M31_P: u32 = 0x7fffffff;

const CONSTANTS: usize = memory.data<u32>([0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff], 16);

// @ts-ignore: decorator
@inline
export function add31(a: u32, b: u32): u32 {
  const sum = a + b;
  return min(sum, sum - M31_P);
}

// @ts-ignore: decorator
@inline
export function sub31(a: u32, b: u32): u32 {
  const difference = a - b;
  return min(difference, difference + M31_P);
}

// @ts-ignore: decorator
@inline
export function mul31(a: u32, b: u32): u32 {
  const product = <u64>a * <u64>b;
  return add31(<u32>product & M31_P, <u32>(product >> 31));
}

function squareTimes(a: u32, times: i32): u32 {
  for (let i = 0; i < times; i++) a = mul31(a, a);
  return a;
}

/** a^(p-2), which is 1/a, or 0 for 0: p - 2 is 29 ones, a zero and a one. */
export function inverse31(a: u32): u32 {
  const ones2 = mul31(squareTimes(a, 1), a);
  const ones4 = mul31(squareTimes(ones2, 2), ones2);
  const ones8 = mul31(squareTimes(ones4, 4), ones4);
  const ones16 = mul31(squareTimes(ones8, 8), ones8);
  const ones24 = mul31(squareTimes(ones16, 8), ones8);
  const ones28 = mul31(squareTimes(ones24, 4), ones4);
  const ones29 = mul31(squareTimes(ones28, 1), a);
  return mul31(squareTimes(ones29, 2), a);
}

/** The value of an unreduced 64-bit sum. */
// @ts-ignore: decorator
@inline
export function reduce31(sum: u64): u32 {
  const once = (sum & M31_P) + (sum >> 31);
  const twice = <u32>((once & M31_P) + (once >> 31));
  return min(twice, twice - M31_P);
}

/** p in all lanes. Loaded before a loop: V8 12 and later rebuild a v128.const at each use. */
// @ts-ignore: decorator
@inline
export function loadM31(): v128 {
  return v128.load(CONSTANTS);
}

// @ts-ignore: decorator
@inline
export function addX4(a: v128, b: v128, p: v128): v128 {
  const sum = i32x4.add(a, b);
  return i32x4.min_u(sum, i32x4.sub(sum, p));
}

// @ts-ignore: decorator
@inline
export function subX4(a: v128, b: v128, p: v128): v128 {
  const difference = i32x4.sub(a, b);
  return i32x4.min_u(difference, i32x4.add(difference, p));
}

/**
 * Product with a doubled factor: of the 63-bit product a·2b, the upper word is the quotient by 2^31 of
 * a·b and the lower word twice the remainder. A factor that serves a whole loop is doubled once.
 */
// @ts-ignore: decorator
@inline
export function mulDoubled(a: v128, doubled: v128, p: v128): v128 {
  const low = i64x2.extmul_low_i32x4_u(a, doubled);
  const high = i64x2.extmul_high_i32x4_u(a, doubled);
  const quotients = v128.shuffle<u32>(low, high, 1, 3, 5, 7);
  const remainders = i32x4.shr_u(v128.shuffle<u32>(low, high, 0, 2, 4, 6), 1);
  return addX4(quotients, remainders, p);
}

// @ts-ignore: decorator
@inline
export function doubleX4(a: v128): v128 {
  return i32x4.shl(a, 1);
}

// @ts-ignore: decorator
@inline
export function mulX4(a: v128, b: v128, p: v128): v128 {
  return mulDoubled(a, doubleX4(b), p);
}

/** Folds unreduced 64-bit sums below 2^64 to sums below 2^34, so that two more products fit. */
// @ts-ignore: decorator
@inline
export function foldSums(sums: v128, mask: v128): v128 {
  return i64x2.add(v128.and(sums, mask), i64x2.shr_u(sums, 31));
}

/** p in both 64-bit lanes: the mask of foldSums. */
// @ts-ignore: decorator
@inline
export function loadSumMask(): v128 {
  return i64x2.extend_low_i32x4_u(v128.load(CONSTANTS));
}

/** Canonical elements of four unreduced sums below 2^64: those of `low`, then those of `high`. */
// @ts-ignore: decorator
@inline
export function reduceSums(low: v128, high: v128, mask: v128, p: v128): v128 {
  const a = foldSums(foldSums(low, mask), mask);
  const b = foldSums(foldSums(high, mask), mask);
  const words = v128.shuffle<u32>(a, b, 0, 2, 4, 6);
  return i32x4.min_u(words, i32x4.sub(words, p));
}

/** out[i] = a[i] · b[i] for i < count; count a multiple of 4; out may be a or b. */
export function m31VectorMul(out: usize, a: usize, b: usize, count: i32): void {
  const p = loadM31();
  const end = <usize>count << 2;
  for (let i: usize = 0; i < end; i += 16) v128.store(out + i, mulX4(v128.load(a + i), v128.load(b + i), p));
}

/** out[i] = a[i] + b[i]. */
export function m31VectorAdd(out: usize, a: usize, b: usize, count: i32): void {
  const p = loadM31();
  const end = <usize>count << 2;
  for (let i: usize = 0; i < end; i += 16) v128.store(out + i, addX4(v128.load(a + i), v128.load(b + i), p));
}

/** out[i] = a[i] - b[i]. */
export function m31VectorSub(out: usize, a: usize, b: usize, count: i32): void {
  const p = loadM31();
  const end = <usize>count << 2;
  for (let i: usize = 0; i < end; i += 16) v128.store(out + i, subX4(v128.load(a + i), v128.load(b + i), p));
}

/** out[i] = a[i] · factor. */
export function m31VectorScale(out: usize, a: usize, factor: u32, count: i32): void {
  const p = loadM31();
  const doubled = i32x4.splat(factor << 1);
  const end = <usize>count << 2;
  for (let i: usize = 0; i < end; i += 16) v128.store(out + i, mulDoubled(v128.load(a + i), doubled, p));
}

/** out[i] += a[i] · factor. */
export function m31VectorAddScaled(out: usize, a: usize, factor: u32, count: i32): void {
  const p = loadM31();
  const doubled = i32x4.splat(factor << 1);
  const end = <usize>count << 2;
  for (let i: usize = 0; i < end; i += 16) {
    v128.store(out + i, addX4(v128.load(out + i), mulDoubled(v128.load(a + i), doubled, p), p));
  }
}

/** 1/x in each lane, 0 for 0. */
function inverseX4(x: v128): v128 {
  const a = inverse31(i32x4.extract_lane(x, 0));
  const b = inverse31(i32x4.extract_lane(x, 1));
  const c = inverse31(i32x4.extract_lane(x, 2));
  const d = inverse31(i32x4.extract_lane(x, 3));
  return i32x4.replace_lane(i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(a), 1, b), 2, c), 3, d);
}

/**
 * out[i] = 1/input[i] for values that are not zero; count a multiple of 8; out must not overlap input.
 * Montgomery's trick in eight chains, of which two run side by side to hide each other's latency.
 */
export function m31BatchInverse(out: usize, input: usize, count: i32): void {
  const p = loadM31();
  const end = <usize>count << 2;
  let even = i32x4.splat(1);
  let odd = even;
  for (let i: usize = 0; i < end; i += 32) {
    v128.store(out + i, even);
    v128.store(out + i, odd, 16);
    even = mulX4(even, v128.load(input + i), p);
    odd = mulX4(odd, v128.load(input + i, 16), p);
  }
  even = inverseX4(even);
  odd = inverseX4(odd);
  for (let i = end; i; i -= 32) {
    const from = input + i - 32;
    const to = out + i - 32;
    v128.store(to, mulX4(v128.load(to), even, p));
    v128.store(to, mulX4(v128.load(to, 16), odd, p), 16);
    even = mulX4(even, v128.load(from), p);
    odd = mulX4(odd, v128.load(from, 16), p);
  }
}
