import fc from 'fast-check';
import * as statistics from 'simple-statistics';
import { median, weightedMedian, type WeightedValue } from './weighted-median.js';

const price = fc.integer({ min: 1, max: 100_000 }).map(amountCents => amountCents / 100);
const weighted = fc.array(fc.record({ value: price, weight: fc.integer({ min: 1, max: 64 }) }), {
  minLength: 1,
  maxLength: 40,
});

describe('median', () => {
  it('is the one of simple-statistics', () => {
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 60 }), values => {
        // It adds before it halves otherwise than ours: the last bit may differ.
        expect(median(values) / statistics.median(values)).toBeCloseTo(1, 14);
      }),
    );
  });

  it('of no values is refused', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => weightedMedian([])).toThrow(RangeError);
  });
});

describe('weightedMedian', () => {
  it('is the median of a list that holds each value as often as it weighs', () => {
    fc.assert(
      fc.property(weighted, values => {
        expect(weightedMedian(values)).toBeCloseTo(repeatedMedian(values), 9);
      }),
      { numRuns: 500 },
    );
  });

  it('has at most half of the weight on either side of it', () => {
    fc.assert(
      fc.property(weighted, values => {
        const middle = weightedMedian(values);
        const total = values.reduce((sum, { weight }) => sum + weight, 0);
        const weightOf = (part: WeightedValue[]) => part.reduce((sum, { weight }) => sum + weight, 0);
        expect(2 * weightOf(values.filter(({ value }) => value < middle))).toBeLessThanOrEqual(total);
        expect(2 * weightOf(values.filter(({ value }) => value > middle))).toBeLessThanOrEqual(total);
      }),
    );
  });

  it('is the geometric mean where the weight divides evenly', () => {
    const values = [
      { value: 4, weight: 3 },
      { value: 9, weight: 2 },
      { value: 1, weight: 0.5 },
      { value: 100, weight: 1.5 },
    ];
    expect(weightedMedian(values)).toBe(6);
  });
});

function repeatedMedian(values: readonly WeightedValue[]): number {
  const repeated = values
    .flatMap(({ value, weight }) => Array.from({ length: weight }, () => value))
    .sort((a, b) => a - b);
  const upper = repeated.length / 2;
  return Number.isInteger(upper)
    ? Math.sqrt(repeated[upper - 1] * repeated[upper])
    : repeated[Math.floor(upper)];
}
