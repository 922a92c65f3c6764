import { STDP_TABLE_MAX, stdpTables, stdpValue } from './stdp-tables.js';
import type { Plasticity } from './simulation.js';

const STDP: Plasticity = {
  rule: 'stdp-all',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 30,
  wMaxMv: 3.24,
};

describe('tables of weight changes', () => {
  it('hold the exponentials to half of their last digit, up to where they round to nothing', () => {
    const { plus, minus } = stdpTables(STDP, 0.1);
    expect([plus.shift, minus.shift]).toEqual([0, 0]);
    let worst = 0;
    for (let d = 0; d < 6_000; d++) {
      const exactPlus = 0.01 * 65_535 * 256 * Math.exp(-d / 200);
      const exactMinus = 0.0105 * 65_535 * 256 * Math.exp(-d / 300);
      worst = Math.max(
        worst,
        Math.abs(stdpValue(plus, d) - exactPlus),
        Math.abs(stdpValue(minus, d) - exactMinus),
      );
    }
    expect(worst).toBeLessThanOrEqual(0.5);
    expect(plus.values[plus.values.length - 1]).toBeGreaterThan(0);
  });

  it.each([
    [0.01, 20],
    [0.01, 1_000],
    [0.1, 300],
    [1, 1],
  ])('are never longer than 4,096 entries, coarser by powers of two: dt %s ms, τ %s ms', (dtMs, tauMs) => {
    const { plus } = stdpTables({ ...STDP, tauPlusMs: tauMs, aPlus: 1 }, dtMs);
    expect(plus.values.length).toBeLessThanOrEqual(STDP_TABLE_MAX);
    expect(plus.values.length).toBeGreaterThan(plus.shift > 0 ? STDP_TABLE_MAX / 2 - 2 : 0);
    let worst = 0;
    for (let d = 0; d < plus.values.length << plus.shift; d += 13) {
      const exact = 65_535 * 256 * Math.exp((-d * dtMs) / tauMs);
      // At most half of a bin off.
      const bin = exact * (Math.exp((2 ** plus.shift * dtMs) / (2 * tauMs)) - 1);
      worst = Math.max(worst, Math.abs(stdpValue(plus, d) - exact) - (plus.shift > 0 ? bin : 0));
    }
    expect(worst).toBeLessThanOrEqual(0.5);
  });

  it('are empty for an amplitude of nothing', () => {
    const { plus, minus } = stdpTables({ ...STDP, aPlus: 0, aMinus: 0 }, 0.1);
    expect([plus.values.length, minus.values.length]).toEqual([0, 0]);
    expect(stdpValue(plus, 0)).toBe(0);
  });

  it('let a trace decay until nothing of it is left in an f32', () => {
    const { decayPlus } = stdpTables(STDP, 0.1);
    expect(decayPlus[0]).toBe(1);
    expect(decayPlus[200]).toBe(Math.fround(Math.exp(-1)));
    const rest = decayPlus[decayPlus.length - 1];
    expect(Math.fround(1 + Math.fround(1_000 * rest))).toBe(1);
    expect(stdpTables({ ...STDP, rule: 'stdp-nn' }, 0.1).decayPlus).toHaveLength(0);
  });
});
