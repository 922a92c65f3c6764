import fc from 'fast-check';
import { SeededRandom } from './market/seeded-random.js';
import { signTestInterval, subsetSumDistribution } from './sign-test-interval.js';

const COVERAGE = 0.95;
const ranks = (n: number, weight = 1) => Array.from({ length: n }, (_, i) => ({ value: i + 1, weight }));

describe('signTestInterval', () => {
  it.each([
    [6, 1, 6, 0.969],
    [9, 2, 8, 0.961],
    [20, 6, 15, 0.959],
  ])('of %i equal weights goes from order statistic %i to %i and covers %f', (n, low, high, coverage) => {
    expect(signTestInterval(ranks(n), COVERAGE)).toEqual({
      low,
      high,
      coverage: expect.closeTo(coverage, 3),
    });
  });

  it('of equal weights is the one of the binomial distribution, from 6 to 60 values', () => {
    for (let n = 6; n <= 60; n++) {
      const { low, probability } = binomialTail(n);
      const interval = signTestInterval(ranks(n), COVERAGE);
      expect(interval).toEqual({ low, high: n + 1 - low, coverage: expect.closeTo(1 - 2 * probability, 9) });
      expect(signTestInterval(ranks(n, 17), COVERAGE)).toEqual(interval);
    }
  });

  it.each([1, 2, 3, 4, 5])('of %i values does not exist', n => {
    expect(signTestInterval(ranks(n), COVERAGE)).toBeNull();
  });

  it('covers what counting all signs says, and no narrower one covers enough', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 6, maxLength: 11 }), weights => {
        const values = weights.map((weight, i) => ({ value: i + 1, weight }));
        const interval = signTestInterval(values, COVERAGE);
        const sums = allSums(weights);
        const tail = Math.max(-1, ...sums.filter(sum => shareUpTo(sums, sum) <= 0.025));
        if (tail < 0) return expect(interval).toBeNull();
        expect(interval?.coverage).toBeCloseTo(1 - 2 * shareUpTo(sums, tail), 9);
        expect(interval?.low).toBe(firstAbove(weights, tail));
        return expect(interval?.high).toBe(weights.length + 1 - firstAbove([...weights].reverse(), tail));
      }),
      { numRuns: 200 },
    );
  });

  it('moves by a rank at most where the normal distribution takes over', () => {
    const exact = signTestInterval(ranks(128), COVERAGE);
    const normal = signTestInterval(ranks(129), COVERAGE);
    expect(Math.abs((normal?.low ?? 0) - (exact?.low ?? 0))).toBeLessThanOrEqual(1);
    expect(Math.abs((normal?.high ?? 0) - (exact?.high ?? 0))).toBeLessThanOrEqual(2);
  });

  it('holds the median of a skewed distribution as often as it says', () => {
    const random = new SeededRandom(11);
    const trials = 4_000;
    let covered = 0;
    let promised = 0;
    for (let trial = 0; trial < trials; trial++) {
      const values = Array.from({ length: random.integer(6, 24) }, () => ({
        value: -Math.log(1 - random.uniform()),
        weight: random.integer(8, 64),
      }));
      const interval = signTestInterval(values, COVERAGE);
      if (interval === null) throw new Error('six values have an interval');
      promised += interval.coverage;
      if (interval.low <= Math.LN2 && Math.LN2 <= interval.high) covered++;
    }
    // Four standard deviations of a share of 4,000.
    expect(Math.abs(covered - promised) / trials).toBeLessThan(4 * Math.sqrt((0.96 * 0.04) / trials));
  });

  it.each([0, -1, 0.5, NaN])('refuses a weight of %f', weight => {
    expect(() => signTestInterval([...ranks(6), { value: 1, weight }], COVERAGE)).toThrow(RangeError);
  });
});

describe('subsetSumDistribution', () => {
  it('sums to 1 and is symmetric', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 64 }), { maxLength: 60 }), weights => {
        const distribution = subsetSumDistribution(weights);
        expect(distribution.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 12);
        distribution.forEach((probability, sum) => {
          expect(probability).toBeCloseTo(distribution[distribution.length - 1 - sum], 14);
        });
      }),
    );
  });
});

/** The largest k with P(Binomial(n, ½) < k) ≤ 2.5 %, and that probability. */
function binomialTail(n: number): { low: number; probability: number } {
  let term = 1 / 2 ** n;
  let probability = 0;
  let low = 0;
  for (; probability + term <= 0.025; low++) {
    probability += term;
    term = (term * (n - low)) / (low + 1);
  }
  return { low, probability };
}

function allSums(weights: readonly number[]): number[] {
  return weights.reduce<number[]>((sums, weight) => sums.flatMap(sum => [sum, sum + weight]), [0]);
}

function shareUpTo(sums: readonly number[], limit: number): number {
  return sums.filter(sum => sum <= limit).length / sums.length;
}

/** One-based place at which the weights so far are first more than a limit. */
function firstAbove(weights: readonly number[], limit: number): number {
  let sum = 0;
  return weights.findIndex(weight => (sum += weight) > limit) + 1;
}
