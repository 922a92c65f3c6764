import fc from 'fast-check';
import {
  binomialTail,
  FALSE_MATCH_PROBABILITY_MAX,
  falseMatchProbability,
  matchThreshold,
} from './false-match.js';

/** Exact: Σ C(n, k) over 2^n in whole numbers, of which a double takes the highest places at the end. */
function exactTail(heads: number, throws: number): number {
  let term = 1n;
  let sum = 0n;
  for (let k = 0; k <= heads; k++) {
    sum += term;
    term = (term * BigInt(throws - k)) / BigInt(k + 1);
  }
  const below = Math.max(0, sum.toString(2).length - 60);
  return Number(sum >> BigInt(below)) * 2 ** (below - throws);
}

describe('the tail of the binomial', () => {
  it('is what exact arithmetic says', () => {
    for (const [heads, throws] of [
      [0, 1],
      [0, 40],
      [3, 10],
      [50, 100],
      [33, 100],
      [299, 807],
      [600, 1_600],
      [799, 1_600],
      [520, 1_600],
      [400, 1_600],
    ]) {
      expect(binomialTail(heads, throws) / exactTail(heads, throws)).toBeCloseTo(1, 10);
    }
  });

  it('is nothing below no heads, and everything from all', () => {
    expect(binomialTail(-1, 10)).toBe(0);
    expect(binomialTail(10, 10)).toBe(1);
    expect(binomialTail(0, 0)).toBe(1);
  });
});

describe('false matches', () => {
  const dof = fc.double({ min: 1, max: 2_000, noNaN: true });
  const tried = fc.integer({ min: 1, max: 3_000_000 });

  it('have the threshold as the last distance within the bound', () => {
    fc.assert(
      fc.property(dof, tried, (degreesOfFreedom, alignments) => {
        const threshold = matchThreshold(degreesOfFreedom, alignments);
        const throws = Math.floor(degreesOfFreedom);
        const next = threshold + 1.001 / throws;
        expect(falseMatchProbability(next, degreesOfFreedom, alignments)).toBeGreaterThan(
          FALSE_MATCH_PROBABILITY_MAX,
        );
        if (threshold === 0) return;
        const there = falseMatchProbability(threshold, degreesOfFreedom, alignments);
        expect(there).toBeLessThanOrEqual(FALSE_MATCH_PROBABILITY_MAX * (1 + 1e-9));
      }),
      { numRuns: 200 },
    );
  });

  it('become likelier with the distance and with every alignment that was tried, and never more than certain', () => {
    fc.assert(
      fc.property(
        dof,
        tried,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (degreesOfFreedom, alignments, distance) => {
          const here = falseMatchProbability(distance, degreesOfFreedom, alignments);
          expect(here).toBeGreaterThanOrEqual(0);
          expect(here).toBeLessThanOrEqual(1);
          expect(
            falseMatchProbability(Math.min(1, distance + 0.05), degreesOfFreedom, alignments),
          ).toBeGreaterThanOrEqual(here);
          expect(falseMatchProbability(distance, degreesOfFreedom, 2 * alignments)).toBeGreaterThanOrEqual(
            here,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('allow no match at all where the bits are worth too little', () => {
    expect(matchThreshold(30, 1)).toBe(0);
    expect(falseMatchProbability(0, 30, 1)).toBeCloseTo(2 ** -30, 12);
    expect(matchThreshold(1_600, 1)).toBeGreaterThan(matchThreshold(1_600, 1_000_000));
  });
});
