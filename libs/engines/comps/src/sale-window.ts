import type { RejectionReason } from './card-valuation.js';
import { DAY_MS, refuseImpossibleSale, type GradedSale } from './graded-sale.js';
import { rejectOutliers, type Rejection } from './outlier-rejection.js';

/** Windows that are tried, narrowest first. */
export const WINDOWS_DAYS = [14, 30, 60, 90, 180, 365] as const;
const WINDOW_DAYS_MAX = 365;
/** A window is wide enough with so many sales after rejection. */
export const ENOUGH_SALES = 6;
/** Shorter windows than 90 days need more: with fewer, what a few weeks' price moves is less than what so few sales err. */
const SHORT_WINDOW_DAYS = 60;
const ENOUGH_SALES_OF_SHORT = 16;
/** The newest so many are counted: more would not make the median better, but the answer longer. */
export const SALES_MAX = 250;

export interface SaleWindow {
  readonly windowDays: number;
  readonly kept: readonly GradedSale[];
  readonly rejection: Rejection | null;
  readonly outliersHigh: number;
  readonly outliersLow: number;
}

/** Sales of the year up to a moment, each once, the newest first, and how many were left out for what. */
export interface YearOfSales {
  readonly counted: readonly GradedSale[];
  readonly rejected: ReadonlyMap<RejectionReason, number>;
}

/**
 * The newest sales of the year before a moment. The order of the sales given does not matter.
 *
 * @throws RangeError for sales that cannot be
 */
export function yearOfSales(sales: readonly GradedSale[], asOfMs: number): YearOfSales {
  const rejected = new Map<RejectionReason, number>();
  const reject = (reason: RejectionReason, count = 1) => {
    if (count > 0) rejected.set(reason, (rejected.get(reason) ?? 0) + count);
  };
  const newestFirst = distinct(sales, reject)
    .filter(sale => {
      const isLater = sale.soldAtMs > asOfMs;
      const isTooOld = asOfMs - sale.soldAtMs > WINDOW_DAYS_MAX * DAY_MS;
      if (isLater) reject('after_as_of');
      if (isTooOld) reject('too_old');
      return !isLater && !isTooOld;
    })
    .sort((a, b) => b.soldAtMs - a.soldAtMs || compareText(a.saleId, b.saleId));
  const counted = newestFirst.slice(0, SALES_MAX);
  reject('older_than_enough', newestFirst.length - counted.length);
  return { counted, rejected };
}

/**
 * The sales of the narrowest window that has enough of them after rejection of outliers; of the widest where none has.
 *
 * @param counted newest first
 */
export function chooseWindow(counted: readonly GradedSale[], asOfMs: number): SaleWindow {
  for (const windowDays of WINDOWS_DAYS) {
    const inside = counted.filter(({ soldAtMs }) => asOfMs - soldAtMs <= windowDays * DAY_MS);
    const rejection = inside.length === 0 ? null : rejectOutliers(inside.map(({ priceUsd }) => priceUsd));
    const kept = inside.filter((_, i) => rejection?.isKept[i]);
    const enough = windowDays <= SHORT_WINDOW_DAYS ? ENOUGH_SALES_OF_SHORT : ENOUGH_SALES;
    if (kept.length < enough && windowDays !== WINDOW_DAYS_MAX) continue;
    const outliers = inside.filter((_, i) => !rejection?.isKept[i]);
    const high = outliers.filter(({ priceUsd }) => Math.log(priceUsd) > (rejection?.centre ?? 0)).length;
    return { windowDays, kept, rejection, outliersHigh: high, outliersLow: outliers.length - high };
  }
  throw new RangeError('the widest window is always chosen');
}

/**
 * One of each sale: by its id, and by venue, moment and price, since venues list one sale under two ids. Of a sale that only
 * its day is known of, midnight, another at the same price may well be another sale.
 */
function distinct(sales: readonly GradedSale[], reject: (reason: RejectionReason) => void): GradedSale[] {
  const seen = new Set<string>();
  // By id, so that which of two is kept does not depend on the order that they come in.
  return [...sales]
    .sort((a, b) => compareText(a.saleId, b.saleId) || a.soldAtMs - b.soldAtMs || a.priceUsd - b.priceUsd)
    .filter(sale => {
      refuseImpossibleSale(sale);
      const { saleId, venue, soldAtMs, priceUsd } = sale;
      const keys = [`id ${saleId}`];
      if (soldAtMs % DAY_MS !== 0) keys.push(`at ${soldAtMs} ${priceUsd} ${venue}`);
      const isKnown = keys.some(key => seen.has(key));
      keys.forEach(key => seen.add(key));
      if (isKnown) reject('duplicate');
      return !isKnown;
    });
}

/** By code units: the same on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
