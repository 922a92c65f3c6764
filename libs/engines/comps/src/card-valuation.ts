import type { GradedSale } from './graded-sale.js';
import type { Liquidity, Trend } from './market-activity.js';
import type { PriceJump } from './price-jump.js';
import type { WashRing } from './wash-rings.js';

/** A sale that counts. */
export interface Comp extends GradedSale {
  /** 0 … 1: by age, by type of sale, and whether the venue vouches for it. */
  readonly weight: number;
  /** Distance of its log price from the median's before rejection. */
  readonly deviation: number;
}

export type RejectionReason =
  /** The venue's sale, given twice. */
  | 'duplicate'
  | 'after_as_of'
  /** Older than the widest window. */
  | 'too_old'
  /** More sales than are counted: the newest are. */
  | 'older_than_enough'
  /** One of many at one price, in few days, that is not the others'. */
  | 'wash_ring'
  /** Older than the last jump of the price. */
  | 'before_jump'
  | 'outlier_high'
  | 'outlier_low';

export type Confidence = 'normal' | 'low_confidence' | 'insufficient_comps';

export interface ValuationMethod {
  readonly estimator: 'weighted-median' | 'weighted-median-times-ratio' | 'none';
  readonly halfLifeDays: number;
  readonly interval: 'state-space' | 'ratio' | 'none';
  /** Coverage that the interval has by its method, percent. */
  readonly intervalCoveragePercent: number | null;
  /** One standard deviation of what the price does in a year, as the sales show it, percent of log price. */
  readonly volatilityPercentAYear: number | null;
  /** Scale of a sale's price about its day's, as the sales show it, percent of log price. */
  readonly spreadPercent: number | null;
}

/** How another grade's median became this one's. */
export interface AppliedRatio {
  readonly fromGrade: number;
  /** The median in that grade. */
  readonly fromMedianUsd: number;
  /** Price in the wanted grade over the price in `fromGrade`. */
  readonly ratio: number;
  /** Pairs of sales of one card, within six months of each other. */
  readonly pairs: number;
  /** Cards that the pairs are of. */
  readonly cards: number;
}

/** What a card in a grade sells for. */
export interface CardValuation {
  /** In cents, as dollars; null for too few sales. */
  readonly medianUsd: number | null;
  readonly ci95: readonly [number, number] | null;
  /** Sales that count. */
  readonly n: number;
  readonly nRejected: readonly { readonly reason: RejectionReason; readonly count: number }[];
  readonly windowDays: number;
  readonly basis: 'comps' | 'ratio';
  readonly confidence: Confidence;
  readonly method: ValuationMethod;
  readonly ratio: AppliedRatio | null;
  /** Of a ratio: of the other grade, as the trend and what follows. */
  readonly jump: PriceJump | null;
  readonly washRings: readonly WashRing[];
  readonly trend: Trend | null;
  readonly liquidity: Liquidity;
  /** Newest first. Of a ratio: the sales in the other grade. */
  readonly comps: readonly Comp[];
  readonly asOfMs: number;
  /** Deviations of a log price beyond this are outliers, but for the nearest three; null without sales. */
  readonly deviationLimit: number | null;
}
