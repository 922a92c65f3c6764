import fc from 'fast-check';
import * as statistics from 'simple-statistics';
import { KEPT_MIN, rejectOutliers, REJECTION_SCALES, SCALE_MIN } from './outlier-rejection.js';

const prices = fc.array(
  fc.integer({ min: 1, max: 10_000_000 }).map(amountCents => amountCents / 100),
  {
    minLength: 1,
    maxLength: 60,
  },
);

describe('rejectOutliers', () => {
  it('keeps what lies within 3.5 × 1.4826 × MAD of the median, by the MAD of simple-statistics', () => {
    fc.assert(
      fc.property(prices, values => {
        const logs = values.map(Math.log);
        const scale = Math.max(SCALE_MIN, 1.4826 * statistics.medianAbsoluteDeviation(logs));
        const { centre, deviationLimit, isKept } = rejectOutliers(values);
        expect(centre).toBeCloseTo(statistics.median(logs), 12);
        expect(deviationLimit).toBeCloseTo(REJECTION_SCALES * scale, 12);
        const within = logs.filter(log => Math.abs(log - centre) <= deviationLimit).length;
        expect(isKept.filter(Boolean).length).toBeGreaterThanOrEqual(within);
        logs.forEach((log, i) => {
          if (Math.abs(log - centre) <= deviationLimit) expect(isKept[i]).toBe(true);
          else if (within >= KEPT_MIN) expect(isKept[i]).toBe(false);
        });
      }),
    );
  });

  it('drops a lot among single cards, and a wrong card', () => {
    const { isKept } = rejectOutliers([100, 104, 96, 101, 98, 105, 400, 12]);
    expect(isKept).toEqual([true, true, true, true, true, true, false, false]);
  });

  it('keeps what is within 17.5 % where most prices are the same and the MAD is 0', () => {
    const { isKept, deviationLimit } = rejectOutliers([50, 50, 50, 50, 50, 58, 43, 75]);
    expect(deviationLimit).toBeCloseTo(0.175, 12);
    expect(isKept).toEqual([true, true, true, true, true, true, true, false]);
  });

  it('never leaves fewer than three where there were three', () => {
    expect(rejectOutliers([10, 10, 1_000]).isKept).toEqual([true, true, true]);
    expect(rejectOutliers([10, 10, 10, 1_000]).isKept).toEqual([true, true, true, false]);
    fc.assert(
      fc.property(prices, values => {
        const kept = rejectOutliers(values).isKept.filter(Boolean).length;
        expect(kept).toBeGreaterThanOrEqual(Math.min(KEPT_MIN, values.length));
      }),
    );
  });
});
