// Number-theoretic transforms over cosets of power-of-two subgroups. The forward transform takes
// coefficients in natural order to evaluations in bit-reversed order, depth first and radix 4, so
// that sub-transforms stay in the nearest cache; the inverse runs the same tree backwards.
//
// Both walk a twiddle tree made for one coset. A node of size n stands for the polynomial modulo
// X^n - (shift·root)^n and is split by the square root of that constant; the shift is thereby part
// of the twiddles and costs nothing. For each node of a radix-4 level the tree holds the triple
// (t, t², t³), t the fourth root of the constant: the quarters are weighed by it, and what is left is a
// transform of four, whose root of unity is a shift by 48 bits. Levels lie one after the other from
// the largest node, after a single radix-2 entry where log2(size) is odd. At the last level (nodes of
// 4) the triples of two neighbours are interleaved, as the two lanes of a vector want them.
import { inverse, mul, pow } from './goldilocks';
import {
  addX2,
  canonicalOfFlipped,
  halves,
  halvesSwapped,
  loadEpsilon,
  loadPrime,
  loadSign,
  mulByHalves,
  mulX2,
  reduceX2,
  subX2,
  vectorScale,
} from './goldilocks-x2';

/** Generator of the subgroup of order 2^32: 7^((p-1) / 2^32). */
const TWO_ADIC_ROOT: u64 = 1753635133440165772;

/** Primitive root of unity of order 2^logOrder. */
export function rootOfUnity(logOrder: i32): u64 {
  let root = TWO_ADIC_ROOT;
  for (let i = logOrder; i < 32; i++) root = mul(root, root);
  return root;
}

/**
 * table[k] = w^bitReverse(k) for k < 2^(logSize-1), w the root of order 2^logSize, or its inverse.
 * The table of a size is a prefix of the table of every larger one.
 */
export function bitReversedRoots(table: usize, logSize: i32, inverted: i32): void {
  store<u64>(table, 1);
  for (let bit = 0; bit + 1 < logSize; bit++) {
    let root = rootOfUnity(bit + 2);
    if (inverted) root = inverse(root);
    const count = <usize>1 << bit;
    for (let i: usize = 0; i < count; i++) {
      store<u64>(table + ((count + i) << 3), mul(load<u64>(table + (i << 3)), root));
    }
  }
}

/**
 * The twiddle tree of the coset shift·<w>, from bitReversedRoots of at least the same size: 2^logSize
 * - 1 elements. For an inverse transform: the inverted roots and the inverse of the shift.
 */
export function twiddleTree(tree: usize, roots: usize, logSize: i32, shift: u64): void {
  const size: u64 = 1 << <u64>logSize;
  let at = tree;
  let nodes: usize = 1;
  if (logSize & 1) {
    store<u64>(at, pow(shift, size >> 1));
    at += 8;
    nodes = 2;
  }
  for (; nodes <= <usize>(size >> 2); nodes <<= 2) {
    const quarterPower = pow(shift, size / nodes >> 2);
    const interleaved = nodes == <usize>(size >> 2);
    for (let k: usize = 0; k < nodes; k++) {
      const t = mul(quarterPower, load<u64>(roots + (k << 4)));
      const square = mul(t, t);
      const step: usize = interleaved ? 16 : 8;
      const slot = interleaved ? at + (k >> 1) * 48 + ((k & 1) << 3) : at + k * 24;
      store<u64>(slot, t);
      store<u64>(slot + step, square);
      store<u64>(slot + step + step, mul(square, t));
    }
    at += nodes * 24;
  }
}

// @ts-ignore: decorator
@inline
function treeLevel(tree: usize, nodes: usize): usize {
  return tree + ((nodes - 1) << 3);
}

/** Adds canonical b, also given flipped, to lazy a given flipped: the sum, flipped. */
// @ts-ignore: decorator
@inline
function addFlipped(a: v128, b: v128, bFlipped: v128): v128 {
  const r = i64x2.add(a, b);
  return i64x2.add(r, i64x2.shr_u(i64x2.lt_s(r, bFlipped), 32));
}

// @ts-ignore: decorator
@inline
function subFlipped(a: v128, b: v128, bFlipped: v128): v128 {
  const r = i64x2.sub(a, b);
  return i64x2.sub(r, i64x2.shr_u(i64x2.lt_s(a, bFlipped), 32));
}

/** The canonical product with sqrt(-1) = 2^48. */
// @ts-ignore: decorator
@inline
function turn(a: v128, epsilon: v128, sign: v128, prime: v128): v128 {
  return reduceX2(i64x2.shl(a, 48), i64x2.shr_u(a, 16), epsilon, sign, prime);
}

/** One radix-2 split of a whole transform, from src (canonical) to dst (flipped). */
function splitInTwo(dst: usize, src: usize, size: usize, tree: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const half = size << 2;
  const w = v128.load64_splat(tree);
  const wHalves = halves(w);
  const wSwapped = halvesSwapped(w);
  for (let i: usize = 0; i < half; i += 16) {
    const x = v128.xor(v128.load(src + i), sign);
    const y = mulByHalves(v128.load(src + half + i), wHalves, wSwapped, epsilon, sign, prime);
    const yFlipped = v128.xor(y, sign);
    v128.store(dst + i, addFlipped(x, y, yFlipped));
    v128.store(dst + half + i, subFlipped(x, y, yFlipped));
  }
}

/**
 * One radix-4 node, n >= 8. The input is xored with `inputFlip` to make it flipped: the sign where
 * src holds plain values (the first level), zero where it is already flipped.
 */
function splitInFour(dst: usize, src: usize, n: usize, triple: usize, inputFlip: v128): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const toPlain = v128.xor(inputFlip, sign);
  const t1 = v128.load64_splat(triple);
  const t2 = v128.load64_splat(triple, 8);
  const t3 = v128.load64_splat(triple, 16);
  const t1Halves = halves(t1);
  const t1Swapped = halvesSwapped(t1);
  const t2Halves = halves(t2);
  const t2Swapped = halvesSwapped(t2);
  const t3Halves = halves(t3);
  const t3Swapped = halvesSwapped(t3);
  const quarter = n << 1;
  for (let s = src, d = dst, end = src + quarter; s < end; s += 16, d += 16) {
    const s2 = s + quarter + quarter;
    const d2 = d + quarter + quarter;
    const x0 = v128.xor(v128.load(s), inputFlip);
    let b = mulByHalves(v128.xor(v128.load(s2), toPlain), t2Halves, t2Swapped, epsilon, sign, prime);
    let bFlipped = v128.xor(b, sign);
    const even = addFlipped(x0, b, bFlipped);
    const odd = subFlipped(x0, b, bFlipped);
    const x1 = mulByHalves(v128.xor(v128.load(s + quarter), toPlain), t1Halves, t1Swapped, epsilon, sign, prime);
    const x3 = mulByHalves(v128.xor(v128.load(s2 + quarter), toPlain), t3Halves, t3Swapped, epsilon, sign, prime);
    b = addX2(x1, x3, sign, prime);
    bFlipped = v128.xor(b, sign);
    v128.store(d, addFlipped(even, b, bFlipped));
    v128.store(d + quarter, subFlipped(even, b, bFlipped));
    b = turn(subX2(x1, x3, sign, prime), epsilon, sign, prime);
    bFlipped = v128.xor(b, sign);
    v128.store(d2, addFlipped(odd, b, bFlipped));
    v128.store(d2 + quarter, subFlipped(odd, b, bFlipped));
  }
}

/** The last level: nodes of four, two at a time, lanes across nodes; flipped in, canonical out. */
function splitLeaves(at: usize, count: usize, triples: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  for (let a = at, t = triples, end = at + (count << 3); a < end; a += 64, t += 48) {
    const a0 = v128.load(a);
    const a1 = v128.load(a, 16);
    const b0 = v128.load(a, 32);
    const b1 = v128.load(a, 48);
    const x0 = v128.shuffle<u64>(a0, b0, 0, 2);
    const x1 = mulX2(v128.xor(v128.shuffle<u64>(a0, b0, 1, 3), sign), v128.load(t), epsilon, sign, prime);
    const x3 = mulX2(v128.xor(v128.shuffle<u64>(a1, b1, 1, 3), sign), v128.load(t, 32), epsilon, sign, prime);
    let b = mulX2(v128.xor(v128.shuffle<u64>(a1, b1, 0, 2), sign), v128.load(t, 16), epsilon, sign, prime);
    let bFlipped = v128.xor(b, sign);
    const even = addFlipped(x0, b, bFlipped);
    const odd = subFlipped(x0, b, bFlipped);
    b = addX2(x1, x3, sign, prime);
    bFlipped = v128.xor(b, sign);
    const z0 = canonicalOfFlipped(addFlipped(even, b, bFlipped), prime, sign);
    const z1 = canonicalOfFlipped(subFlipped(even, b, bFlipped), prime, sign);
    b = turn(subX2(x1, x3, sign, prime), epsilon, sign, prime);
    bFlipped = v128.xor(b, sign);
    const z2 = canonicalOfFlipped(addFlipped(odd, b, bFlipped), prime, sign);
    const z3 = canonicalOfFlipped(subFlipped(odd, b, bFlipped), prime, sign);
    v128.store(a, v128.shuffle<u64>(z0, z1, 0, 2));
    v128.store(a, v128.shuffle<u64>(z2, z3, 0, 2), 16);
    v128.store(a, v128.shuffle<u64>(z0, z1, 1, 3), 32);
    v128.store(a, v128.shuffle<u64>(z2, z3, 1, 3), 48);
  }
}

/** Transforms the node k of size n in place; nodes of 16 and less leave the last level to one sweep. */
function descend(at: usize, n: usize, k: usize, size: usize, tree: usize): void {
  if (n <= LEAF_SWEEP) {
    let nodes = size / n;
    let first = k;
    let inner = n;
    let count: usize = 1;
    for (; inner > 4; inner >>= 2) {
      const level = treeLevel(tree, nodes);
      for (let i: usize = 0; i < count; i++) {
        const node = at + ((i * inner) << 3);
        splitInFour(node, node, inner, level + (first + i) * 24, i64x2.splat(0));
      }
      nodes <<= 2;
      first <<= 2;
      count <<= 2;
    }
    splitLeaves(at, n, treeLevel(tree, nodes) + (first >> 1) * 48);
    return;
  }
  splitInFour(at, at, n, treeLevel(tree, size / n) + k * 24, i64x2.splat(0));
  const quarter = n >> 2;
  for (let b: usize = 0; b < 4; b++) descend(at + ((b * quarter) << 3), quarter, 4 * k + b, size, tree);
}

/** Sub-transforms up to this size run level by level: they fit the innermost cache. */
const LEAF_SWEEP: usize = 1024;

/**
 * dst = the evaluations, in bit-reversed order, of the 2^logSize coefficients at src over the coset
 * of the tree. logSize >= 3; canonical in and out; dst may be src.
 */
export function ntt(dst: usize, src: usize, logSize: i32, tree: usize): void {
  const size = <usize>1 << logSize;
  if (logSize & 1) {
    splitInTwo(dst, src, size, tree);
    if (logSize == 3) {
      splitLeaves(dst, size, treeLevel(tree, 2));
      return;
    }
    descend(dst, size >> 1, 0, size, tree);
    descend(dst + (size << 2), size >> 1, 1, size, tree);
    return;
  }
  splitInFour(dst, src, size, tree, loadSign());
  const quarter = size >> 2;
  if (quarter == 4) {
    splitLeaves(dst, size, treeLevel(tree, 4));
    return;
  }
  for (let b: usize = 0; b < 4; b++) descend(dst + ((b * quarter) << 3), quarter, b, size, tree);
}

/** Whether a list of 32-bit numbers has one in [from, to). */
function hasBetween(list: usize, count: i32, from: usize, to: usize): bool {
  for (let i: usize = 0; i < <usize>count; i++) {
    const value = <usize>load<u32>(list + (i << 2));
    if (value >= from && value < to) return true;
  }
  return false;
}

/** As descend, where it leads to one of the groups. */
function descendTo(at: usize, n: usize, k: usize, size: usize, tree: usize, groups: usize, count: i32): void {
  const groupsInNode = n >> 3;
  if (!hasBetween(groups, count, k * groupsInNode, (k + 1) * groupsInNode)) return;
  if (n <= LEAF_SWEEP) {
    descend(at, n, k, size, tree);
    return;
  }
  splitInFour(at, at, n, treeLevel(tree, size / n) + k * 24, i64x2.splat(0));
  const quarter = n >> 2;
  for (let b: usize = 0; b < 4; b++) {
    descendTo(at + ((b * quarter) << 3), quarter, 4 * k + b, size, tree, groups, count);
  }
}

/**
 * As ntt, but of dst only the groups of eight neighbours listed at `groups`, 32-bit numbers, are evaluations; what else
 * is written there means nothing. A node of the tree that leads to no group is left out. dst is not src.
 */
export function nttGroups(dst: usize, src: usize, logSize: i32, tree: usize, groups: usize, count: i32): void {
  const size = <usize>1 << logSize;
  if (size <= LEAF_SWEEP) {
    ntt(dst, src, logSize, tree);
  } else if (logSize & 1) {
    splitInTwo(dst, src, size, tree);
    descendTo(dst, size >> 1, 0, size, tree, groups, count);
    descendTo(dst + (size << 2), size >> 1, 1, size, tree, groups, count);
  } else {
    splitInFour(dst, src, size, tree, loadSign());
    const quarter = size >> 2;
    for (let b: usize = 0; b < 4; b++) {
      descendTo(dst + ((b * quarter) << 3), quarter, b, size, tree, groups, count);
    }
  }
}

/** The inverse of splitLeaves up to the factor 4: canonical in and out. */
function joinLeaves(at: usize, count: usize, triples: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  for (let a = at, t = triples, end = at + (count << 3); a < end; a += 64, t += 48) {
    const a0 = v128.load(a);
    const a1 = v128.load(a, 16);
    const b0 = v128.load(a, 32);
    const b1 = v128.load(a, 48);
    const z0 = v128.shuffle<u64>(a0, b0, 0, 2);
    const z1 = v128.shuffle<u64>(a0, b0, 1, 3);
    const z2 = v128.shuffle<u64>(a1, b1, 0, 2);
    const z3 = v128.shuffle<u64>(a1, b1, 1, 3);
    const y0 = addX2(z0, z1, sign, prime);
    const y1 = subX2(z0, z1, sign, prime);
    const y2 = addX2(z2, z3, sign, prime);
    const y3 = turn(subX2(z2, z3, sign, prime), epsilon, sign, prime);
    const x0 = addX2(y0, y2, sign, prime);
    const x1 = mulX2(subX2(y1, y3, sign, prime), v128.load(t), epsilon, sign, prime);
    const x2 = mulX2(subX2(y0, y2, sign, prime), v128.load(t, 16), epsilon, sign, prime);
    const x3 = mulX2(addX2(y1, y3, sign, prime), v128.load(t, 32), epsilon, sign, prime);
    v128.store(a, v128.shuffle<u64>(x0, x1, 0, 2));
    v128.store(a, v128.shuffle<u64>(x2, x3, 0, 2), 16);
    v128.store(a, v128.shuffle<u64>(x0, x1, 1, 3), 32);
    v128.store(a, v128.shuffle<u64>(x2, x3, 1, 3), 48);
  }
}

/** The inverse of splitInFour up to the factor 4: canonical in and out. */
function joinFour(at: usize, n: usize, triple: usize): void {
  const epsilon = loadEpsilon();
  const sign = loadSign();
  const prime = loadPrime();
  const t1 = v128.load64_splat(triple);
  const t2 = v128.load64_splat(triple, 8);
  const t3 = v128.load64_splat(triple, 16);
  const quarter = n << 1;
  for (let p = at, end = at + quarter; p < end; p += 16) {
    const p2 = p + quarter + quarter;
    const z0 = v128.load(p);
    const z1 = v128.load(p + quarter);
    const z2 = v128.load(p2);
    const z3 = v128.load(p2 + quarter);
    const y0 = addX2(z0, z1, sign, prime);
    const y1 = subX2(z0, z1, sign, prime);
    const y2 = addX2(z2, z3, sign, prime);
    const y3 = turn(subX2(z2, z3, sign, prime), epsilon, sign, prime);
    v128.store(p, addX2(y0, y2, sign, prime));
    v128.store(p + quarter, mulX2(subX2(y1, y3, sign, prime), t1, epsilon, sign, prime));
    v128.store(p2, mulX2(subX2(y0, y2, sign, prime), t2, epsilon, sign, prime));
    v128.store(p2 + quarter, mulX2(addX2(y1, y3, sign, prime), t3, epsilon, sign, prime));
  }
}

function ascend(at: usize, n: usize, k: usize, size: usize, tree: usize): void {
  if (n == 16) {
    joinLeaves(at, 16, treeLevel(tree, size >> 2) + k * 96);
  } else {
    const quarter = n >> 2;
    for (let b: usize = 0; b < 4; b++) ascend(at + ((b * quarter) << 3), quarter, 4 * k + b, size, tree);
  }
  joinFour(at, n, treeLevel(tree, size / n) + k * 24);
}

/**
 * In place: evaluations in bit-reversed order over a coset to the 2^logSize coefficients. The tree
 * is an inverted one. logSize >= 3; canonical in and out.
 */
export function inverseNtt(at: usize, logSize: i32, tree: usize): void {
  const size = <usize>1 << logSize;
  if (logSize & 1) {
    const half = size << 2;
    if (logSize == 3) {
      joinLeaves(at, 8, treeLevel(tree, 2));
    } else {
      ascend(at, size >> 1, 0, size, tree);
      ascend(at + half, size >> 1, 1, size, tree);
    }
    const sign = loadSign();
    const prime = loadPrime();
    const epsilon = loadEpsilon();
    const w = v128.load64_splat(tree);
    for (let p = at, end = at + half; p < end; p += 16) {
      const z0 = v128.load(p);
      const z1 = v128.load(p + half);
      v128.store(p, addX2(z0, z1, sign, prime));
      v128.store(p + half, mulX2(subX2(z0, z1, sign, prime), w, epsilon, sign, prime));
    }
  } else {
    ascend(at, size, 0, size, tree);
  }
  vectorScale(at, at, inverse(<u64>size), <i32>size);
}

/** dst[bitReverse(i)] = src[i] for i < 2^logSize: natural order to bit-reversed order. dst is not src. */
export function bitReverseCopy(dst: usize, src: usize, logSize: i32): void {
  const size: u32 = 1 << logSize;
  for (let i: u32 = 0; i < size; i++) {
    store<u64>(dst + (<usize>reverseBits(i, logSize) << 3), load<u64>(src + (<usize>i << 3)));
  }
}

/** The lowest `width` bits of x in reverse; width 1 to 32. */
// @ts-ignore: decorator
@inline
export function reverseBits(x: u32, width: i32): u32 {
  let r = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1);
  r = ((r >> 2) & 0x33333333) | ((r & 0x33333333) << 2);
  r = ((r >> 4) & 0x0f0f0f0f) | ((r & 0x0f0f0f0f) << 4);
  r = bswap<u32>(r);
  return r >> (32 - width);
}
