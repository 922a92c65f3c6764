import type { CardValuation } from './card-valuation.js';
import { DAY_MS, refuseImpossibleSale, type GradedSale } from './graded-sale.js';
import { compareText } from './sale-window.js';
import { cents, valueCard, type ValuationOptions } from './value-card.js';
import { median } from './weighted-median.js';

/** Two sales make a pair within so many days of each other. */
export const PAIR_DAYS_MAX = 182;
/** Cards with pairs that a ratio needs: fewer say nothing about how it differs from card to card. */
export const RATIO_CARDS_MIN = 5;
/** Cards that are looked at. */
export const RATIO_CARDS_MAX = 1_000;
/** Sales of one card in one grade that make pairs. */
const PAIRED_SALES_MAX = 50;
/** Least spread from card to card, in log ratio: that few cards agree is chance. */
const SPREAD_MIN = 0.1;
const MAD_TO_SIGMA = 1.4826;
/** Variance of a large normal sample's median over that of its mean. */
const MEDIAN_VARIANCE = Math.PI / 2;
const NORMAL_QUANTILE_975 = 1.96;

/** A card that was sold in both grades of one company. */
export interface GradePeer {
  /** Its sales in the grade that is asked for. */
  readonly sales: readonly GradedSale[];
  /** Its sales in the grade that the ratio is from. */
  readonly fromSales: readonly GradedSale[];
}

/** What one grade sells for over what another does, of the same card in the same company's holder. */
export interface GradeRatio {
  readonly ratio: number;
  /** One standard deviation from card to card, in log ratio. */
  readonly spread: number;
  readonly pairs: number;
  readonly cards: number;
}

/**
 * The median over cards of what the same card sold for in one grade over another, from pairs of sales within six months of
 * each other. Each card counts once, however often it was sold.
 *
 * @param peers of one company and one pair of grades: a company's ratio says nothing about another's
 * @returns null where fewer than five cards have pairs
 */
export function gradeRatio(peers: readonly GradePeer[], { asOfMs }: ValuationOptions): GradeRatio | null {
  if (peers.length > RATIO_CARDS_MAX) {
    throw new RangeError(`${RATIO_CARDS_MAX} peers at most, got ${peers.length}`);
  }
  const ofCards = peers.map(peer => pairRatios(peer, asOfMs)).filter(({ length }) => length > 0);
  if (ofCards.length < RATIO_CARDS_MIN) return null;
  const medians = ofCards.map(median);
  const centre = median(medians);
  const spread = MAD_TO_SIGMA * median(medians.map(value => Math.abs(value - centre)));
  return {
    ratio: Math.exp(centre),
    spread: Math.max(SPREAD_MIN, spread),
    pairs: ofCards.reduce((sum, { length }) => sum + length, 0),
    cards: ofCards.length,
  };
}

/** Log ratios of all pairs of one card's sales that are near enough in time. */
function pairRatios({ sales, fromSales }: GradePeer, asOfMs: number): number[] {
  const from = newest(fromSales, asOfMs);
  return newest(sales, asOfMs).flatMap(sale =>
    from
      .filter(other => Math.abs(other.soldAtMs - sale.soldAtMs) <= PAIR_DAYS_MAX * DAY_MS)
      .map(other => Math.log(sale.priceUsd / other.priceUsd)),
  );
}

function newest(sales: readonly GradedSale[], asOfMs: number): GradedSale[] {
  sales.forEach(refuseImpossibleSale);
  return sales
    .filter(({ soldAtMs }) => soldAtMs <= asOfMs)
    .sort((a, b) => b.soldAtMs - a.soldAtMs || compareText(a.saleId, b.saleId))
    .slice(0, PAIRED_SALES_MAX);
}

/** A card in a grade with too few sales, by its sales in another grade. */
export interface RatioQuestion {
  readonly fromGrade: number;
  /** Of this card in `fromGrade`, of the same company. */
  readonly sales: readonly GradedSale[];
  readonly peers: readonly GradePeer[];
}

/**
 * The value of a card in a grade that it was hardly sold in: its median in another grade times the ratio between the grades.
 * Always of low confidence; the interval holds what the median, the ratio and this card's own ratio may differ by.
 *
 * @returns null where there are too few sales or pairs for it
 */
export function valueCardByRatio(
  { fromGrade, sales, peers }: RatioQuestion,
  options: ValuationOptions,
): CardValuation | null {
  const base = valueCard(sales, options);
  const between = gradeRatio(peers, options);
  if (between === null || base.medianUsd === null || base.ci95 === null) return null;
  const { ratio, spread, pairs, cards } = between;
  const medianUsd = base.medianUsd * ratio;
  const ofRatio = studentQuantile975(cards - 1) * spread * Math.sqrt(1 + MEDIAN_VARIANCE / cards);
  const below = Math.hypot(Math.log(base.medianUsd / base.ci95[0]), ofRatio);
  const above = Math.hypot(Math.log(base.ci95[1] / base.medianUsd), ofRatio);
  return {
    ...base,
    medianUsd: cents(medianUsd),
    ci95: [
      Math.floor(medianUsd * Math.exp(-below) * 100) / 100,
      Math.ceil(medianUsd * Math.exp(above) * 100) / 100,
    ],
    basis: 'ratio',
    confidence: 'low_confidence',
    method: {
      ...base.method,
      estimator: 'weighted-median-times-ratio',
      interval: 'ratio',
      intervalCoveragePercent: 95,
    },
    ratio: { fromGrade, fromMedianUsd: base.medianUsd, ratio, pairs, cards },
  };
}

/** The 97.5 % quantile of Student's t, within 0.3 % from three degrees of freedom on (Cornish–Fisher expansion). */
export function studentQuantile975(degrees: number): number {
  const z = NORMAL_QUANTILE_975;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3;
}
