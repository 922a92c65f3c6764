import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { chiSquareTails, chiSquareUpperPoint } from './chi-square.js';
import { logGamma, logGammaHalfStep } from './log-gamma.js';
import { logStudentT, type StudentT } from './student-t.js';
import { SurprisalHistory } from './surprisal.js';

interface Vectors {
  readonly chiSquare: { degrees: number; upper: number; point: number }[];
  readonly chiSquareTails: { degrees: number; x: number; lower: number; upper: number }[];
  readonly logGamma: { x: number; value: number }[];
  readonly logGammaHalfStep: { x: number; value: number }[];
  readonly student: (StudentT & { x: number; logDensity: number })[];
  readonly surprisal: { values: number[]; surprisals: number[] };
}
const vectors: Vectors = JSON.parse(
  readFileSync(new URL('./inference.vectors.json', import.meta.url), 'utf8'),
);

/** Digits that agree, relative to the greater of the expected value and a floor. */
function agrees(got: number, expected: number, relative: number, floor = 0): void {
  expect(Math.abs(got - expected)).toBeLessThanOrEqual(relative * Math.max(Math.abs(expected), floor));
}

describe('distributions', () => {
  it('knows ln Γ as 40 digits of arithmetic do', () => {
    for (const { x, value } of vectors.logGamma) agrees(logGamma(x), value, 2e-15, 10);
    expect([logGamma(0), logGamma(-1.5), logGamma(NaN)]).toEqual([NaN, NaN, NaN]);
    expect(logGamma(Infinity)).toBe(Infinity);
  });

  it('keeps the digits of ln Γ(x + ½) − ln Γ(x) where both are huge', () => {
    for (const { x, value } of vectors.logGammaHalfStep) agrees(logGammaHalfStep(x), value, 4e-15, 1);
  });

  it("finds χ²'s upper points as scipy does, from 1 to a million degrees", () => {
    for (const { degrees, upper, point } of vectors.chiSquare) {
      agrees(chiSquareUpperPoint(degrees, upper), point, 1e-11);
    }
  });

  it("weighs χ²'s tails as scipy does", () => {
    for (const { degrees, x, lower, upper } of vectors.chiSquareTails) {
      const tails = chiSquareTails(degrees, x);
      agrees(tails.lower, lower, 2e-11, 1e-300);
      // Where the series gives the lower tail, the upper one is 1 less it.
      agrees(tails.upper, upper, 2e-11, x < degrees ? 1 : 1e-300);
    }
  });

  it('inverts its own tails for any probability and any degrees', () => {
    const probability = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 1, max: 5_000, noNaN: true }), probability, (degrees, upper) => {
        agrees(chiSquareTails(degrees, chiSquareUpperPoint(degrees, upper)).upper, upper, 1e-9, 1e-6);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [0.999, 0.5],
    [-1, 0.5],
    [NaN, 0.5],
    [Infinity, 0.5],
    [3, 0],
    [3, 1],
    [3, NaN],
  ])('refuses degrees %p with probability %p', (degrees, upper) => {
    expect(() => chiSquareUpperPoint(degrees, upper)).toThrow(RangeError);
  });

  it("has Student's t to 13 digits, from 1 to 10^8 degrees and a million scales out", () => {
    for (const { x, logDensity, ...t } of vectors.student) agrees(logStudentT(x, t), logDensity, 2e-13, 10);
  });
});

describe('surprisal', () => {
  it("is −ln of Student's t that the history predicts, as scipy has it", () => {
    const history = new SurprisalHistory();
    const [first, ...rest] = vectors.surprisal.values;
    expect(history.observe(first)).toBeUndefined();
    rest.forEach((value, i) =>
      agrees(history.observe(value) as number, vectors.surprisal.surprisals[i], 1e-9, 1),
    );
    expect(history.size).toBe(vectors.surprisal.values.length);
  });

  it('does not depend on how far from 0 the values lie', () => {
    const near = new SurprisalHistory();
    const far = new SurprisalHistory();
    for (const value of vectors.surprisal.values) {
      const surprisal = near.observe(value);
      const shifted = far.observe(value + 1e6);
      if (surprisal !== undefined) agrees(shifted as number, surprisal, 1e-6, 1);
    }
  });

  it('rises with the distance from what is expected, and stays finite after equal values', () => {
    const history = new SurprisalHistory();
    for (let i = 0; i < 50; i++) history.observe(7);
    const usual = history.surprisalOf(7) as number;
    const odd = history.surprisalOf(7.5) as number;
    expect(Number.isFinite(usual)).toBe(true);
    expect(usual).toBeLessThan(0);
    expect(odd).toBeGreaterThan(usual + 5);
    expect(history.surprisalOf(1e150)).toBeGreaterThan(odd);
    expect(history.size).toBe(50);
  });

  it('integrates to 1: e to the minus surprisal is a density', () => {
    const history = new SurprisalHistory();
    [1, 1.2, 0.9, 1.05].forEach(value => history.observe(value));
    let sum = 0;
    for (let x = -49; x < 51; x += 1e-3) sum += Math.exp(-(history.surprisalOf(x) as number)) * 1e-3;
    expect(sum).toBeCloseTo(1, 4);
  });

  it('refuses values that are no numbers, and keeps its history', () => {
    const history = new SurprisalHistory();
    history.observe(1);
    for (const value of [NaN, Infinity, -Infinity, 1e151]) {
      expect(() => history.observe(value)).toThrow(RangeError);
    }
    expect(history.size).toBe(1);
    expect(() => new SurprisalHistory({ degrees: 0, standardDeviation: 1 })).toThrow(RangeError);
    expect(() => new SurprisalHistory({ degrees: 1, standardDeviation: NaN })).toThrow(RangeError);
  });
});
