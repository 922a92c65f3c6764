// The same loop of Goldilocks products twice: its vector constants loaded from memory before the loop, or written where they
// are used. Compiled by constant-trap.mjs.
import { EPSILON, P } from '../../libs/kernels/assembly/goldilocks';
import { loadEpsilon, loadPrime, loadSign, mulX2 } from '../../libs/kernels/assembly/goldilocks-x2';

export function productsLoaded(out: usize, a: usize, b: usize, count: i32): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  for (let at: usize = 0, end = (<usize>count) << 3; at < end; at += 16) {
    v128.store(out + at, mulX2(v128.load(a + at), v128.load(b + at), epsilon, sign, prime));
  }
}

export function productsSplat(out: usize, a: usize, b: usize, count: i32): void {
  for (let at: usize = 0, end = (<usize>count) << 3; at < end; at += 16) {
    const product = mulX2(
      v128.load(a + at),
      v128.load(b + at),
      i64x2.splat(EPSILON),
      i64x2.splat(0x8000000000000000),
      i64x2.splat(P),
    );
    v128.store(out + at, product);
  }
}
