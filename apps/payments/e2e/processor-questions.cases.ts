import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runInTurn } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import type { CardSettings } from '../src/card/card-config.js';
import { CreditReversals } from '../src/card/credit-reversals.js';
import type { CheckoutOrder, HeldOrder, StripeAdapter } from '../src/card/stripe-adapter.js';
import { STRIPE_ASKED_AGAIN_MS, StripeQuestions } from '../src/card/stripe-questions.js';
import { CheckoutService } from '../src/checkout/checkout.service.js';
import { CheckoutStore, UNPAID_CHECKOUTS_MAX } from '../src/checkout/checkout-store.js';
import { Fulfilment } from '../src/checkout/fulfilment.js';
import { EscrowService } from '../src/escrow/escrow.service.js';
import { EscrowStore, UNPAID_ESCROWS_MAX } from '../src/escrow/escrow-store.js';
import { EscrowViews } from '../src/escrow/escrow-views.js';
import { Leads } from '../src/lead/leads.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { type AccountsFixture, startAccounts, tally } from './account-fixture.js';
import { SECRETS } from './payments-fixture.js';

const KNOWN = { production: false, secrets: SECRETS };

/** Stripe, as far as checkouts and escrows ask it: what it makes is paid when a test says so. */
class ScriptedStripe {
  readonly asked: string[] = [];
  readonly made = new Map<string, CheckoutOrder | HeldOrder>();
  readonly paid = new Set<string>();
  readonly ended = new Set<string>();
  /** What the next call that makes something fails with. */
  fault: Error | undefined;
  /** Waited for before a question is answered. */
  gate: Promise<void> | undefined;

  async createCheckout(order: CheckoutOrder) {
    const id = this.make(order.checkoutId, order);
    return { id: `cs_${id}`, url: `https://pay.example/${id}` };
  }

  async retrieveCheckout(sessionId: string) {
    this.asked.push(sessionId);
    await this.gate;
    const order = this.made.get(sessionId.slice(3)) as CheckoutOrder;
    const isPaid = this.paid.has(sessionId);
    return {
      ...{ id: sessionId, client_reference_id: order.checkoutId, status: isPaid ? 'complete' : 'open' },
      ...{ payment_status: isPaid ? 'paid' : 'unpaid', currency: 'usd', amount_total: order.amountCents },
      payment_intent: null,
    };
  }

  async createHeld(order: HeldOrder) {
    return this.intent(`pi_${this.make(order.escrowId, order)}`);
  }

  async retrieveIntent(id: string) {
    this.asked.push(id);
    await this.gate;
    return this.intent(id);
  }

  async cancelIntent(id: string) {
    this.ended.add(id);
    return this.intent(id);
  }

  private intent(id: string) {
    const open = this.paid.has(id) ? 'requires_capture' : 'requires_payment_method';
    const { escrowId } = this.made.get(id.slice(3)) as HeldOrder;
    return {
      ...{ id, client_secret: `${id}_secret`, status: this.ended.has(id) ? 'canceled' : open },
      ...{ metadata: { escrow_id: escrowId }, amount_received: 0, cancellation_reason: null },
    };
  }

  private make(id: string, order: CheckoutOrder | HeldOrder): string {
    const { fault } = this;
    this.fault = undefined;
    if (fault) throw fault;
    const name = id.slice(4).replaceAll('-', '_');
    this.made.set(name, order);
    return name;
  }
}

const { errors } = Stripe;
const REFUSED = () =>
  new errors.StripeInvalidRequestError({
    type: 'invalid_request_error',
    code: 'email_invalid',
    statusCode: 400,
  } as never);
const BUSY = () => new errors.StripeRateLimitError({ type: 'rate_limit_error', statusCode: 429 } as never);
const LOST = () => new errors.StripeConnectionError({ type: 'api_error', message: 'lost' } as never);

export function describeProcessorQuestions(): void {
  describe('what nobody has paid for, at the card processor', () => {
    let fixture: AccountsFixture;
    let stripe: ScriptedStripe;
    let nowMs: number;
    let checkouts: CheckoutService;
    let escrows: EscrowService;
    let escrowStore: EscrowStore;
    beforeAll(async () => {
      fixture = await startAccounts();
    });
    afterAll(() => fixture?.close());
    beforeEach(() => {
      const { database, ledger, accounts, keys } = fixture;
      [stripe, nowMs] = [new ScriptedStripe(), 1];
      const card = {
        stripe: stripe as unknown as StripeAdapter,
        publicUrl: 'https://svc.example',
      } as CardSettings;
      const questions = new StripeQuestions(() => nowMs);
      const [paymentKeys, leads, reversals] = [
        paymentKeysOf(KNOWN),
        new Leads(),
        new CreditReversals(ledger),
      ];
      const store = new CheckoutStore(database, paymentKeys);
      // Neither licences nor subscriptions come with a pack.
      const none = undefined as never;
      const fulfilment = new Fulfilment(database, store, ledger, accounts, leads, none, none, reversals);
      checkouts = new CheckoutService(
        ...([database, store, fulfilment, accounts, keys, none, leads, card, KNOWN, questions] as const),
      );
      escrowStore = new EscrowStore(database, ledger, reversals, paymentKeys);
      const views = new EscrowViews(escrowStore);
      escrows = new EscrowService(database, escrowStore, accounts, fixture.secrets, card, questions, views);
    });

    const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
    let addresses = 0;
    const freshAddress = () => `198.51.100.${++addresses}`;
    const prepay = (address: string, idempotencyKey?: string, accountId?: string) =>
      checkouts.prepay({
        ...{ pack: { packId: 'pack_10' as const }, baseUrl: 'https://svc.example', address },
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(accountId === undefined ? {} : { accountId }),
      });
    const derivedAccount = () =>
      fixture.database.transaction(manager => fixture.accounts.create(manager, { kind: 'derived' }));
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: { code?: string }) => error.code ?? String(error),
      );

    describe('a checkout that was not paid', () => {
      it('is asked about once in two seconds, however many ask, and says when it may be asked again', async () => {
        const { sessionId } = await prepay(freshAddress());
        const ask = () => checkouts.confirm(sessionId, true);
        expect(await tally(Array.from({ length: 100 }, () => ask() as never))).toEqual({
          CHECKOUT_UNPAID: 100,
        });
        await expect(ask()).rejects.toMatchObject({ payload: { retryAfterSeconds: 2 } });
        expect(stripe.asked).toEqual([sessionId]);
        nowMs += STRIPE_ASKED_AGAIN_MS + 1;
        stripe.paid.add(sessionId);
        const answers = await Promise.all(Array.from({ length: 40 }, ask));
        expect(answers.filter(({ apiKey }) => apiKey !== undefined)).toHaveLength(1);
        expect(stripe.asked).toEqual([sessionId, sessionId]);
      });

      it('is never asked about again once it was paid, nor is one that is none of ours', async () => {
        const { sessionId } = await prepay(freshAddress());
        stripe.paid.add(sessionId);
        for (let turn = 0; turn < 10; turn++) {
          nowMs += STRIPE_ASKED_AGAIN_MS + 1;
          expect(await checkouts.confirm(sessionId, true)).toMatchObject({ status: 'FULFILLED' });
          expect(await codeOf(checkouts.confirm('cs_nobody', true))).toBe('NOT_FOUND');
        }
        expect(stripe.asked).toEqual([sessionId]);
      });

      it('has few questions under way beside others, and one caller has some of them', async () => {
        const open = await Promise.all(
          Array.from({ length: 30 }, async (_, i) => ({
            sessionId: (await prepay(freshAddress())).sessionId,
            subject: i < 15 ? 'mallory' : `caller-${i}`,
          })),
        );
        let answer = () => undefined as void;
        stripe.gate = new Promise<void>(resolve => (answer = resolve));
        const asking = open.map(({ sessionId, subject }) =>
          runInTurn({ subject, standing: 'later' }, () => codeOf(checkouts.confirm(sessionId, true))),
        );
        while (stripe.asked.length < 8) await new Promise(resolve => setImmediate(resolve));
        // A question that finds its way without a place has been asked by the time that a marker has.
        await query('SELECT 1');
        expect(stripe.asked).toHaveLength(8);
        const mallorys = new Set(open.slice(0, 15).map(({ sessionId }) => sessionId));
        expect(stripe.asked.filter(sessionId => mallorys.has(sessionId))).toHaveLength(2);
        answer();
        expect(new Set(await Promise.all(asking))).toEqual(new Set(['CHECKOUT_UNPAID']));
      });
    });

    describe('a checkout whose page was not made', () => {
      it.each([
        ['refused', REFUSED, 'UNPROCESSABLE'],
        ['put off', BUSY, 'SERVICE_UNAVAILABLE'],
        ['lost on the way', LOST, 'SERVICE_UNAVAILABLE'],
      ])('because it was %s has no place of its address, and no row', async (_, fault, code) => {
        const address = freshAddress();
        const before = await query(`SELECT count(*)::int AS count FROM checkout_session`);
        for (let turn = 0; turn < UNPAID_CHECKOUTS_MAX + 5; turn++) {
          stripe.fault = fault();
          expect(await codeOf(prepay(address))).toBe(code);
        }
        expect(await query(`SELECT count(*)::int AS count FROM checkout_session`)).toEqual(before);
        for (let turn = 0; turn < UNPAID_CHECKOUTS_MAX; turn++) await prepay(address);
        expect(await codeOf(prepay(address))).toBe('RATE_LIMITED');
      });

      it('counts by its address where a key came of what a payment left over, and else by its account', async () => {
        const address = freshAddress();
        const [{ accountId }, ...derived] = [
          await fixture.customer(),
          await derivedAccount(),
          await derivedAccount(),
        ];
        for (let turn = 0; turn < UNPAID_CHECKOUTS_MAX; turn++)
          await prepay(address, undefined, derived[turn % 2]);
        expect(await codeOf(prepay(address, undefined, derived[0]))).toBe('RATE_LIMITED');
        await prepay(freshAddress(), undefined, derived[0]);
        await prepay(address, undefined, accountId);
      });

      it('may be there all the same under an Idempotency-Key: the next try makes no other, and has its place', async () => {
        const address = freshAddress();
        const key = randomUUID();
        stripe.fault = LOST();
        expect(await codeOf(prepay(address, key))).toBe('SERVICE_UNAVAILABLE');
        const rows = await query(
          `SELECT checkout_id, opened_by FROM checkout_session WHERE idempotency_key = $1`,
          [key],
        );
        expect(rows).toEqual([{ checkout_id: expect.any(String), opened_by: null }]);
        const { sessionId } = await prepay(address, key);
        const [{ checkout_id: checkoutId, opened_by: openedBy }] = await query(
          `SELECT checkout_id, opened_by FROM checkout_session WHERE session_id = $1`,
          [sessionId],
        );
        expect([checkoutId, openedBy]).toEqual([rows[0].checkout_id, expect.stringMatching(/^address:/)]);
        expect(stripe.made.size).toBe(1);
      });

      it('and was given up while it was made is told to nobody', async () => {
        const { createCheckout } = stripe;
        stripe.createCheckout = async order => {
          const session = await createCheckout.call(stripe, order);
          await query(`DELETE FROM checkout_session WHERE checkout_id = $1`, [order.checkoutId]);
          return session;
        };
        expect(await codeOf(prepay(freshAddress(), randomUUID()))).toBe('SERVICE_UNAVAILABLE');
      });
    });

    const AMOUNT = { amountUsd: '1.00', expiresInHours: 168 };
    /** In a turn of its own, as of a caller that has nothing under way. */
    const create = (accountId: string, address = freshAddress(), idempotencyKey?: string) =>
      runInTurn({ subject: randomUUID(), standing: 'later' }, () =>
        escrows.create({
          ...{ accountId, address, escrow: AMOUNT, baseUrl: 'https://svc.example' },
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        }),
      );
    /** Makes the escrow one of so many that are alike. */
    const clone = (escrowId: string, count: number) =>
      query(
        `INSERT INTO escrow SELECT (jsonb_populate_record(escrow, jsonb_build_object('escrow_id',
           'esc_' || left(replace(gen_random_uuid()::text, '-', ''), 22), 'payment_intent_id', NULL))).*
           FROM escrow, generate_series(2, $2::int) WHERE escrow_id = $1`,
        [escrowId, count],
      );
    const age = (escrowId: string, days: number) =>
      query(
        `UPDATE escrow SET created_at = created_at - make_interval(days => $2),
                expires_at = expires_at - make_interval(days => $2) WHERE escrow_id = $1`,
        [escrowId, days],
      );
    describe('escrows that were not paid', () => {
      it('are as many of an account as may wait, also of many at once, and of each account its own', async () => {
        const [{ accountId }, other] = [await fixture.customer(), await fixture.customer()];
        await clone((await create(accountId)).intentId, UNPAID_ESCROWS_MAX - 10);
        const more = Array.from({ length: 20 }, () => create(accountId).then(() => ({ outcome: 'made' })));
        expect(await tally(more)).toEqual({ made: 10, RATE_LIMITED: 10 });
        await expect(create(accountId)).rejects.toMatchObject({
          message: expect.stringContaining(`at most ${UNPAID_ESCROWS_MAX} may`),
          payload: {
            retryAfterSeconds: expect.any(Number),
            extensions: { max: UNPAID_ESCROWS_MAX, got: 100 },
          },
        });
        await create(other.accountId);
      });

      it('count for a day after they were given up, and no more once they were held', async () => {
        const { accountId } = await fixture.customer();
        const { intentId, reference } = await create(accountId);
        await clone(intentId, UNPAID_ESCROWS_MAX);
        expect(await codeOf(create(accountId))).toBe('RATE_LIMITED');
        // Given up: it was made for nothing all the same.
        await escrows.cancel({ accountId, intentId });
        expect(await codeOf(create(accountId))).toBe('RATE_LIMITED');
        await query(`UPDATE escrow SET created_at = created_at - interval '25 hours' WHERE escrow_id = $1`, [
          intentId,
        ]);
        const next = await create(accountId);
        expect(await codeOf(create(accountId))).toBe('RATE_LIMITED');
        expect(reference).not.toBe(next.reference);
        stripe.paid.add(next.reference);
        expect(await escrows.find(accountId, next.intentId)).toMatchObject({ state: 'HELD' });
        await create(accountId);
      });

      it('of accounts that came of a payment’s rest count by their address, of which they are many', async () => {
        const address = freshAddress();
        await clone((await create(await derivedAccount(), address)).intentId, UNPAID_ESCROWS_MAX);
        expect(await codeOf(create(await derivedAccount(), address))).toBe('RATE_LIMITED');
        expect(await codeOf(create(await derivedAccount()))).toBe('done');
      });

      it.each([
        ['refused', REFUSED],
        ['put off', BUSY],
        ['lost on the way', LOST],
      ])('and whose payment was %s leave no row', async (_, fault) => {
        const { accountId } = await fixture.customer();
        stripe.fault = fault();
        expect(await codeOf(create(accountId))).toBe('SERVICE_UNAVAILABLE');
        expect(await query(`SELECT 1 FROM escrow WHERE account_id = $1`, [accountId])).toEqual([]);
      });

      it('and may have a payment all the same are gone on with under their Idempotency-Key', async () => {
        const { accountId } = await fixture.customer();
        stripe.fault = LOST();
        expect(await codeOf(create(accountId, freshAddress(), 'once'))).toBe('SERVICE_UNAVAILABLE');
        const { intentId } = await create(accountId, freshAddress(), 'once');
        expect((await create(accountId, freshAddress(), 'once')).intentId).toBe(intentId);
        expect(stripe.made.size).toBe(1);
      });

      it('are asked about once in two seconds, however often their account asks', async () => {
        const { accountId } = await fixture.customer();
        const { intentId, reference } = await create(accountId);
        const find = () => escrows.find(accountId, intentId);
        for (let turn = 0; turn < 3; turn++)
          for (const { state } of await Promise.all(Array.from({ length: 20 }, find)))
            expect(state).toBe('REQUIRES_PAYMENT');
        expect(await codeOf(escrows.release({ accountId, intentId, release: {} }))).toBe('CONFLICT');
        expect(stripe.asked).toEqual([reference]);
        stripe.paid.add(reference);
        nowMs += STRIPE_ASKED_AGAIN_MS + 1;
        expect((await find()).state).toBe('HELD');
        expect(stripe.asked).toEqual([reference, reference]);
      });

      it('go a month after they could be paid; those that wait, and those that were held, stay', async () => {
        const { accountId } = await fixture.customer();
        const [old, young, held, open] = [
          ...[
            await create(accountId),
            await create(accountId),
            await create(accountId),
            await create(accountId),
          ],
        ];
        stripe.paid.add(held.reference);
        nowMs += STRIPE_ASKED_AGAIN_MS + 1;
        await escrows.find(accountId, held.intentId);
        for (const { intentId } of [old, young, held]) await escrows.cancel({ accountId, intentId });
        await age(old.intentId, 38);
        await age(young.intentId, 36);
        await age(held.intentId, 400);
        await age(open.intentId, 400);
        expect(await escrowStore.purge()).toBe(1);
        const left = await query(`SELECT escrow_id AS id FROM escrow WHERE account_id = $1`, [accountId]);
        expect(left.map(({ id }: { id: string }) => id).sort()).toEqual(
          [young, held, open].map(({ intentId }) => intentId).sort(),
        );
      });
    });
  });
}
