import {
  accuracyOf,
  backtest,
  contaminatedValuations,
  foreignMarket,
  foreignValuations,
  marketValuations,
  medianAlone,
  type Contaminant,
} from './testing/valuation-trials.js';

const IS_FULL = process.env.SUITE_TIER === 'long';
const FOREIGN = IS_FULL ? 1_000 : 40;
const MARKETS = IS_FULL ? 1_000 : 50;
const TRIALS = IS_FULL ? 6_000 : 500;
const CONTAMINANTS: Contaminant[] = ['shill', 'lot', 'wrong-card', 'three-sigma'];
/** Three standard deviations of a share of 95 in so many trials, percent. */
const chanceOf = (trials: number) => 300 * Math.sqrt((0.95 * 0.05) / trials);

describe('the 95 % interval', () => {
  it.each([20, 50, 100, 200])(
    'holds the true price in 93 to 97 of 100 foreign markets of %i sales a year, a fifth of the recent ones wash sales',
    salesAYear => {
      const { trials, coveragePercent, widthPercent } = accuracyOf(
        foreignValuations(FOREIGN, { space: 'measuring', salesAYear }),
      );
      expect(trials).toBeGreaterThan(0.98 * FOREIGN);
      expect(coveragePercent).toBeGreaterThan(93 - chanceOf(trials));
      expect(coveragePercent).toBeLessThan(97 + chanceOf(trials));
      // The interval of a card that sells often says more.
      expect(widthPercent).toBeLessThan(salesAYear < 50 ? 150 : salesAYear < 200 ? 90 : 60);
    },
  );

  it('holds the true median of log-normal markets that drift in 93 of 100 or more', () => {
    const known = [20, 200].flatMap(salesPerCard => marketValuations(MARKETS, { seed: 21, salesPerCard }));
    const { trials, coveragePercent } = accuracyOf(known);
    expect(trials).toBe(2 * MARKETS);
    expect(coveragePercent).toBeGreaterThan(93 - chanceOf(trials));
  });
});

describe('a foreign market', () => {
  it('is the same for the same index, another for another, and other in the space that is measured in', () => {
    const market = (index: number, space: 'tuning' | 'measuring' = 'tuning') =>
      foreignMarket({ space, index, salesAYear: 50 });
    expect(market(3)).toEqual(market(3));
    expect(market(4).trueMedianUsd).not.toBe(market(3).trueMedianUsd);
    expect(market(3, 'measuring').trueMedianUsd).not.toBe(market(3).trueMedianUsd);
  });

  it('has as many sales as are asked for, and the share of the recent ones are wash sales', () => {
    const markets = Array.from({ length: 40 }, (_, index) =>
      foreignMarket({ space: 'tuning', index, salesAYear: 200, washDays: 60 }),
    );
    const sales = markets.flatMap(({ sales: all, wash }) =>
      all.map(sale => ({ ...sale, isWash: wash.has(sale.saleId) })),
    );
    const end = Math.max(...sales.map(({ soldAtMs }) => soldAtMs));
    const recent = sales.filter(({ soldAtMs }) => end - soldAtMs < 60 * 86_400_000);
    expect(sales.filter(({ isWash }) => !isWash).length / 40 / 200).toBeCloseTo(1, 1);
    expect(recent.filter(({ isWash }) => isWash).length / recent.length).toBeCloseTo(0.2, 1);
  });
});

describe('the median of 20 sales with a spread of 0.2', () => {
  it.each(CONTAMINANTS)('errs by at most 5 %% with 10 %% of %s', contaminant => {
    const { errorPercent } = accuracyOf(
      contaminatedValuations({ seed: 3, trials: TRIALS, share: 0.1, contaminant }, medianAlone),
    );
    expect(errorPercent).toBeLessThanOrEqual(5);
  });

  it.each(CONTAMINANTS)('errs by at most 15 %% with 30 %% of %s', contaminant => {
    const { errorPercent } = accuracyOf(
      contaminatedValuations({ seed: 3, trials: TRIALS, share: 0.3, contaminant }, medianAlone),
    );
    expect(errorPercent).toBeLessThanOrEqual(15);
  });
});

describe('the backtest', () => {
  it('predicts the next sale about as well as its own spread allows', () => {
    const { sales, errorPercent } = backtest({ seed: 9, cards: IS_FULL ? 1_000 : 100 });
    expect(sales).toBeGreaterThan(900);
    // A spread of 0.2 alone makes 13.5 % of median error, whatever the prediction.
    expect(errorPercent).toBeLessThan(18);
  });
});
