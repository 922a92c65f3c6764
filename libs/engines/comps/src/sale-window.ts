import type { RejectionReason } from './card-valuation.js';
import { refuseImpossibleSale, type GradedSale } from './graded-sale.js';
import { rejectOutliers, type Rejection } from './outlier-rejection.js';

export const DAY_MS = 86_400_000;
/** Windows that are tried, narrowest first. */
export const WINDOWS_DAYS = [90, 180, 365] as const;
const WINDOW_DAYS_MAX = 365;
/** A window is wide enough with so many sales after rejection. */
export const ENOUGH_SALES = 6;
/** The newest so many are counted: more would not make the median better, but the answer longer. */
export const SALES_MAX = 250;

export interface SaleWindow {
  readonly windowDays: number;
  readonly kept: readonly GradedSale[];
  readonly rejection: Rejection | null;
  readonly rejected: ReadonlyMap<RejectionReason, number>;
}

/**
 * The sales of the narrowest window that has enough of them after rejection, newest first; of the widest where none has.
 * The order of the sales given does not matter.
 *
 * @throws RangeError for sales that cannot be
 */
export function chooseWindow(sales: readonly GradedSale[], asOfMs: number): SaleWindow {
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

  for (const windowDays of WINDOWS_DAYS) {
    const inside = counted.filter(({ soldAtMs }) => asOfMs - soldAtMs <= windowDays * DAY_MS);
    const rejection = inside.length === 0 ? null : rejectOutliers(inside.map(({ priceUsd }) => priceUsd));
    const kept = inside.filter((_, i) => rejection?.isKept[i]);
    if (kept.length < ENOUGH_SALES && windowDays !== WINDOW_DAYS_MAX) continue;
    const outliers = inside.filter((_, i) => !rejection?.isKept[i]);
    const high = outliers.filter(({ priceUsd }) => Math.log(priceUsd) > (rejection?.centre ?? 0)).length;
    reject('outlier_high', high);
    reject('outlier_low', outliers.length - high);
    return { windowDays, kept, rejection, rejected };
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
