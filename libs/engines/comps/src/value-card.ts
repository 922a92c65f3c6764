import type { CardValuation, Comp, RejectionReason, ValuationMethod } from './card-valuation.js';
import { DAY_MS, type GradedSale } from './graded-sale.js';
import { liquidityOf, trendOf } from './market-activity.js';
import { KEPT_MIN } from './outlier-rejection.js';
import { lastJump, type PriceJump } from './price-jump.js';
import { chooseWindow, ENOUGH_SALES, type SaleWindow, yearOfSales } from './sale-window.js';
import { walkingPrice } from './walking-price.js';
import { washRings, type WashRing } from './wash-rings.js';
import { weightedMedian } from './weighted-median.js';

/** Weights are whole parts of so many: half of their sum is exact. */
const WEIGHT_PARTS = 64;
/** A venue's "best offer accepted" often shows the price that was asked, not the one that was paid. */
const BEST_OFFER_WEIGHT = 0.5;
/** A sale that nobody vouches for may never have been paid. */
const UNVERIFIED_WEIGHT = 0.75;
const COVERAGE_PERCENT = 95;

export interface ValuationOptions {
  /** The moment that the price is asked for: later sales are left out. */
  readonly asOfMs: number;
}

/**
 * What a card in one company's grade sells for, from sales of this very card in this very grade: wash rings and what was sold
 * before the price last jumped are held out; the narrowest window with enough sales after rejection of outliers (16 in 14, 30 or
 * 60 days, 6 in 90, 180 or 365), their median weighted by age with a half-life of half the window, and a 95 % interval for the
 * price of the moment, of a price that walks.
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
export function valueCard(sales: readonly GradedSale[], options: ValuationOptions): CardValuation {
  const { window, comps, halfLifeDays, rings, jump, honest, nRejected, median } = pointOf(sales, options);
  const { asOfMs } = options;
  const known = {
    n: comps.length,
    nRejected,
    windowDays: window.windowDays,
    basis: 'comps',
    ratio: null,
    ...{ jump, washRings: rings, trend: trendOf(honest, asOfMs), liquidity: liquidityOf(honest, asOfMs) },
    ...{ comps, asOfMs },
    deviationLimit: window.rejection?.deviationLimit ?? null,
  } as const;
  if (median === null) {
    const method = {
      estimator: 'none',
      halfLifeDays,
      interval: 'none',
      ...{ intervalCoveragePercent: null, volatilityPercentAYear: null, spreadPercent: null },
    } as const;
    return { ...known, medianUsd: null, ci95: null, confidence: 'insufficient_comps', method };
  }
  const { ci95, method } = intervalOf(honest, median, asOfMs);
  const confidence = comps.length < ENOUGH_SALES ? 'low_confidence' : 'normal';
  return {
    ...known,
    ...{ medianUsd: cents(median), ci95, confidence },
    method: { estimator: 'weighted-median', halfLifeDays, ...method },
  };
}

/** The median of the sales that count, and how it came about. */
export interface Point {
  /** Null for fewer than three sales. */
  readonly median: number | null;
  readonly window: SaleWindow;
  readonly halfLifeDays: number;
  readonly comps: readonly Comp[];
  readonly rings: readonly WashRing[];
  readonly jump: PriceJump | null;
  /** Sales of the year that are in no ring, newest first. */
  readonly honest: readonly GradedSale[];
  readonly nRejected: { readonly reason: RejectionReason; readonly count: number }[];
}

/** The median without its interval, which takes a hundred times as long. @throws what {@link valueCard} does */
export function pointOf(sales: readonly GradedSale[], { asOfMs }: ValuationOptions): Point {
  const { counted, rejected } = yearOfSales(sales, asOfMs);
  const rings = washRings(counted);
  const inRing = new Set(rings.flatMap(({ saleIds }) => saleIds));
  const honest = counted.filter(({ saleId }) => !inRing.has(saleId));
  const jump = lastJump(honest);
  const sinceJump = honest.filter(({ soldAtMs }) => jump === null || soldAtMs >= jump.sinceMs);
  const window = chooseWindow(sinceJump, asOfMs);
  const halfLifeDays = window.windowDays / 2;
  const comps = compsOf(window, asOfMs, halfLifeDays);
  const nRejected = [
    ...[...rejected].map(([reason, count]) => ({ reason, count })),
    { reason: 'wash_ring' as const, count: inRing.size },
    { reason: 'before_jump' as const, count: honest.length - sinceJump.length },
    { reason: 'outlier_high' as const, count: window.outliersHigh },
    { reason: 'outlier_low' as const, count: window.outliersLow },
  ].filter(({ count }) => count > 0);
  const median =
    comps.length < KEPT_MIN
      ? null
      : weightedMedian(
          comps.map(({ priceUsd, weight }) => ({ value: priceUsd, weight: weight * WEIGHT_PARTS })),
        );
  return { median, window, halfLifeDays, comps, rings, jump, honest, nRejected };
}

function compsOf({ kept, rejection }: SaleWindow, asOfMs: number, halfLifeDays: number): Comp[] {
  return kept.map(sale => {
    const ageDays = (asOfMs - sale.soldAtMs) / DAY_MS;
    const parts = Math.max(
      1,
      Math.round(WEIGHT_PARTS * reliabilityOf(sale) * 2 ** (-ageDays / halfLifeDays)),
    );
    const deviation = Math.abs(Math.log(sale.priceUsd) - (rejection?.centre ?? 0));
    return { ...sale, weight: parts / WEIGHT_PARTS, deviation };
  });
}

const reliabilityOf = ({ saleType, verified }: GradedSale): number =>
  (saleType === 'best_offer' ? BEST_OFFER_WEIGHT : 1) * (verified ? 1 : UNVERIFIED_WEIGHT);

/** Outliers and what was sold before a jump say how the price moves: the walk weighs them itself. */
function intervalOf(
  honest: readonly GradedSale[],
  median: number,
  asOfMs: number,
): { ci95: [number, number]; method: Omit<ValuationMethod, 'estimator' | 'halfLifeDays'> } {
  const walk = walkingPrice(
    honest.map(sale => ({
      logPrice: Math.log(sale.priceUsd),
      atMs: sale.soldAtMs,
      reliability: reliabilityOf(sale),
    })),
    asOfMs,
  );
  return {
    // Outwards, so that no rounding takes from the interval what it holds; the median is always in it.
    ci95: [
      Math.floor(Math.min(median, Math.exp(walk.low)) * 100) / 100,
      Math.ceil(Math.max(median, Math.exp(walk.high)) * 100) / 100,
    ],
    method: {
      interval: 'state-space',
      intervalCoveragePercent: COVERAGE_PERCENT,
      volatilityPercentAYear: Math.round(100 * walk.volatilityAYear),
      spreadPercent: Math.round(1_000 * walk.spread) / 10,
    },
  };
}

/** Dollars in whole cents. */
export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}
