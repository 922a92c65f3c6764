import { median } from './weighted-median.js';

/** A sale as the walk sees it. */
export interface WalkSale {
  readonly logPrice: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Above 0, at most 1: how sure it is that the price was paid. */
  readonly reliability: number;
}

/** Where the price is at a moment. */
export interface WalkingPrice {
  /** Log prices: the interval holds the price with a probability of 95 %. */
  readonly low: number;
  readonly high: number;
  /** One standard deviation of what the log price does in a year, as the sales show it. */
  readonly volatilityAYear: number;
  /** Scale of a sale's log price about the day's price, as the sales show it. */
  readonly spread: number;
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;
/**
 * Standard deviations of the log price in a year that are tried, and what is thought of each before a sale is seen: single
 * shares lie between 15 and 60 % (J. Y. Campbell and others, 2001).
 */
const VOLATILITIES = [0.12, 0.25, 0.5, 1];
const VOLATILITY_PRIOR = { median: 0.35, spread: 0.6 };
/** Scales of a sale's log price about the day's that are tried. */
const SPREADS = [0.025, 0.045, 0.08, 0.13, 0.21, 0.35];
const SPREAD_PRIOR = { median: 0.13, spread: 0.7 };
/** Degrees of freedom of a sale's log price about the day's: heavy tails. */
const FREEDOM = 4;
/** Prices also jump, at news of a player: so often, and by so much on average, log price. */
const JUMPS_A_YEAR = 3;
const JUMP_SIZE = 0.25;
/**
 * Shares of sales that are none of this card at this price: shill bids, wash sales and lots above it, other cards and damaged
 * ones below. In the last hundred days there may be many.
 */
const STRANGE = [
  { above: 0.05, below: 0.03, prior: 0.7 },
  { above: 0.25, below: 0.05, prior: 0.3 },
] as const;
const STRANGE_SIZE = 0.5;
const STRANGE_DAYS = 100;
/**
 * Sales that come thick are not independent: one venue, one week, one piece of news. Beyond so many a year each says less, by a
 * power of its likelihood (J. W. Miller, D. B. Dunson, 2019).
 */
const INDEPENDENT_SALES_A_YEAR = 60;
const DEPENDENCE = 0.7;
/** Of each side. */
const TAIL = 0.025;
/** Steps of the grid of log prices: a third of what successive sales differ by, within bounds. */
const STEP_MIN = 0.006;
const STEP_MAX = 0.03;
const STEPS_MAX = 240;
/** How far the price may lie beyond the outermost sale, log price. */
const MARGIN = 0.8;
/** Readings of the sales that are so much less likely than the best are given up. */
const HOPELESS = 1e-3;

/** One way to read the sales. */
interface Reading {
  readonly volatility: number;
  readonly spread: number;
  readonly strange: (typeof STRANGE)[number];
  /** Log of how likely it is, up to a constant, by the sales so far. */
  logEvidence: number;
  /** Of the log price now, over the grid. */
  readonly density: Float64Array;
}

/**
 * Where a price is that walks, by the sales up to a moment. The log price moves by steps whose variance grows with the time
 * between sales, so what is not known of it grows with the root of their age; it jumps now and then; a sale lies about the
 * price of its day with heavy tails, or is strange. How fast this card's price walks, how far its sales spread, and how many of
 * the recent ones are strange, is weighed by how well each explains the sales.
 *
 * A filter over a grid of log prices: the same sales give the same answer, nothing is drawn. Time: sales × steps × readings,
 * some milliseconds for 250 sales.
 *
 * @param sales one at least, none after `asOfMs`; their order does not matter
 *
 * @see M. West, J. Harrison: Bayesian Forecasting and Dynamic Models (1997), 2 and 12; G. Kitagawa: Non-Gaussian State-Space
 * Modeling of Nonstationary Time Series, Journal of the American Statistical Association 82 (1987).
 */
export function walkingPrice(sales: readonly WalkSale[], asOfMs: number): WalkingPrice {
  const ordered = [...sales].sort(
    (a, b) => a.atMs - b.atMs || a.logPrice - b.logPrice || a.reliability - b.reliability,
  );
  const grid = gridOf(ordered);
  const salesAYear = ordered.length / Math.max(0.25, (asOfMs - ordered[0].atMs) / YEAR_MS);
  const power = Math.min(1, INDEPENDENT_SALES_A_YEAR / salesAYear) ** DEPENDENCE;
  const scratch = [new Float64Array(grid.count), new Float64Array(grid.count)] as const;
  let readings = everyReading(grid);
  ordered.forEach((sale, i) => {
    const years = i === 0 ? 0 : (sale.atMs - ordered[i - 1].atMs) / YEAR_MS;
    const isRecent = asOfMs - sale.atMs < STRANGE_DAYS * DAY_MS;
    const likelihoods = new Map<string, Float64Array>();
    for (const reading of readings) {
      const strange = isRecent ? reading.strange : STRANGE[0];
      const key = `${reading.spread} ${strange.above}`;
      const likelihood = likelihoods.get(key) ?? likelihoodOf(sale, reading.spread, strange, power, grid);
      likelihoods.set(key, likelihood);
      walk(reading, years, grid, scratch);
      see(reading, likelihood);
    }
    if (i % 4 === 3) readings = hopeful(readings);
  });
  const years = (asOfMs - ordered[ordered.length - 1].atMs) / YEAR_MS;
  const best = Math.max(...readings.map(({ logEvidence }) => logEvidence));
  const mixture = new Float64Array(grid.count);
  let weights = 0;
  let [volatility, spread] = [0, 0];
  for (const reading of readings) {
    walk(reading, years, grid, scratch);
    const weight = Math.exp(reading.logEvidence - best);
    weights += weight;
    volatility += weight * Math.log(reading.volatility);
    spread += weight * Math.log(reading.spread);
    for (let at = 0; at < grid.count; at++) mixture[at] += weight * reading.density[at];
  }
  return {
    low: quantile(mixture, TAIL, grid),
    high: quantile(mixture, 1 - TAIL, grid),
    volatilityAYear: Math.exp(volatility / weights),
    spread: Math.exp(spread / weights),
  };
}

function everyReading({ count }: Grid): Reading[] {
  return VOLATILITIES.flatMap(volatility =>
    SPREADS.flatMap(spread =>
      STRANGE.map(strange => ({
        ...{ volatility, spread, strange },
        logEvidence:
          logNormal(volatility, VOLATILITY_PRIOR) + logNormal(spread, SPREAD_PRIOR) + Math.log(strange.prior),
        density: new Float64Array(count).fill(1 / count),
      })),
    ),
  );
}

interface Grid {
  /** Log price of the first step. */
  readonly low: number;
  readonly step: number;
  readonly count: number;
}

function gridOf(ordered: readonly WalkSale[]): Grid {
  const logs = ordered.map(({ logPrice }) => logPrice);
  const differences = logs.slice(1).map((log, i) => Math.abs(log - logs[i]));
  const typical = differences.length === 0 ? 0 : median(differences);
  const wanted = Math.min(STEP_MAX, Math.max(STEP_MIN, typical / 3));
  const low = Math.min(...logs) - MARGIN;
  const span = Math.max(...logs) + MARGIN - low;
  const count = Math.min(STEPS_MAX, Math.ceil(span / wanted) + 1);
  return { low, step: span / (count - 1), count };
}

/** What a sale says, by the rule of Bayes. */
function see(reading: Reading, likelihood: Float64Array): void {
  const { density } = reading;
  let total = 0;
  for (let at = 0; at < density.length; at++) total += density[at] *= likelihood[at];
  for (let at = 0; at < density.length; at++) density[at] /= total;
  reading.logEvidence += Math.log(total);
}

/** Log density of a log-normal distribution, up to a constant. */
function logNormal(value: number, { median, spread }: { median: number; spread: number }): number {
  return -0.5 * (Math.log(value / median) / spread) ** 2;
}

/** The readings that are not hopeless. */
function hopeful(readings: readonly Reading[]): Reading[] {
  const best = Math.max(...readings.map(({ logEvidence }) => logEvidence));
  return readings.filter(({ logEvidence }) => logEvidence > best + Math.log(HOPELESS));
}

/** Spreads a density by what the price may do in a time. */
function walk(
  reading: Reading,
  years: number,
  { step, count }: Grid,
  [moved, jumped]: readonly [Float64Array, Float64Array],
): void {
  if (years <= 0) return;
  const { density, volatility } = reading;
  laplace(density, (volatility * volatility * years) / (step * step), moved);
  const jumps = 1 - Math.exp(-JUMPS_A_YEAR * years);
  laplace(moved, (2 * JUMP_SIZE * JUMP_SIZE) / (step * step), jumped);
  for (let at = 0; at < count; at++) density[at] = (1 - jumps) * moved[at] + jumps * jumped[at];
}

/** Convolves with the two-sided geometric distribution of a variance: two passes, whatever its width. */
function laplace(from: Float64Array, variance: number, into: Float64Array): void {
  const count = from.length;
  const r = 1 + 1 / variance;
  const ratio = r - Math.sqrt(r * r - 1);
  const scale = (1 - ratio) / (1 + ratio);
  let running = 0;
  for (let at = 0; at < count; at++) into[at] = scale * (running = from[at] + ratio * running);
  running = 0;
  for (let at = count - 1; at >= 0; at--) {
    into[at] += scale * ratio * running;
    running = from[at] + ratio * running;
  }
}

/** How likely a sale is at each price of the grid. */
function likelihoodOf(
  { logPrice, reliability }: WalkSale,
  spread: number,
  { above, below }: (typeof STRANGE)[number],
  power: number,
  { low, step, count }: Grid,
): Float64Array {
  const scale = spread / Math.sqrt(reliability);
  // Student's t of four degrees of freedom has the height 3/8 over its scale.
  const height = (0.375 * (1 - above - below)) / scale;
  const likelihood = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const off = logPrice - (low + at * step);
    const square = 1 + (off / scale) ** 2 / FREEDOM;
    const strange = (off > 0 ? above : below) * Math.exp(-Math.abs(off) / STRANGE_SIZE);
    const whole = height / (square * square * Math.sqrt(square)) + strange / STRANGE_SIZE;
    likelihood[at] = power === 1 ? whole : whole ** power;
  }
  return likelihood;
}

/** The log price that a share of the density lies below. */
function quantile(density: Float64Array, share: number, { low, step }: Grid): number {
  const total = density.reduce((sum, value) => sum + value, 0);
  let below = 0;
  for (let at = 0; at < density.length; at++) {
    const next = below + density[at] / total;
    if (next >= share) return low + step * (at - 0.5 + (share - below) / (next - below));
    below = next;
  }
  return low + step * (density.length - 0.5);
}
