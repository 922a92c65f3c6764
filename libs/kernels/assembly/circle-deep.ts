// The DEEP polynomial on a twin-coset: the weighed columns less the line through a point's values and their
// conjugates, over the line through the point and its conjugate. That denominator lies in CM31, so that one
// base inversion of its norm serves a position.
import { circleLine } from './circle-points';
import { addX4, loadM31, m31BatchInverse, mulX4, subX4 } from './m31';
import { applyMatrix, combineColumns, qm31Matrix, QM31_BYTES, QM31_MATRIX_BYTES } from './qm31';
import { scratchArea } from './scratch';

/** Positions that are worked on at a time, at most. */
const LOG_BLOCK_MAX: i32 = 9;
/** Bytes of one of their planes. */
const PLANE: usize = 2048;

/** What the host lays out for a job; all fields are 32-bit, addresses unless said otherwise. */
@unmanaged
class CircleDeepJob {
  /** Addresses of the trace's columns, then of the composition's coordinate columns. */
  columns: usize;
  traceWidth: i32;
  compositionWidth: i32;
  /** Powers of γ: one a column, then the one that weighs the second quotient. QM31. */
  weights: usize;
  tree: usize;
  root: usize;
  /** log2 of the twin-coset's size. */
  logSize: i32;
  /** Two DeepPoints: z, then the point of the next row. */
  points: usize;
  out: usize;
  plane: usize;
}

/** The lines that belong to a point ζ, all by their coefficients. */
@unmanaged
class DeepPoint {
  /** v_ζ = a·x + b·y + c, first its real, then its imaginary part. */
  realX: u32;
  realY: u32;
  real: u32;
  imaginaryX: u32;
  imaginaryY: u32;
  imaginary: u32;
  unused0: u32;
  unused1: u32;
  /** The line of the weighed values, offset + slope·y: two QM31. */
  offset0: u32;
  offset1: u32;
  offset2: u32;
  offset3: u32;
  slope0: u32;
  slope1: u32;
  slope2: u32;
  slope3: u32;
}

const POINT_BYTES: usize = 64;
const OFFSET: usize = 32;
const SLOPE: usize = 48;

/** out = (sums - offset - slope·y)·conjugate/norm for one point, over `bytes` of each plane. */
function divideByLine(
  out: usize,
  outPlane: usize,
  sums: usize,
  denominators: usize,
  normInverses: usize,
  ys: usize,
  point: usize,
  bytes: usize,
): void {
  const p = loadM31();
  const zero = i32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    const normInverse = v128.load(normInverses + i);
    const re = mulX4(v128.load(denominators + i), normInverse, p);
    const im = mulX4(subX4(zero, v128.load(denominators + PLANE + i), p), normInverse, p);
    const y = v128.load(ys + i);
    for (let k: usize = 0; k < 4; k += 2) {
      const line = point + (k << 2);
      const from = sums + k * PLANE + i;
      const a = subX4(
        subX4(v128.load(from), v128.load32_splat(line, OFFSET), p),
        mulX4(y, v128.load32_splat(line, SLOPE), p),
        p,
      );
      const b = subX4(
        subX4(v128.load(from, PLANE), v128.load32_splat(line + 4, OFFSET), p),
        mulX4(y, v128.load32_splat(line + 4, SLOPE), p),
        p,
      );
      const to = out + k * outPlane + i;
      v128.store(to, subX4(mulX4(a, re, p), mulX4(b, im, p), p));
      v128.store(to + outPlane, addX4(mulX4(a, im, p), mulX4(b, re, p), p));
    }
  }
}

/** v_ζ (two planes) and the inverse of its norm at the positions of a twin-coset. */
function denominatorsOf(
  denominators: usize,
  normInverses: usize,
  norms: usize,
  logBlock: i32,
  tree: usize,
  root: usize,
  point: DeepPoint,
): void {
  const p = loadM31();
  circleLine(denominators, logBlock, tree, root, point.realX, point.realY, point.real);
  circleLine(denominators + PLANE, logBlock, tree, root, point.imaginaryX, point.imaginaryY, point.imaginary);
  for (let i: usize = 0, bytes = <usize>4 << logBlock; i < bytes; i += 16) {
    const re = v128.load(denominators + i);
    const im = v128.load(denominators + PLANE + i);
    v128.store(norms + i, addX4(mulX4(re, re, p), mulX4(im, im, p), p));
  }
  m31BatchInverse(normInverses, norms, 1 << logBlock);
}

/** Adds `count` planes of the second vector to those of the first. */
function addPlanes(to: usize, toPlane: usize, from: usize, fromPlane: usize, bytes: usize): void {
  const p = loadM31();
  for (let k: usize = 0; k < 4; k++, to += toPlane, from += fromPlane) {
    for (let i: usize = 0; i < bytes; i += 16) {
      v128.store(to + i, addX4(v128.load(to + i), v128.load(from + i), p));
    }
  }
}

/**
 * Writes the DEEP polynomial (four planes) at the positions of blocks first … first+count-1, of
 * min(512, size) positions each, of the twin-coset.
 */
export function circleDeep(jobAddress: usize, first: u32, count: u32): void {
  const job = changetype<CircleDeepJob>(jobAddress);
  const matrix = scratchArea();
  const traceSums = matrix + QM31_MATRIX_BYTES;
  const allSums = traceSums + 4 * PLANE;
  const denominators = allSums + 4 * PLANE;
  const norms = denominators + 2 * PLANE;
  const normInverses = norms + PLANE;
  const ys = normInverses + PLANE;
  const second = ys + PLANE;
  const logBlock = min(LOG_BLOCK_MAX, job.logSize);
  const bytes = <usize>4 << logBlock;
  const width = <usize>(job.traceWidth + job.compositionWidth);
  const point = changetype<DeepPoint>(job.points);
  const nextPoint = changetype<DeepPoint>(job.points + POINT_BYTES);
  qm31Matrix(matrix, job.weights + width * QM31_BYTES);
  for (let block = <usize>first; block < <usize>(first + count); block++) {
    const offset = block << (logBlock + 2);
    const root = (job.root << (job.logSize - logBlock)) + block;
    const compositionColumns = job.columns + (<usize>job.traceWidth << 2);
    const compositionWeights = job.weights + <usize>job.traceWidth * QM31_BYTES;
    combineColumns(traceSums, PLANE, job.columns, job.traceWidth, offset, job.weights, bytes);
    combineColumns(allSums, PLANE, compositionColumns, job.compositionWidth, offset, compositionWeights, bytes);
    addPlanes(allSums, PLANE, traceSums, PLANE, bytes);
    circleLine(ys, logBlock, job.tree, root, 0, 1, 0);

    const out = job.out + offset;
    denominatorsOf(denominators, normInverses, norms, logBlock, job.tree, root, point);
    divideByLine(out, job.plane, allSums, denominators, normInverses, ys, job.points, bytes);
    denominatorsOf(denominators, normInverses, norms, logBlock, job.tree, root, nextPoint);
    divideByLine(second, PLANE, traceSums, denominators, normInverses, ys, job.points + POINT_BYTES, bytes);
    applyMatrix(second, PLANE, second, PLANE, matrix, bytes);
    addPlanes(out, job.plane, second, PLANE, bytes);
  }
}
