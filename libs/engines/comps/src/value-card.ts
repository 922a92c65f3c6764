import type { CardValuation, Comp, ValuationMethod } from './card-valuation.js';
import type { GradedSale } from './graded-sale.js';
import { KEPT_MIN } from './outlier-rejection.js';
import { chooseWindow, DAY_MS, ENOUGH_SALES, type SaleWindow } from './sale-window.js';
import { signTestInterval } from './sign-test-interval.js';
import { smallSampleInterval } from './small-sample-interval.js';
import { totalWeight, weightedMedian } from './weighted-median.js';

const COVERAGE = 0.95;
/** Weights are whole parts of so many, so that the distribution of their sums can be counted out. */
const WEIGHT_PARTS = 64;
/** A venue's "best offer accepted" often shows the price that was asked, not the one that was paid. */
const BEST_OFFER_WEIGHT = 0.5;
/** A sale that nobody vouches for may never have been paid. */
const UNVERIFIED_WEIGHT = 0.75;
/**
 * How far a card's price is assumed to move in a year, one standard deviation of its logarithm. Sales are on average some
 * weeks old; the interval allows for what the price has done since.
 */
export const DRIFT_A_YEAR = 0.2;
const YEAR_DAYS = 365.25;
const NORMAL_QUANTILE_975 = 1.96;

export interface ValuationOptions {
  /** The moment that the price is asked for: later sales are left out. */
  readonly asOfMs: number;
}

/**
 * What a card in one company's grade sells for, from sales of this very card in this very grade: the narrowest window of 90,
 * 180 or 365 days with six sales after rejection of outliers, their median weighted by age, and a 95 % interval.
 *
 * Three to five sales give an answer of low confidence, fewer none. Deterministic: neither the order of the sales nor
 * anything but them and `asOfMs` matters. See docs/adr/0034.
 *
 * @param sales of one card, company, grade and qualifier; those of more than a year before `asOfMs` are left out
 * @throws RangeError for prices and times that cannot be
 *
 * @example
 * valueCard(sales, { asOfMs: Date.UTC(2026, 5, 1) }).medianUsd;
 */
export function valueCard(sales: readonly GradedSale[], { asOfMs }: ValuationOptions): CardValuation {
  const window = chooseWindow(sales, asOfMs);
  const halfLifeDays = window.windowDays / 2;
  const comps = compsOf(window, asOfMs, halfLifeDays);
  const known = {
    n: comps.length,
    nRejected: [...window.rejected].map(([reason, count]) => ({ reason, count })),
    windowDays: window.windowDays,
    basis: 'comps',
    ratio: null,
    comps,
    asOfMs,
    deviationLimit: window.rejection?.deviationLimit ?? null,
  } as const;
  if (comps.length < KEPT_MIN) {
    const method = {
      estimator: 'none',
      halfLifeDays,
      interval: 'none',
      intervalCoveragePercent: null,
    } as const;
    return { ...known, medianUsd: null, ci95: null, confidence: 'insufficient_comps', method };
  }
  const { median, ci95, method } = estimate(comps, halfLifeDays, asOfMs);
  const confidence = comps.length < ENOUGH_SALES ? 'low_confidence' : 'normal';
  return { ...known, medianUsd: cents(median), ci95, confidence, method };
}

function compsOf({ kept, rejection }: SaleWindow, asOfMs: number, halfLifeDays: number): Comp[] {
  return kept.map(sale => {
    const ageDays = (asOfMs - sale.soldAtMs) / DAY_MS;
    const reliability =
      (sale.saleType === 'best_offer' ? BEST_OFFER_WEIGHT : 1) * (sale.verified ? 1 : UNVERIFIED_WEIGHT);
    const parts = Math.max(1, Math.round(WEIGHT_PARTS * reliability * 2 ** (-ageDays / halfLifeDays)));
    const deviation = Math.abs(Math.log(sale.priceUsd) - (rejection?.centre ?? 0));
    return { ...sale, weight: parts / WEIGHT_PARTS, deviation };
  });
}

interface Estimate {
  readonly median: number;
  readonly ci95: readonly [number, number];
  readonly method: ValuationMethod;
}

function estimate(comps: readonly Comp[], halfLifeDays: number, asOfMs: number): Estimate {
  const values = comps.map(({ priceUsd, weight }) => ({ value: priceUsd, weight: weight * WEIGHT_PARTS }));
  const median = weightedMedian(values);
  const exact = signTestInterval(values, COVERAGE);
  const { low, high, coverage } = exact ?? smallSampleInterval(values, median);
  const drift = driftAllowance(comps, asOfMs);
  return {
    median,
    ci95: [
      // Outwards, so that no rounding takes from the interval what it holds.
      Math.floor(median * Math.exp(-Math.hypot(Math.log(median / low), drift)) * 100) / 100,
      Math.ceil(median * Math.exp(Math.hypot(Math.log(high / median), drift)) * 100) / 100,
    ],
    method: {
      estimator: 'weighted-median',
      halfLifeDays,
      interval: exact ? 'order-statistics' : 'student-t',
      intervalCoveragePercent: Math.round(coverage * 10_000) / 100,
    },
  };
}

/** 1.96 standard deviations of what the price may have done since the sales, in log price. */
function driftAllowance(comps: readonly Comp[], asOfMs: number): number {
  const values = comps.map(({ soldAtMs, weight }) => ({ value: asOfMs - soldAtMs, weight }));
  const ageMs = values.reduce((sum, { value, weight }) => sum + value * weight, 0) / totalWeight(values);
  return (NORMAL_QUANTILE_975 * DRIFT_A_YEAR * ageMs) / DAY_MS / YEAR_DAYS;
}

/** Dollars in whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}
