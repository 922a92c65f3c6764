import fc from 'fast-check';
import { DAY_MS, type GradedSale } from './graded-sale.js';
import { SALES_MAX } from './sale-window.js';
import { valueCard } from './value-card.js';

const AS_OF_MS = Date.UTC(2026, 0, 1);
let serial = 0;
const sale = (priceUsd: number, ageDays: number, more: Partial<GradedSale> = {}): GradedSale => ({
  saleId: `sale-${serial++}`,
  priceUsd,
  soldAtMs: AS_OF_MS - Math.round(ageDays * DAY_MS),
  venue: 'Harbor Auctions',
  saleType: 'auction',
  verified: true,
  ...more,
});
const value = (sales: readonly GradedSale[]) => valueCard(sales, { asOfMs: AS_OF_MS });
const anySales = fc.array(
  fc.record({
    saleId: fc.string({ maxLength: 6 }),
    priceUsd: fc.integer({ min: 1, max: 5_000_000 }).map(amountCents => amountCents / 100),
    soldAtMs: fc.integer({ min: AS_OF_MS - 400 * DAY_MS, max: AS_OF_MS + 30 * DAY_MS }),
    venue: fc.constantFrom('a', 'b'),
    saleType: fc.constantFrom<GradedSale['saleType'][]>('auction', 'fixed', 'best_offer'),
    verified: fc.boolean(),
  }),
  { maxLength: 40 },
);

describe('the window', () => {
  it('is the narrowest with six sales after rejection', () => {
    const recent = [100, 102, 98, 101, 99, 103].map((price, i) => sale(price, 10 + i));
    expect(value(recent)).toMatchObject({ windowDays: 90, n: 6, confidence: 'normal' });
    const five = [...recent.slice(0, 5), sale(100, 120), sale(97, 300)];
    expect(value(five)).toMatchObject({ windowDays: 180, n: 6 });
    // The sixth within 90 days is a lot: it does not fill the window.
    const withLot = [...recent.slice(0, 5), sale(500, 20), sale(100, 120)];
    expect(value(withLot)).toMatchObject({ windowDays: 180, n: 6 });
    expect(value(withLot).nRejected).toEqual([{ reason: 'outlier_high', count: 1 }]);
  });

  it('ends at asOf and is a year at most', () => {
    const sales = [sale(100, -1), sale(100, 0), sale(101, 90), sale(99, 365), sale(98, 365.01)];
    expect(value(sales)).toMatchObject({
      n: 3,
      windowDays: 365,
      nRejected: expect.arrayContaining([
        { reason: 'after_as_of', count: 1 },
        { reason: 'too_old', count: 1 },
      ]),
    });
  });

  it('counts the newest only where there are more than enough', () => {
    const sales = Array.from({ length: SALES_MAX + 7 }, (_, i) => sale(100 + ((7 * i) % 11), i / 17));
    const { n, nRejected, comps, liquidity } = value(sales);
    expect(n).toBe(14 * 17 + 1);
    expect(liquidity.salesLast365Days).toBe(SALES_MAX);
    expect(nRejected).toEqual([{ reason: 'older_than_enough', count: 7 }]);
    expect(comps[0].saleId).toBe(sales[0].saleId);
  });

  it.each([
    [16, 14],
    [15, 90],
  ])('of %i sales in 13 days has %i days', (count, windowDays) => {
    const sales = Array.from({ length: count }, (_, i) => sale(100 + (i % 5), (13 * i) / count));
    expect(value([...sales, sale(103, 80), sale(98, 85)])).toMatchObject({ windowDays });
  });

  it('counts a sale once that comes twice, by its id or by venue, moment and price', () => {
    const first = sale(100, 5.3);
    const sales = [
      first,
      { ...first, priceUsd: 110 },
      { ...first, saleId: 'other' },
      sale(98, 6),
      sale(99, 7),
    ];
    expect(value(sales)).toMatchObject({ n: 3, nRejected: [{ reason: 'duplicate', count: 2 }] });
    // Nothing but their day is known: they may be two.
    const ofOneDay = [sale(100, 5), sale(100, 5), sale(98, 6), sale(99, 7)];
    expect(value(ofOneDay)).toMatchObject({ n: 4, nRejected: [] });
  });
});

describe('the median', () => {
  it('is null for fewer than three sales, of low confidence for fewer than six', () => {
    const sales = [100, 110, 105, 95, 102, 99].map((price, i) => sale(price, i + 1));
    const confidences = sales.map((_, i) => value(sales.slice(0, i + 1)).confidence);
    expect(confidences).toEqual([
      'insufficient_comps',
      'insufficient_comps',
      'low_confidence',
      'low_confidence',
      'low_confidence',
      'normal',
    ]);
    expect(value([])).toMatchObject({ medianUsd: null, ci95: null, n: 0, comps: [] });
    expect(value(sales.slice(0, 2))).toMatchObject({ medianUsd: null, ci95: null, n: 2 });
    expect(value(sales.slice(0, 2)).method).toMatchObject({ interval: 'none', spreadPercent: null });
    expect(value(sales).method).toMatchObject({ interval: 'state-space', intervalCoveragePercent: 95 });
  });

  it('follows the newer sales: one of today counts twice one of 45 days ago', () => {
    const old = [100, 100.01, 100.02, 100.03].map(price => sale(price, 89));
    const fresh = [112, 112.01, 112.02].map(price => sale(price, 1));
    expect(value([...old, ...fresh]).medianUsd).toBeGreaterThanOrEqual(112);
    const { comps } = value([...old, ...fresh, sale(110, 0), sale(111, 45)]);
    const weightAt = (priceUsd: number) => comps.find(comp => comp.priceUsd === priceUsd)?.weight;
    expect(weightAt(110)).toBe(1);
    expect(weightAt(111)).toBe(0.5);
  });

  it.each([
    [90, 45],
    [180, 90],
    [365, 182.5],
  ])('has in the window of %i days a half-life of %f', (windowDays, halfLifeDays) => {
    const spread = Array.from({ length: 6 }, (_, i) => sale(100 + i, (i * windowDays) / 5));
    const aged = value([...spread, sale(110, halfLifeDays)]);
    expect(aged).toMatchObject({ windowDays, method: { halfLifeDays } });
    expect(aged.comps.find(({ priceUsd }) => priceUsd === 110)?.weight).toBe(0.5);
  });

  it('gives less weight to offers whose price is not shown and to sales that nobody vouches for', () => {
    const { comps } = value([
      sale(100, 0),
      sale(101, 0, { saleType: 'best_offer' }),
      sale(102, 0, { verified: false }),
      sale(103, 0, { saleType: 'best_offer', verified: false }),
    ]);
    const weights = Object.fromEntries(comps.map(({ priceUsd, weight }) => [priceUsd, weight]));
    expect(weights).toEqual({ 100: 1, 101: 0.5, 102: 0.75, 103: 0.375 });
  });

  it('is not moved by a single absurd sale', () => {
    const sales = [100, 102, 98, 101, 99, 103, 97].map((price, i) => sale(price, i));
    const { medianUsd } = value(sales);
    expect(value([...sales, sale(99_999_999, 0)]).medianUsd).toBe(medianUsd);
    expect(value([...sales, sale(0.01, 0)]).medianUsd).toBe(medianUsd);
  });

  it('does not depend on the order of the sales', () => {
    fc.assert(
      fc.property(anySales, fc.infiniteStream(fc.nat()), (sales, keys) => {
        const shuffled = sales
          .map(one => ({ one, key: keys.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        // Of two with one id and different data either may come first: those are not one sale.
        fc.pre(new Set(sales.map(({ saleId }) => saleId)).size === sales.length);
        expect(value(shuffled).medianUsd).toBe(value(sales).medianUsd);
        expect(value(shuffled).comps).toEqual(value(sales).comps);
        expect(value(shuffled).ci95).toEqual(value(sales).ci95);
      }),
      { numRuns: 15 },
    );
  });
});

describe('the valuation', () => {
  it('accounts for every sale, lies within its interval, and that around its sales', () => {
    fc.assert(
      fc.property(anySales, sales => {
        const { medianUsd, ci95, n, nRejected, comps, windowDays } = value(sales);
        // Sales between the windows are neither counted nor rejected.
        const rejected = nRejected.reduce((sum, { count }) => sum + count, 0);
        expect(n + rejected).toBeLessThanOrEqual(sales.length);
        if (windowDays === 365) expect(n + rejected).toBe(sales.length);
        expect(comps).toHaveLength(n);
        expect(n < 3).toBe(medianUsd === null);
        if (medianUsd === null || ci95 === null) return;
        expect(ci95[0]).toBeLessThanOrEqual(medianUsd);
        expect(ci95[1]).toBeGreaterThanOrEqual(medianUsd);
        expect(medianUsd).toBeGreaterThanOrEqual(Math.min(...comps.map(({ priceUsd }) => priceUsd)));
        expect(medianUsd).toBeLessThanOrEqual(Math.max(...comps.map(({ priceUsd }) => priceUsd)));
        expect(ci95[0]).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 25 },
    );
  });

  it('has an interval that reaches further to both sides the older its sales are', () => {
    const prices = [100, 104, 96, 101, 98, 105, 94];
    const at = (ageDays: number) => value(prices.map(priceUsd => sale(priceUsd, ageDays)));
    for (const [younger, older] of [
      [0, 60],
      [100, 170],
      [200, 360],
    ]) {
      const [low, high] = at(younger).ci95 ?? [NaN, NaN];
      const [lowOlder, highOlder] = at(older).ci95 ?? [NaN, NaN];
      expect(lowOlder).toBeLessThan(low);
      expect(highOlder).toBeGreaterThan(high);
    }
  });

  it('allows for age by its root: four times as old is about twice as wide', () => {
    const prices = [100, 104, 96, 101, 98, 105, 94, 99, 102, 97];
    const ofTheDay = prices.map((priceUsd, i) => sale(priceUsd, i / 100));
    const widthAt = (days: number) => {
      const [low, high] = valueCard(ofTheDay, { asOfMs: AS_OF_MS + days * DAY_MS }).ci95 ?? [NaN, NaN];
      return Math.log(high / low);
    };
    const [young, old] = [widthAt(20), widthAt(80)];
    expect(old / young).toBeGreaterThan(1.5);
    expect(old / young).toBeLessThan(1.95);
    expect(widthAt(1)).toBeLessThan(young);
  });

  it.each([0, -5, NaN, Infinity, 1e9, 10.005])('refuses a price of %f', priceUsd => {
    expect(() => value([sale(priceUsd, 1)])).toThrow(RangeError);
  });

  it.each([NaN, Infinity, 0.5])('refuses a sale at %f', soldAtMs => {
    expect(() => value([sale(1, 1, { soldAtMs })])).toThrow(RangeError);
  });
});

describe('a wash ring', () => {
  const genuine = Array.from({ length: 14 }, (_, i) => sale(100 + ((i * 5) % 9), 2 + 4 * i));
  const ring = [10, 12, 14, 15].map((ageDays, i) => sale(178 + i, ageDays));

  it('is flagged and held out', () => {
    const clean = value(genuine);
    const { medianUsd, washRings, nRejected, liquidity, ci95 } = value([...genuine, ...ring]);
    expect(washRings).toEqual([
      {
        saleIds: ring.map(({ saleId }) => saleId).sort(),
        fromMs: ring[3].soldAtMs,
        toMs: ring[0].soldAtMs,
        medianUsd: 179.5,
        timesOthers: expect.closeTo(1.73, 1),
      },
    ]);
    expect(nRejected).toEqual([{ reason: 'wash_ring', count: 4 }]);
    expect({ medianUsd, liquidity, ci95 }).toEqual({
      ...{ medianUsd: clean.medianUsd, liquidity: clean.liquidity, ci95: clean.ci95 },
    });
  });

  it('is none where the price stays there, or is the others’, or is spread', () => {
    const before = genuine.filter(({ soldAtMs }) => soldAtMs < ring[3].soldAtMs);
    expect(value([...before, ...ring]).washRings).toEqual([]);
    expect(value([...genuine, ...ring.map(one => ({ ...one, priceUsd: 104 }))]).washRings).toEqual([]);
    const spread = ring.map((one, i) => ({ ...one, priceUsd: 130 + 40 * i }));
    expect(value([...genuine, ...spread]).washRings).toEqual([]);
  });

  it('of few sellers is told nearer to the others’ prices', () => {
    const wide = Array.from({ length: 16 }, (_, i) => sale(100 + ((i * 7) % 17) * 4, 2 + 3 * i));
    const near = [10, 12, 14, 15].map((ageDays, i) => sale(185 + i, ageDays));
    const by = (sellers: string[]) => near.map((one, i) => ({ ...one, seller: sellers[i] }));
    expect(value([...wide, ...by(['a', 'b', 'c', 'd'])]).washRings).toEqual([]);
    expect(value([...wide, ...by(['a', 'b', 'a', 'b'])]).washRings).toHaveLength(1);
  });
});

describe('a jump', () => {
  const around = (usd: number, from: number, count: number) =>
    Array.from({ length: count }, (_, i) => sale(usd * (0.96 + 0.02 * (i % 5)), from + 3 * i));

  it('is flagged, and what was sold before it is held out', () => {
    const after = around(160, 1, 7);
    const { jump, medianUsd, nRejected } = value([...after, ...around(100, 25, 12)]);
    expect(jump).toEqual({ sinceMs: after[6].soldAtMs, times: expect.closeTo(1.6, 1) });
    expect(medianUsd).toBeGreaterThan(150);
    expect(nRejected).toEqual([{ reason: 'before_jump', count: 12 }]);
  });

  it('of two is the later', () => {
    const { jump } = value([...around(70, 1, 6), ...around(160, 25, 8), ...around(100, 60, 8)]);
    expect(jump?.times).toBeCloseTo(70 / 160, 1);
  });

  it('is none where the price rises slowly by as much, or few sales say so', () => {
    const slow = Array.from({ length: 24 }, (_, i) => sale(Math.round(160 * 0.98 ** i), 1 + 3 * i));
    expect(value(slow).jump).toBeNull();
    expect(value([...around(160, 1, 4), ...around(100, 25, 12)]).jump).toBeNull();
  });

  it('widens the interval where it is too young to be told', () => {
    const width = ([low, high]: readonly [number, number]) => high / low;
    const before = around(100, 20, 12);
    const calm = value([...before, ...around(100, 2, 3)]).ci95!;
    const doubtful = value([...before, ...around(160, 2, 3)]).ci95!;
    expect(width(doubtful)).toBeGreaterThan(1.2 * width(calm));
    expect(doubtful[1]).toBeGreaterThan(150);
  });
});

describe('trend and liquidity', () => {
  it('are the slope a month and how often it sells', () => {
    const sales = Array.from({ length: 20 }, (_, i) =>
      sale(Math.round(1e4 * 1.1 ** (-i / 7.5)) / 100, 4 * i + 1),
    );
    const { trend, liquidity } = value(sales);
    // A tenth in 30 days, as seven and a half sales are.
    expect(trend).toMatchObject({ percentPer30Days: expect.closeTo(10, 0), days: 90, n: 20 });
    expect(trend?.ci95[0]).toBeLessThanOrEqual(10.1);
    expect(trend?.ci95[1]).toBeGreaterThanOrEqual(9.9);
    expect(liquidity).toEqual({
      ...{ salesLast30Days: 8, salesLast90Days: 20, salesLast365Days: 20 },
      ...{ daysSinceLastSale: 1, medianDaysBetweenSales: 4 },
    });
  });

  it('are null or nothing where too little is known', () => {
    expect(value([]).liquidity).toEqual({
      ...{ salesLast30Days: 0, salesLast90Days: 0, salesLast365Days: 0 },
      ...{ daysSinceLastSale: null, medianDaysBetweenSales: null },
    });
    const ofAWeek = Array.from({ length: 12 }, (_, i) => sale(100 + i, i / 2));
    expect(value(ofAWeek).trend).toBeNull();
    expect(value(ofAWeek.slice(0, 7)).trend).toBeNull();
  });

  it('a trend of few wrong sales is that of the others', () => {
    const right = Array.from({ length: 18 }, (_, i) => sale(100 + (i % 3), 4 * i));
    const wrong = [3, 30, 60].map(ageDays => sale(900 - ageDays, ageDays));
    expect(Math.abs(value([...right, ...wrong]).trend?.percentPer30Days ?? NaN)).toBeLessThan(1.5);
  });
});
