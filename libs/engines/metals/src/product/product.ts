import type { AlloyId } from '../material/conductivity.js';
import type { PreciousMetal } from '../material/material.js';
import type { DiscModeName } from '../plate/free-disc.js';

/** A coin that is known by name. */
export interface Product {
  /** Slug, `krugerrand`. */
  readonly productId: string;
  readonly name: string;
  readonly metal: PreciousMetal;
  /** Parts of one. */
  readonly fineness: number;
  /** What gold is alloyed with; where it is not told, the density holds either. */
  readonly alloy?: AlloyId;
  /** As it leaves the mint, grams. */
  readonly massG: number;
  readonly diameterMm: number;
  /** At the rim; null where the mint does not publish it. */
  readonly thicknessMm: number | null;
  /** How far a genuine piece may weigh off; 0.5 where nothing else is said. */
  readonly massTolerancePercent?: number;
  /** Where mass and measures come from. */
  readonly source: string;
  /** Of genuine pieces, as somebody has measured them: a mode's line, or both of its lines, hertz. */
  readonly measuredModesHz?: Partial<Record<DiscModeName, readonly number[]>>;
  /** Where those come from. */
  readonly modesSource?: string;
  /** Other strikes under the same name: a piece that weighs as one of them has been named wrongly, which is no fake yet. */
  readonly otherEditions?: readonly string[];
}

const COIN_TESTER = 'reference table of an open-source coin tester; pieces and instruments not stated';
const MINT = 'specification published by the mint';
const OUNCE_G = 31.1034768;

type Modes = readonly [
  two: readonly number[],
  circle: readonly number[],
  three: readonly number[],
  four: readonly number[],
];
const table = (modes: Modes): Pick<Product, 'measuredModesHz' | 'modesSource'> => ({
  measuredModesHz: { '(2,0)': modes[0], '(0,1)': modes[1], '(3,0)': modes[2], '(4,0)': modes[3] },
  modesSource: COIN_TESTER,
});

type Measures = readonly [fineness: number, massG: number, diameterMm: number, thicknessMm: number | null];
function coin(
  productId: string,
  name: string,
  metal: PreciousMetal,
  [fineness, massG, diameterMm, thicknessMm]: Measures,
  more: Partial<Product> = {},
): Product {
  return { productId, name, metal, fineness, massG, diameterMm, thicknessMm, source: MINT, ...more };
}

const SILVER: readonly Product[] = [
  coin('american-silver-eagle', 'American Silver Eagle 1 oz', 'silver', [0.999, 31.103, 40.6, 2.98], {
    ...table([[3753], [6451], [8653], [15180]]),
    source: 'United States Mint',
  }),
  coin('silver-maple-leaf', 'Silver Maple Leaf 1 oz', 'silver', [0.9999, 31.11, 38, 3.29], {
    ...table([[4238], [7881], [10674], [18950]]),
    source: 'Royal Canadian Mint',
  }),
  coin('silver-panda', 'Silver Panda 30 g (from 2016)', 'silver', [0.999, 30, 40, null], {
    ...table([[3310, 3398], [6393], [8582], [15642]]),
    source: 'China Gold Coin; the 30 g of 2016: Wikipedia, Chinese Silver Panda',
    modesSource: `${COIN_TESTER}; whether of 30 g or of one ounce is not stated`,
    otherEditions: ['silver-panda-ounce'],
  }),
  coin('silver-panda-ounce', 'Silver Panda 1 oz (1989 to 2015)', 'silver', [0.999, 31.1035, 40, 2.98], {
    ...table([[3310, 3398], [6393], [8582], [15642]]),
    source: 'dealers’ specifications: 1 oz, 40 mm, 2.98 mm',
    modesSource: `${COIN_TESTER}; whether of 30 g or of one ounce is not stated`,
    otherEditions: ['silver-panda'],
  }),
  coin('silver-philharmonic', 'Vienna Philharmonic 1 oz silver', 'silver', [0.999, 31.103, 37, 3.2]),
  coin('silver-britannia', 'Silver Britannia 1 oz (from 2013)', 'silver', [0.999, 31.21, 38.61, 3]),
  coin('silver-kangaroo', 'Silver Kangaroo 1 oz', 'silver', [0.9999, 31.107, 40.6, null]),
  coin('silver-krugerrand', 'Silver Krugerrand 1 oz', 'silver', [0.999, OUNCE_G, 38.725, 2.84]),
  coin('silver-libertad', 'Mexican Libertad 1 oz silver (from 1996)', 'silver', [0.999, 31.1, 40, null]),
  coin('morgan-dollar', 'Morgan dollar', 'silver', [0.9, 26.73, 38.1, 2.4], {
    massTolerancePercent: 1.5,
    source: 'United States Mint, coinage act of 1873; worn pieces weigh less',
  }),
  coin('fat-man-dollar', 'Yuan Shih-kai dollar (Fat Man)', 'silver', [0.89, 26.4, 39, null], {
    massTolerancePercent: 1.5,
    source: '26.4 g, .890: osnumisma.fi, tests of authenticity; 39 mm: dealers’ specifications',
    measuredModesHz: { '(2,0)': [3969] },
    modesSource: 'osnumisma.fi, tests of authenticity: 3919, 3983 and 4005 Hz of three genuine pieces',
  }),
];

const GOLD: readonly Product[] = [
  coin('krugerrand', 'Krugerrand 1 oz', 'gold', [0.9167, 33.93, 32.77, 2.84], {
    ...table([[4376, 4436], [8652], [10609, 10713], [18483, 18582]]),
    alloy: 'copper',
    source: 'South African Mint',
  }),
  coin('gold-maple-leaf', 'Gold Maple Leaf 1 oz', 'gold', [0.9999, 31.11, 30, 2.87], {
    ...table([[4579, 4965], [8355], [10846, 11001], [18665, 18852]]),
    source: 'Royal Canadian Mint',
  }),
  coin('gold-britannia', 'Gold Britannia 1 oz, 22 carat (to 2012)', 'gold', [0.9167, 34.05, 32.69, null], {
    ...table([[4387], [8442], [10728], [18801]]),
    source: 'Royal Mint; 34.05 g and 32.69 mm until 2012: dealers’ specifications',
    modesSource: `${COIN_TESTER}; that they are of the 22 carat edition follows from the physics: fine gold would ring 25 % lower`,
    otherEditions: ['gold-britannia-fine', 'gold-britannia-2013'],
  }),
  coin(
    'gold-britannia-fine',
    'Gold Britannia 1 oz, .9999 (from 2014)',
    'gold',
    [0.9999, 31.104, 32.69, null],
    {
      otherEditions: ['gold-britannia', 'gold-britannia-2013'],
    },
  ),
  coin('gold-britannia-2013', 'Gold Britannia 1 oz, .9999 (2013)', 'gold', [0.9999, 31.104, 38.61, 1.6], {
    source: 'dealers’ specifications: 38.61 mm, 1.58 to 1.65 mm',
    otherEditions: ['gold-britannia', 'gold-britannia-fine'],
  }),
  coin('gold-kangaroo', 'Gold Kangaroo 1 oz', 'gold', [0.9999, 31.107, 32.6, null], {
    ...table([[3019], [6130], [8074], [14607]]),
    source: 'Perth Mint; 32.1 mm before 2018',
  }),
  coin('american-gold-eagle', 'American Gold Eagle 1 oz', 'gold', [0.9167, 33.931, 32.7, 2.87], {
    alloy: 'silver-copper',
    source: 'United States Mint: 91.67 % gold, 3 % silver, 5.33 % copper',
  }),
  coin('american-gold-buffalo', 'American Gold Buffalo 1 oz', 'gold', [0.9999, 31.108, 32.7, 2.95], {
    source: 'United States Mint',
  }),
  coin('gold-philharmonic', 'Vienna Philharmonic 1 oz gold', 'gold', [0.9999, 31.103, 37, 2]),
  coin('gold-panda', 'Gold Panda 30 g (from 2016)', 'gold', [0.999, 30, 32, 2.7]),
  coin('sovereign', 'Sovereign', 'gold', [0.9167, 7.988, 22.05, 1.52], {
    alloy: 'copper',
    source: 'Royal Mint',
  }),
];

const OTHERS: readonly Product[] = [
  coin('american-platinum-eagle', 'American Platinum Eagle 1 oz', 'platinum', [0.9995, 31.12, 32.7, 2.39], {
    source: 'United States Mint',
  }),
  coin('platinum-maple-leaf', 'Platinum Maple Leaf 1 oz', 'platinum', [0.9995, 31.11, 30, 2.52], {
    source: 'Royal Canadian Mint',
  }),
  coin('palladium-maple-leaf', 'Palladium Maple Leaf 1 oz', 'palladium', [0.9995, 31.11, 34, null], {
    source: 'Royal Canadian Mint',
  }),
];

/** Every coin that is known by name, by its slug. */
export const PRODUCTS: ReadonlyMap<string, Product> = new Map(
  [...SILVER, ...GOLD, ...OTHERS].map(product => [product.productId, product]),
);

/** At most so many slugs are named to who has misspelled one. */
const NEAR_SLUGS_MAX = 3;

/** Slugs that are like one that is not known, the likest first. */
export function nearSlugs(wanted: string, known: Iterable<string> = PRODUCTS.keys()): string[] {
  const pairs = pairsOf(wanted);
  const likeness = (slug: string) => {
    const others = pairsOf(slug);
    let shared = 0;
    for (const pair of pairs) if (others.has(pair)) shared++;
    return (2 * shared) / (pairs.size + others.size);
  };
  return [...known]
    .map(slug => ({ slug, like: likeness(slug) }))
    .filter(({ like }) => like > 0.3)
    .sort((a, b) => b.like - a.like || (a.slug < b.slug ? -1 : 1))
    .slice(0, NEAR_SLUGS_MAX)
    .map(({ slug }) => slug);
}

const pairsOf = (slug: string) =>
  new Set(Array.from({ length: slug.length + 1 }, (_, i) => ` ${slug} `.slice(i, i + 2)));
