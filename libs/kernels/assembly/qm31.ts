// The quartic extension QM31 = CM31[u]/(u² - 2 - i), CM31 = M31[i]/(i² + 1): an element is four words
// a + b·i + (c + d·i)·u; a vector of elements is four planes of words, `plane` bytes apart.
//
// Multiplication by a fixed element is a 4×4 matrix over M31. Each output is then a dot product, whose terms
// (below 2^62) are summed in 64 bits, four at most between two foldings.
import { add31, foldSums, loadM31, loadSumMask, reduce31, reduceSums, sub31 } from './m31';
import { scratchArea } from './scratch';

/** Bytes of an element. */
export const QM31_BYTES: usize = 16;
/** Bytes of the matrix of a multiplication: the four rows of an output each, one after the other. */
export const QM31_MATRIX_BYTES: usize = 64;

/** The matrix of x ↦ x·w for w = (b0, b1, b2, b3): row k holds what the coordinates of x bring to output k. */
export function qm31Matrix(out: usize, w: usize): void {
  const b0 = load<u32>(w);
  const b1 = load<u32>(w, 4);
  const b2 = load<u32>(w, 8);
  const b3 = load<u32>(w, 12);
  // (2 + i)·(b2 + b3·i), by which u² weighs.
  const r = sub31(add31(b2, b2), b3);
  const s = add31(add31(b3, b3), b2);
  storeRow(out, b0, sub31(0, b1), r, sub31(0, s));
  storeRow(out + 16, b1, b0, s, r);
  storeRow(out + 32, b2, sub31(0, b3), b0, sub31(0, b1));
  storeRow(out + 48, b3, b2, b1, b0);
}

// @ts-ignore: decorator
@inline
function storeRow(out: usize, a: u32, b: u32, c: u32, d: u32): void {
  store<u32>(out, a);
  store<u32>(out, b, 4);
  store<u32>(out, c, 8);
  store<u32>(out, d, 12);
}

// @ts-ignore: decorator
@inline
function dot4(row: usize, a0: u64, a1: u64, a2: u64, a3: u64): u32 {
  return reduce31(
    a0 * <u64>load<u32>(row) +
      a1 * <u64>load<u32>(row, 4) +
      a2 * <u64>load<u32>(row, 8) +
      a3 * <u64>load<u32>(row, 12),
  );
}

/** out = a·(element whose matrix is given); out may be a. */
export function qm31Apply(out: usize, a: usize, matrix: usize): void {
  const a0 = <u64>load<u32>(a);
  const a1 = <u64>load<u32>(a, 4);
  const a2 = <u64>load<u32>(a, 8);
  const a3 = <u64>load<u32>(a, 12);
  storeRow(
    out,
    dot4(matrix, a0, a1, a2, a3),
    dot4(matrix + 16, a0, a1, a2, a3),
    dot4(matrix + 32, a0, a1, a2, a3),
    dot4(matrix + 48, a0, a1, a2, a3),
  );
}

/** out[i] = a[i] · b[i] for elements of 16 bytes one after the other; out may be a or b. */
export function qm31VectorMul(out: usize, a: usize, b: usize, count: i32): void {
  const matrix = scratchArea();
  for (let i: usize = 0, end = <usize>count << 4; i < end; i += 16) {
    qm31Matrix(matrix, b + i);
    qm31Apply(out + i, a + i, matrix);
  }
}

/**
 * planes[i] = the product of the factors at the set bits of i, for i < 2^factorCount: the values of a tensor
 * basis whose factors of 16 bytes are given, lowest bit first. Written by doubling.
 */
export function qm31TensorBasis(planes: usize, plane: usize, factors: usize, factorCount: i32): void {
  const matrix = scratchArea();
  const element = matrix + QM31_MATRIX_BYTES;
  storePlanes(planes, plane, 1, 0, 0, 0);
  for (let b = 0; b < factorCount; b++, factors += QM31_BYTES) {
    qm31Matrix(matrix, factors);
    const filled = <usize>4 << b;
    for (let i: usize = 0; i < filled; i += 4) {
      for (let c: usize = 0; c < 4; c++) store<u32>(element + (c << 2), load<u32>(planes + c * plane + i));
      qm31Apply(element, element, matrix);
      for (let c: usize = 0; c < 4; c++) store<u32>(planes + c * plane + filled + i, load<u32>(element + (c << 2)));
    }
  }
}

// @ts-ignore: decorator
@inline
function storePlanes(at: usize, plane: usize, a: u32, b: u32, c: u32, d: u32): void {
  store<u32>(at, a);
  store<u32>(at + plane, b);
  store<u32>(at + 2 * plane, c);
  store<u32>(at + 3 * plane, d);
}

// @ts-ignore: decorator
@inline
function sumLanes(sums: v128): u64 {
  return <u64>i64x2.extract_lane(sums, 0) + <u64>i64x2.extract_lane(sums, 1);
}

/** Σ a_i·b_i over `bytes` (a multiple of 32) of words. */
function dotProduct(a: usize, b: usize, bytes: usize, mask: v128): u32 {
  let low = i64x2.splat(0);
  let high = low;
  for (let i: usize = 0; i < bytes; i += 32) {
    const a0 = v128.load(a + i);
    const b0 = v128.load(b + i);
    const a1 = v128.load(a + i, 16);
    const b1 = v128.load(b + i, 16);
    low = i64x2.add(low, i64x2.extmul_low_i32x4_u(a0, b0));
    high = i64x2.add(high, i64x2.extmul_high_i32x4_u(a0, b0));
    low = foldSums(i64x2.add(low, i64x2.extmul_low_i32x4_u(a1, b1)), mask);
    high = foldSums(i64x2.add(high, i64x2.extmul_high_i32x4_u(a1, b1)), mask);
  }
  return reduce31(sumLanes(i64x2.add(low, high)));
}

/**
 * out (16 bytes) = the value of a base polynomial of count·2^logLow coefficients in a tensor basis: the
 * planes `low` hold the basis of the lower logLow bits (at least 3), the planes `high` that of the others.
 */
export function qm31Evaluate(
  out: usize,
  coefficients: usize,
  low: usize,
  plane: usize,
  logLow: i32,
  high: usize,
  highPlane: usize,
  count: i32,
): void {
  const mask = loadSumMask();
  const matrix = scratchArea();
  const part = matrix + QM31_MATRIX_BYTES;
  const weight = part + QM31_BYTES;
  const bytes = <usize>4 << logLow;
  memory.fill(out, 0, QM31_BYTES);
  for (let i = 0; i < count; i++, coefficients += bytes, high += 4) {
    for (let c: usize = 0; c < 4; c++) {
      store<u32>(weight + (c << 2), load<u32>(high + c * highPlane));
      store<u32>(part + (c << 2), dotProduct(coefficients, low + c * plane, bytes, mask));
    }
    qm31Matrix(matrix, weight);
    qm31Apply(part, part, matrix);
    for (let c: usize = 0; c < 16; c += 4) store<u32>(out + c, add31(load<u32>(out + c), load<u32>(part + c)));
  }
}

/**
 * out = Σ weight_c · column_c over `bytes` (a multiple of 16) of words: the columns' `width` 32-bit
 * addresses are at `columns`, each moved on by `offset`, their weights of 16 bytes at `weights`.
 */
export function combineColumns(
  out: usize,
  plane: usize,
  columns: usize,
  width: i32,
  offset: usize,
  weights: usize,
  bytes: usize,
): void {
  const p = loadM31();
  const mask = loadSumMask();
  const end = columns + (<usize>width << 2);
  for (let i: usize = 0; i < bytes; i += 16) {
    let low0 = i64x2.splat(0);
    let low1 = low0;
    let low2 = low0;
    let low3 = low0;
    let high0 = low0;
    let high1 = low0;
    let high2 = low0;
    let high3 = low0;
    let weight = weights;
    let pending = 0;
    for (let c = columns; c < end; c += 4, weight += QM31_BYTES) {
      const f = v128.load(<usize>load<u32>(c) + offset + i);
      const w0 = v128.load32_splat(weight);
      const w1 = v128.load32_splat(weight, 4);
      const w2 = v128.load32_splat(weight, 8);
      const w3 = v128.load32_splat(weight, 12);
      low0 = i64x2.add(low0, i64x2.extmul_low_i32x4_u(f, w0));
      high0 = i64x2.add(high0, i64x2.extmul_high_i32x4_u(f, w0));
      low1 = i64x2.add(low1, i64x2.extmul_low_i32x4_u(f, w1));
      high1 = i64x2.add(high1, i64x2.extmul_high_i32x4_u(f, w1));
      low2 = i64x2.add(low2, i64x2.extmul_low_i32x4_u(f, w2));
      high2 = i64x2.add(high2, i64x2.extmul_high_i32x4_u(f, w2));
      low3 = i64x2.add(low3, i64x2.extmul_low_i32x4_u(f, w3));
      high3 = i64x2.add(high3, i64x2.extmul_high_i32x4_u(f, w3));
      if (++pending == 3) {
        pending = 0;
        low0 = foldSums(low0, mask);
        high0 = foldSums(high0, mask);
        low1 = foldSums(low1, mask);
        high1 = foldSums(high1, mask);
        low2 = foldSums(low2, mask);
        high2 = foldSums(high2, mask);
        low3 = foldSums(low3, mask);
        high3 = foldSums(high3, mask);
      }
    }
    v128.store(out + i, reduceSums(low0, high0, mask, p));
    v128.store(out + plane + i, reduceSums(low1, high1, mask, p));
    v128.store(out + 2 * plane + i, reduceSums(low2, high2, mask, p));
    v128.store(out + 3 * plane + i, reduceSums(low3, high3, mask, p));
  }
}

/** out = in·(element whose matrix is given) over `bytes` of each plane; out may be in. */
export function applyMatrix(
  out: usize,
  outPlane: usize,
  input: usize,
  inputPlane: usize,
  matrix: usize,
  bytes: usize,
): void {
  const p = loadM31();
  const mask = loadSumMask();
  for (let i: usize = 0; i < bytes; i += 16) {
    const a0 = v128.load(input + i);
    const a1 = v128.load(input + inputPlane + i);
    const a2 = v128.load(input + 2 * inputPlane + i);
    const a3 = v128.load(input + 3 * inputPlane + i);
    for (let k: usize = 0; k < 4; k++) {
      const row = matrix + (k << 4);
      const w0 = v128.load32_splat(row);
      const w1 = v128.load32_splat(row, 4);
      const w2 = v128.load32_splat(row, 8);
      const w3 = v128.load32_splat(row, 12);
      let low = i64x2.add(i64x2.extmul_low_i32x4_u(a0, w0), i64x2.extmul_low_i32x4_u(a1, w1));
      let high = i64x2.add(i64x2.extmul_high_i32x4_u(a0, w0), i64x2.extmul_high_i32x4_u(a1, w1));
      low = i64x2.add(low, i64x2.add(i64x2.extmul_low_i32x4_u(a2, w2), i64x2.extmul_low_i32x4_u(a3, w3)));
      high = i64x2.add(high, i64x2.add(i64x2.extmul_high_i32x4_u(a2, w2), i64x2.extmul_high_i32x4_u(a3, w3)));
      v128.store(out + k * outPlane + i, reduceSums(low, high, mask, p));
    }
  }
}

/** Four vectors of eight words, `step` bytes apart, as eight vectors of four at `out`: a transposition. */
// @ts-ignore: decorator
@inline
export function transposeEight(out: usize, from: usize, step: usize): void {
  for (let half: usize = 0; half < 2; half++) {
    const at = from + (half << 4);
    const a = v128.load(at);
    const b = v128.load(at + step);
    const c = v128.load(at + 2 * step);
    const d = v128.load(at + 3 * step);
    const ab = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
    const cd = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
    const ab2 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
    const cd2 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
    const to = out + (half << 6);
    v128.store(to, v128.shuffle<u64>(ab, cd, 0, 2));
    v128.store(to, v128.shuffle<u64>(ab, cd, 1, 3), 16);
    v128.store(to, v128.shuffle<u64>(ab2, cd2, 0, 2), 32);
    v128.store(to, v128.shuffle<u64>(ab2, cd2, 1, 3), 48);
  }
}

/**
 * FRI folding by 8 in coefficient form: out[i] = Σ_(k<8) powers_k · f[8i + k], the eight powers of the
 * challenge being elements of 16 bytes; for i from first to first+count-1, both multiples of 4.
 */
export function qm31FoldByEight(
  out: usize,
  outPlane: usize,
  input: usize,
  inputPlane: usize,
  powers: usize,
  first: i32,
  count: i32,
): void {
  const p = loadM31();
  const mask = loadSumMask();
  const matrices = scratchArea();
  const terms = matrices + 8 * QM31_MATRIX_BYTES;
  for (let k: usize = 0; k < 8; k++) qm31Matrix(matrices + k * QM31_MATRIX_BYTES, powers + k * QM31_BYTES);
  for (let i = <usize>first << 2, end = i + (<usize>count << 2); i < end; i += 16) {
    for (let c: usize = 0; c < 4; c++) transposeEight(terms + (c << 7), input + c * inputPlane + (i << 3), 32);
    for (let row: usize = 0; row < 4; row++) {
      let low = i64x2.splat(0);
      let high = low;
      for (let k: usize = 0; k < 8; k++) {
        const weights = matrices + k * QM31_MATRIX_BYTES + (row << 4);
        for (let c: usize = 0; c < 4; c += 2) {
          const a = v128.load(terms + (c << 7) + (k << 4));
          const b = v128.load(terms + (c << 7) + (k << 4), 128);
          const v = v128.load32_splat(weights + (c << 2));
          const w = v128.load32_splat(weights + (c << 2), 4);
          low = i64x2.add(low, i64x2.extmul_low_i32x4_u(a, v));
          high = i64x2.add(high, i64x2.extmul_high_i32x4_u(a, v));
          low = foldSums(i64x2.add(low, i64x2.extmul_low_i32x4_u(b, w)), mask);
          high = foldSums(i64x2.add(high, i64x2.extmul_high_i32x4_u(b, w)), mask);
        }
      }
      v128.store(out + row * outPlane + i, reduceSums(low, high, mask, p));
    }
  }
}
