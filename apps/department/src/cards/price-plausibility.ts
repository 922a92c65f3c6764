import type { CheckedSale } from './checked-sale.js';

/** How many times the median of its peers a price may be, or how many times less, before a person looks at it. */
export const PRICE_RATIO_MAX = 20;
/** Sales from which a median says something. */
const PEERS_MIN = 5;

/** Prices that are known of one card in one grade, US dollars. */
export interface KnownPrices {
  readonly count: number;
  readonly medianUsd: number;
}

/** One card in one grade of one company, and one market. Companies' grades are never held against one another. */
export const gradeKeyOf = ({ cardKey, row, grade, qualifier }: CheckedSale): string =>
  `${cardKey} ${row.company} ${grade} ${qualifier} ${row.synthetic}`;

/**
 * Of each sale, why its price is too far from those of its peers to be believed, or undefined. Its peers are what is stored
 * already, and where that is too little, the sales it came with: whole cents for dollars, lots, another card.
 */
export function implausiblePrices(
  sales: readonly CheckedSale[],
  known: ReadonlyMap<string, KnownPrices>,
): (string | undefined)[] {
  const together = new Map<string, number[]>();
  for (const sale of sales) {
    const key = gradeKeyOf(sale);
    const prices = together.get(key);
    if (prices) prices.push(sale.priceUsd);
    else together.set(key, [sale.priceUsd]);
  }
  const peers = new Map([...together].map(([key, prices]) => [key, peersOf(known.get(key), prices)]));
  return sales.map(sale => {
    const { medianUsd, count } = peers.get(gradeKeyOf(sale)) ?? { medianUsd: 0, count: 0 };
    if (count < PEERS_MIN) return undefined;
    const ratio = sale.priceUsd / medianUsd;
    if (ratio <= PRICE_RATIO_MAX && ratio >= 1 / PRICE_RATIO_MAX) return undefined;
    return `is ${ratio.toPrecision(2)} times the median of ${count} sales of the card in this grade`;
  });
}

function peersOf(known: KnownPrices | undefined, prices: number[]): KnownPrices {
  if (known && known.count >= PEERS_MIN) return known;
  return { count: prices.length, medianUsd: medianOf(prices) };
}

function medianOf(prices: readonly number[]): number {
  const sorted = prices.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
