import { m31 } from '../field/m31.js';
import { log2Exact } from '../poly/ntt.js';
import { addPoints, circleGenerator, type CirclePoint, multiplyPoint, negatePoint } from './circle-group.js';

/**
 * The point at a position of the standard coset of `size` points in circle order: position 2j + s is
 * (−1)^s·(Q + bitrev(j)·g), Q of order 2·size and g of order size/2.
 * @param size a power of two of at least 2
 */
export function circlePointAt(size: number, position: number): CirclePoint<bigint> {
  const point = addSteps(circleGenerator(log2Exact(size) + 1), position >> 1);
  return position % 2 === 0 ? point : negatePoint(m31, point);
}

/**
 * The standard coset of `size` points, those of order exactly 2·size, in circle order.
 * @param size a power of two of at least 2
 */
export function circlePoints(size: number): CirclePoint<bigint>[] {
  const log2 = log2Exact(size);
  const points = new Array<CirclePoint<bigint>>(size);
  const step = circleGenerator(log2 - 1);
  let point = circleGenerator(log2 + 1);
  for (let k = 0; k < size / 2; k++) {
    const position = 2 * reverseBits(k, log2 - 1);
    points[position] = point;
    points[position + 1] = negatePoint(m31, point);
    point = addPoints(m31, point, step);
  }
  return points;
}

/** The point of a row of a trace of `rowCount` rows: (2·row + 1)·g with g of order 2·rowCount. */
export function tracePoint(rowCount: number, row: number): CirclePoint<bigint> {
  return multiplyPoint(circleGenerator(log2Exact(rowCount) + 1), 2 * row + 1);
}

/** What separates a row's point from the next row's. */
export function nextRowStep(rowCount: number): CirclePoint<bigint> {
  return circleGenerator(log2Exact(rowCount));
}

/** The row that stands at a position of the trace's domain in circle order. */
export function traceRowAt(rowCount: number, position: number): number {
  const steps = reverseBits(position >> 1, log2Exact(rowCount) - 1);
  return position % 2 === 0 ? 2 * steps : rowCount - 1 - 2 * steps;
}

/**
 * The point whose x-coordinate stands at a position of a line of L = `lineSize` points, which circles are folded to:
 * position j is x(Q + bitrev(j)·g), Q of order 4·L and g of order L.
 */
export function linePointAt(lineSize: number, position: number): CirclePoint<bigint> {
  return addSteps(circleGenerator(log2Exact(lineSize) + 2), position);
}

// point + bitrev(j)·g, g of order 2^(bits of j): bit b of j adds the generator of order 2^(b+1), however many bits j has.
function addSteps(point: CirclePoint<bigint>, j: number): CirclePoint<bigint> {
  let sum = point;
  for (let b = 0; j >> b > 0; b++) if ((j >> b) & 1) sum = addPoints(m31, sum, circleGenerator(b + 1));
  return sum;
}

/** The lowest `bits` bits of `value` in reverse order. */
export function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let b = 0; b < bits; b++) reversed = 2 * reversed + ((value >> b) & 1);
  return reversed;
}
