import type { GradedSale } from '../graded-sale.js';
import { marketCard, type GradingCompanyName, type MarketCard, type MarketShape } from './market-cards.js';
import { marketSale, type LabelledSale, type MarketSale, type SaleConditions } from './market-sale.js';
import { SeededRandom } from './seeded-random.js';

export interface CardMarketOptions extends Partial<MarketShape>, Partial<SaleConditions> {
  readonly seed: number;
  readonly cards: number;
  /** End of the market, milliseconds since the epoch: no sale is later. */
  readonly asOfMs: number;
  /** Share of sales that their venue reports twice. */
  readonly duplicates?: number;
}

/** What a card in a grade truly sells for at the market's end. */
export interface ListingTruth {
  readonly cardIndex: number;
  readonly card: MarketCard['card'];
  readonly company: GradingCompanyName;
  readonly grade: number;
  readonly trueMedianUsd: number;
  readonly sigma: number;
  readonly driftAYear: number;
}

const CARDS_MAX = 1_000_000;
const SALES_PER_CARD_MAX = 500;
const DAYS_MAX = 3_650;
const DEFAULTS = {
  salesPerCard: 20,
  driftDeviation: 0.2,
  sigmaMin: 0.15,
  sigmaMax: 0.25,
  days: 365,
  contamination: 0.075,
  duplicates: 0.01,
} as const;

/**
 * A made-up market of graded cards: fictional cards, log-normal prices that drift, and sales that are not what they seem
 * (shill bids, lots, wrong cards, offers whose price is hidden). The same for the same options on every machine; each card is
 * made on its own, so that a market of any size streams. Its prices are worth nothing but for trying and testing.
 *
 * @example
 * const market = new CardMarket({ seed: 1, cards: 300, asOfMs: Date.UTC(2026, 0, 1) });
 * for (const sale of market.sales()) await take(sale);
 */
export class CardMarket {
  readonly #options: Required<Omit<CardMarketOptions, 'faults'>> & Pick<SaleConditions, 'faults'>;

  /** @throws RangeError for a size beyond the bounds */
  constructor(options: CardMarketOptions) {
    this.#options = { ...DEFAULTS, ...options };
    const { cards, salesPerCard } = this.#options;
    if (!Number.isInteger(cards) || cards < 1 || cards > CARDS_MAX) {
      throw new RangeError(`cards: 1 to ${CARDS_MAX}, got ${cards}`);
    }
    const { contamination, duplicates, days } = this.#options;
    refuseOutside('salesPerCard', salesPerCard, Number.MIN_VALUE, SALES_PER_CARD_MAX);
    refuseOutside('contamination', contamination, 0, 1);
    refuseOutside('duplicates', duplicates, 0, 1);
    refuseOutside('days', days, 1, DAYS_MAX);
  }

  /** Card by card, a card's sales in no order. */
  *sales(): Generator<MarketSale> {
    for (const { sale } of this.labelledSales()) yield sale;
  }

  /** Every sale with what is wrong with it. */
  *labelledSales(): Generator<LabelledSale> {
    for (const card of this.cards()) yield* this.salesOf(card);
  }

  *cards(): Generator<MarketCard> {
    for (let index = 0; index < this.#options.cards; index++) {
      yield marketCard(index, new SeededRandom(this.#options.seed, index, 1), this.#options);
    }
  }

  *truth(): Generator<ListingTruth> {
    for (const { index: cardIndex, card, listings } of this.cards()) {
      for (const { salesMean: _, ...listing } of listings) yield { cardIndex, card, ...listing };
    }
  }

  *salesOf(card: MarketCard): Generator<LabelledSale> {
    const random = new SeededRandom(this.#options.seed, card.index, 2);
    for (const listing of card.listings) {
      for (let left = random.poisson(listing.salesMean); left > 0; left--) {
        const labelled = marketSale(random, card, listing, this.#options);
        yield labelled;
        if (random.chance(this.#options.duplicates)) yield { sale: labelled.sale, fault: 'duplicate' };
      }
    }
  }
}

function refuseOutside(name: string, value: number, min: number, max: number): void {
  if (!(value >= min && value <= max)) throw new RangeError(`${name}: ${min} to ${max}, got ${value}`);
}

/** A market's sale as the engine takes it. */
export function gradedSaleOf(sale: MarketSale): GradedSale {
  return {
    saleId: `${sale.venue}/${sale.itemId}`,
    priceUsd: (Math.round(Number(sale.price) * 100) + Math.round(Number(sale.fees) * 100)) / 100,
    soldAtMs: Date.parse(sale.soldAt),
    venue: sale.venue,
    saleType: sale.saleType,
    verified: sale.verified,
  };
}
