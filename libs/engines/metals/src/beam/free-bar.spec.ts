import { describe, expect, it } from '@jest/globals';
import { MATERIALS } from '../material/material.js';
import {
  BAR_MODES,
  barFrequencyHz,
  BarShapeError,
  freeBarRoot,
  massEquivalentBarThicknessMm,
} from './free-bar.js';

const BAR = { lengthMm: 100, widthMm: 20, thicknessMm: 0.1 };

describe('a free bar', () => {
  it('has the roots of cos x · cosh x = 1', () => {
    for (const [k, root] of [4.730041, 7.853205, 10.995608, 14.137165].entries()) {
      expect(freeBarRoot(k + 1)).toBeCloseTo(root, 6);
    }
  });

  it('rings at 1.028 (h/L²) √(E/ρ) where it is slender, lower where it is thick', () => {
    const silver = MATERIALS.silver;
    const slender = 1.028 * (1e-4 / 0.1 ** 2) * Math.sqrt(83e9 / 10_490);
    expect(barFrequencyHz('B1', BAR, silver) / slender).toBeCloseTo(1, 3);
    const thick = barFrequencyHz('B1', { ...BAR, thicknessMm: 10 }, silver) / (100 * slender);
    // Timoshenko's bar, (kh)² = (4.73 · 0.1)²: 1/√(1 + 0.018643 · (1 + 2 · 1.37 / 0.8333))
    expect(thick).toBeCloseTo(1 / Math.sqrt(1 + 0.018644 * 4.288), 3);
  });

  it('has higher modes in the proportions of the squares of its roots', () => {
    const [b1, b2, b3] = BAR_MODES.map(mode => barFrequencyHz(mode, BAR, MATERIALS.gold));
    expect(b2 / b1).toBeCloseTo(2.757, 2);
    expect(b3 / b1).toBeCloseTo(5.404, 2);
  });

  it.each([
    [{ ...BAR, widthMm: 100 / 3 }, 'bar-too-wide', 'widthMm', 100 / 3],
    [{ ...BAR, thicknessMm: 20.1 }, 'bar-too-thick', 'thicknessMm', 20],
  ])('is refused where it is no beam, with the bound', (bar, code, field, max) => {
    let thrown: unknown;
    try {
      barFrequencyHz('B1', bar, MATERIALS.gold);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(BarShapeError);
    expect(thrown).toMatchObject({ code, field, max });
  });

  it('has the thickness that its mass says', () => {
    expect(massEquivalentBarThicknessMm(193, { lengthMm: 100, widthMm: 20 }, 19.3)).toBeCloseTo(5, 9);
  });
});
