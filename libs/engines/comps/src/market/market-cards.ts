import type { SeededRandom } from './seeded-random.js';

/** A card as its catalogue describes it. */
export interface MarketCardDescription {
  readonly year: number;
  readonly set: string;
  readonly number: string;
  readonly player: string;
  readonly sport: string;
  readonly parallel?: string;
}

export type GradingCompanyName = 'PSA' | 'BGS' | 'SGC' | 'CGC';

/** A card in one company's grade, and what it truly sells for. */
export interface MarketListing {
  readonly company: GradingCompanyName;
  readonly grade: number;
  /** True median price at the market's end, fees included. */
  readonly trueMedianUsd: number;
  /** Standard deviation of a sale's log price. */
  readonly sigma: number;
  /** Change of the log price in a year. */
  readonly driftAYear: number;
  /** Sales expected over the market's days. */
  readonly salesMean: number;
}

export interface MarketCard {
  readonly index: number;
  readonly card: MarketCardDescription;
  readonly listings: readonly MarketListing[];
}

export interface MarketShape {
  /** Sales expected of a card, over its grades and the market's days. */
  readonly salesPerCard: number;
  /** Standard deviation of a card's drift in a year, in log price. */
  readonly driftDeviation: number;
  readonly sigmaMin: number;
  readonly sigmaMax: number;
}

// Made up: no card, set or player of this market exists.
const GIVEN = [
  'Aldo',
  'Bram',
  'Cato',
  'Dario',
  'Emeric',
  'Fenn',
  'Galen',
  'Hollis',
  'Ivo',
  'Joss',
  'Kellan',
  'Lio',
];
const FAMILY_STARTS = [
  'Ash',
  'Brock',
  'Cald',
  'Dun',
  'Ever',
  'Fair',
  'Gar',
  'Hart',
  'Kings',
  'Lang',
  'Marl',
  'North',
];
const FAMILY_ENDS = [
  'bourne',
  'den',
  'field',
  'ford',
  'ham',
  'ley',
  'mere',
  'more',
  'ridge',
  'ton',
  'well',
  'wick',
];
const MAKERS = ['Meridian', 'Palisade', 'Quarry', 'Solstice', 'Tamarack', 'Umber'];
const LINES = ['Base', 'Chromatic', 'Heritage Issue', 'Update'];
const SPORTS = ['Baseball', 'Basketball', 'Football', 'Hockey'];
const PARALLELS = ['Silver Wave', 'Gold Lattice', 'Blue Ice'];

/** Median over PSA 9 by company and grade, in log price, and how often cards are sold so. */
const GRADES: readonly { company: GradingCompanyName; grade: number; premium: number; share: number }[] = [
  { company: 'PSA', grade: 10, premium: 1.1, share: 8 },
  { company: 'PSA', grade: 9, premium: 0, share: 6 },
  { company: 'PSA', grade: 8, premium: -0.45, share: 2 },
  { company: 'BGS', grade: 9.5, premium: 0.55, share: 2 },
  { company: 'BGS', grade: 9, premium: -0.1, share: 1 },
  { company: 'SGC', grade: 10, premium: 0.75, share: 2 },
  { company: 'SGC', grade: 9, premium: -0.15, share: 1 },
  { company: 'CGC', grade: 10, premium: 0.6, share: 1 },
];
const LISTINGS_MAX = 5;
/** How far a card's premium for a grade lies from the usual one, one standard deviation in log price. */
const PREMIUM_DEVIATION = 0.15;

/** A card of the market by its number in it: the same for the same random source. */
export function marketCard(index: number, random: SeededRandom, shape: MarketShape): MarketCard {
  const year = random.integer(1950, 2024);
  const maker = random.pick(MAKERS);
  const card = {
    year,
    set: `${maker} ${random.pick(LINES)}`,
    // Unique in the market, so that no two of its cards are one in a catalogue.
    number: String(index + 1),
    player: `${random.pick(GIVEN)} ${random.pick(FAMILY_STARTS)}${random.pick(FAMILY_ENDS)}`,
    sport: random.pick(SPORTS),
    ...(random.chance(0.25) ? { parallel: random.pick(PARALLELS) } : {}),
  };
  return { index, card, listings: listingsOf(random, shape) };
}

function listingsOf(random: SeededRandom, shape: MarketShape): MarketListing[] {
  // Tens to thousands of dollars, as cards that are worth grading are.
  const logBase = Math.log(60) + 1.1 * random.normal();
  const driftAYear = shape.driftDeviation * random.normal();
  const count = random.integer(1, LISTINGS_MAX);
  const chosen = new Map<(typeof GRADES)[number], number>();
  const tickets = GRADES.flatMap(grade => Array.from({ length: grade.share }, () => grade));
  while (chosen.size < count) {
    const grade = random.pick(tickets);
    chosen.set(grade, grade.share * random.between(0.3, 1.7));
  }
  const shares = [...chosen.values()].reduce((sum, share) => sum + share, 0);
  return [...chosen].map(([{ company, grade, premium }, share]) => ({
    company,
    grade,
    trueMedianUsd: Math.max(3, Math.exp(logBase + premium + PREMIUM_DEVIATION * random.normal())),
    sigma: random.between(shape.sigmaMin, shape.sigmaMax),
    driftAYear,
    salesMean: (shape.salesPerCard * share) / shares,
  }));
}
