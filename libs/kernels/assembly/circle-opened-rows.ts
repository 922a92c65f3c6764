// What a verifier of the circle STARK computes from opened leaves: points and twiddles, values of the DEEP
// polynomial, and folds of eight. QM31 elements lie in a row, so that a vector is one element.
import {
  add31,
  addX4,
  foldSums,
  loadM31,
  loadSumMask,
  m31BatchInverse,
  mul31,
  mulX4,
  reduceSums,
  sub31,
  subX4,
} from './m31';
import { QM31_BYTES, qm31Matrix, QM31_MATRIX_BYTES, qm31VectorMul } from './qm31';
import { scratchArea } from './scratch';

const GENERATOR_X: u32 = 2;
const GENERATOR_Y: u32 = 1268011823;
const LOG_GROUP: i32 = 31;
const POINT_BYTES: usize = 8;
const ROWS_PER_LEAF: usize = 8;
const TWIDDLES_PER_LEAF: usize = 7;
/** 1/8 = 2^28. */
const EIGHTH: u32 = 0x10000000;

/** Generators of the subgroups of order 2^k at `table` + 8k, k = 0 … 31. */
function generators(table: usize): void {
  let x = GENERATOR_X;
  let y = GENERATOR_Y;
  for (let k = LOG_GROUP; k >= 0; k--) {
    store<u32>(table + (<usize>k << 3), x);
    store<u32>(table + (<usize>k << 3), y, 4);
    const xy = mul31(x, y);
    const square = mul31(x, x);
    x = sub31(add31(square, square), 1);
    y = add31(xy, xy);
  }
}

/**
 * out[i] = (x, y) of the point g_(2^logStart) + bitrev(j)·g for j = indices[i] << shift: bit b of j adds the point of
 * order 2^(b+1).
 */
export function circlePointsAt(out: usize, indices: usize, count: i32, shift: i32, logStart: i32): void {
  const table = scratchArea();
  generators(table);
  for (let i = 0; i < count; i++, out += POINT_BYTES, indices += 4) {
    let x = load<u32>(table + (<usize>logStart << 3));
    let y = load<u32>(table + (<usize>logStart << 3), 4);
    let at = table + 8;
    for (let j = load<u32>(indices) << shift; j; j >>= 1, at += 8) {
      if (!(j & 1)) continue;
      const gx = load<u32>(at);
      const gy = load<u32>(at, 4);
      const sum = sub31(mul31(x, gx), mul31(y, gy));
      y = add31(mul31(x, gy), mul31(y, gx));
      x = sum;
    }
    store<u32>(out, x);
    store<u32>(out, y, 4);
  }
}

// @ts-ignore: decorator
@inline
function doubleX(x: u32): u32 {
  const square = mul31(x, x);
  return sub31(add31(square, square), 1);
}

// @ts-ignore: decorator
@inline
function storePoint(at: usize, x: u32, y: u32): void {
  store<u32>(at, x);
  store<u32>(at, y, 4);
}

/** The eight points of each leaf of layer 0, from its first. */
export function circleLeafPoints(out: usize, points: usize, count: i32): void {
  for (let i = 0; i < count; i++, points += POINT_BYTES, out += ROWS_PER_LEAF * POINT_BYTES) {
    const x = load<u32>(points);
    const y = load<u32>(points, 4);
    const minusX = sub31(0, x);
    const minusY = sub31(0, y);
    storePoint(out, x, y);
    storePoint(out + 8, x, minusY);
    storePoint(out + 16, minusX, minusY);
    storePoint(out + 24, minusX, y);
    storePoint(out + 32, y, minusX);
    storePoint(out + 40, y, x);
    storePoint(out + 48, minusY, x);
    storePoint(out + 56, minusY, minusX);
  }
}

/**
 * What the three halvings of each leaf divide by, seven words a leaf, from its first point: four of the first halving, two of
 * the second, one of the third. On the circle (`isLine` 0) the first is along y.
 */
export function circleLeafTwiddles(out: usize, points: usize, count: i32, isLine: i32): void {
  const table = scratchArea();
  generators(table);
  const turnX = load<u32>(table, 24);
  const turnY = load<u32>(table, 28);
  for (let i = 0; i < count; i++, points += POINT_BYTES, out += 4 * TWIDDLES_PER_LEAF) {
    const x = load<u32>(points);
    const y = load<u32>(points, 4);
    if (isLine) {
      // A quarter turn takes (x, y) to (y, -x); between them lies an eighth turn.
      const turned = sub31(mul31(x, turnX), mul31(y, turnY));
      storePoint(out, x, y);
      storePoint(out + 8, turned, add31(mul31(x, turnY), mul31(y, turnX)));
      const half = doubleX(x);
      storePoint(out + 16, half, doubleX(turned));
      store<u32>(out, doubleX(half), 24);
    } else {
      storePoint(out, y, sub31(0, y));
      storePoint(out + 8, sub31(0, x), x);
      storePoint(out + 16, x, y);
      store<u32>(out, doubleX(x), 24);
    }
  }
}

/** Σ weight_c·word_c over `count` words: a QM31 element. */
function weighWords(words: usize, weights: usize, count: i32, mask: v128, p: v128): v128 {
  let low = i64x2.splat(0);
  let high = low;
  for (let c = 0; c < count; c++, words += 4, weights += QM31_BYTES) {
    const word = v128.load32_splat(words);
    const weight = v128.load(weights);
    low = foldSums(i64x2.add(low, i64x2.extmul_low_i32x4_u(word, weight)), mask);
    high = foldSums(i64x2.add(high, i64x2.extmul_high_i32x4_u(word, weight)), mask);
  }
  return reduceSums(low, high, mask, p);
}

/** v_ζ at (x, y), real and imaginary part, by the six coefficients of a DeepPoint (circle-deep.ts). */
function lineAt(out: usize, lines: usize, x: u32, y: u32): void {
  for (let part: usize = 0; part < 2; part++) {
    const line = lines + 12 * part;
    const sum = add31(mul31(load<u32>(line), x), mul31(load<u32>(line, 4), y));
    store<u32>(out + (part << 2), add31(sum, load<u32>(line, 8)));
  }
}

/** (sum - offset - slope·y)·conjugate/norm for a DeepPoint; `denominator` holds v_ζ. */
function quotient(sum: v128, deepPoint: usize, y: u32, denominator: usize, normInverse: u32, p: v128): v128 {
  const offset = v128.load(deepPoint, 32);
  const slope = v128.load(deepPoint, 48);
  const numerator = subX4(subX4(sum, offset, p), mulX4(slope, i32x4.splat(y), p), p);
  const re = mul31(load<u32>(denominator), normInverse);
  const im = mul31(sub31(0, load<u32>(denominator, 4)), normInverse);
  const minusIm = sub31(0, im);
  // (a + b·i)·(re + im·i) for both halves: swapped coordinates times (-im, im).
  const swapped = v128.shuffle<u32>(numerator, numerator, 1, 0, 3, 2);
  const ims = v128.shuffle<u32>(i32x4.splat(minusIm), i32x4.splat(im), 0, 4, 1, 5);
  return addX4(mulX4(numerator, i32x4.splat(re), p), mulX4(swapped, ims, p), p);
}

/**
 * The DEEP polynomial at the rows of leaves: out is 16 bytes a row. `points` holds (x, y) a row, `weights` the powers of γ, one a
 * column and one more, `deepPoints` two DeepPoints; the workspace is 32 bytes a row. rowCount is a multiple of 8.
 */
export function circleDeepRows(
  out: usize,
  traceRows: usize,
  traceWidth: i32,
  compositionRows: usize,
  compositionWidth: i32,
  points: usize,
  rowCount: i32,
  weights: usize,
  deepPoints: usize,
  workspace: usize,
): void {
  const p = loadM31();
  const mask = loadSumMask();
  const rows = <usize>rowCount;
  const nextPoint = deepPoints + 64;
  const denominators = workspace;
  const norms = denominators + (rows << 4);
  const inverses = norms + (rows << 3);
  for (let row: usize = 0; row < rows; row++) {
    const x = load<u32>(points + (row << 3));
    const y = load<u32>(points + (row << 3), 4);
    for (let k: usize = 0; k < 2; k++) {
      const at = denominators + (row << 4) + (k << 3);
      lineAt(at, deepPoints + (k << 6), x, y);
      const re = load<u32>(at);
      const im = load<u32>(at, 4);
      store<u32>(norms + (row << 3) + (k << 2), add31(mul31(re, re), mul31(im, im)));
    }
  }
  m31BatchInverse(inverses, norms, rowCount << 1);
  const compositionWeights = weights + <usize>traceWidth * QM31_BYTES;
  const nextWeight = compositionWeights + <usize>compositionWidth * QM31_BYTES;
  const second = scratchArea() + QM31_MATRIX_BYTES;
  for (let row: usize = 0; row < rows; row++, out += QM31_BYTES) {
    const y = load<u32>(points + (row << 3), 4);
    const traceSum = weighWords(traceRows, weights, traceWidth, mask, p);
    const sum = addX4(traceSum, weighWords(compositionRows, compositionWeights, compositionWidth, mask, p), p);
    traceRows += <usize>traceWidth << 2;
    compositionRows += <usize>compositionWidth << 2;
    const denominator = denominators + (row << 4);
    const inverse = inverses + (row << 3);
    const atZ = quotient(sum, deepPoints, y, denominator, load<u32>(inverse), p);
    v128.store(second, quotient(traceSum, nextPoint, y, denominator + 8, load<u32>(inverse, 4), p));
    qm31VectorMul(second, second, nextWeight, 1);
    v128.store(out, addX4(atZ, v128.load(second), p));
  }
}

/** The columns of the matrix of multiplication by an element, which weigh the coordinates of the other factor. */
function matrixColumns(columns: usize, element: usize): void {
  const matrix = scratchArea();
  qm31Matrix(matrix, element);
  for (let row: usize = 0; row < 4; row++) {
    for (let c: usize = 0; c < 4; c++) {
      store<u32>(columns + (c << 4) + (row << 2), load<u32>(matrix + (row << 4) + (c << 2)));
    }
  }
}

/**
 * Folds leaves of eight elements by λ, λ², λ⁴: (v + w) + λ·(v - w)/t three times, and an eighth of it all. The values are
 * overwritten; inverseTwiddles holds seven words a leaf.
 */
export function circleFoldLeaves(
  out: usize,
  values: usize,
  inverseTwiddles: usize,
  lambda: usize,
  count: i32,
): void {
  const p = loadM31();
  const mask = loadSumMask();
  const challenge = scratchArea() + QM31_MATRIX_BYTES;
  const columns = challenge + QM31_BYTES;
  v128.store(challenge, v128.load(lambda));
  for (let halving: usize = 0; halving < 3; halving++) {
    matrixColumns(columns + halving * QM31_MATRIX_BYTES, challenge);
    qm31VectorMul(challenge, challenge, challenge, 1);
  }
  const eighth = i32x4.splat(EIGHTH);
  for (let i = 0; i < count; i++, values += 8 * QM31_BYTES, out += QM31_BYTES) {
    let size: usize = 4;
    for (let weights = columns; size; size >>= 1, weights += QM31_MATRIX_BYTES) {
      for (let k: usize = 0; k < size; k++, inverseTwiddles += 4) {
        const a = v128.load(values + (k << 5));
        const b = v128.load(values + (k << 5), 16);
        const difference = mulX4(subX4(a, b, p), v128.load32_splat(inverseTwiddles), p);
        v128.store(challenge, difference);
        const odd = weighWords(challenge, weights, 4, mask, p);
        v128.store(values + (k << 4), addX4(addX4(a, b, p), odd, p));
      }
    }
    v128.store(out, mulX4(v128.load(values), eighth, p));
  }
}

/** out[i] = Σ_(j < 2^logLength) coefficients_j·ℓ_j(x) at the points' x, ℓ_j the basis of a line; 16 bytes each. */
export function circleLineValues(
  out: usize,
  coefficients: usize,
  logLength: i32,
  points: usize,
  count: i32,
): void {
  const p = loadM31();
  const work = scratchArea();
  for (let i = 0; i < count; i++, points += POINT_BYTES, out += QM31_BYTES) {
    let x = load<u32>(points);
    let length = <usize>1 << logLength;
    memory.copy(work, coefficients, length << 4);
    // The lowest bit of an index is the factor x, the next one π(x), …
    for (; length > 1; length >>= 1, x = doubleX(x)) {
      const factor = i32x4.splat(x);
      for (let k: usize = 0; k < length; k += 2) {
        const high = mulX4(v128.load(work + (k << 4), 16), factor, p);
        v128.store(work + (k << 3), addX4(v128.load(work + (k << 4)), high, p));
      }
    }
    v128.store(out, v128.load(work));
  }
}
