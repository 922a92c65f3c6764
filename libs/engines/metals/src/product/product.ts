import type { AlloyId, PreciousMetal } from '../material/conductivity.js';
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
/** Two publishers that agree on fineness, mass and diameter, and the day on which both were read. */
const bothOf = (one: string, other: string): string => `${one} and ${other}, read on 2026-11-26`;

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
  more: Pick<Product, 'source'> & Partial<Product>,
): Product {
  return { productId, name, metal, fineness, massG, diameterMm, thicknessMm, ...more };
}

const SILVER: readonly Product[] = [
  coin('american-silver-eagle', 'American Silver Eagle 1 oz', 'silver', [0.999, 31.103, 40.6, 2.98], {
    ...table([[3753], [6451], [8653], [15180]]),
    source: bothOf('silvereaglecoins.net', 'sbcgold.com'),
  }),
  coin('silver-maple-leaf', 'Silver Maple Leaf 1 oz', 'silver', [0.9999, 31.11, 38, 3.29], {
    ...table([[4238], [7881], [10674], [18950]]),
    source: `${bothOf('silberling.de', 'anlagemuenzen.eu')}; others give 3.15 mm`,
  }),
  coin('silver-panda', 'Silver Panda 30 g (from 2016)', 'silver', [0.999, 30, 40, null], {
    ...table([[3310, 3398], [6393], [8582], [15642]]),
    source: bothOf('en.wikipedia.org', 'buysilvercoins.eu'),
    modesSource: `${COIN_TESTER}; whether of 30 g or of one ounce is not stated`,
    otherEditions: ['silver-panda-ounce'],
  }),
  coin('silver-panda-ounce', 'Silver Panda 1 oz (1989 to 2015)', 'silver', [0.999, 31.1035, 40, 2.98], {
    ...table([[3310, 3398], [6393], [8582], [15642]]),
    source: bothOf('silverbullion.co.za', 'bullionsupermarket.com'),
    modesSource: `${COIN_TESTER}; whether of 30 g or of one ounce is not stated`,
    otherEditions: ['silver-panda'],
  }),
  coin('silver-philharmonic', 'Vienna Philharmonic 1 oz silver', 'silver', [0.999, 31.103, 37, 3.2], {
    source: `${bothOf('en.wikipedia.org', 'scheideanstalt.de')}; the latter with a fineness of .9999`,
  }),
  coin('silver-britannia', 'Silver Britannia 1 oz (from 2013)', 'silver', [0.999, 31.21, 38.61, 3], {
    source: bothOf('chards.co.uk', 'en.wikipedia.org (thickness)'),
  }),
  coin('silver-kangaroo', 'Silver Kangaroo 1 oz', 'silver', [0.9999, 31.107, 40.6, null], {
    source: bothOf('numismaticnews.net', 'en.wikipedia.org'),
  }),
  coin('silver-krugerrand', 'Silver Krugerrand 1 oz', 'silver', [0.999, 31.107, 38.725, null], {
    source: bothOf('thermofisher.cn, after the Reserve Bank', 'silverprices.com'),
  }),
  coin('silver-libertad', 'Mexican Libertad 1 oz silver (from 1996)', 'silver', [0.999, 31.1, 40, 3], {
    source: bothOf('en.coininvest.com', 'en.wikipedia.org'),
  }),
  coin('morgan-dollar', 'Morgan dollar', 'silver', [0.9, 26.73, 38.1, null], {
    massTolerancePercent: 1.5,
    source: `${bothOf('oaklandcoinandjewelry.com', 'buy-silver.goldprice.org')}; worn pieces weigh less; the published 2.4 mm is no rim`,
  }),
  coin('fat-man-dollar', 'Yuan Shih-kai dollar (Fat Man)', 'silver', [0.89, 26.4, 39, null], {
    massTolerancePercent: 2,
    source: `${bothOf('chinesecoins.com', 'osnumisma.fi')}; genuine pieces were weighed at 26.08 to 26.86 g`,
    measuredModesHz: { '(2,0)': [3969] },
    modesSource: 'osnumisma.fi, tests of authenticity: 3919, 3983 and 4005 Hz of three genuine pieces',
  }),
];

const GOLD: readonly Product[] = [
  coin('krugerrand', 'Krugerrand 1 oz', 'gold', [0.9167, 33.93, 32.77, 2.84], {
    ...table([[4376, 4436], [8652], [10609, 10713], [18483, 18582]]),
    alloy: 'copper',
    source: `${bothOf('kruegerrand.de', 'metaux-precieux.fr')}; the measures are upper limits`,
  }),
  coin('gold-maple-leaf', 'Gold Maple Leaf 1 oz', 'gold', [0.9999, 31.11, 30, 2.87], {
    ...table([[4579, 4965], [8355], [10846, 11001], [18665, 18852]]),
    source: bothOf('geldmarie.at', 'gold-coin.goldprice.org'),
  }),
  coin('gold-britannia', 'Gold Britannia 1 oz, 22 carat (to 2012)', 'gold', [0.9167, 34.05, 32.69, 2.79], {
    ...table([[4387], [8442], [10728], [18801]]),
    source: bothOf('gold-kaufen-dresden.com', 'chards.co.uk'),
    modesSource: `${COIN_TESTER}; that they are of the 22 carat edition follows from the physics: fine gold would ring 25 % lower`,
    otherEditions: ['gold-britannia-fine', 'gold-britannia-2013'],
  }),
  coin(
    'gold-britannia-fine',
    'Gold Britannia 1 oz, .9999 (from 2014)',
    'gold',
    [0.9999, 31.104, 32.69, null],
    {
      source: `${bothOf('electacollections.com', 'celticgold.eu')}; chards.co.uk gives 31.21 g`,
      otherEditions: ['gold-britannia', 'gold-britannia-2013'],
    },
  ),
  coin('gold-britannia-2013', 'Gold Britannia 1 oz, .9999 (2013)', 'gold', [0.9999, 31.104, 38.61, 1.6], {
    source: bothOf('firstcapitalgold.com', 'mjhughescoins.com'),
    otherEditions: ['gold-britannia', 'gold-britannia-fine'],
  }),
  coin('gold-kangaroo', 'Gold Kangaroo 1 oz', 'gold', [0.9999, 31.107, 32.6, null], {
    ...table([[3019], [6130], [8074], [14607]]),
    source: `${bothOf('australiagold.blogspot.com', 'numismaticnews.net')}; earlier lists give 32.1 mm, this may be the most`,
  }),
  coin('american-gold-eagle', 'American Gold Eagle 1 oz', 'gold', [0.9167, 33.931, 32.7, 2.87], {
    alloy: 'silver-copper',
    source: `${bothOf('goldinvesting.org', 'americaneaglegoldcoin.com')}; 91.67 % gold, 3 % silver, 5.33 % copper`,
  }),
  coin('american-gold-buffalo', 'American Gold Buffalo 1 oz', 'gold', [0.9999, 31.108, 32.7, 2.95], {
    source: bothOf('usmint.gov', 'sbcgold.com'),
  }),
  coin('gold-philharmonic', 'Vienna Philharmonic 1 oz gold', 'gold', [0.9999, 31.103, 37, 2], {
    source: bothOf('scheideanstalt.de', 'philoro.us'),
  }),
  coin('gold-panda', 'Gold Panda 30 g (from 2016)', 'gold', [0.999, 30, 32, 2.7], {
    source: bothOf('sbcgold.com', 'dillongage.com'),
  }),
  coin('sovereign', 'Sovereign', 'gold', [0.9167, 7.988, 22.05, 1.52], {
    alloy: 'copper',
    source: `${bothOf('rheinische-scheidestaette.de', 'chards.co.uk')}; rims of 1.0 to 1.7 mm are published`,
  }),
];

const OTHERS: readonly Product[] = [
  coin('american-platinum-eagle', 'American Platinum Eagle 1 oz', 'platinum', [0.9995, 31.12, 32.7, 2.39], {
    source: bothOf('en.wikipedia.org', 'avda.org'),
  }),
  coin('platinum-maple-leaf', 'Platinum Maple Leaf 1 oz', 'platinum', [0.9995, 31.11, 30, null], {
    source: bothOf('goldpreis.de', 'buyplatinumcoins.com'),
  }),
  coin('palladium-maple-leaf', 'Palladium Maple Leaf 1 oz', 'palladium', [0.9995, 31.11, 33.6, null], {
    source: `${bothOf('goldpreis.de', 'stonexbullion.com')}; others give 33 and 34 mm`,
  }),
];

/** Fractions, coins of circulation that are traded for their metal, and further ounces: the pieces that dealers list most. */
const FURTHER: readonly Product[] = [
  coin('krugerrand-half', 'Krugerrand 1/2 oz', 'gold', [0.9167, 16.965, 27.07, 2.215], {
    source: bothOf('vcalc.com', 'gold-coin.goldprice.org'),
    alloy: 'copper',
  }),
  coin('krugerrand-quarter', 'Krugerrand 1/4 oz', 'gold', [0.9167, 8.482, 22.06, 1.888], {
    source: bothOf('vcalc.com', 'gold-coin.goldprice.org'),
    alloy: 'copper',
  }),
  coin('krugerrand-tenth', 'Krugerrand 1/10 oz', 'gold', [0.9167, 3.393, 16.55, 1.35], {
    source: bothOf('vcalc.com', 'gold-coin.goldprice.org'),
    alloy: 'copper',
  }),
  coin('american-gold-eagle-half', 'American Gold Eagle 1/2 oz', 'gold', [0.9167, 16.966, 27, 2.24], {
    source: bothOf('de.coininvest.com', 'gold-coin.goldprice.org'),
    alloy: 'silver-copper',
  }),
  coin('american-gold-eagle-quarter', 'American Gold Eagle 1/4 oz', 'gold', [0.9167, 8.483, 22, 1.83], {
    source: bothOf('de.coininvest.com', 'gold-coin.goldprice.org'),
    alloy: 'silver-copper',
  }),
  coin('american-gold-eagle-tenth', 'American Gold Eagle 1/10 oz', 'gold', [0.9167, 3.393, 16.5, 1.19], {
    source: bothOf('de.coininvest.com', 'gold-coin.goldprice.org'),
    alloy: 'silver-copper',
  }),
  coin('gold-maple-leaf-half', 'Gold Maple Leaf 1/2 oz', 'gold', [0.9999, 15.552, 25, 2.23], {
    source: bothOf('scheideanstalt.de', 'philoro.ch'),
  }),
  coin('gold-maple-leaf-quarter', 'Gold Maple Leaf 1/4 oz', 'gold', [0.9999, 7.776, 20, 1.78], {
    source: bothOf('scheideanstalt.de', 'philoro.ch'),
  }),
  coin('gold-maple-leaf-tenth', 'Gold Maple Leaf 1/10 oz', 'gold', [0.9999, 3.11, 16, 1.13], {
    source: bothOf('scheideanstalt.de', 'philoro.ch'),
  }),
  coin('gold-philharmonic-half', 'Vienna Philharmonic 1/2 oz gold', 'gold', [0.9999, 15.552, 28, 1.6], {
    source: bothOf('celticgold.eu', 'philoro.us'),
  }),
  coin('gold-philharmonic-quarter', 'Vienna Philharmonic 1/4 oz gold', 'gold', [0.9999, 7.776, 22, 1.2], {
    source: bothOf('celticgold.eu', 'philoro.us'),
  }),
  coin('gold-philharmonic-tenth', 'Vienna Philharmonic 1/10 oz gold', 'gold', [0.9999, 3.11, 16, 1.2], {
    source: bothOf('celticgold.eu', 'philoro.us'),
  }),
  coin(
    'gold-britannia-fine-half',
    'Gold Britannia 1/2 oz, .9999 (from 2014)',
    'gold',
    [0.9999, 15.552, 27, null],
    { source: bothOf('electacollections.com', 'atkinsonsbullion.com') },
  ),
  coin(
    'gold-britannia-fine-quarter',
    'Gold Britannia 1/4 oz, .9999 (from 2014)',
    'gold',
    [0.9999, 7.776, 22, null],
    { source: bothOf('electacollections.com', 'atkinsonsbullion.com') },
  ),
  coin(
    'gold-britannia-fine-tenth',
    'Gold Britannia 1/10 oz, .9999 (from 2014)',
    'gold',
    [0.9999, 3.11, 16.5, null],
    { source: bothOf('electacollections.com', 'atkinsonsbullion.com') },
  ),
  coin('gold-kangaroo-half', 'Gold Kangaroo 1/2 oz', 'gold', [0.9999, 15.554, 25.6, null], {
    source: bothOf('scheideanstalt.de', 'australiagold.blogspot.com'),
  }),
  coin('gold-kangaroo-quarter', 'Gold Kangaroo 1/4 oz', 'gold', [0.9999, 7.777, 20.6, null], {
    source: bothOf('scheideanstalt.de', 'australiagold.blogspot.com'),
  }),
  coin('gold-kangaroo-tenth', 'Gold Kangaroo 1/10 oz', 'gold', [0.9999, 3.111, 16.6, null], {
    source: bothOf('scheideanstalt.de', 'australiagold.blogspot.com'),
  }),
  coin('gold-panda-15g', 'Gold Panda 15 g (from 2016)', 'gold', [0.999, 15, 27, null], {
    source: bothOf('dillongage.com', 'celticgold.de'),
  }),
  coin('gold-panda-8g', 'Gold Panda 8 g (from 2016)', 'gold', [0.999, 8, 22, null], {
    source: bothOf('dillongage.com', 'celticgold.de'),
  }),
  coin('gold-panda-3g', 'Gold Panda 3 g (from 2016)', 'gold', [0.999, 3, 18, null], {
    source: bothOf('dillongage.com', 'celticgold.de'),
  }),
  coin('gold-panda-1g', 'Gold Panda 1 g (from 2016)', 'gold', [0.999, 1, 10, null], {
    source: bothOf('celticgold.de', 'en.coininvest.com'),
  }),
  coin('half-sovereign', 'Half sovereign', 'gold', [0.9167, 3.99, 19.3, 0.99], {
    source: bothOf('mjhughescoins.com', 'lloydsjewellers.com'),
    alloy: 'copper',
    massTolerancePercent: 1,
  }),
  coin('double-sovereign', 'Double sovereign', 'gold', [0.9167, 15.976, 28.4, null], {
    source: bothOf('kids.kiddle.co', '1817.co.uk'),
    alloy: 'copper',
    massTolerancePercent: 1,
  }),
  coin('vreneli-20-francs', 'Vreneli, 20 Swiss francs', 'gold', [0.9, 6.4516, 21, 1.25], {
    source: bothOf('collections.quest', 'coinolds.com'),
    alloy: 'copper',
    massTolerancePercent: 1,
  }),
  coin('french-20-francs', '20 French francs (Napoleon, rooster)', 'gold', [0.9, 6.4516, 21, null], {
    source: bothOf('lingot-or.com', 'franco.wiki'),
    alloy: 'copper',
    massTolerancePercent: 1,
  }),
  coin('mexican-50-pesos', 'Mexican 50 pesos (Centenario)', 'gold', [0.9, 41.666, 37, 2.69], {
    source: bothOf('findbullionprices.com', 'crowngoldexchange.com'),
    alloy: 'copper',
  }),
  coin('austrian-100-corona', 'Austrian 100 corona', 'gold', [0.9, 33.875, 37, null], {
    source: bothOf('heubach-edelmetalle.de', 'goldcoinvest.com'),
    alloy: 'copper',
  }),
  coin('austrian-4-ducats', 'Austrian 4 ducats', 'gold', [0.986, 13.964, 39.5, 0.7], {
    source: bothOf('replay.web.archive.org', 'goldunze.de'),
    alloy: 'copper',
  }),
  coin('austrian-1-ducat', 'Austrian 1 ducat', 'gold', [0.986, 3.491, 19.75, null], {
    source: bothOf('replay.web.archive.org', 'goldpreis.de'),
    alloy: 'copper',
  }),
  coin('saint-gaudens-double-eagle', 'Saint-Gaudens double eagle', 'gold', [0.9, 33.436, 34, null], {
    source: bothOf('coincollectorguide.com', 'findbullionprices.com'),
    alloy: 'copper',
    massTolerancePercent: 1,
  }),
  coin('silver-kookaburra', 'Silver Kookaburra 1 oz', 'silver', [0.999, 31.135, 40.6, null], {
    source: bothOf('kiwix.casplantje.nl', 'australian-bullion.de'),
  }),
  coin('silver-koala', 'Silver Koala 1 oz', 'silver', [0.999, 31.135, 40.6, null], {
    source: bothOf('coinnews.net', 'numismaticnews.net'),
  }),
  coin('peace-dollar', 'Peace dollar', 'silver', [0.9, 26.73, 38.1, null], {
    source: bothOf('peacedollars.com', 'silverexchange.com'),
    massTolerancePercent: 1.5,
  }),
  coin('silver-britannia-958', 'Silver Britannia 1 oz, .958 (to 2012)', 'silver', [0.958, 32.454, 40, null], {
    source: bothOf('chards.co.uk', 'britische-muenzen.de'),
    otherEditions: ['silver-britannia'],
  }),
  coin('platinum-britannia', 'Platinum Britannia 1 oz', 'platinum', [0.9995, 31.1, 32.69, null], {
    source: bothOf('scheideanstalt.de', 'coinparade.co.uk'),
  }),
  coin('platinum-platypus', 'Platinum Platypus 1 oz', 'platinum', [0.9995, 31.12, 32.6, null], {
    source: bothOf('coinnews.net', 'worldmintcoins.com'),
  }),
  coin(
    'platinum-philharmonic',
    'Vienna Philharmonic 1 oz platinum',
    'platinum',
    [0.9995, 31.1035, 37, null],
    { source: bothOf('agaunews.com', 'metalmarket.eu') },
  ),
  coin('platinum-kangaroo', 'Platinum Kangaroo 1 oz', 'platinum', [0.9995, 31.119, 32.6, null], {
    source: bothOf('numismaticnews.net', 'goldseiten.de'),
  }),
  coin(
    'american-palladium-eagle',
    'American Palladium Eagle 1 oz',
    'palladium',
    [0.9995, 31.12, 34.036, null],
    { source: bothOf('kampuspedia.com', 'numismaticnews.net') },
  ),
];

/** Every coin that is known by name, by its slug. */
export const PRODUCTS: ReadonlyMap<string, Product> = new Map(
  [...SILVER, ...GOLD, ...OTHERS, ...FURTHER].map(product => [product.productId, product]),
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
