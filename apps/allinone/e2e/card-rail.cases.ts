import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Challenge, Receipt } from 'mppx';
import { Mppx, stripe as stripeMethod } from 'mppx/client';
import { type CardRoute, type Reply } from './card-fixture.js';
import { post } from './paid-call.js';
import { startPaidRoute } from './paid-route-fixture.js';

const PATH = '/v1/zk/prove';
const BODY = { traceData: '0x48656c6c6f', degree: 8, friBlowup: 8 };
/** What a card pays beyond the price of a proof. */
const REMAINDER_MICRO_USD = 500_000 - 1_000;

let card: CardRoute;

const challenge = () => card.call('POST', PATH);

/** Headers of a bare token for a fresh challenge. */
async function tokenHeaders(token: string): Promise<Record<string, string>> {
  const { headers } = await challenge();
  return { 'payment-credential': `SPT ${token}`, 'x-402-challenge': headers.get('x-402-challenge')! };
}

const pay = (headers: Record<string, string>, body: unknown = BODY): Promise<Reply> =>
  card.call('POST', PATH, body, headers);

const intents = async () => (await card.stripe.paymentIntents.list({ limit: 100 })).data;
const succeeded = async () => (await intents()).filter(({ status }) => status === 'succeeded');

async function ledgerSum(): Promise<number> {
  const [{ sum }] = await card.database.query(
    `SELECT coalesce(sum(amount_micro_usd), 0) AS sum FROM ledger_entry`,
  );
  return Number(sum);
}

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** @param shared what all suites of the file share */
export function describeCardRail(shared: () => CardRoute): void {
  describe('the card rail', () => {
    beforeAll(async () => {
      card = shared();
    });

    beforeEach(() => {
      card.emulator.control.clearFaults();
    });

    describe('a 402 of a deployment with a card processor', () => {
      it('offers the card by MPP and by a bare token, the least bundle at a price below it', async () => {
        const { status, json, headers } = await challenge();
        expect(status).toBe(402);
        expect(json.rails).toEqual(expect.arrayContaining(['l402', 'mpp-stripe', 'mpp-lightning', 'spt']));
        expect(json.sharedPaymentToken).toMatchObject({ amount: '50', currency: 'usd' });
        const [offer] = Challenge.fromHeadersList(headers).filter(({ method }) => method === 'stripe');
        expect(offer.request).toMatchObject({ amount: '50', currency: 'usd' });
        const { json: health } = await card.call('GET', '/health');
        expect(health.rails).toEqual(expect.arrayContaining(['mpp-stripe', 'spt']));
      });
    });

    describe('a deployment without a card processor', () => {
      it('offers no card, refuses one by name, and its checkouts are 503', async () => {
        const bare = await startPaidRoute();
        try {
          const { json, headers } = await post(bare.address + PATH, undefined);
          expect(json.rails).not.toEqual(expect.arrayContaining(['mpp-stripe']));
          expect(json.sharedPaymentToken).toBeUndefined();
          const token = {
            'payment-credential': 'SPT spt_1',
            'x-402-challenge': headers.get('x-402-challenge')!,
          };
          const refused = await post(bare.address + PATH, BODY, token);
          expect([refused.status, refused.json.code]).toEqual([400, 'PAYMENT_METHOD_UNSUPPORTED']);
          const checkout = await post(`${bare.address}/prepay-credits`, {});
          expect([checkout.status, checkout.json.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
          const webhook = await post(
            `${bare.address}/webhooks/stripe`,
            {},
            { 'stripe-signature': 't=1,v1=00' },
          );
          expect([webhook.status, webhook.json.code]).toEqual([400, 'WEBHOOK_INVALID']);
        } finally {
          await bare.close();
        }
      });
    });

    describe('unmodified clients', () => {
      it('mppx pays a priced route by card, and gets its proof, a receipt and the remainder on a key', async () => {
        const { fetch: payingFetch } = Mppx.create({
          polyfill: false,
          methods: [
            stripeMethod({
              paymentMethod: 'pm_card_visa',
              createToken: async ({ amount, paymentMethod }) => card.mintToken(paymentMethod, Number(amount)),
            }),
          ],
        });
        const response = await payingFetch(card.route.address + PATH, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(BODY),
        });
        expect(response.status).toBe(200);
        const receipt = Receipt.deserialize(response.headers.get('payment-receipt')!);
        expect(receipt).toMatchObject({ status: 'success', method: 'stripe' });
        const intent = await card.stripe.paymentIntents.retrieve(receipt.reference);
        expect([intent.status, intent.amount_received]).toEqual(['succeeded', 50]);
        const key = response.headers.get('x-svc-key')!;
        const account = await card.call('GET', '/v1/account', undefined, { 'x-svc-key': key });
        expect(account.json).toMatchObject({ balanceMicroUsd: REMAINDER_MICRO_USD });
        const again = await pay({ 'x-svc-key': key });
        expect(again.status).toBe(200);
      });

      it('fetch pays with a bare token beside the echoed challenge, and a lost answer is given again', async () => {
        const headers = await tokenHeaders(await card.mintToken());
        const first = await pay(headers);
        expect([first.status, first.headers.get('x-svc-key')]).toEqual([
          200,
          expect.stringMatching(/^svc_test_/),
        ]);
        const again = await pay(headers);
        expect([again.status, again.text]).toEqual([200, first.text]);
        expect(again.headers.get('x-svc-key')).toBe(first.headers.get('x-svc-key'));
      });
    });

    describe('one token', () => {
      it('used a hundred times at once is one charge, one delivery and one remainder', async () => {
        const chargedBefore = (await succeeded()).length;
        const provedBefore = card.route.script.provedCount;
        const headers = await tokenHeaders(await card.mintToken());
        const answers = await Promise.all(Array.from({ length: 100 }, () => pay(headers)));
        expect(card.route.script.provedCount).toBe(provedBefore + 1);
        expect((await succeeded()).length).toBe(chargedBefore + 1);
        const delivered = answers.filter(({ status }) => status === 200);
        expect(delivered.length).toBeGreaterThan(0);
        expect(new Set(delivered.map(({ text }) => text)).size).toBe(1);
        for (const { status, json } of answers) {
          if (status !== 200) expect([status, json.code]).toEqual([409, 'PAYMENT_IN_FLIGHT']);
        }
        const key = delivered[0].headers.get('x-svc-key')!;
        const { json } = await card.call('GET', '/v1/account', undefined, { 'x-svc-key': key });
        expect(json.balanceMicroUsd).toBe(REMAINDER_MICRO_USD);
        expect(await ledgerSum()).toBe(0);
      });

      it('for twenty challenges at once is one charge and one delivery', async () => {
        const chargedBefore = (await succeeded()).length;
        const provedBefore = card.route.script.provedCount;
        const token = await card.mintToken();
        const credentials = await Promise.all(Array.from({ length: 20 }, () => tokenHeaders(token)));
        const answers = await Promise.all(
          credentials.map((headers, index) => pay(headers, { ...BODY, traceData: `0x0${index % 10}` })),
        );
        // Two have each body: the second of the pair that won may find the answer of the first.
        const delivered = answers.filter(({ status }) => status === 200);
        expect([1, 2]).toContain(delivered.length);
        expect(new Set(delivered.map(answer => answers.indexOf(answer) % 10)).size).toBe(1);
        expect(new Set(delivered.map(({ text }) => text)).size).toBe(1);
        expect(card.route.script.provedCount).toBe(provedBefore + 1);
        for (const { status } of answers) expect([200, 402, 409]).toContain(status);
        expect((await succeeded()).length).toBe(chargedBefore + 1);
        expect(await ledgerSum()).toBe(0);
      });

      it('buys nothing a second time by another challenge', async () => {
        const token = await card.mintToken();
        expect((await pay(await tokenHeaders(token))).status).toBe(200);
        const chargedBefore = (await succeeded()).length;
        const second = await pay(await tokenHeaders(token), { ...BODY, traceData: '0x01' });
        expect(second.status).toBe(402);
        expect((await succeeded()).length).toBe(chargedBefore);
      });

      it('that is declined costs nothing, says by what code, and a good one then pays the same challenge', async () => {
        const headers = await tokenHeaders(await card.mintToken('pm_card_chargeDeclinedInsufficientFunds'));
        const declined = await pay(headers);
        expect([declined.status, declined.json.code]).toEqual([402, 'PAYMENT_INVALID']);
        expect(declined.json.detail).toMatch(/insufficient_funds/);
        expect(declined.headers.get('x-svc-key')).toBeNull();
        const good = await pay({ ...headers, 'payment-credential': `SPT ${await card.mintToken()}` });
        expect(good.status).toBe(200);
      });

      it.each([
        [
          'without the challenge',
          (headers: Record<string, string>) => ({ 'payment-credential': headers['payment-credential'] }),
        ],
        [
          'with a challenge that was altered',
          (headers: Record<string, string>) => ({
            ...headers,
            'x-402-challenge': `${headers['x-402-challenge'].slice(0, -2)}AA`,
          }),
        ],
        [
          'of nobody',
          (headers: Record<string, string>) => ({ ...headers, 'payment-credential': 'SPT spt_of_nobody' }),
        ],
        [
          'of other characters',
          (headers: Record<string, string>) => ({ ...headers, 'payment-credential': 'SPT a[b]=c&d' }),
        ],
      ])('%s is refused with 402, and nothing is charged', async (_name, change) => {
        const chargedBefore = (await succeeded()).length;
        const { status, json } = await pay(change(await tokenHeaders(await card.mintToken())));
        expect([status, json.type]).toEqual([402, expect.any(String)]);
        expect((await succeeded()).length).toBe(chargedBefore);
      });

      it('that may pay less than the bundle is refused, and nothing is charged', async () => {
        const { status, json } = await pay(await tokenHeaders(await card.mintToken('pm_card_visa', 49)));
        expect([status, json.code]).toEqual([402, 'PAYMENT_INVALID']);
      });
    });

    describe('a charge whose outcome is not known', () => {
      it('is 503 while it is, never a second charge, and then the delivery of the same credential', async () => {
        const chargedBefore = (await succeeded()).length;
        const headers = await tokenHeaders(await card.mintToken());
        // Stripe does it, and its answer is lost: also that of the retry under the same idempotency key.
        card.emulator.control.fault({
          method: 'POST',
          path: '/v1/payment_intents',
          times: 2,
          after: true,
          drop: true,
        });
        const lost = await pay(headers);
        expect([lost.status, lost.json.code]).toEqual([503, 'SETTLEMENT_UNKNOWN']);
        expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(lost.headers.get('www-authenticate')).toBeNull();
        const answer = await until(async () => {
          const reply = await pay(headers);
          return reply.status === 503 ? undefined : reply;
        });
        expect(answer.status).toBe(200);
        expect((await succeeded()).length).toBe(chargedBefore + 1);
        expect(await ledgerSum()).toBe(0);
      });

      it('becomes credit of its payer when nobody asks again, found by the claim in its metadata', async () => {
        const headers = await tokenHeaders(await card.mintToken());
        card.emulator.control.fault({
          method: 'POST',
          path: '/v1/payment_intents',
          times: 2,
          after: true,
          status: 500,
        });
        expect((await pay(headers)).status).toBe(503);
        const [{ claim_id: claimId }] = await card.database.query(
          `SELECT claim_id FROM payment_claim WHERE rail_family = 'stripe' ORDER BY claimed_at DESC LIMIT 1`,
        );
        const credited = await until(async () => {
          const [row] = await card.database.query(
            `SELECT account.balance_micro_usd AS balance FROM payment_claim
           JOIN account ON account.account_id = payment_claim.credit_account_id
          WHERE claim_id = $1 AND settlement = 'settled' AND state IN ('settled', 'credited')`,
            [claimId],
          );
          return row && Number(row.balance) > 0 ? row : undefined;
        });
        expect(Number(credited.balance)).toBe(500_000);
        expect(await ledgerSum()).toBe(0);
      });
    });
  });
}
