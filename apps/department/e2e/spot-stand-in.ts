import { Controller, Module } from '@nestjs/common';
import { type ParsedRequestOf, type ReplyOf, type SpotPrice, spotContract } from '@svc/contracts';
import { Handle } from '@svc/platform';

/** Prices as operators would have set them. */
export class SpotScript {
  /** In the order in which they were set. */
  readonly prices: SpotPrice[] = [];
  /** Runs before each answer: waits, or throws. */
  before: () => Promise<void> = async () => undefined;

  /** Sets a price of one troy ounce. */
  set(price: Pick<SpotPrice, 'metal' | 'price' | 'asOf'> & Partial<SpotPrice>): void {
    this.prices.push({ currency: 'USD', source: 'desk', setAt: new Date().toISOString(), ...price });
  }
}

/** The payments service's end of `spot-prices`: of each metal and currency the newest, of two for one instant the later one. */
export function spotStandIn(script: SpotScript) {
  @Controller()
  class SpotPrices {
    @Handle(spotContract.spotPrices)
    async spotPrices({
      metal,
    }: ParsedRequestOf<typeof spotContract.spotPrices>): Promise<ReplyOf<typeof spotContract.spotPrices>> {
      await script.before();
      const newest = new Map<string, SpotPrice>();
      for (const price of script.prices) {
        if (price.metal !== metal) continue;
        const known = newest.get(price.currency);
        if (!known || Date.parse(price.asOf) >= Date.parse(known.asOf)) newest.set(price.currency, price);
      }
      const items = [...newest.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
      return { items };
    }
  }
  @Module({ controllers: [SpotPrices] })
  class SpotStandInModule {}
  return SpotStandInModule;
}
