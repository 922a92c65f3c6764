import { DAY_MS, type GradedSale } from './graded-sale.js';
import { median } from './weighted-median.js';

/** Windows that a trend is read from, days: the first with enough sales. */
const TREND_DAYS = [90, 180, 365] as const;
const TREND_SALES_MIN = 8;
/** The newest so many: every pair of them is looked at. */
const TREND_SALES_MAX = 120;
/** From the first of them to the last there are so many days at least. */
const TREND_SPAN_DAYS_MIN = 30;
const TREND_MONTH_DAYS = 30;
/** Where a slope of few days becomes absurd over a month. */
const TREND_PERCENT_MAX = 9_999;
const NORMAL_QUANTILE_975 = 1.959963984540054;

/** How the price has moved, as a straight line through the sales sees it. */
export interface Trend {
  /** Change of the price in 30 days, percent. */
  readonly percentPer30Days: number;
  /** 95 % interval of that, by Kendall's tau. */
  readonly ci95: readonly [number, number];
  /** Days that it is read from, and how many sales of them. */
  readonly days: number;
  readonly n: number;
}

/** How often the card sells in this grade. Counts are of sales, times of days. */
export interface Liquidity {
  readonly salesLast30Days: number;
  readonly salesLast90Days: number;
  readonly salesLast365Days: number;
  /** Days from the newest sale to the moment asked for; null without sales. */
  readonly daysSinceLastSale: number | null;
  /** Median of the days between one sale and the next within the year; null for fewer than two sales. */
  readonly medianDaysBetweenSales: number | null;
}

/**
 * The slope of log prices over time by the median of the slopes of all pairs, which no few wrong sales move (H. Theil, 1950), with
 * the interval of P. K. Sen (Journal of the American Statistical Association 63, 1968). It says what was, and foretells nothing:
 * prices walk.
 *
 * @param sales within a year, in any order
 * @returns null for fewer than eight sales, or all within 30 days
 */
export function trendOf(sales: readonly GradedSale[], asOfMs: number): Trend | null {
  for (const days of TREND_DAYS) {
    const inside = sales
      .filter(({ soldAtMs }) => asOfMs - soldAtMs <= days * DAY_MS)
      .sort((a, b) => b.soldAtMs - a.soldAtMs || a.priceUsd - b.priceUsd)
      .slice(0, TREND_SALES_MAX);
    const n = inside.length;
    if (n < TREND_SALES_MIN) continue;
    if (inside[0].soldAtMs - inside[n - 1].soldAtMs < TREND_SPAN_DAYS_MIN * DAY_MS) continue;
    const slopes = pairSlopes(inside);
    const reach = NORMAL_QUANTILE_975 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
    const at = (rank: number) => slopes[Math.min(slopes.length - 1, Math.max(0, rank))];
    return {
      percentPer30Days: percent(median(slopes)),
      ci95: [
        percent(at(Math.floor((slopes.length - reach) / 2))),
        percent(at(Math.ceil((slopes.length + reach) / 2))),
      ],
      ...{ days, n },
    };
  }
  return null;
}

/** Slopes of log price by day of all pairs of sales that are a day apart at least, ascending. */
function pairSlopes(sales: readonly GradedSale[]): number[] {
  const slopes: number[] = [];
  const points = sales.map(({ soldAtMs, priceUsd }) => [soldAtMs / DAY_MS, Math.log(priceUsd)] as const);
  points.forEach(([day, log], i) => {
    for (const [other, otherLog] of points.slice(i + 1))
      if (day - other >= 1) slopes.push((log - otherLog) / (day - other));
  });
  return slopes.sort((a, b) => a - b);
}

/** Of a slope by day, over 30 of them, one decimal. */
function percent(slope: number): number {
  return tenths(Math.min(TREND_PERCENT_MAX, 100 * Math.expm1(slope * TREND_MONTH_DAYS)));
}

/** @param sales within a year, in any order */
export function liquidityOf(sales: readonly GradedSale[], asOfMs: number): Liquidity {
  const ages = sales.map(({ soldAtMs }) => (asOfMs - soldAtMs) / DAY_MS).sort((a, b) => a - b);
  const within = (days: number) => ages.filter(age => age <= days).length;
  const gaps = ages.slice(1).map((age, i) => age - ages[i]);
  return {
    salesLast30Days: within(30),
    salesLast90Days: within(90),
    salesLast365Days: within(365),
    daysSinceLastSale: ages.length === 0 ? null : tenths(ages[0]),
    medianDaysBetweenSales: gaps.length === 0 ? null : tenths(median(gaps)),
  };
}

const tenths = (value: number): number => Math.round(10 * value) / 10;
