import {
  accuracyOf,
  backtest,
  contaminatedValuations,
  marketValuations,
  type Contaminant,
} from './testing/valuation-trials.js';

const IS_FULL = process.env.SUITE_TIER === 'long';
const MARKETS = 2_000;
const SEEDS = IS_FULL ? [5, 6, 7, 8, 9] : [5];
const TRIALS = IS_FULL ? 6_000 : 500;
const CONTAMINANTS: Contaminant[] = ['shill', 'lot', 'wrong-card', 'three-sigma'];

describe('the 95 % interval', () => {
  it.each(SEEDS)('holds the true median in 95 ± 2 of 100 of 2,000 markets, seed %i', seed => {
    const known = marketValuations(MARKETS, { seed, salesPerCard: 60 });
    expect(known).toHaveLength(MARKETS);
    const { coveragePercent } = accuracyOf(known);
    expect(coveragePercent).toBeGreaterThanOrEqual(93);
    expect(coveragePercent).toBeLessThanOrEqual(97);
  });

  it('does so for few sales and for many', () => {
    const known = [20, 200].flatMap(salesPerCard => marketValuations(1_000, { seed: 21, salesPerCard }));
    for (const [low, high] of [
      [3, 5],
      [6, 9],
      [10, 19],
      [20, 250],
    ]) {
      const { trials, coveragePercent } = accuracyOf(
        known.filter(({ valuation: { n } }) => n >= low && n <= high),
      );
      // Three standard deviations of so many trials beyond 95 ± 2.
      const chance = 300 * Math.sqrt((0.95 * 0.05) / trials);
      expect(coveragePercent).toBeGreaterThan(93 - chance);
      expect(coveragePercent).toBeLessThan(97 + chance);
    }
  });
});

describe('the median of 20 sales with a spread of 0.2', () => {
  it.each(CONTAMINANTS)('errs by at most 5 %% with 10 %% of %s', contaminant => {
    const { errorPercent } = accuracyOf(
      contaminatedValuations({ seed: 3, trials: TRIALS, share: 0.1, contaminant }),
    );
    expect(errorPercent).toBeLessThanOrEqual(5);
  });

  it.each(CONTAMINANTS)('errs by at most 15 %% with 30 %% of %s', contaminant => {
    const { errorPercent } = accuracyOf(
      contaminatedValuations({ seed: 3, trials: TRIALS, share: 0.3, contaminant }),
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
