import fc from 'fast-check';
import { m31 } from '../field/m31.js';
import { qm31 } from '../field/qm31.js';
import {
  addPoints,
  CIRCLE_GENERATOR,
  CIRCLE_LOG2_ORDER,
  circleGenerator,
  doublePoint,
  doubleX,
  multiplyPoint,
  negatePoint,
  translatePoint,
} from './circle-group.js';
import {
  circlePointAt,
  circlePoints,
  linePointAt,
  nextRowStep,
  tracePoint,
  traceRowAt,
} from './circle-domain.js';

const ZERO = { x: 1n, y: 0n };
const multiple = fc.integer({ min: 0, max: 2 ** 31 - 1 }).map(k => multiplyPoint(CIRCLE_GENERATOR, k));

it('generates a group of exactly 2^31 points', () => {
  expect(m31.add(m31.mul(2n, 2n), m31.mul(CIRCLE_GENERATOR.y, CIRCLE_GENERATOR.y))).toBe(1n);
  expect(circleGenerator(0)).toEqual(ZERO);
  expect(circleGenerator(1)).toEqual({ x: m31.modulus - 1n, y: 0n });
  expect(circleGenerator(2)).toEqual({ x: 0n, y: m31.modulus - 1n });
  expect(circleGenerator(CIRCLE_LOG2_ORDER)).toEqual(CIRCLE_GENERATOR);
  expect(() => circleGenerator(32)).toThrow('log2Order must be an integer in 0…31, got 32');
});

it('is a commutative group whose elements stay on the circle', () => {
  fc.assert(
    fc.property(multiple, multiple, multiple, (a, b, c) => {
      const sum = addPoints(m31, a, b);
      expect(m31.add(m31.mul(sum.x, sum.x), m31.mul(sum.y, sum.y))).toBe(1n);
      expect(sum).toEqual(addPoints(m31, b, a));
      expect(addPoints(m31, sum, c)).toEqual(addPoints(m31, a, addPoints(m31, b, c)));
      expect(addPoints(m31, a, negatePoint(m31, a))).toEqual(ZERO);
      expect(doublePoint(m31, a)).toEqual(addPoints(m31, a, a));
      expect(doubleX(m31, a.x)).toBe(doublePoint(m31, a).x);
      const embedded = { x: qm31.fromBase(a.x), y: qm31.fromBase(a.y) };
      expect(translatePoint(qm31, embedded, b)).toEqual({ x: qm31.fromBase(sum.x), y: qm31.fromBase(sum.y) });
    }),
    { numRuns: 30 },
  );
});

describe.each([2, 4, 8, 32, 128])('the standard coset of %i points', size => {
  const points = circlePoints(size);

  it('holds each point of order exactly twice its size once', () => {
    for (const point of points) expect(multiplyPoint(point, size)).toEqual({ x: m31.modulus - 1n, y: 0n });
    expect(new Set(points.map(({ x, y }) => `${x},${y}`)).size).toBe(size);
  });

  it('finds every point by its position', () => {
    points.forEach((point, position) => expect(circlePointAt(size, position)).toEqual(point));
  });

  it('is the domain of a trace in another order', () => {
    const rows = points.map((point, position) => {
      const row = traceRowAt(size, position);
      expect(tracePoint(size, row)).toEqual(point);
      return row;
    });
    expect(new Set(rows).size).toBe(size);
    for (let row = 0; row + 1 < size; row++) {
      expect(addPoints(m31, tracePoint(size, row), nextRowStep(size))).toEqual(tracePoint(size, row + 1));
    }
  });
});

it('folds to lines position by position: y first, then each doubling halves the positions', () => {
  const size = 64;
  for (let position = 0; position < size / 2; position++) {
    const [point, mirrored] = [circlePointAt(size, 2 * position), circlePointAt(size, 2 * position + 1)];
    expect(mirrored).toEqual(negatePoint(m31, point));
    expect(linePointAt(size / 2, position).x).toBe(point.x);
  }
  for (let lineSize = size / 2; lineSize > 1; lineSize /= 2) {
    for (let position = 0; position < lineSize / 2; position++) {
      const { x } = linePointAt(lineSize, 2 * position);
      expect(linePointAt(lineSize, 2 * position + 1).x).toBe(m31.sub(0n, x));
      expect(linePointAt(lineSize / 2, position).x).toBe(doubleX(m31, x));
    }
  }
});

it('puts the eight points of a leaf where the format lists them', () => {
  const size = 128;
  for (let leaf = 0; leaf < size / 8; leaf++) {
    const points = Array.from({ length: 8 }, (_, slot) => circlePointAt(size, 8 * leaf + slot));
    const [{ x, y }] = points;
    const [mx, my] = [m31.sub(0n, x), m31.sub(0n, y)];
    expect(points.map(point => [point.x, point.y])).toEqual([
      [x, y],
      [x, my],
      [mx, my],
      [mx, y],
      [y, mx],
      [y, x],
      [my, x],
      [my, mx],
    ]);
  }
});
