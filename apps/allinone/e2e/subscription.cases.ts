import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkoutContract } from '@svc/contracts';
import { randomUUID } from 'node:crypto';
import type { CardRoute } from './card-fixture.js';
import { until } from './processes.js';

let card: CardRoute;

type Tier = 'developer_sdk' | 'enterprise_sam' | 'bullion_pro_trader';

const link = (tier: Tier, more: { workEmail?: string; idempotencyKey?: string; payer?: string } = {}) =>
  card.bus.call(checkoutContract.purchaseLink, {
    ...{ tier, baseUrl: card.route.address, payer: 'account:1' },
    ...more,
  });
const as = (key: string) => ({ 'x-svc-key': key });
const accountOf = async (key: string) => (await card.call('GET', '/v1/account', undefined, as(key))).json;
const verdictOf = async (licence: string) => (await card.call('GET', `/sam/verify-key/${licence}`)).json;

async function rows(sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
  return card.database.query(sql, parameters);
}

/** A tier that was bought, and what it gave. */
export interface Bought {
  readonly key: string;
  readonly licence: string | undefined;
  readonly accountId: string;
  readonly subscription: string;
  readonly sessionId: string;
}

/** The hosted page of a tier, paid with a card; the id of its session. */
export async function payTier(
  { bus, route, payCheckout }: CardRoute,
  tier: Tier,
  fields?: Record<string, string>,
): Promise<string> {
  const of = { baseUrl: route.address, payer: 'account:1' };
  const { checkoutUrl } = await bus.call(checkoutContract.purchaseLink, { ...of, tier });
  const leadsTo = await payCheckout(checkoutUrl, fields);
  return new URL(leadsTo!).searchParams.get('session_id')!;
}

/** A tier that was paid and confirmed. */
export async function buyTier(of: CardRoute, tier: Tier): Promise<Bought> {
  const sessionId = await payTier(of, tier);
  const { json } = await of.call('GET', `/prepay-success?session_id=${sessionId}`);
  const session = await of.stripe.checkout.sessions.retrieve(sessionId);
  return {
    key: json.apiKey,
    licence: json.licenseKey,
    accountId: json.accountId,
    subscription: session.subscription as string,
    sessionId,
  };
}

const buy = (tier: Tier) => buyTier(card, tier);

/** Keys that are paid by the month, bought, renewed and given up on the card route. */
export function describeSubscription(cardOf: () => CardRoute): void {
  describe('subscriptions', () => {
    beforeAll(() => {
      card = cardOf();
    });
    beforeEach(() =>
      card.emulator.control.configureWebhooks({ paused: false, duplicates: 0, order: 'created' }),
    );

    describe('create_purchase_link', () => {
      it('names the page to pay at, the merchant’s public account and how the key arrives', async () => {
        const bought = await link('developer_sdk', { workEmail: 'work@example.com' });
        const account = await card.stripe.accounts.retrieveCurrent();
        expect(bought.processorAccount).toBe(account.id);
        expect(bought.fulfillment).toMatch(/once/);
        expect(await rows(`SELECT source FROM lead WHERE email = 'work@example.com'`)).toEqual([
          { source: 'purchase-link' },
        ]);
        const session = (await card.stripe.checkout.sessions.list({ limit: 1 })).data[0];
        expect([session.mode, session.amount_total, session.customer_email]).toEqual([
          'subscription',
          4_900,
          'work@example.com',
        ]);
      });

      it('gives one page for one Idempotency-Key', async () => {
        const idempotencyKey = randomUUID();
        const first = await link('enterprise_sam', { idempotencyKey });
        expect(await link('enterprise_sam', { idempotencyKey })).toEqual(first);
        expect(await link('enterprise_sam', { idempotencyKey, payer: 'account:2' })).not.toEqual(first);
        await expect(link('developer_sdk', { idempotencyKey })).rejects.toMatchObject({
          code: 'UNPROCESSABLE',
        });
      });
    });

    describe('a tier that was paid', () => {
      it.each([
        ['developer_sdk', 'developer', 50_000, true],
        ['bullion_pro_trader', 'pro_agent', 500_000, false],
        ['enterprise_sam', 'enterprise', null, true],
      ] as const)(
        '%s is the plan %s with its quota, key and licence, shown once',
        async (tier, plan, limit, licensed) => {
          const bought = await buy(tier);
          expect(bought.key).toMatch(/^svc_test_/);
          expect(await accountOf(bought.key)).toMatchObject({ plan, planState: 'active', quota: { limit } });
          expect(bought.licence !== undefined).toBe(licensed);
          if (licensed) {
            expect(await verdictOf(bought.licence!)).toMatchObject({ valid: true, code: 'VALID', tier });
          }
          const again = await card.call('GET', `/prepay-success?session_id=${bought.sessionId}`);
          expect([again.status, again.json.apiKey, again.json.licenseKey]).toEqual([
            200,
            undefined,
            undefined,
          ]);
          const body = { traceData: '0x01', degree: 8 };
          const call = await card.call('POST', '/v1/zk/prove', body, { 'x-svc-key': bought.key });
          expect(call.status).toBe(200);
        },
      );

      it('is one account however its events come: twice, and the last first', async () => {
        await card.emulator.idle();
        card.emulator.control.configureWebhooks({ paused: true });
        const sessionId = await payTier(card, 'developer_sdk');
        card.emulator.control.configureWebhooks({ paused: false, duplicates: 3, order: 'reversed' });
        await card.emulator.idle();
        const found = await rows(
          `SELECT subscription.state FROM checkout_session JOIN subscription USING (account_id) WHERE session_id = $1`,
          [sessionId],
        );
        expect(found).toEqual([{ state: 'active' }]);
        const { json } = await card.call('GET', `/prepay-success?session_id=${sessionId}`);
        expect(json).toMatchObject({ apiKey: expect.any(String), licenseKey: expect.any(String) });
      });

      it('is earned once an invoice', async () => {
        const { subscription } = await buy('bullion_pro_trader');
        card.emulator.control.configureWebhooks({ duplicates: 2 });
        card.emulator.control.renewSubscription(subscription);
        await card.emulator.idle();
        const { data } = await card.stripe.invoices.list({ subscription });
        const paid = data.filter(({ status }) => status === 'paid').map(({ id }) => id);
        expect(paid).toHaveLength(2);
        const earned = await rows(
          `SELECT reference, amount_micro_usd FROM ledger_entry
        WHERE account = 'treasury' AND kind = 'subscription' AND reference = ANY ($1)`,
          [paid],
        );
        expect(earned.map(({ amount_micro_usd: amount }) => Number(amount))).toEqual([
          299_000_000, 299_000_000,
        ]);
        const payments = await Promise.all(
          paid.map(async invoice => (await card.stripe.invoicePayments.list({ invoice })).data[0].payment),
        );
        expect(
          await rows(
            `SELECT payment_intent_id FROM subscription_payment WHERE invoice_id = ANY ($1)
              ORDER BY array_position($1, invoice_id)`,
            [paid],
          ),
        ).toEqual(payments.map(({ payment_intent: intent }) => ({ payment_intent_id: intent })));
        const [{ sum }] = await rows(`SELECT sum(amount_micro_usd) AS sum FROM ledger_entry`);
        expect(Number(sum)).toBe(0);
      });
    });

    describe('a plan is kept true to its subscription', () => {
      it('stays for the days of grace when a renewal fails, and is active again once it is paid', async () => {
        const { key, licence, subscription } = await buy('developer_sdk');
        card.emulator.control.renewSubscription(subscription, { fails: true });
        await card.emulator.idle();
        expect(await accountOf(key)).toMatchObject({ plan: 'developer', planState: 'past_due' });
        expect(await verdictOf(licence!)).toMatchObject({ code: 'VALID' });
        card.emulator.control.renewSubscription(subscription);
        await card.emulator.idle();
        expect(await accountOf(key)).toMatchObject({ plan: 'developer', planState: 'active' });
      });

      it('that was cancelled is the demo plan at once, and its licence SUSPENDED', async () => {
        const { key, licence, subscription } = await buy('enterprise_sam');
        await card.stripe.subscriptions.cancel(subscription);
        await card.emulator.idle();
        const account = await accountOf(key);
        expect(account).toMatchObject({ planState: 'lapsed', quota: { limit: 1_000 } });
        expect(await verdictOf(licence!)).toMatchObject({ valid: false, code: 'SUSPENDED' });
      });

      it('that had lapsed is active again once it is paid, and its licence VALID', async () => {
        const { key, licence, subscription, accountId } = await buy('developer_sdk');
        await card.emulator.idle();
        await rows(`UPDATE subscription SET state = 'lapsed' WHERE account_id = $1`, [accountId]);
        await rows(`UPDATE account SET plan_state = 'lapsed' WHERE account_id = $1`, [accountId]);
        await rows(`UPDATE licence SET state = 'suspended' WHERE account_id = $1`, [accountId]);
        expect(await verdictOf(licence!)).toMatchObject({ code: 'SUSPENDED' });
        card.emulator.control.renewSubscription(subscription);
        await card.emulator.idle();
        expect(await accountOf(key)).toMatchObject({ plan: 'developer', planState: 'active' });
        expect(await verdictOf(licence!)).toMatchObject({ valid: true, code: 'VALID' });
      });

      it('has a licence for as long as was paid, and with each payment the text of a new one', async () => {
        const { key, licence, subscription } = await buy('developer_sdk');
        await card.emulator.idle();
        const licencesOf = async () =>
          (await card.call('GET', '/v1/account/licences', undefined, as(key))).json.items;
        const [first] = await licencesOf();
        const { planUntil } = await accountOf(key);
        expect(first).toMatchObject({ licenseKey: licence, expiresAt: planUntil, state: 'active', seats: 1 });
        expect((Date.parse(planUntil) - Date.now()) / 86_400_000).toBeLessThan(31 + 3 + 1);
        expect(await licencesOf()).toEqual([first]);
        card.emulator.control.renewSubscription(subscription, { fails: true });
        await card.emulator.idle();
        expect(await licencesOf()).toEqual([first]);
        card.emulator.control.renewSubscription(subscription);
        await card.emulator.idle();
        const [renewed] = await licencesOf();
        const { planUntil: next } = await accountOf(key);
        expect(Date.parse(next)).toBeGreaterThan(Date.parse(planUntil));
        expect(renewed).toMatchObject({ licenseId: first.licenseId, expiresAt: next });
        expect(renewed.licenseKey).not.toBe(licence);
        expect(await verdictOf(renewed.licenseKey)).toMatchObject({ code: 'VALID', expiresAt: next });
        expect(await verdictOf(licence!)).toMatchObject({ code: 'VALID', expiresAt: planUntil });
      });

      it('that ends with its period has a licence to that day; a caller without a key or a licence is shown none', async () => {
        const { key, subscription } = await buy('enterprise_sam');
        await card.stripe.subscriptions.update(subscription, { cancel_at_period_end: true });
        await card.emulator.idle();
        const found = await card.call('GET', '/v1/account/licences', undefined, as(key));
        const { items } = await card.stripe.subscriptions.retrieve(subscription);
        const endMs = items.data[0].current_period_end * 1_000;
        expect(found.json.items).toMatchObject([{ expiresAt: new Date(endMs).toISOString() }]);
        await card.stripe.subscriptions.cancel(subscription);
        await card.emulator.idle();
        const [lapsed] = (await card.call('GET', '/v1/account/licences', undefined, as(key))).json.items;
        expect([lapsed.state, lapsed.licenseKey]).toEqual(['suspended', undefined]);
        const none = await buy('bullion_pro_trader');
        const answer = await card.call('GET', '/v1/account/licences', undefined, as(none.key));
        expect([answer.status, answer.json]).toEqual([200, { items: [] }]);
        expect((await card.call('GET', '/v1/account/licences')).status).toBe(401);
      });

      it('is asked about when its time is over and no event has come', async () => {
        const { key, subscription } = await buy('bullion_pro_trader');
        await card.emulator.idle();
        card.emulator.control.configureWebhooks({ paused: true });
        await card.stripe.subscriptions.cancel(subscription);
        await rows(
          `UPDATE subscription SET period_ends_at = now(), asked_at = now() - interval '6 minutes'
        WHERE subscription_id = $1`,
          [subscription],
        );
        await until(
          async () => (await accountOf(key)).planState === 'lapsed',
          () => 'the plan to lapse',
        );
      });

      it('is not revived by an event that tells of an earlier state', async () => {
        await card.emulator.idle();
        const { key, subscription } = await buy('developer_sdk');
        await card.emulator.idle();
        card.emulator.control.configureWebhooks({ paused: true });
        card.emulator.control.renewSubscription(subscription);
        await card.stripe.subscriptions.cancel(subscription);
        card.emulator.control.configureWebhooks({ paused: false, order: 'reversed' });
        await card.emulator.idle();
        expect(await accountOf(key)).toMatchObject({ planState: 'lapsed' });
      });
    });

    describe('get_product_catalog', () => {
      it('lists tiers, packs and priced calls at the prices of the one list', async () => {
        const { catalog } = await card.bus.call(checkoutContract.catalog, {});
        const priceOf = (productId: string) => catalog.find(entry => entry.productId === productId);
        expect(priceOf('developer_sdk')).toMatchObject({ priceUsdPerMonth: '49', requestsPerMonth: 50_000 });
        expect(priceOf('enterprise_sam')).toMatchObject({ priceUsdPerMonth: '1200', requestsPerMonth: null });
        expect(priceOf('pack_250')).toMatchObject({ priceUsd: '250', audits: 1_000 });
        expect(priceOf('zk.prove')).toMatchObject({ priceUsd: '0.001', priceSats: 2 });
      });
    });
  });
}
