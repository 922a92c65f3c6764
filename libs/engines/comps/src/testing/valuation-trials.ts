import type { CardValuation } from '../card-valuation.js';
import { valueCardByRatio } from '../grade-ratio.js';
import type { GradedSale } from '../graded-sale.js';
import { CardMarket, gradedSaleOf, type CardMarketOptions } from '../market/card-market.js';
import type { MarketListing } from '../market/market-cards.js';
import { SeededRandom } from '../market/seeded-random.js';
import { DAY_MS } from '../graded-sale.js';
import { pointOf, valueCard } from '../value-card.js';
import { FOREIGN_AS_OF_MS, foreignMarket, type ForeignMarketOptions } from './foreign-market.js';
import { median } from '../weighted-median.js';

export { FOREIGN_AS_OF_MS, foreignMarket, type ForeignMarketOptions };

const AS_OF_MS = Date.UTC(2026, 0, 1);

/** One card in one grade of a made-up market: what it truly sells for, and its sales. */
export interface ListingTrial {
  readonly listing: MarketListing;
  readonly sales: readonly GradedSale[];
}

/** Every card in every grade of a made-up market. */
export function* listingTrials(options: Omit<CardMarketOptions, 'asOfMs'>): Generator<ListingTrial> {
  const market = new CardMarket({ ...options, asOfMs: AS_OF_MS });
  for (const card of market.cards()) {
    const sales = [...market.salesOf(card)].map(({ sale }) => sale);
    for (const listing of card.listings) {
      const own = sales.filter(
        ({ company, grade }) => company === listing.company && grade === listing.grade,
      );
      yield { listing, sales: own.map(gradedSaleOf) };
    }
  }
}

/** How good valuations were, of which the truth is known. */
export interface Accuracy {
  readonly trials: number;
  /** Share of intervals that hold the true median, percent. */
  readonly coveragePercent: number;
  /** Median of |median ÷ truth − 1|, percent. */
  readonly errorPercent: number;
  /** Median of median ÷ truth − 1, percent: to which side it errs. */
  readonly biasPercent: number;
  /** Median of the interval's upper over its lower end, less 1, percent. */
  readonly widthPercent: number;
  /** Share of the truths below, and above the interval, percent. */
  readonly belowPercent: number;
  readonly abovePercent: number;
}

export interface Known {
  readonly valuation: Pick<CardValuation, 'medianUsd' | 'ci95' | 'n'>;
  readonly trueMedianUsd: number;
}

/** How good the valuations are that have a median; of the intervals those count that there are. */
export function accuracyOf(valuations: Iterable<Known>): Accuracy {
  const errors: number[] = [];
  const widths: number[] = [];
  let [below, above] = [0, 0];
  for (const { valuation, trueMedianUsd } of valuations) {
    const { medianUsd, ci95 } = valuation;
    if (medianUsd === null) continue;
    errors.push(100 * (medianUsd / trueMedianUsd - 1));
    if (ci95 === null) continue;
    if (trueMedianUsd < ci95[0]) below++;
    if (trueMedianUsd > ci95[1]) above++;
    widths.push(100 * (ci95[1] / ci95[0] - 1));
  }
  return {
    trials: errors.length,
    coveragePercent: 100 - (100 * (below + above)) / widths.length,
    errorPercent: median(errors.map(Math.abs)),
    biasPercent: median(errors),
    widthPercent: widths.length === 0 ? NaN : median(widths),
    belowPercent: (100 * below) / widths.length,
    abovePercent: (100 * above) / widths.length,
  };
}

/** Values every listing of a market that has three sales at least, until there are so many. */
export function marketValuations(
  trials: number,
  options: Omit<CardMarketOptions, 'asOfMs' | 'cards'>,
): Known[] {
  const known: Known[] = [];
  for (const { listing, sales } of listingTrials({ ...options, cards: trials })) {
    const valuation = valueCard(sales, { asOfMs: AS_OF_MS });
    if (valuation.medianUsd !== null) known.push({ valuation, trueMedianUsd: listing.trueMedianUsd });
    if (known.length === trials) break;
  }
  return known;
}

/** Values one market after the other of {@link foreignMarket}, which shares nothing with the engine. */
export function foreignValuations(
  count: number,
  { first = 0, ...options }: Omit<ForeignMarketOptions, 'index'> & { readonly first?: number },
  value = (sales: readonly GradedSale[]): Known['valuation'] =>
    valueCard(sales, { asOfMs: FOREIGN_AS_OF_MS }),
): Known[] {
  return Array.from({ length: count }, (_, i) => {
    const { sales, trueMedianUsd } = foreignMarket({ ...options, index: first + i });
    return { valuation: value(sales), trueMedianUsd };
  });
}

/** Values cards in PSA 10 by their sales in PSA 9, as if none had been sold in PSA 10, with other cards' sales as pairs. */
export function ratioValuations(cards: number, peersMax: number, seed: number): Known[] {
  const market = new CardMarket({ seed, cards, salesPerCard: 40, asOfMs: AS_OF_MS });
  const both = [...market.cards()].flatMap(card => {
    const wanted = card.listings.find(({ company, grade }) => company === 'PSA' && grade === 10);
    const sales = [...market.salesOf(card)]
      .map(({ sale }) => sale)
      .filter(({ company }) => company === 'PSA');
    const inGrade = (grade: number) => sales.filter(sale => sale.grade === grade).map(gradedSaleOf);
    const peer = { sales: inGrade(10), fromSales: inGrade(9) };
    return wanted && peer.fromSales.length > 0 ? [{ trueMedianUsd: wanted.trueMedianUsd, peer }] : [];
  });
  return both.flatMap(({ trueMedianUsd, peer }, i) => {
    const others = both.filter((_, j) => j !== i).map(other => other.peer);
    const peers = Array.from(
      { length: Math.min(peersMax, others.length) },
      (_, j) => others[(i + j) % others.length],
    );
    const question = { fromGrade: 9, sales: peer.fromSales, peers };
    const valuation = valueCardByRatio(question, { asOfMs: AS_OF_MS });
    return valuation ? [{ valuation, trueMedianUsd }] : [];
  });
}

/** What a faulty sale's price is multiplied by. */
export type Contaminant = 'shill' | 'lot' | 'wrong-card' | 'three-sigma';

export interface Contamination {
  readonly seed: number;
  readonly trials: number;
  /** Share of the sales, 0 … 1, all to one side. */
  readonly share: number;
  readonly contaminant: Contaminant;
}

const SIGMA = 0.2;
const SALES = 20;
const TRUE_MEDIAN_USD = 250;
const FACTORS: Record<Contaminant, (random: SeededRandom) => number> = {
  shill: random => random.between(1.3, 3),
  lot: random => random.integer(2, 5),
  'wrong-card': random => random.between(0.25, 0.7),
  // Near enough to hide, far enough to hurt.
  'three-sigma': () => Math.exp(3 * SIGMA),
};

/** The median alone: a hundred times as fast. */
export function medianAlone(sales: readonly GradedSale[]): Known['valuation'] {
  const { median: medianUsd, comps } = pointOf(sales, { asOfMs: AS_OF_MS });
  return { medianUsd, ci95: null, n: comps.length };
}

/** Twenty sales of 90 days, spread 0.2, of which a share is wrong to one side. */
export function contaminatedValuations(
  { seed, trials, share, contaminant }: Contamination,
  value = (sales: readonly GradedSale[]): Known['valuation'] => valueCard(sales, { asOfMs: AS_OF_MS }),
): Known[] {
  const random = new SeededRandom(seed);
  const wrong = Math.round(share * SALES);
  return Array.from({ length: trials }, () => {
    const sales = Array.from({ length: SALES }, (_, i): GradedSale => {
      const factor = i < wrong ? FACTORS[contaminant](random) : 1;
      const priceUsd = TRUE_MEDIAN_USD * factor * Math.exp(SIGMA * random.normal());
      return {
        saleId: String(i),
        priceUsd: Math.max(1, Math.round(priceUsd * 100)) / 100,
        soldAtMs: AS_OF_MS - Math.floor(random.between(0, 90 * DAY_MS)),
        venue: 'trial',
        saleType: 'auction',
        verified: true,
      };
    });
    return { valuation: value(sales), trueMedianUsd: TRUE_MEDIAN_USD };
  });
}

/** Predicts each sale of a market from the sales before it; the median of |prediction ÷ price − 1|, percent. */
export function backtest(options: Omit<CardMarketOptions, 'asOfMs'>): {
  sales: number;
  errorPercent: number;
} {
  const errors: number[] = [];
  for (const { sales } of listingTrials(options)) {
    const inOrder = [...sales].sort((a, b) => a.soldAtMs - b.soldAtMs);
    for (const [i, next] of inOrder.entries()) {
      const { median: foretold } = pointOf(inOrder.slice(0, i), { asOfMs: next.soldAtMs - 1 });
      if (foretold !== null) errors.push(Math.abs(100 * (foretold / next.priceUsd - 1)));
    }
  }
  return { sales: errors.length, errorPercent: median(errors) };
}
