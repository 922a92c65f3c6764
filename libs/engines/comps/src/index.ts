export type {
  AppliedRatio,
  CardValuation,
  Comp,
  Confidence,
  RejectionReason,
  ValuationMethod,
} from './card-valuation.js';
export {
  gradeRatio,
  RATIO_CARDS_MAX,
  RATIO_CARDS_MIN,
  valueCardByRatio,
  type GradePeer,
  type GradeRatio,
  type RatioQuestion,
} from './grade-ratio.js';
export type { GradedSale } from './graded-sale.js';
export type { Liquidity, Trend } from './market-activity.js';
export type { PriceJump } from './price-jump.js';
export type { WashRing } from './wash-rings.js';
export { CardMarket, gradedSaleOf, type CardMarketOptions, type ListingTruth } from './market/card-market.js';
export type { MarketCard, MarketCardDescription, MarketListing } from './market/market-cards.js';
export type { LabelledSale, MarketSale, SaleFault } from './market/market-sale.js';
export { distributionSvg } from './picture/distribution-svg.js';
export { SALES_MAX, WINDOWS_DAYS } from './sale-window.js';
export { valueCard, type ValuationOptions } from './value-card.js';
export { VALUATION_RULESET_ID, valuationRules, type ValuationRule } from './valuation-rules.js';
