// Transforms between coefficients in the circle basis y^(i0)·x^(i1)·π(x)^(i2)·π²(x)^(i3)…, natural order,
// and values on a twin-coset S + <g_(N/2)>, -S - <g_(N/2)> in circle order: position 2j + s is (-1)^s times
// the point S + bitrev(j)·g_(N/2). Depth first and radix 4, as the transforms of ntt.ts. Source: Haböck,
// Levit, Papini, "Circle STARKs" (ePrint 2024/278), section 4.
//
// The twiddles of a whole evaluation domain are one heap of 32-bit words: node 1 is the domain, nodes 2h and
// 2h + 1 are the halves of node h, in circle order. Word h is what the next basis function, π^k(x) or at
// the last level y, takes on the first half of node h; on the second it is the negative. A twin-coset of the
// domain is a node ("root") and its descendants; a transform of a line layer uses the upper levels alone.
import { addX4, doubleX4, loadM31, m31VectorScale, mulDoubled, subX4 } from './m31';

/** Sub-transforms up to this size run level by level: they fit the innermost cache. */
const LEAF_SWEEP: usize = 1024;

// @ts-ignore: decorator
@inline
function splat(address: usize): v128 {
  return doubleX4(v128.load32_splat(address));
}

// @ts-ignore: decorator
@inline
export function wordsAt(tree: usize, node: usize): usize {
  return tree + (node << 2);
}

/** Of eight neighbouring words, those in even places. */
// @ts-ignore: decorator
@inline
export function evenWords(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 0, 2, 4, 6);
}

// @ts-ignore: decorator
@inline
function oddWords(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 1, 3, 5, 7);
}

/** One radix-2 split of a node of n elements, n >= 8. */
function splitInTwo(dst: usize, src: usize, n: usize, tree: usize, node: usize): void {
  const p = loadM31();
  const w = splat(wordsAt(tree, node));
  const half = n << 1;
  for (let i: usize = 0; i < half; i += 16) {
    const x = v128.load(src + i);
    const y = mulDoubled(v128.load(src + half + i), w, p);
    v128.store(dst + i, addX4(x, y, p));
    v128.store(dst + half + i, subX4(x, y, p));
  }
}

/** One radix-4 split of a node of n elements, n >= 16. */
function splitInFour(dst: usize, src: usize, n: usize, tree: usize, node: usize): void {
  const p = loadM31();
  const w = splat(wordsAt(tree, node));
  const wLow = splat(wordsAt(tree, 2 * node));
  const wHigh = splat(wordsAt(tree, 2 * node + 1));
  const quarter = n;
  for (let s = src, d = dst, end = src + quarter; s < end; s += 16, d += 16) {
    const s2 = s + 2 * quarter;
    const d2 = d + 2 * quarter;
    const x0 = v128.load(s);
    const x1 = v128.load(s + quarter);
    const x2 = mulDoubled(v128.load(s2), w, p);
    const x3 = mulDoubled(v128.load(s2 + quarter), w, p);
    const low = addX4(x0, x2, p);
    const high = subX4(x0, x2, p);
    const lowTerm = mulDoubled(addX4(x1, x3, p), wLow, p);
    const highTerm = mulDoubled(subX4(x1, x3, p), wHigh, p);
    v128.store(d, addX4(low, lowTerm, p));
    v128.store(d + quarter, subX4(low, lowTerm, p));
    v128.store(d2, addX4(high, highTerm, p));
    v128.store(d2 + quarter, subX4(high, highTerm, p));
  }
}

/** The last four levels, for `count` nodes of sixteen elements from `node` on, in registers. */
function splitSixteens(at: usize, count: usize, tree: usize, node: usize): void {
  const p = loadM31();
  for (const end = at + (count << 6); at < end; at += 64, node++) {
    const w = splat(wordsAt(tree, node));
    const wLow = splat(wordsAt(tree, 2 * node));
    const wHigh = splat(wordsAt(tree, 2 * node + 1));
    const x0 = v128.load(at);
    const x1 = v128.load(at, 16);
    const x2 = mulDoubled(v128.load(at, 32), w, p);
    const x3 = mulDoubled(v128.load(at, 48), w, p);
    const low = addX4(x0, x2, p);
    const high = subX4(x0, x2, p);
    const lowTerm = mulDoubled(addX4(x1, x3, p), wLow, p);
    const highTerm = mulDoubled(subX4(x1, x3, p), wHigh, p);
    // Four nodes of four elements each; transposed, a vector is one element of each node.
    const a = addX4(low, lowTerm, p);
    const b = subX4(low, lowTerm, p);
    const c = addX4(high, highTerm, p);
    const d = subX4(high, highTerm, p);
    const ab = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
    const cd = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
    const ab2 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
    const cd2 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
    const t = doubleX4(v128.load(wordsAt(tree, 4 * node)));
    const leafTwiddles = wordsAt(tree, 8 * node);
    const l0 = v128.load(leafTwiddles);
    const l1 = v128.load(leafTwiddles, 16);
    const e2 = mulDoubled(v128.shuffle<u64>(ab2, cd2, 0, 2), t, p);
    const e3 = mulDoubled(v128.shuffle<u64>(ab2, cd2, 1, 3), t, p);
    const e0 = v128.shuffle<u64>(ab, cd, 0, 2);
    const e1 = v128.shuffle<u64>(ab, cd, 1, 3);
    const y0 = addX4(e0, e2, p);
    const y2 = subX4(e0, e2, p);
    const y1 = mulDoubled(addX4(e1, e3, p), doubleX4(evenWords(l0, l1)), p);
    const y3 = mulDoubled(subX4(e1, e3, p), doubleX4(oddWords(l0, l1)), p);
    storeTransposed(at, addX4(y0, y1, p), subX4(y0, y1, p), addX4(y2, y3, p), subX4(y2, y3, p));
  }
}

// @ts-ignore: decorator
@inline
function storeTransposed(at: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
  const ab2 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
  const cd2 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
  v128.store(at, v128.shuffle<u64>(ab, cd, 0, 2));
  v128.store(at, v128.shuffle<u64>(ab, cd, 1, 3), 16);
  v128.store(at, v128.shuffle<u64>(ab2, cd2, 0, 2), 32);
  v128.store(at, v128.shuffle<u64>(ab2, cd2, 1, 3), 48);
}

/** Transforms a node in place; n is 16 times a power of four. */
function descend(at: usize, n: usize, tree: usize, node: usize): void {
  if (n > LEAF_SWEEP) {
    splitInFour(at, at, n, tree, node);
    const quarter = n >> 2;
    for (let b: usize = 0; b < 4; b++) descend(at + ((b * quarter) << 2), quarter, tree, 4 * node + b);
    return;
  }
  let count: usize = 1;
  for (; n > 16; n >>= 2) {
    for (let i: usize = 0; i < count; i++) {
      const part = at + ((i * n) << 2);
      splitInFour(part, part, n, tree, node + i);
    }
    node <<= 2;
    count <<= 2;
  }
  splitSixteens(at, count, tree, node);
}

/**
 * dst = the values, in circle order, of the 2^logSize coefficients at src on the twin-coset `root`.
 * logSize >= 4; canonical in and out; dst may be src.
 */
export function circleFft(dst: usize, src: usize, logSize: i32, tree: usize, root: usize): void {
  const size = <usize>1 << logSize;
  if (logSize & 1) {
    splitInTwo(dst, src, size, tree, root);
    descend(dst, size >> 1, tree, 2 * root);
    descend(dst + (size << 1), size >> 1, tree, 2 * root + 1);
  } else if (logSize == 4) {
    if (dst != src) memory.copy(dst, src, 64);
    splitSixteens(dst, 1, tree, root);
  } else {
    splitInFour(dst, src, size, tree, root);
    const quarter = size >> 2;
    for (let b: usize = 0; b < 4; b++) descend(dst + ((b * quarter) << 2), quarter, tree, 4 * root + b);
  }
}

/**
 * The same values at the first 2^logKept positions alone, which are a twin-coset of their own: the levels
 * above keep their first halves. work holds 2^(logSize-1) elements; the values stand at its start.
 */
export function circleFftPrefix(
  work: usize,
  src: usize,
  logSize: i32,
  logKept: i32,
  tree: usize,
  root: usize,
): void {
  const p = loadM31();
  for (; logSize > logKept; logSize--, root <<= 1) {
    const half = <usize>1 << (logSize + 1);
    const w = splat(wordsAt(tree, root));
    for (let i: usize = 0; i < half; i += 16) {
      v128.store(work + i, addX4(v128.load(src + i), mulDoubled(v128.load(src + half + i), w, p), p));
    }
    src = work;
  }
  circleFft(work, src, logKept, tree, root);
}

/** Nodes up to this size are transformed whole for the sake of any of their leaves. */
const PRUNED_SIZE_MIN: usize = 64;

function descendPruned(
  dst: usize,
  src: usize,
  logSize: i32,
  tree: usize,
  node: usize,
  leaves: usize,
  end: usize,
  firstLeaf: u32,
): void {
  if (leaves == end) return;
  const size = <usize>1 << logSize;
  if (size <= PRUNED_SIZE_MIN) {
    circleFft(dst, src, logSize, tree, node);
    return;
  }
  splitInTwo(dst, src, size, tree, node);
  const middle = firstLeaf + <u32>(size >> 4);
  let split = leaves;
  while (split < end && load<u32>(split) < middle) split += 4;
  const high = dst + (size << 1);
  descendPruned(dst, dst, logSize - 1, tree, 2 * node, leaves, split, firstLeaf);
  descendPruned(high, high, logSize - 1, tree, 2 * node + 1, split, end, middle);
}

/**
 * circleFft where only some leaves of eight positions are asked for, `count` ascending numbers: what leads to no leaf is
 * left as it is at some level.
 */
export function circleFftLeaves(
  dst: usize,
  src: usize,
  logSize: i32,
  tree: usize,
  root: usize,
  leaves: usize,
  count: i32,
): void {
  descendPruned(dst, src, logSize, tree, root, leaves, leaves + (<usize>count << 2), 0);
}

/** The inverse of splitSixteens up to the factor 16; the tree holds inverses. */
function joinSixteens(at: usize, count: usize, tree: usize, node: usize): void {
  const p = loadM31();
  for (const end = at + (count << 6); at < end; at += 64, node++) {
    const r0 = v128.load(at);
    const r1 = v128.load(at, 16);
    const r2 = v128.load(at, 32);
    const r3 = v128.load(at, 48);
    const r01 = v128.shuffle<u32>(r0, r1, 0, 4, 1, 5);
    const r23 = v128.shuffle<u32>(r2, r3, 0, 4, 1, 5);
    const r01b = v128.shuffle<u32>(r0, r1, 2, 6, 3, 7);
    const r23b = v128.shuffle<u32>(r2, r3, 2, 6, 3, 7);
    const v0 = v128.shuffle<u64>(r01, r23, 0, 2);
    const v1 = v128.shuffle<u64>(r01, r23, 1, 3);
    const v2 = v128.shuffle<u64>(r01b, r23b, 0, 2);
    const v3 = v128.shuffle<u64>(r01b, r23b, 1, 3);
    const leafTwiddles = wordsAt(tree, 8 * node);
    const l0 = v128.load(leafTwiddles);
    const l1 = v128.load(leafTwiddles, 16);
    const y0 = addX4(v0, v1, p);
    const y1 = mulDoubled(subX4(v0, v1, p), doubleX4(evenWords(l0, l1)), p);
    const y2 = addX4(v2, v3, p);
    const y3 = mulDoubled(subX4(v2, v3, p), doubleX4(oddWords(l0, l1)), p);
    const t = doubleX4(v128.load(wordsAt(tree, 4 * node)));
    const e0 = addX4(y0, y2, p);
    const e1 = addX4(y1, y3, p);
    const e2 = mulDoubled(subX4(y0, y2, p), t, p);
    const e3 = mulDoubled(subX4(y1, y3, p), t, p);
    const e01 = v128.shuffle<u32>(e0, e1, 0, 4, 1, 5);
    const e23 = v128.shuffle<u32>(e2, e3, 0, 4, 1, 5);
    const e01b = v128.shuffle<u32>(e0, e1, 2, 6, 3, 7);
    const e23b = v128.shuffle<u32>(e2, e3, 2, 6, 3, 7);
    const a = v128.shuffle<u64>(e01, e23, 0, 2);
    const b = v128.shuffle<u64>(e01, e23, 1, 3);
    const c = v128.shuffle<u64>(e01b, e23b, 0, 2);
    const d = v128.shuffle<u64>(e01b, e23b, 1, 3);
    const wLow = splat(wordsAt(tree, 2 * node));
    const wHigh = splat(wordsAt(tree, 2 * node + 1));
    const w = splat(wordsAt(tree, node));
    const low = addX4(a, b, p);
    const lowTerm = mulDoubled(subX4(a, b, p), wLow, p);
    const high = addX4(c, d, p);
    const highTerm = mulDoubled(subX4(c, d, p), wHigh, p);
    v128.store(at, addX4(low, high, p));
    v128.store(at, addX4(lowTerm, highTerm, p), 16);
    v128.store(at, mulDoubled(subX4(low, high, p), w, p), 32);
    v128.store(at, mulDoubled(subX4(lowTerm, highTerm, p), w, p), 48);
  }
}

/** The inverse of splitInFour up to the factor 4. */
function joinFour(at: usize, n: usize, tree: usize, node: usize): void {
  const p = loadM31();
  const w = splat(wordsAt(tree, node));
  const wLow = splat(wordsAt(tree, 2 * node));
  const wHigh = splat(wordsAt(tree, 2 * node + 1));
  const quarter = n;
  for (let s = at, end = at + quarter; s < end; s += 16) {
    const s2 = s + 2 * quarter;
    const a = v128.load(s);
    const b = v128.load(s + quarter);
    const c = v128.load(s2);
    const d = v128.load(s2 + quarter);
    const low = addX4(a, b, p);
    const lowTerm = mulDoubled(subX4(a, b, p), wLow, p);
    const high = addX4(c, d, p);
    const highTerm = mulDoubled(subX4(c, d, p), wHigh, p);
    v128.store(s, addX4(low, high, p));
    v128.store(s + quarter, addX4(lowTerm, highTerm, p));
    v128.store(s2, mulDoubled(subX4(low, high, p), w, p));
    v128.store(s2 + quarter, mulDoubled(subX4(lowTerm, highTerm, p), w, p));
  }
}

function ascend(at: usize, n: usize, tree: usize, node: usize): void {
  if (n == 16) {
    joinSixteens(at, 1, tree, node);
    return;
  }
  if (n == 64) {
    joinSixteens(at, 4, tree, 4 * node);
  } else {
    const quarter = n >> 2;
    for (let b: usize = 0; b < 4; b++) ascend(at + ((b * quarter) << 2), quarter, tree, 4 * node + b);
  }
  joinFour(at, n, tree, node);
}

/**
 * In place: values on the twin-coset `root` in circle order to 2^logSize coefficients. `tree` holds the
 * inverses of the twiddles. logSize >= 4; canonical in and out.
 */
export function circleInverseFft(at: usize, logSize: i32, tree: usize, root: usize): void {
  const size = <usize>1 << logSize;
  if (logSize & 1) {
    const p = loadM31();
    const half = size << 1;
    ascend(at, size >> 1, tree, 2 * root);
    ascend(at + half, size >> 1, tree, 2 * root + 1);
    const w = splat(wordsAt(tree, root));
    for (let i = at, end = at + half; i < end; i += 16) {
      const a = v128.load(i);
      const b = v128.load(i + half);
      v128.store(i, addX4(a, b, p));
      v128.store(i + half, mulDoubled(subX4(a, b, p), w, p));
    }
  } else {
    ascend(at, size, tree, root);
  }
  // 2^31 is 1, so the inverse of 2^k is 2^(31-k).
  m31VectorScale(at, at, <u32>1 << (31 - logSize), <i32>size);
}
