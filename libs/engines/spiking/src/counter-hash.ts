/**
 * Random numbers by counter: each is a function of the seed, of what it is for, and of its place, so that
 * any thread computes any of them, in any order. All arithmetic is modulo 2^32; the mixer is
 * `lowbias32` with constants from the hash prospector project (0x21f0aaad, 0x735a2d97; bias 0.107).
 */

// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { floor, imul } = Math;

/** What a random number is for. */
export const HASH_DOMAIN = { target: 1, firstExtra: 2, potential: 3, rounding: 4 } as const;

/** @returns a bijection of the 32-bit numbers */
export function mix(x: number): number {
  x ^= x >>> 16;
  x = imul(x, 0x21f0aaad);
  x ^= x >>> 15;
  x = imul(x, 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** Key of a stream of random numbers: of `domain` and, within it, `index`. */
export function hashKey(seed: number, domain: number, index: number): number {
  const inDomain = mix((seed + imul(domain, 0x9e3779b9)) >>> 0);
  return mix((inDomain + imul(index, 0x85ebca6b)) >>> 0);
}

/** The random number at place `x` of the stream with two keys, 0 … 2^32 − 1. */
export function counterHash(x: number, key0: number, key1: number): number {
  x = (x + key0) | 0;
  x ^= x >>> 16;
  x = imul(x, 0x21f0aaad);
  x ^= x >>> 15;
  x = (x + key1) | 0;
  x = imul(x, 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** @returns `floor(x · n / 2^32)`: a number below `n` from one below 2^32; `n` at most 2^20 */
export function mulHigh(x: number, n: number): number {
  return floor((x * n) / 0x1_0000_0000);
}
