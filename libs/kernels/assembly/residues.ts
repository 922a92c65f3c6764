// A polynomial of degree < 2N or < 3N from what it leaves modulo X^N - y_c for as many constants y_c: with
// X^N = Y it is one of degree 1 or 2 in Y, interpolated coefficient by coefficient.
import { addX2, loadEpsilon, loadPrime, loadSign, mulX2, subX2 } from './goldilocks-x2';

/**
 * In place over base planes: residues r0 and r1 become the halves: high = (r1 - r0)·inverse, low = r0 - y0·high,
 * inverse = 1/(y1 - y0). count is even.
 */
export function splitTwoResidues(r0: usize, r1: usize, y0: u64, inverse: u64, count: i32): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const y0X2 = i64x2.splat(y0);
  const inverseX2 = i64x2.splat(inverse);
  for (let i: usize = 0, end = <usize>count << 3; i < end; i += 16) {
    const low = v128.load(r0 + i);
    const high = mulX2(subX2(v128.load(r1 + i), low, sign, prime), inverseX2, epsilon, sign, prime);
    v128.store(r1 + i, high);
    v128.store(r0 + i, subX2(low, mulX2(high, y0X2, epsilon, sign, prime), sign, prime));
  }
}

/**
 * In place over base planes: three residues become the thirds, by Newton's divided differences. The constants are six
 * elements: y0, 1/(y1 - y0), 1/(y2 - y0), 1/(y2 - y1), y0·y1, y0 + y1. count is even.
 */
export function splitThreeResidues(r0: usize, r1: usize, r2: usize, constants: usize, count: i32): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const y0 = v128.load64_splat(constants);
  const inverse10 = v128.load64_splat(constants, 8);
  const inverse20 = v128.load64_splat(constants, 16);
  const inverse21 = v128.load64_splat(constants, 24);
  const product = v128.load64_splat(constants, 32);
  const sum = v128.load64_splat(constants, 40);
  for (let i: usize = 0, end = <usize>count << 3; i < end; i += 16) {
    const a = v128.load(r0 + i);
    const first = mulX2(subX2(v128.load(r1 + i), a, sign, prime), inverse10, epsilon, sign, prime);
    const other = mulX2(subX2(v128.load(r2 + i), a, sign, prime), inverse20, epsilon, sign, prime);
    const second = mulX2(subX2(other, first, sign, prime), inverse21, epsilon, sign, prime);
    const low = subX2(a, mulX2(first, y0, epsilon, sign, prime), sign, prime);
    v128.store(r0 + i, addX2(low, mulX2(second, product, epsilon, sign, prime), sign, prime));
    v128.store(r1 + i, subX2(first, mulX2(second, sum, epsilon, sign, prime), sign, prime));
    v128.store(r2 + i, second);
  }
}
