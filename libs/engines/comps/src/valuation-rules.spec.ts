import { applyRule } from '@svc/audit-proof';
import fc from 'fast-check';
import type { CardValuation } from './card-valuation.js';
import { valueCardByRatio } from './grade-ratio.js';
import { DAY_MS, type GradedSale } from './graded-sale.js';
import { valuationRules } from './valuation-rules.js';
import { valueCard } from './value-card.js';

const AS_OF_MS = Date.UTC(2026, 0, 1);
const RULES_MAX = 36;
const sales = (count: number, priceUsd = (i: number) => 100 + (i % 7), prefix = 'sale'): GradedSale[] =>
  Array.from({ length: count }, (_, i) => ({
    saleId: `${prefix}-${i}`,
    priceUsd: priceUsd(i),
    soldAtMs: AS_OF_MS - (i + 1) * DAY_MS,
    venue: prefix,
    saleType: 'auction',
    verified: i % 3 > 0,
  }));
const value = (given: readonly GradedSale[]) => valueCard(given, { asOfMs: AS_OF_MS });
const failing = (valuation: CardValuation) =>
  valuationRules(valuation)
    .map(applyRule)
    .filter(({ holds }) => !holds)
    .map(({ id }) => id);

describe('valuationRules', () => {
  it('hold for what valueCard says, and can be proved', () => {
    const anyPrice = fc.integer({ min: 1, max: 99_999_999_999 }).map(amountCents => amountCents / 100);
    fc.assert(
      fc.property(fc.array(anyPrice, { minLength: 6, maxLength: 40 }), prices => {
        const valuation = value(sales(prices.length, i => prices[i]));
        expect(failing(valuation)).toEqual([]);
        expect(valuationRules(valuation).length).toBeLessThanOrEqual(RULES_MAX);
      }),
      { numRuns: 25 },
    );
    expect(failing(value(sales(12)))).toEqual([]);
    expect(failing(value(sales(200)))).toEqual([]);
    expect(valuationRules(value(sales(200))).length).toBeLessThanOrEqual(RULES_MAX);
  });

  it('show that too few sales are too few', () => {
    expect(failing(value(sales(2)))).toEqual(['sales-counted']);
    expect(failing(value([]))).toEqual(['sales-counted']);
  });

  it('show a sale that was kept though it deviates', () => {
    const valuation = value(sales(3, i => [100, 100, 1_000][i]));
    expect(valuation.n).toBe(3);
    expect(failing(valuation)).toEqual(['deviation-3']);
  });

  it.each<[string, (valuation: CardValuation) => CardValuation]>([
    ['half-below', valuation => ({ ...valuation, medianUsd: 99, ci95: [90, 110] })],
    ['half-above', valuation => ({ ...valuation, medianUsd: 107, ci95: [90, 110] })],
    ['interval-low', valuation => ({ ...valuation, ci95: [105, 110] })],
    ['interval-high', valuation => ({ ...valuation, ci95: [90, 95] })],
    ['none-later', valuation => ({ ...valuation, asOfMs: AS_OF_MS - 2 * DAY_MS })],
    ['none-older', valuation => ({ ...valuation, windowDays: 10 })],
    ['window', valuation => ({ ...valuation, windowDays: 366 })],
    ['sales-counted', valuation => ({ ...valuation, n: 2 })],
    [
      'deviation-1',
      valuation => ({ ...valuation, comps: valuation.comps.map(c => ({ ...c, deviation: 0.9 })) }),
    ],
    [
      'interval-coverage',
      valuation => ({ ...valuation, method: { ...valuation.method, intervalCoveragePercent: 94.99 } }),
    ],
  ])('%s fails for a valuation that does not follow it', (id, falsify) => {
    expect(failing(falsify(value(sales(14))))).toContain(id);
  });

  it('of a ratio hold for the other grade’s median and for the ratio, and fail for another', () => {
    const peers = Array.from({ length: 6 }, (_, i) => ({
      sales: sales(2, () => 205 + i, `wanted-${i}`),
      fromSales: sales(2, () => 100, `from-${i}`),
    }));
    const valuation = valueCardByRatio({ fromGrade: 9, sales: sales(8), peers }, { asOfMs: AS_OF_MS });
    if (valuation === null) throw new Error('six cards have a ratio');
    expect(failing(valuation)).toEqual([]);
    expect(failing({ ...valuation, medianUsd: (valuation.medianUsd ?? 0) + 0.02 })).toEqual([
      'ratio-applied',
    ]);
    const { ratio } = valuation;
    if (ratio === null) throw new Error('a ratio says so');
    expect(failing({ ...valuation, ratio: { ...ratio, cards: 4, pairs: 3 } })).toEqual([
      'ratio-cards',
      'ratio-pairs',
    ]);
  });

  it('are known by ids that differ', () => {
    const ids = valuationRules(value(sales(20))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
