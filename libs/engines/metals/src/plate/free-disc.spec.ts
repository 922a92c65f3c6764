import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MATERIALS } from '../material/material.js';
import { besselI, besselJ } from './bessel.js';
import {
  DISC_MODES,
  discFrequencyHz,
  type DiscMode,
  freeDiscLambdaSquared,
  massEquivalentThicknessMm,
} from './free-disc.js';
import { ritzLambdaSquared } from './free-disc.naive.js';

/** J_n and I_n by their integrals over an angle (Abramowitz and Stegun 9.1.21, 9.6.19), which the trapezoid rule sums exactly. */
function byIntegral(integrand: (angle: number) => number): number {
  const steps = 400;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += integrand((2 * Math.PI * (i + 0.5)) / steps);
  return sum / steps;
}
const jByIntegral = (n: number, x: number) => byIntegral(t => Math.cos(n * t - x * Math.sin(t)));
const iByIntegral = (n: number, x: number) => byIntegral(t => Math.exp(x * Math.cos(t)) * Math.cos(n * t));

describe('Bessel functions', () => {
  it('are what their integrals are, and their slopes those of neighbouring values', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7 }), fc.double({ min: 0.1, max: 12, noNaN: true }), (n, x) => {
        expect(besselJ(n, x).value).toBeCloseTo(jByIntegral(n, x), 9);
        const i = besselI(n, x).value;
        expect(Math.abs(i - iByIntegral(n, x))).toBeLessThan(1e-12 + 1e-11 * Math.exp(x));
        const step = 1e-5;
        for (const bessel of [besselJ, besselI]) {
          const slope = (bessel(n, x + step).value - bessel(n, x - step).value) / (2 * step);
          expect(bessel(n, x).slope / (Math.abs(slope) + 1)).toBeCloseTo(slope / (Math.abs(slope) + 1), 6);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('refuse what they would answer wrongly', () => {
    expect(() => besselJ(0, 21)).toThrow(RangeError);
    expect(() => besselJ(-1, 1)).toThrow(RangeError);
    expect(() => besselI(1.5, 1)).toThrow(RangeError);
    expect(() => besselI(0, NaN)).toThrow(RangeError);
  });
});

describe('λ² of the free disc', () => {
  it.each([
    [0.28, [5.421, 8.958, 12.564, 22.031]],
    [0.37, [5.128, 9.154, 11.969, 21.089]],
    [0.42, [4.95, 9.257, 11.599, 20.494]],
    [0.44, [4.876, 9.297, 11.443, 20.239]],
  ])('is the published one at ν = %d', (poisson, published) => {
    const modes = [DISC_MODES['(2,0)'], DISC_MODES['(0,1)'], DISC_MODES['(3,0)'], DISC_MODES['(4,0)']];
    for (const [i, mode] of modes.entries()) {
      expect(freeDiscLambdaSquared(mode, poisson)).toBeCloseTo(published[i], 3);
    }
  });

  it('is that of Leissa’s tables at ν = 0.33', () => {
    const table: [DiscMode, number][] = [
      [{ diameters: 2, circles: 0 }, 5.253],
      [{ diameters: 3, circles: 0 }, 12.23],
      [{ diameters: 4, circles: 0 }, 21.6],
      [{ diameters: 0, circles: 1 }, 9.084],
      [{ diameters: 1, circles: 1 }, 20.52],
      [{ diameters: 2, circles: 1 }, 35.25],
      [{ diameters: 0, circles: 2 }, 38.55],
    ];
    // His figures are of 1902 and 1910, and good to half a percent.
    for (const [mode, lambdaSquared] of table) {
      const off = freeDiscLambdaSquared(mode, 0.33) / lambdaSquared - 1;
      expect(Math.abs(off)).toBeLessThan(0.005);
    }
  });

  it('is that of Ritz’s method, which knows no Bessel function', () => {
    for (const poisson of [0.28, 0.37, 0.44]) {
      for (const mode of Object.values(DISC_MODES)) {
        const ritz = ritzLambdaSquared(mode, poisson);
        expect(freeDiscLambdaSquared(mode, poisson) / ritz).toBeCloseTo(1, 5);
      }
    }
  });

  it('has no rigid motions among it', () => {
    expect(() => freeDiscLambdaSquared({ diameters: 0, circles: 0 }, 0.3)).toThrow(RangeError);
    expect(() => freeDiscLambdaSquared({ diameters: 1, circles: 0 }, 0.3)).toThrow(RangeError);
    expect(() => freeDiscLambdaSquared({ diameters: 2, circles: 9 }, 0.3)).toThrow(RangeError);
  });
});

describe('frequencies of discs', () => {
  const mode = fc.constantFrom(...Object.values(DISC_MODES));
  const solid = fc.constantFrom(...Object.values(MATERIALS));
  const size = fc.record({
    diameterMm: fc.double({ min: 10, max: 100, noNaN: true }),
    thicknessMm: fc.double({ min: 0.5, max: 4, noNaN: true }),
  });
  const scale = fc.double({ min: 0.2, max: 5, noNaN: true });

  it('scale with one over the size, with √E and with 1/√ρ', () => {
    fc.assert(
      fc.property(mode, solid, size, scale, (one, metal, disc, by) => {
        const hz = discFrequencyHz(one, disc, metal);
        const larger = { diameterMm: by * disc.diameterMm, thicknessMm: by * disc.thicknessMm };
        expect((discFrequencyHz(one, larger, metal) * by) / hz).toBeCloseTo(1, 9);
        const stiffer = { ...metal, youngGPa: metal.youngGPa * by ** 2 };
        expect(discFrequencyHz(one, disc, stiffer) / hz / by).toBeCloseTo(1, 9);
        const heavier = { ...metal, densityGcc: metal.densityGcc * by ** 2 };
        expect((discFrequencyHz(one, disc, heavier) / hz) * by).toBeCloseTo(1, 9);
      }),
      { numRuns: 100 },
    );
  });

  it('are Kirchhoff’s for thin plates and lower for thick ones, the more the higher the mode', () => {
    const thin = { diameterMm: 40, thicknessMm: 0.01 };
    const silver = MATERIALS.silver;
    const kirchhoff = (lambdaSquared: number) =>
      ((lambdaSquared * 1e-5) / (2 * Math.PI * 0.02 ** 2)) *
      Math.sqrt(83e9 / (12 * 10_490 * (1 - 0.37 ** 2)));
    expect(discFrequencyHz(DISC_MODES['(2,0)'], thin, silver)).toBeCloseTo(kirchhoff(5.12799), 2);
    const lowered = (name: keyof typeof DISC_MODES) =>
      discFrequencyHz(DISC_MODES[name], { ...thin, thicknessMm: 3 }, silver) /
      (300 * discFrequencyHz(DISC_MODES[name], thin, silver));
    const factors = (['(2,0)', '(0,1)', '(3,0)', '(4,0)', '(5,0)'] as const).map(lowered);
    expect(factors[0]).toBeLessThan(1);
    expect([...factors].sort((a, b) => b - a)).toEqual(factors);
    // Reckoned by hand: (kh)² = 5.128 · 0.15² = 0.11538; /12 · (1 + 2/(0.8333 · 0.63)) = 0.04625
    expect(factors[0]).toBeCloseTo(1 / Math.sqrt(1.04625), 4);
  });

  it('have the mass-equivalent thickness of a piece’s own metal', () => {
    expect(massEquivalentThicknessMm(33.93, 32.77, 17.6)).toBeCloseTo(2.2857, 3);
  });
});
