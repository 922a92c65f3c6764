import { type CirclePoint, circlePoints, m31, tracePoint } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import {
  circlePeriodicPolynomials,
  evaluateCircleExclusion,
  evaluateCirclePeriodic,
  exclusionLines,
} from './circle-composition.js';

const traceLength = 64;

describe.each([64, 62, 60, 50, 16])('the exclusion of a trace whose AIR sees %i of 64 rows', rowCount => {
  const shape = { traceLength, rowCount };
  const at = (point: CirclePoint<bigint>) => evaluateCircleExclusion(m31, shape, point);

  it('vanishes on the rows whose next row is a mask, or would wrap, and on no other', () => {
    for (let row = 0; row < traceLength; row++) {
      expect(at(tracePoint(traceLength, row)) === 0n).toBe(row >= rowCount - 1);
    }
  });

  it('vanishes nowhere else on larger cosets, and has half as many lines as it excludes rows', () => {
    for (const point of circlePoints(4 * traceLength)) expect(at(point)).not.toBe(0n);
    expect(exclusionLines(shape)).toHaveLength((traceLength - rowCount) / 2 + 1);
  });
});

it('is 1 − x as seen from the last row, where nothing is masked', () => {
  const [{ x, y }] = circlePoints(256);
  const last = tracePoint(traceLength, traceLength - 1);
  const seen = m31.add(m31.mul(x, last.x), m31.mul(y, last.y));
  expect(evaluateCircleExclusion(m31, { traceLength, rowCount: traceLength }, { x, y })).toBe(
    m31.sub(1n, seen),
  );
});

it.each([1, 2, 4, 32, 64])('lets a periodic column of period %i take its values on every row', period => {
  const values = Array.from({ length: period }, (_, i) => BigInt(i * i + 7));
  const [coefficients] = circlePeriodicPolynomials({ periodicColumns: [values] } as unknown as Air);
  for (let row = 0; row < traceLength; row++) {
    const value = evaluateCirclePeriodic(m31, coefficients, traceLength, tracePoint(traceLength, row));
    expect(value).toBe(values[row % period]);
  }
});
