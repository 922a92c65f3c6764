const M1: u32 = 0x21f0aaad;
const M2: u32 = 0x735a2d97;

/** The counter-based hash of connectivity, first potentials and rounding: a function of the counter and a key of 64 bits. */
// @ts-ignore: decorator
@inline
export function hash(counter: u32, k0: u32, k1: u32): u32 {
  let x = counter + k0;
  x ^= x >> 16;
  x *= M1;
  x ^= x >> 15;
  x += k1;
  x *= M2;
  return x ^ (x >> 15);
}

/** Four hashes at once. */
// @ts-ignore: decorator
@inline
export function hash4(counters: v128, k0: v128, k1: v128): v128 {
  let x = i32x4.add(counters, k0);
  x = v128.xor(x, i32x4.shr_u(x, 16));
  x = i32x4.mul(x, i32x4.splat(M1));
  x = v128.xor(x, i32x4.shr_u(x, 15));
  x = i32x4.mul(i32x4.add(x, k1), i32x4.splat(M2));
  return v128.xor(x, i32x4.shr_u(x, 15));
}

/** floor(x · n / 2^32): a draw from 0 … n − 1. */
// @ts-ignore: decorator
@inline
export function mulhi(x: u32, n: u32): u32 {
  return <u32>((<u64>x * <u64>n) >> 32);
}

/** Four draws; `n` holds the range in each lane. */
// @ts-ignore: decorator
@inline
export function mulhi4(x: v128, n: v128): v128 {
  const low = i64x2.extmul_low_i32x4_u(x, n);
  const high = i64x2.extmul_high_i32x4_u(x, n);
  return v128.shuffle<i32>(low, high, 1, 3, 5, 7);
}
