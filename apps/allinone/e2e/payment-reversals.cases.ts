import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import type { CardRoute } from './card-fixture.js';
import { buyTier, payTier } from './subscription.cases.js';

const PACK_MICRO_USD = 10_000_000;

let card: CardRoute;

const prepay = (body: unknown) => card.call('POST', '/prepay-credits', body);
const success = (sessionId: string) => card.call('GET', `/prepay-success?session_id=${sessionId}`);
const balanceOf = async (key: string): Promise<number> =>
  (await card.call('GET', '/v1/account', undefined, { 'x-svc-key': key })).json.balanceMicroUsd as number;

/** A pack that was paid and confirmed: its key. */
async function boughtKey(): Promise<{ key: string; paymentIntent: string }> {
  const { json } = await prepay({ packId: 'pack_10' });
  await card.payCheckout(json.checkoutUrl);
  const { json: confirmed } = await success(json.sessionId);
  const session = await card.stripe.checkout.sessions.retrieve(json.sessionId);
  return { key: confirmed.apiKey, paymentIntent: session.payment_intent as string };
}

async function rows(sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
  return card.database.query(sql, parameters);
}

const PLAN_CENTS = 29_900;
const PLAN_MICRO_USD = 299_000_000;

/** Of the newest invoice of a subscription, or of one of the processor's own shop. */
async function newestInvoice(subscription: string): Promise<{ invoice: string; paymentIntent: string }> {
  const [{ id: invoice }] = (await card.stripe.invoices.list({ subscription, limit: 1 })).data;
  const [{ payment }] = (await card.stripe.invoicePayments.list({ invoice })).data;
  return { invoice, paymentIntent: payment.payment_intent as string };
}

/** What an invoice and what went back of it have left on the accounts, and on the rail of subscriptions at large. */
async function bookedOf({ invoice, paymentIntent }: { invoice: string; paymentIntent: string }) {
  const booked = await rows(
    `SELECT account, sum(amount_micro_usd)::int AS sum FROM ledger_entry
      WHERE reference = $1 OR reference IN (SELECT reversal_id FROM credit_reversal WHERE payment_intent_id = $2)
      GROUP BY account`,
    [invoice, paymentIntent],
  );
  return Object.fromEntries(booked.map(({ account, sum }) => [account, sum]));
}

async function railOfSubscriptions(): Promise<{ payments: number; microUsd: number }> {
  const [row] = await rows(
    `SELECT coalesce(sum(payments), 0)::int AS payments, coalesce(sum(amount_micro_usd), 0)::float8 AS "microUsd"
       FROM treasury_between('-infinity', 'infinity') WHERE rail = 'subscription'`,
  );
  return row as { payments: number; microUsd: number };
}

/** A dispute that has gone on, as the processor tells of it. */
function disputeAs(status: string, { data, ...event }: Stripe.Event): object {
  const object = { ...(data.object as object), status };
  const type = status === 'won' ? 'charge.dispute.closed' : event.type;
  return { ...event, id: `evt_${randomUUID()}`, type, data: { object } };
}

const anew = (event: Stripe.Event): object => ({ ...event, id: `evt_${randomUUID()}` });

async function ledgerSum(): Promise<number> {
  const [{ sum }] = await rows(`SELECT coalesce(sum(amount_micro_usd), 0) AS sum FROM ledger_entry`);
  return Number(sum);
}

async function settled(): Promise<void> {
  await card.emulator.idle();
}

/** Refunds and disputes of what was paid on the card route. */
export function describePaymentReversals(cardOf: () => CardRoute): void {
  describe('reversals', () => {
    beforeAll(() => {
      card = cardOf();
    });
    beforeEach(() =>
      card.emulator.control.configureWebhooks({ paused: false, duplicates: 0, order: 'created' }),
    );

    describe('a payment that goes back', () => {
      it('takes its credit back once, part by part, however often and in whatever order it is told', async () => {
        const { key, paymentIntent } = await boughtKey();
        await card.stripe.refunds.create({ payment_intent: paymentIntent, amount: 300 });
        await card.stripe.refunds.create({ payment_intent: paymentIntent, amount: 200 });
        await settled();
        expect(await balanceOf(key)).toBe(5_000_000);
        const { data } = await card.stripe.events.list({ type: 'charge.refunded', limit: 2 });
        for (const event of data) {
          await card.deliver({ ...event, id: `evt_${randomUUID()}` });
        }
        expect(await balanceOf(key)).toBe(5_000_000);
        expect(await ledgerSum()).toBe(0);
      });

      it('takes what is left of a credit that was partly spent, and the house bears the rest', async () => {
        const { key, paymentIntent } = await boughtKey();
        await card.call('POST', '/v1/zk/prove', { traceData: '0x02', degree: 8 }, { 'x-svc-key': key });
        await card.stripe.refunds.create({ payment_intent: paymentIntent });
        await settled();
        expect(await balanceOf(key)).toBe(0);
        const [reversal] = await rows(`SELECT * FROM credit_reversal WHERE payment_intent_id = $1`, [
          paymentIntent,
        ]);
        expect([Number(reversal.asked_micro_usd), Number(reversal.taken_micro_usd)]).toEqual([
          10_000_000, 9_999_000,
        ]);
        expect(await ledgerSum()).toBe(0);
      });

      it('of a token takes what its remainder has left, and one of another shop nothing', async () => {
        const { headers } = await card.call('POST', '/v1/zk/prove');
        const paid = await card.call(
          'POST',
          '/v1/zk/prove',
          { traceData: '0x03', degree: 8 },
          {
            'payment-credential': `SPT ${await card.mintToken()}`,
            'x-402-challenge': headers.get('x-402-challenge')!,
          },
        );
        const key = paid.headers.get('x-svc-key')!;
        const [intent] = (await card.stripe.paymentIntents.list({ limit: 1 })).data;
        await card.stripe.refunds.create({ payment_intent: intent.id });
        const foreign = await card.stripe.paymentIntents.create({
          ...{ amount: 500, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' },
          automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          metadata: { claim_id: "'; no claim of ours" },
        });
        await card.stripe.refunds.create({ payment_intent: foreign.id });
        await settled();
        expect(await balanceOf(key)).toBe(0);
        const reversals = await rows(`SELECT * FROM credit_reversal WHERE payment_intent_id = ANY ($1)`, [
          [intent.id, foreign.id],
        ]);
        expect(reversals.map(({ payment_intent_id: id }) => id)).toEqual([intent.id]);
        expect(await ledgerSum()).toBe(0);
      });

      it('of an escrow that was released in part is what was given back of that part', async () => {
        const { key } = await boughtKey();
        const as = { 'x-svc-key': key };
        const { json: escrow } = await card.call(
          'POST',
          '/v1/escrow/create-intent',
          { amountUsd: '10.00' },
          as,
        );
        await card.stripe.paymentIntents.confirm(escrow.reference, { payment_method: 'pm_card_visa' });
        const release = `/v1/escrow/intents/${escrow.intentId}/release`;
        expect((await card.call('POST', release, { amountUsd: '7.00' }, as)).status).toBe(200);
        await settled();
        const of = { payment_intent: escrow.reference as string };
        const [charge] = (await card.stripe.charges.list(of)).data;
        expect(charge.amount_refunded).toBe(300);
        const event = {
          object: 'event',
          type: 'charge.refunded',
          created: charge.created,
          data: { object: charge },
        };
        await card.deliver({ ...event, id: `evt_${randomUUID()}` });
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD + 7_000_000);
        await card.stripe.refunds.create({ ...of, amount: 200 });
        await settled();
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD + 5_000_000);
        await card.stripe.refunds.create(of);
        await settled();
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD);
        expect(await ledgerSum()).toBe(0);
      });

      it('before its purchase was known here leaves no credit', async () => {
        await settled();
        card.emulator.control.configureWebhooks({ paused: true });
        const { json } = await prepay({});
        await card.payCheckout(json.checkoutUrl);
        const session = await card.stripe.checkout.sessions.retrieve(json.sessionId);
        await card.stripe.refunds.create({ payment_intent: session.payment_intent as string });
        expect((await success(json.sessionId)).json).toMatchObject({ balanceMicroUsd: 0 });
        card.emulator.control.configureWebhooks({ paused: false, order: 'reversed' });
        await settled();
        expect((await success(json.sessionId)).json).toMatchObject({ balanceMicroUsd: 0 });
      });

      it.each(['before', 'after'])(
        'by a dispute that is told of %s its purchase is known leaves no credit, however often it is told',
        async order => {
          await settled();
          card.emulator.control.configureWebhooks({ paused: true });
          const { json } = await prepay({});
          await card.payCheckout(json.checkoutUrl, { number: '4000 0000 0000 0259' });
          const event = (await card.stripe.events.list({ type: 'charge.dispute.created', limit: 1 })).data[0];
          const confirm = async () => (await success(json.sessionId)).json;
          const key: string | undefined = order === 'after' ? (await confirm()).apiKey : undefined;
          const outcomes = [await card.deliver(event), await card.deliver(event)].map(
            reply => reply.json.outcome,
          );
          expect(outcomes).toEqual(['done', 'duplicate']);
          await card.deliver({ ...event, id: `evt_${randomUUID()}` });
          const { balanceMicroUsd, apiKey = key } = await confirm();
          expect(balanceMicroUsd).toBe(0);
          card.emulator.control.configureWebhooks({ paused: false, duplicates: 1, order: 'reversed' });
          await settled();
          expect(await balanceOf(apiKey as string)).toBe(0);
          expect(await ledgerSum()).toBe(0);
          // Won after all: what was taken of the credit is there again.
          const won = { ...(event.data.object as object), status: 'won' };
          const closed = { ...event, type: 'charge.dispute.closed', data: { object: won } };
          await card.deliver({ ...closed, id: `evt_${randomUUID()}` });
          expect(await balanceOf(apiKey as string)).toBe(PACK_MICRO_USD);
        },
      );

      it('by a dispute that is won before its purchase is known leaves the credit whole', async () => {
        await settled();
        card.emulator.control.configureWebhooks({ paused: true });
        const { json } = await prepay({});
        await card.payCheckout(json.checkoutUrl, { number: '4000 0000 0000 0259' });
        const [event] = (await card.stripe.events.list({ type: 'charge.dispute.created', limit: 1 })).data;
        const won = { ...(event.data.object as object), status: 'won' };
        expect((await card.deliver(event)).json.outcome).toBe('done');
        const closed = { ...event, type: 'charge.dispute.closed', data: { object: won } };
        await card.deliver({ ...closed, id: `evt_${randomUUID()}` });
        expect((await success(json.sessionId)).json).toMatchObject({ balanceMicroUsd: PACK_MICRO_USD });
        card.emulator.control.configureWebhooks({ paused: false });
        await settled();
        expect((await success(json.sessionId)).json).toMatchObject({ balanceMicroUsd: PACK_MICRO_USD });
      });

      it.each([
        ['while it is not known that the charge was taken', { after: true, drop: true, times: 2 }],
        ['when its claim is known', undefined],
      ])('by a dispute of a token that is told of %s leaves no credit', async (_, fault) => {
        await settled();
        if (fault) card.emulator.control.fault({ ...fault, method: 'POST', path: '/v1/payment_intents' });
        else card.emulator.control.configureWebhooks({ paused: true });
        const { headers } = await card.call('POST', '/v1/zk/prove');
        const credential = {
          'payment-credential': `SPT ${await card.mintToken('pm_card_createDispute')}`,
          'x-402-challenge': headers.get('x-402-challenge')!,
        };
        const attempt = () => card.call('POST', '/v1/zk/prove', { traceData: '0x0d', degree: 8 }, credential);
        let paid = await attempt();
        expect(paid.status).toBe(fault ? 503 : 200);
        card.emulator.control.configureWebhooks({ paused: false, duplicates: 1 });
        await settled();
        while (paid.status === 503) paid = await attempt();
        // What was in doubt had become credit, of which there is none for another try.
        expect(paid.json.code).toBe(fault ? 'PAYMENT_INSUFFICIENT' : undefined);
        const [dispute] = (await card.stripe.events.list({ type: 'charge.dispute.created', limit: 1 })).data;
        const { payment_intent: reference } = dispute.data.object as { payment_intent: string };
        const found = await rows(
          `SELECT balance_micro_usd::int AS balance, asked_micro_usd::int AS asked, taken_micro_usd::int AS taken
         FROM payment_claim JOIN account ON account_id = credit_account_id
         JOIN credit_reversal ON payment_intent_id = settlement_reference WHERE settlement_reference = $1`,
          [reference],
        );
        expect(found).toEqual([{ balance: 0, asked: 500_000, taken: fault ? 500_000 : 499_000 }]);
        expect(await ledgerSum()).toBe(0);
      });

      it('by a dispute of an escrow that is told of before its release is known leaves the payee none', async () => {
        const { key } = await boughtKey();
        const as = { 'x-svc-key': key };
        const { json: escrow } = await card.call(
          'POST',
          '/v1/escrow/create-intent',
          { amountUsd: '10.00' },
          as,
        );
        await card.stripe.paymentIntents.confirm(escrow.reference, { payment_method: 'pm_card_visa' });
        await settled();
        const object = {
          id: `du_${randomUUID()}`,
          object: 'dispute',
          payment_intent: escrow.reference as string,
        };
        const event = {
          ...{ id: `evt_${randomUUID()}`, object: 'event', created: Math.floor(Date.now() / 1_000) },
          type: 'charge.dispute.created',
          data: { object: { ...object, amount: 1_000, status: 'needs_response' } },
        };
        expect((await card.deliver(event)).json.outcome).toBe('done');
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD);
        const release = `/v1/escrow/intents/${escrow.intentId}/release`;
        expect((await card.call('POST', release, {}, as)).status).toBe(200);
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD);
        await settled();
        expect(await ledgerSum()).toBe(0);
      });

      it('by a dispute comes back when it is won, also when that is told first', async () => {
        const disputeOf = (
          paymentIntent: string,
          status: string,
          id = `du_${randomUUID().replaceAll('-', '')}`,
        ) => ({
          id: `evt_${randomUUID()}`,
          object: 'event',
          created: Math.floor(Date.now() / 1_000),
          type: status === 'won' ? 'charge.dispute.closed' : 'charge.dispute.created',
          data: { object: { id, object: 'dispute', payment_intent: paymentIntent, amount: 1_000, status } },
        });
        const { key, paymentIntent } = await boughtKey();
        const created = disputeOf(paymentIntent, 'needs_response', 'du_first');
        const won = disputeOf(paymentIntent, 'won', 'du_first');
        expect((await card.deliver(created)).json.outcome).toBe('done');
        expect(await balanceOf(key)).toBe(0);
        expect((await card.deliver(won)).json.outcome).toBe('done');
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD);
        const other = await boughtKey();
        await card.deliver(disputeOf(other.paymentIntent, 'won', 'du_second'));
        await card.deliver(disputeOf(other.paymentIntent, 'needs_response', 'du_second'));
        expect(await balanceOf(other.key)).toBe(PACK_MICRO_USD);
        await card.deliver(disputeOf(other.paymentIntent, 'warning_needs_response'));
        expect(await balanceOf(other.key)).toBe(PACK_MICRO_USD);
        expect(await ledgerSum()).toBe(0);
      });
    });

    describe('an invoice of a subscription that goes back', () => {
      it.each(['the first month', 'a renewal'])(
        'of %s comes off what was earned, in parts and whole, and touches no credit',
        async month => {
          const { key, subscription } = await buyTier(card, 'bullion_pro_trader');
          const topUp = await card.call(
            'POST',
            '/prepay-credits',
            { packId: 'pack_10' },
            { 'x-svc-key': key },
          );
          await card.payCheckout(topUp.json.checkoutUrl);
          if (month === 'a renewal') card.emulator.control.renewSubscription(subscription);
          await settled();
          const invoice = await newestInvoice(subscription);
          const before = await railOfSubscriptions();
          expect(await bookedOf(invoice)).toEqual({
            'processor-clearing': -PLAN_MICRO_USD,
            treasury: PLAN_MICRO_USD,
          });
          const of = { payment_intent: invoice.paymentIntent };
          await card.stripe.refunds.create({ ...of, amount: 9_900 });
          await settled();
          expect(await bookedOf(invoice)).toEqual({
            'processor-clearing': -200_000_000,
            treasury: 200_000_000,
          });
          await card.stripe.refunds.create(of);
          await settled();
          const { data } = await card.stripe.events.list({ type: 'charge.refunded', limit: 2 });
          for (const event of data) await card.deliver(anew(event));
          expect(await bookedOf(invoice)).toEqual({ 'processor-clearing': 0, treasury: 0 });
          expect(await railOfSubscriptions()).toEqual({
            payments: before.payments,
            microUsd: before.microUsd - PLAN_MICRO_USD,
          });
          expect(await balanceOf(key)).toBe(PACK_MICRO_USD);
          // Whose plan it was is known, for what is given to who has spent something.
          const owners = await rows(
            `SELECT account_id FROM subscription_payment JOIN checkout_session USING (checkout_id)
              WHERE subscription_payment.payment_intent_id = $1`,
            [invoice.paymentIntent],
          );
          expect(owners).toEqual([{ account_id: expect.stringMatching(/^acct_/) }]);
        },
      );

      it('is earned where the key of Stripe may not read whose payment it was', async () => {
        await settled();
        card.emulator.control.configureWebhooks({ paused: true });
        const sessionId = await payTier(card, 'bullion_pro_trader');
        const { subscription } = await card.stripe.checkout.sessions.retrieve(sessionId);
        const invoice = await newestInvoice(subscription as string);
        card.emulator.control.fault({ path: '/v1/invoice_payments', status: 403, times: 9 });
        card.emulator.control.configureWebhooks({ paused: false });
        await settled();
        card.emulator.control.clearFaults();
        expect(await bookedOf(invoice)).toEqual({
          'processor-clearing': -PLAN_MICRO_USD,
          treasury: PLAN_MICRO_USD,
        });
      });

      it('by a dispute is away until it is won, also where that is told before the invoice is known', async () => {
        await settled();
        card.emulator.control.configureWebhooks({ paused: true });
        const before = await railOfSubscriptions();
        const sessionId = await payTier(card, 'bullion_pro_trader', { number: '4000 0000 0000 0259' });
        const { subscription } = await card.stripe.checkout.sessions.retrieve(sessionId);
        const invoice = await newestInvoice(subscription as string);
        const [event] = (await card.stripe.events.list({ type: 'charge.dispute.created', limit: 1 })).data;
        const outcomes = [await card.deliver(event), await card.deliver(event)].map(
          ({ json }) => json.outcome,
        );
        expect(outcomes).toEqual(['done', 'duplicate']);
        await card.deliver(anew(event));
        expect(await railOfSubscriptions()).toEqual({
          payments: before.payments,
          microUsd: before.microUsd - PLAN_MICRO_USD,
        });
        card.emulator.control.configureWebhooks({ paused: false, duplicates: 1, order: 'reversed' });
        await settled();
        expect(await bookedOf(invoice)).toEqual({ 'processor-clearing': 0, treasury: 0 });
        for (const status of ['won', 'needs_response', 'won']) await card.deliver(disputeAs(status, event));
        expect(await bookedOf(invoice)).toEqual({
          'processor-clearing': -PLAN_MICRO_USD,
          treasury: PLAN_MICRO_USD,
        });
        expect(await railOfSubscriptions()).toEqual({
          payments: before.payments + 1,
          microUsd: before.microUsd + PLAN_MICRO_USD,
        });
        expect(await ledgerSum()).toBe(0);
      });

      it('by a dispute that is won before any is known has earned it all; one that is lost stays away', async () => {
        const fields = { number: '4000 0000 0000 0259' };
        for (const end of ['won', 'lost']) {
          await settled();
          card.emulator.control.configureWebhooks({ paused: true });
          const sessionId = await payTier(card, 'bullion_pro_trader', fields);
          const { subscription } = await card.stripe.checkout.sessions.retrieve(sessionId);
          const invoice = await newestInvoice(subscription as string);
          const [event] = (await card.stripe.events.list({ type: 'charge.dispute.created', limit: 1 })).data;
          expect((await card.deliver(disputeAs(end, event))).json.outcome).toBe('done');
          card.emulator.control.configureWebhooks({ paused: false, order: 'reversed' });
          await settled();
          const earned = end === 'won' ? PLAN_MICRO_USD : 0;
          expect(await bookedOf(invoice)).toEqual({ 'processor-clearing': -earned || 0, treasury: earned });
        }
      });

      it('is asked about again where the processor could not be asked, and known afterwards without asking', async () => {
        await settled();
        card.emulator.control.configureWebhooks({ paused: true });
        const sessionId = await payTier(card, 'bullion_pro_trader');
        const { subscription } = await card.stripe.checkout.sessions.retrieve(sessionId);
        const invoice = await newestInvoice(subscription as string);
        await card.stripe.refunds.create({ payment_intent: invoice.paymentIntent, amount: PLAN_CENTS });
        const [event] = (await card.stripe.events.list({ type: 'charge.refunded', limit: 1 })).data;
        const away = () =>
          card.emulator.control.fault({ path: '/v1/invoice_payments', status: 500, times: 2 });
        away();
        expect((await card.deliver(event)).status).toBe(503);
        expect((await card.deliver(event)).json.outcome).toBe('done');
        away();
        expect((await card.deliver(anew(event))).json.outcome).toBe('done');
        card.emulator.control.clearFaults();
        expect((await card.deliver(event)).json.outcome).toBe('duplicate');
        // As a release has left it that knew nothing of invoices.
        await rows(`UPDATE webhook_event SET outcome = 'ignored' WHERE event_id = $1`, [event.id]);
        expect((await card.deliver(event)).json.outcome).toBe('done');
        expect((await card.deliver(event)).json.outcome).toBe('duplicate');
        expect(await bookedOf(invoice)).toEqual({
          'processor-clearing': PLAN_MICRO_USD,
          treasury: -PLAN_MICRO_USD,
        });
        card.emulator.control.configureWebhooks({ paused: false });
        await settled();
        expect(await bookedOf(invoice)).toEqual({ 'processor-clearing': 0, treasury: 0 });
      });

      it('of another shop on the same account moves nothing', async () => {
        const price = await card.stripe.prices.create({
          currency: 'usd',
          unit_amount: 700,
          recurring: { interval: 'month' },
          product_data: { name: 'Of another shop' },
        });
        const customer = await card.stripe.customers.create({ email: 'other@example.com' });
        const { id } = await card.stripe.subscriptions.create({
          customer: customer.id,
          items: [{ price: price.id }],
          default_payment_method: 'pm_card_visa',
        });
        const invoice = await newestInvoice(id);
        await card.stripe.refunds.create({ payment_intent: invoice.paymentIntent });
        await settled();
        const [event] = (await card.stripe.events.list({ type: 'charge.refunded', limit: 1 })).data;
        expect((await card.deliver(anew(event))).json.outcome).toBe('ignored');
        expect(await bookedOf(invoice)).toEqual({});
      });
    });
  });
}
