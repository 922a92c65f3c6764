export const DAY_MS = 86_400_000;
const PRICE_MAX_USD = 1e9;

/** One sale of one card in one grade. */
export interface GradedSale {
  readonly saleId: string;
  /** Price and fees, US dollars in whole cents. */
  readonly priceUsd: number;
  /** Milliseconds since the epoch. */
  readonly soldAtMs: number;
  readonly venue: string;
  readonly saleType: 'auction' | 'fixed' | 'best_offer';
  /** Whether the venue vouches that it was paid for. */
  readonly verified: boolean;
  /** Who sold it, where that is known: a name within the venue. */
  readonly seller?: string;
}

/** @throws RangeError for a price that is not above 0, below 10^9 and in whole cents, or a time that is no integer */
export function refuseImpossibleSale({ saleId, priceUsd, soldAtMs }: GradedSale): void {
  if (!(priceUsd > 0 && priceUsd < PRICE_MAX_USD)) {
    throw new RangeError(`sale ${saleId}: a price is above 0 and below ${PRICE_MAX_USD}, got ${priceUsd}`);
  }
  if (Math.round(priceUsd * 100) / 100 !== priceUsd) {
    throw new RangeError(`sale ${saleId}: a price is in whole cents, got ${priceUsd}`);
  }
  if (!Number.isSafeInteger(soldAtMs)) {
    throw new RangeError(`sale ${saleId}: soldAtMs must be an integer, got ${soldAtMs}`);
  }
}
