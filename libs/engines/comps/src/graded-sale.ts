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
}
