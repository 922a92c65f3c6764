import { describe, expect, it } from '@jest/globals';
import type { PaymentCredential } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { findPrice } from '@svc/protocols';
import type { Quote } from '../rail/rail.js';
import type { OnchainOptions } from './onchain-options.js';
import type { OnchainRail } from './onchain-rail.js';

const price = findPrice('zk.prove')!;

/** What the suite of the rail has: the rail over a scripted chain, and payments of x402. */
interface OfTheRail {
  readonly railWith: (
    change: object,
    options: Pick<OnchainOptions, 'leastMicroUsd'>,
  ) => Promise<{ rail: OnchainRail; script: { questions: string[]; recovered: number; settled: number } }>;
  readonly credentialOf: (version?: 1 | 2) => PaymentCredential;
  readonly quote: Quote;
}

/** Prices below the least that a facilitator settles. */
export function describeLeastAmount({ railWith, credentialOf, quote }: OfTheRail): void {
  describe('what the facilitator does not settle, since it is too little,', () => {
    it('is not offered, in no form, and the least is', async () => {
      const { rail } = await railWith({}, { leastMicroUsd: price.amountMicroUsd + 1 });
      expect(await rail.quote(quote)).toEqual({ offers: [] });
      const exactly = await railWith({}, { leastMicroUsd: price.amountMicroUsd });
      expect((await exactly.rail.quote(quote)).offers).toHaveLength(2);
    });

    it('is refused by name of the price and the bound, before anybody is asked', async () => {
      const { rail, script } = await railWith({}, { leastMicroUsd: 5_000 });
      for (const version of [1, 2] as const) {
        const refused = await problemOf(rail.verify(credentialOf(version), price));
        expect([refused.code, refused.status]).toEqual(['PAYMENT_METHOD_UNSUPPORTED', 400]);
        expect(refused.message).toMatch(/price is 1000 micro-USD.*from 5000 on.*another rail/);
      }
      expect([script.questions, script.recovered, script.settled]).toEqual([[], 0, 0]);
    });

    it('buys again what it bought before the bound was raised', async () => {
      const { rail } = await railWith({}, { leastMicroUsd: 5_000 });
      expect(rail.known(credentialOf(), price)).toMatchObject({ rail: 'x402', chargeMicroUsd: 1_000 });
    });
  });
}
