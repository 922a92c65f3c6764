import type { GradedSale } from '../graded-sale.js';
import type { GradingCompanyName, MarketCard, MarketCardDescription, MarketListing } from './market-cards.js';
import type { SeededRandom } from './seeded-random.js';

/** A sale as a venue would report it: a row of an import. */
export interface MarketSale {
  readonly itemId: string;
  readonly venue: string;
  readonly card: MarketCardDescription;
  readonly company: GradingCompanyName;
  readonly grade: number;
  /** Hammer price, decimal text. */
  readonly price: string;
  /** Buyer's premium and shipping, decimal text. */
  readonly fees: string;
  readonly currency: 'USD';
  /** ISO 8601, UTC. */
  readonly soldAt: string;
  readonly saleType: GradedSale['saleType'];
  readonly verified: boolean;
  /** Nobody ever made it. */
  readonly synthetic: true;
}

/** What is wrong with a sale, if anything: the truth that no venue tells. */
export type SaleFault = 'none' | 'shill' | 'lot' | 'wrong_card' | 'hidden_offer' | 'duplicate';

export interface LabelledSale {
  readonly sale: MarketSale;
  readonly fault: SaleFault;
}

interface Venue {
  readonly name: string;
  readonly saleType: 'auction' | 'fixed';
  /** Buyer's premium over the hammer price. */
  readonly premium: number;
  /** Share of its sales that it vouches for. */
  readonly verifiedShare: number;
}

const VENUES: readonly Venue[] = [
  { name: 'Harbor Auctions', saleType: 'auction', premium: 0.2, verifiedShare: 1 },
  { name: 'Openbid', saleType: 'auction', premium: 0, verifiedShare: 0.6 },
  { name: 'Cardstall', saleType: 'fixed', premium: 0, verifiedShare: 0.8 },
];
const DAY_MS = 86_400_000;
const YEAR_DAYS = 365.25;
/** Shares of the faults among faulty sales. */
const FAULTS: readonly [SaleFault, number][] = [
  ['shill', 0.3],
  ['lot', 0.15],
  ['wrong_card', 0.25],
  ['hidden_offer', 0.3],
];

export interface SaleConditions {
  /** End of the market, milliseconds since the epoch. */
  readonly asOfMs: number;
  readonly days: number;
  /** Share of sales that are not what they seem, 0 … 1. */
  readonly contamination: number;
  readonly faults?: readonly SaleFault[];
}

/** One sale of a listing, right or faulty. */
export function marketSale(
  random: SeededRandom,
  { index, card }: MarketCard,
  listing: MarketListing,
  { asOfMs, days, contamination, faults }: SaleConditions,
): LabelledSale {
  const venue = random.pick(VENUES);
  const ageDays = random.between(0, days);
  const fault = random.chance(contamination) ? pickFault(random, faults) : 'none';
  const log = -listing.driftAYear * (ageDays / YEAR_DAYS) + listing.sigma * random.normal();
  const total = Math.max(1, listing.trueMedianUsd * Math.exp(log + faultShift(random, fault)));
  const totalCents = Math.round(total * 100);
  const priceCents = Math.round(totalCents / (1 + venue.premium));
  const itemId = `${index}-${listing.company}${listing.grade}-${random.integer(0, 0xffffffff).toString(36)}`;
  const isOffer = fault === 'hidden_offer' || (venue.saleType === 'fixed' && random.chance(0.2));
  return {
    fault,
    sale: {
      itemId,
      venue: isOffer ? 'Cardstall' : venue.name,
      card,
      company: listing.company,
      grade: listing.grade,
      price: decimal(priceCents),
      fees: decimal(totalCents - priceCents),
      currency: 'USD',
      soldAt: new Date(Math.floor((asOfMs - ageDays * DAY_MS) / 1_000) * 1_000).toISOString(),
      saleType: isOffer ? 'best_offer' : venue.saleType,
      verified: fault !== 'shill' && random.chance(venue.verifiedShare),
      synthetic: true,
    },
  };
}

function pickFault(random: SeededRandom, allowed?: readonly SaleFault[]): SaleFault {
  const faults = FAULTS.filter(([fault]) => allowed === undefined || allowed.includes(fault));
  const shares = faults.reduce((sum, [, share]) => sum + share, 0);
  let at = random.uniform() * shares;
  return (faults.find(([, share]) => (at -= share) < 0) ?? faults[0])[0];
}

/** What a fault does to the log price. */
function faultShift(random: SeededRandom, fault: SaleFault): number {
  switch (fault) {
    case 'shill':
      return Math.log(random.between(1.3, 3));
    case 'lot':
      return Math.log(random.integer(2, 5)) + 0.2 * random.normal();
    case 'wrong_card':
      return Math.log(random.between(0.25, 0.7));
    case 'hidden_offer':
      return Math.log(random.between(1.05, 1.4));
    default:
      return 0;
  }
}

function decimal(amountCents: number): string {
  return `${Math.floor(amountCents / 100)}.${String(amountCents % 100).padStart(2, '0')}`;
}
