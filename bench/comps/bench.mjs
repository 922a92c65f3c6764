import { CardMarket, gradedSaleOf, valueCard } from '@svc/comps';
import {
  accuracyOf,
  backtest,
  contaminatedValuations,
  FOREIGN_AS_OF_MS,
  foreignMarket,
  foreignValuations,
  marketValuations,
  ratioValuations,
} from '@svc/comps/testing';
import { cpuMsOfThisProcess } from '../../tools/bench/cpu-time.mjs';
import { partsOf } from '../../tools/bench/options.mjs';
import { naiveInterval, peerInterval, peerMedian } from './peer-median.mjs';
import { benchStore } from './store.mjs';

const AS_OF_MS = Date.UTC(2026, 0, 1);
const PARTS = {
  time: timeOfValuations,
  store: benchStore,
  foreign,
  interval: intervals,
  contamination: contaminations,
  backtests,
};

export const packages = ['simple-statistics'];

/** `calls` and `proved` are questions to the service, with the stand-in and with a prover. */
export const options = {
  only: undefined,
  foreign: 1_000,
  first: 0,
  markets: 2_000,
  cards: 5_000,
  calls: 2_000,
  proved: 100,
  seed: 5,
};
export const smoke = { foreign: 20, markets: 40, cards: 20, calls: 5, proved: 1 };

/**
 * Valuations of graded cards beside simple-statistics: the time of one, alone and asked of the service, how often the
 * interval holds the truth, what faulty sales do to the median, and how well the next sale is foretold.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options }} run
 */
export default async function comps({ report, options }) {
  for (const part of partsOf(PARTS, options.only)) await part(report, options);
  report.note(
    'Every market is made up. Foreign ones: Student-t walks with jumps and seasons, skewed heavy-tailed sales, parameters drawn for each; the seeds were not used for tuning. The others: log-normal prices with a spread of 0.15 to 0.25, a drift of 0.2 a year (one standard deviation), 7.5 % of sales faulty. The truth is the median at the moment of the valuation.',
  );
}

/** Some twenty sales of each card in memory; each card in each grade is valued once, in a mixed order. */
function timeOfValuations(report, { cards, seed }) {
  const market = new CardMarket({ seed, cards, asOfMs: AS_OF_MS });
  const bySubject = groupBySubject(market.sales());
  const subjects = [...bySubject.values()].map(sales => sales.map(gradedSaleOf)).sort(bySeed(seed));
  const count = subjects.reduce((sum, sales) => sum + sales.length, 0);
  report.table(
    `one valuation, ${count.toLocaleString('en-US')} sales of ${cards.toLocaleString('en-US')} cards`,
  );
  const contenders = {
    'simple-statistics: the same selection, its median alone': sales => peerMedian(sales, AS_OF_MS),
    'simple-statistics: and an interval of 1,000 resamples': sales => peerInterval(sales, AS_OF_MS, seed),
    'ours: weighted median, interval, evidence of each sale': sales => valueCard(sales, { asOfMs: AS_OF_MS }),
  };
  for (const [name, value] of Object.entries(contenders)) {
    const chosen = name.includes('resamples') ? subjects.slice(0, 1_000) : subjects;
    for (const sales of chosen.slice(0, 500)) value(sales);
    report.row(name, timeEach(chosen, value));
  }
}

function timeEach(subjects, value) {
  const before = process.cpuUsage();
  const elapsed = subjects.map(sales => {
    const startedAt = performance.now();
    value(sales);
    return (performance.now() - startedAt) * 1_000;
  });
  const cpuMsEach = cpuMsOfThisProcess(before) / subjects.length;
  elapsed.sort((a, b) => a - b);
  const quantile = share => elapsed[Math.min(elapsed.length - 1, Math.floor(share * elapsed.length))];
  const [p50Us, p95Us] = [quantile(0.5), quantile(0.95)];
  return { p50Us, p95Us, maxUs: elapsed.at(-1), cpuMsEach, valuations: elapsed.length };
}

/**
 * Markets of another process than the model: see foreign-market.ts. The median and 95 % interval of ours, and of the last 90
 * days by resampling, as people do it by hand; without wash sales, with a fifth of the recent sales, and with two fifths.
 */
function foreign(report, { foreign: count, first, seed }) {
  for (const washShare of [0.2, 0, 0.4]) {
    for (const salesAYear of [20, 50, 100, 200]) {
      const asked = { space: 'measuring', first, salesAYear, washShare };
      report.table(
        `${count} foreign markets, ${salesAYear} sales a year, ${100 * washShare} % of the recent ones wash sales`,
      );
      const naive = sales => naiveInterval(sales, FOREIGN_AS_OF_MS, seed);
      report.row(
        'median of 90 days, 1,000 resamples (simple-statistics)',
        accuracy(foreignValuations(count, asked, naive)),
      );
      const ours = accuracy(foreignValuations(count, asked));
      report.row('ours', ours);
      if (washShare === 0.2) {
        report.verdict(
          `coverage at ${salesAYear} sales a year, percent`,
          ours.coveragePercent,
          'at least',
          93,
        );
        report.verdict(
          `coverage at ${salesAYear} sales a year, percent`,
          ours.coveragePercent,
          'at most',
          97,
        );
      }
    }
  }
  report.table(`what is held out of ${count} foreign markets, 20 % of the recent sales wash sales`);
  for (const salesAYear of [20, 50, 100, 200])
    report.row(`${salesAYear} sales a year`, heldOut(count, first, salesAYear));
}

/** Of wash sales in a burst the share that is found, and of genuine sales the share that is taken for some. */
function heldOut(count, first, salesAYear) {
  let [found, ofRing, wrong, genuine] = [0, 0, 0, 0];
  for (let index = first; index < first + count; index++) {
    const { sales, wash, isRing } = foreignMarket({ space: 'measuring', index, salesAYear });
    const { washRings } = valueCard(sales, { asOfMs: FOREIGN_AS_OF_MS });
    const held = washRings.flatMap(({ saleIds }) => saleIds);
    genuine += sales.length - wash.size;
    wrong += held.filter(saleId => !wash.has(saleId)).length;
    if (!isRing) continue;
    ofRing += wash.size;
    found += held.filter(saleId => wash.has(saleId)).length;
  }
  return {
    ringFoundPercent: (100 * found) / ofRing,
    genuineHeldPercent: (100 * wrong) / genuine,
    ofRing,
    genuine,
  };
}

function intervals(report, { markets, seed }) {
  for (const salesPerCard of [20, 60, 200, 450]) {
    report.table(`${markets} markets, about ${salesPerCard} sales a card over its grades and a year`);
    const known = marketValuations(markets, { seed, salesPerCard });
    report.row('1,000 plain resamples of the median (simple-statistics)', accuracy(resampled(known, seed)));
    report.row('ours', accuracy(known));
    for (const [low, high] of [
      [3, 5],
      [6, 9],
      [10, 19],
      [20, 49],
      [50, 250],
    ]) {
      const some = known.filter(({ valuation: { n } }) => n >= low && n <= high);
      if (some.length >= 50) report.row(`ours, ${low} to ${high} sales that count`, accuracy(some));
    }
  }
  report.table(`${markets} markets of 60 sales a card that drift`);
  for (const driftDeviation of [0, 0.1, 0.2, 0.3, 0.4]) {
    const known = marketValuations(markets, { seed, salesPerCard: 60, driftDeviation });
    report.row(`drift of ${driftDeviation} a year`, accuracy(known));
  }
  report.table('by the ratio between grades, as if none had been sold in the wanted grade');
  for (const peers of [5, 8, 20, 100]) {
    report.row(
      `${peers} cards with sales in both grades`,
      accuracy(ratioValuations(Math.ceil(0.75 * markets), peers, seed)),
    );
  }
}

/** The same sales that count, with an interval by plain resampling. */
function resampled(known, seed) {
  return known.map(({ valuation, trueMedianUsd }) => {
    const { medianUsd, ci95 } = peerInterval(valuation.comps, AS_OF_MS, seed);
    return { valuation: { ...valuation, medianUsd, ci95 }, trueMedianUsd };
  });
}

function accuracy(known) {
  const { trials, coveragePercent, errorPercent, biasPercent, widthPercent, belowPercent, abovePercent } =
    accuracyOf(known);
  return { coveragePercent, widthPercent, errorPercent, biasPercent, belowPercent, abovePercent, trials };
}

function contaminations(report, { markets, seed }) {
  for (const contaminant of ['shill', 'lot', 'wrong-card', 'three-sigma']) {
    report.table(`20 sales of 90 days, spread 0.2, part of them ${contaminant}; median error`);
    for (const share of [0, 0.1, 0.2, 0.3]) {
      const known = contaminatedValuations({ seed, trials: markets, share, contaminant });
      const { errorPercent, biasPercent, coveragePercent, trials } = accuracyOf(known);
      report.row(`${share * 100} %`, { errorPercent, biasPercent, coveragePercent, trials });
    }
  }
}

function backtests(report, { markets, seed }) {
  report.table('each sale foretold from those before it, median of |prediction ÷ price − 1|');
  for (const contamination of [0, 0.075]) {
    const { errorPercent, sales } = backtest({ seed, cards: Math.ceil(0.15 * markets), contamination });
    report.row(`${contamination * 100} % faulty sales`, { errorPercent, sales });
  }
  report.note('A spread of 0.2 alone makes 13.5 % of median error of a prediction that is right.');
}

function subjectOf({ card, company, grade }) {
  return `${card.number} ${company} ${grade}`;
}

function groupBySubject(sales) {
  const groups = new Map();
  for (const sale of sales) {
    const subject = subjectOf(sale);
    const group = groups.get(subject);
    if (group) group.push(sale);
    else groups.set(subject, [sale]);
  }
  return groups;
}

/** An order that has nothing to do with the cards': by a hash of their first sale. */
function bySeed(seed) {
  const keyOf = ([{ saleId }]) =>
    [...saleId].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619), seed);
  return (a, b) => keyOf(a) - keyOf(b);
}
