import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type CardRoute, type Reply } from './card-fixture.js';
import { until } from './processes.js';

let card: CardRoute;
let owner: { key: string; accountId: string };
let stranger: { key: string; accountId: string };
let third: { key: string; accountId: string };

/** An account by a pack that was paid. */
async function account(): Promise<{ key: string; accountId: string }> {
  const { json } = await card.call('POST', '/prepay-credits', {});
  await card.payCheckout(json.checkoutUrl);
  const { json: confirmed } = await card.call('GET', `/prepay-success?session_id=${json.sessionId}`);
  return { key: confirmed.apiKey, accountId: confirmed.accountId };
}

const INTENTS = '/v1/escrow/intents';
const as = (who: { key: string }, more: Record<string, string> = {}) => ({ 'x-svc-key': who.key, ...more });
const create = (body: unknown, headers = as(owner)) =>
  card.call('POST', '/v1/escrow/create-intent', body, headers);
const find = (intentId: string, headers = as(owner)) =>
  card.call('GET', `${INTENTS}/${intentId}`, undefined, headers);
const release = (intentId: string, body?: unknown, headers = as(owner)) =>
  card.call('POST', `${INTENTS}/${intentId}/release`, body, headers);
const cancel = (intentId: string, headers = as(owner)) =>
  card.call('POST', `${INTENTS}/${intentId}/cancel`, undefined, headers);

const accept = (intentId: string, headers = as(owner)) =>
  card.call('POST', `${INTENTS}/${intentId}/accept`, undefined, headers);
const list = (query: string, headers = as(owner)) =>
  card.call('GET', `${INTENTS}?${query}`, undefined, headers);
const claimTokenOf = (claimUrl: string) =>
  /^http:\/\/[^/]+\/v1\/escrow\/claims\/([A-Za-z0-9_-]{43})$/.exec(claimUrl)![1];
const claim = (claimToken: string, who: { key: string }) =>
  card.call('POST', `/v1/escrow/claims/${claimToken}`, undefined, as(who));

const balanceOf = async (who: { key: string }): Promise<number> =>
  (await card.call('GET', '/v1/account', undefined, as(who))).json.balanceMicroUsd as number;

/** An escrow whose payer has confirmed its payment. */
async function held(body: Record<string, unknown> = {}): Promise<{ intentId: string; reference: string }> {
  const { json } = await create({ amountUsd: '10.00', ...body });
  await card.stripe.paymentIntents.confirm(json.reference, { payment_method: 'pm_card_visa' });
  return { intentId: json.intentId, reference: json.reference };
}

const statusOf = async (reference: string) => {
  const { status, amount_received: received } = await card.stripe.paymentIntents.retrieve(reference);
  return [status, received];
};

async function ledgerSum(): Promise<number> {
  const [{ sum }] = await card.database.query(`SELECT sum(amount_micro_usd) AS sum FROM ledger_entry`);
  return Number(sum);
}

const outcome = ({ status, json }: Reply) => [status, json.code ?? json.state];

/** @param shared what all suites of the file share */
export function describeEscrow(shared: () => CardRoute): void {
  describe('escrows', () => {
    beforeAll(async () => {
      card = shared();
      owner = await account();
      stranger = await account();
      third = await account();
    });

    beforeEach(() => {
      card.emulator.control.clearFaults();
      card.emulator.control.configureWebhooks({ paused: false, duplicates: 0, order: 'created' });
    });

    describe('POST /v1/escrow/create-intent', () => {
      it('is a payment that waits for its payer, and is held once it has paid', async () => {
        const { status, json } = await create({
          amountUsd: '12.5',
          description: 'a job',
          metadata: { order: '7' },
        });
        expect([status, json.state, json.amountUsd, json.releasedUsd]).toEqual([
          200,
          'REQUIRES_PAYMENT',
          '12.50',
          '0.00',
        ]);
        expect(json).toMatchObject({ clientSecret: expect.stringMatching(/^pi_/), metadata: { order: '7' } });
        const intent = await card.stripe.paymentIntents.retrieve(json.reference);
        expect([intent.amount, intent.capture_method]).toEqual([1_250, 'manual']);
        await card.stripe.paymentIntents.confirm(json.reference, { payment_method: 'pm_card_visa' });
        await card.emulator.idle();
        const [{ state }] = await card.database.query(`SELECT state FROM escrow WHERE escrow_id = $1`, [
          json.intentId,
        ]);
        expect(state).toBe('HELD');
        const found = await find(json.intentId);
        expect([found.json.state, found.json.clientSecret]).toEqual(['HELD', undefined]);
      });

      it('keeps what its caller says of it from passing for ours at the processor', async () => {
        const metadata = { claim_id: randomUUID(), checkout_id: 'chk_x', escrow_id: 'esc_x' };
        const { json } = await create({ amountUsd: '1.00', metadata });
        const intent = await card.stripe.paymentIntents.retrieve(json.reference);
        expect(intent.metadata).toEqual({ escrow_id: json.intentId, account_id: owner.accountId });
        expect(json.metadata).toEqual(metadata);
      });

      it.each([
        ['0', 0.5],
        ['0.49', 0.5],
        ['1000000.00', 999_999.99],
        ['999999999', 999_999.99],
        ['-5.00', undefined],
        ['1.005', undefined],
        ['1e3', undefined],
        ['', undefined],
        [5, undefined],
      ])('refuses the amount %j with 400 that names field, bound and value', async (amountUsd, bound) => {
        const { status, json } = await create({ amountUsd });
        expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
        expect(json.errors[0]).toMatchObject({
          path: 'amountUsd',
          got: amountUsd,
          ...(bound === undefined ? {} : { bound }),
        });
      });

      it.each([
        [{ amountUsd: '1.00', expiresInHours: 169 }, 400],
        [{ amountUsd: '1.00', expiresInHours: 0 }, 400],
        [{ amountUsd: '1.00', description: 'a\u0000b' }, 400],
        [{ amountUsd: '1.00', payee: `acct_${'z'.repeat(20)}` }, 422],
        [{ amountUsd: '1.00', payee: 'acct_alice' }, 422],
        [{ amountUsd: '1.00', payee: '' }, 400],
      ])('refuses %j', async (body, expected) => {
        expect((await create(body)).status).toBe(expected);
      });

      it('without a key, or with one of nobody, is 401', async () => {
        expect((await create({ amountUsd: '1.00' }, {} as never)).status).toBe(401);
        expect((await create({ amountUsd: '1.00' }, { 'x-svc-key': 'svc_test_x' })).status).toBe(401);
      });

      it('is one payment for one Idempotency-Key, also when its answer was lost; another body under it is 422', async () => {
        const headers = as(owner, { 'idempotency-key': randomUUID() });
        card.emulator.control.fault({
          method: 'POST',
          path: '/v1/payment_intents',
          times: 2,
          after: true,
          drop: true,
        });
        expect((await create({ amountUsd: '3.00' }, headers)).status).toBe(503);
        const first = await create({ amountUsd: '3.00' }, headers);
        const again = await create({ amountUsd: '3.00' }, headers);
        expect([first.status, again.json]).toEqual([200, first.json]);
        const { data } = await card.stripe.paymentIntents.list({ limit: 100 });
        expect(data.filter(({ metadata }) => metadata.escrow_id === first.json.intentId)).toHaveLength(1);
        expect(outcome(await create({ amountUsd: '3.01' }, headers))).toEqual([422, 'UNPROCESSABLE']);
        const other = await create({ amountUsd: '3.00' }, { ...headers, 'x-svc-key': stranger.key });
        expect(other.json.intentId).not.toBe(first.json.intentId);
      });
    });

    describe('an escrow of another account', () => {
      it('is 404, whatever is asked of it', async () => {
        const { intentId } = await held();
        for (const ask of [find, (id: string, headers: never) => release(id, {}, headers), cancel]) {
          expect(outcome(await ask(intentId, as(stranger) as never))).toEqual([404, 'NOT_FOUND']);
        }
        expect(outcome(await find(`esc_${'A'.repeat(22)}`))).toEqual([404, 'NOT_FOUND']);
        expect((await find('esc_short')).status).toBe(400);
      });
    });

    describe('release', () => {
      it('captures the whole, which is the payee’s credit', async () => {
        const { intentId, reference } = await held({ payee: stranger.accountId });
        const before = await balanceOf(stranger);
        const { json } = await release(intentId);
        expect([json.state, json.releasedUsd]).toEqual(['RELEASED', '10.00']);
        expect(await statusOf(reference)).toEqual(['succeeded', 1_000]);
        expect(await balanceOf(stranger)).toBe(before + 10_000_000);
        await card.emulator.idle();
        expect(await balanceOf(stranger)).toBe(before + 10_000_000);
        expect(await ledgerSum()).toBe(0);
      });

      it('captures a part, and the rest goes back; more than is held is 422', async () => {
        const { intentId, reference } = await held();
        const tooMuch = await release(intentId, { amountUsd: '10.01' });
        expect(outcome(tooMuch)).toEqual([422, 'UNPROCESSABLE']);
        expect(tooMuch.json.errors).toMatchObject([{ path: 'amountUsd', bound: '10.00', got: '10.01' }]);
        const { json } = await release(intentId, { amountUsd: '4.00' });
        expect([json.state, json.releasedUsd]).toEqual(['COLLECTED', '4.00']);
        expect(await statusOf(reference)).toEqual(['succeeded', 400]);
      });

      it('that is refunded at the processor takes the payee’s credit back', async () => {
        const { intentId, reference } = await held({ payee: stranger.accountId });
        await release(intentId);
        const before = await balanceOf(stranger);
        await card.stripe.refunds.create({ payment_intent: reference, amount: 400 });
        await card.emulator.idle();
        expect(await balanceOf(stranger)).toBe(before - 4_000_000);
        expect((await find(intentId)).json).toMatchObject({ state: 'RELEASED', refundedUsd: '4.00' });
        await card.stripe.refunds.create({ payment_intent: reference });
        await card.emulator.idle();
        expect(await balanceOf(stranger)).toBe(before - 10_000_000);
        expect(await ledgerSum()).toBe(0);
        for (const who of [owner, stranger]) {
          expect((await find(intentId, as(who))).json).toMatchObject({
            ...{ state: 'REFUNDED', releasedUsd: '10.00', refundedUsd: '10.00' },
          });
        }
      });

      it('before the payment is 409, twice is 409, and by its Idempotency-Key the same answer', async () => {
        const { json } = await create({ amountUsd: '2.00' });
        expect(outcome(await release(json.intentId))).toEqual([409, 'CONFLICT']);
        const { intentId } = await held();
        const headers = as(owner, { 'idempotency-key': randomUUID() });
        const first = await release(intentId, { amountUsd: '5.00' }, headers);
        expect((await release(intentId, { amountUsd: '5.00' }, headers)).json).toEqual(first.json);
        expect(outcome(await release(intentId, { amountUsd: '6.00' }, headers))).toEqual([
          422,
          'UNPROCESSABLE',
        ]);
        expect(outcome(await release(intentId))).toEqual([409, 'CONFLICT']);
      });

      it.each([429, 401, 403])(
        'turned away with %i is 503 and no refusal, and is done when it is asked again',
        async status => {
          const { intentId, reference } = await held();
          card.emulator.control.fault({ method: 'POST', path: '/v1/payment_intents/*/capture', status });
          const turnedAway = await release(intentId, { amountUsd: '7.00' });
          expect(outcome(turnedAway)).toEqual([503, 'SETTLEMENT_UNKNOWN']);
          expect((await release(intentId, { amountUsd: '7.00' })).json).toMatchObject({ state: 'COLLECTED' });
          expect(await statusOf(reference)).toEqual(['succeeded', 700]);
        },
      );

      it('whose answer was lost is 503, and the retry captures no second time', async () => {
        const { intentId, reference } = await held();
        const before = await balanceOf(owner);
        card.emulator.control.configureWebhooks({ paused: true });
        card.emulator.control.fault({
          method: 'POST',
          path: '/v1/payment_intents/*/capture',
          times: 2,
          after: true,
          drop: true,
        });
        const lost = await release(intentId, { amountUsd: '7.00' });
        expect(outcome(lost)).toEqual([503, 'SETTLEMENT_UNKNOWN']);
        expect(outcome(await cancel(intentId))).toEqual([409, 'CONFLICT']);
        expect((await release(intentId, { amountUsd: '7.00' })).json).toMatchObject({
          state: 'COLLECTED',
          releasedUsd: '7.00',
        });
        expect(await statusOf(reference)).toEqual(['succeeded', 700]);
        expect(await balanceOf(owner)).toBe(before + 7_000_000);
      });

      it('by ten at once is one capture: who finds it at work is told 409 to ask again, and gets the same answer', async () => {
        const { intentId, reference } = await held();
        card.emulator.control.fault({
          ...{ method: 'POST', path: '/v1/payment_intents/*/capture', delayMs: 1_500 },
        });
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => release(intentId, { amountUsd: '7.00' })),
        );
        const refused = answers.filter(({ status }) => status !== 200);
        expect(refused.length).toBeGreaterThan(0);
        expect(new Set(refused.map(answer => outcome(answer).join(' ')))).toEqual(new Set(['409 CONFLICT']));
        for (const { json, headers } of refused) {
          expect([json.charged, json.retry]).toEqual(['unknown', 'same']);
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        }
        expect((await find(intentId)).json).toMatchObject({ state: 'COLLECTED', releasedUsd: '7.00' });
        expect(await statusOf(reference)).toEqual(['succeeded', 700]);
      });

      it('racing cancellations: one wins, and what was captured is what was booked', async () => {
        for (let round = 0; round < 5; round++) {
          const { intentId, reference } = await held();
          const before = await balanceOf(owner);
          const answers = await Promise.all(
            Array.from({ length: 10 }, (_, index) =>
              index % 2 === 0 ? release(intentId) : cancel(intentId),
            ),
          );
          await card.emulator.idle();
          const [status, received] = await statusOf(reference);
          const { json } = await find(intentId);
          expect(json.state).toBe(status === 'succeeded' ? 'COLLECTED' : 'CANCELLED');
          expect(await balanceOf(owner)).toBe(before + Number(received) * 10_000);
          const won = new Set(
            answers.filter(({ status: code }) => code === 200).map(answer => answer.json.state),
          );
          expect([...won]).toEqual([json.state]);
        }
        expect(await ledgerSum()).toBe(0);
      });
    });

    describe('a payee without an account', () => {
      const forAlice = { amountUsd: '10.00', payee: 'alice@example.com', description: 'a job' };
      const paidForAlice = async () => {
        const { json } = await create({ ...forAlice, metadata: { order: '7' } });
        await card.stripe.paymentIntents.confirm(json.reference, { payment_method: 'pm_card_visa' });
        return { intentId: json.intentId as string, claimToken: claimTokenOf(json.claimUrl) };
      };

      it('has a link, which the answer alone shows that makes the escrow, and no row', async () => {
        const headers = as(owner, { 'idempotency-key': randomUUID() });
        const { json } = await create(forAlice, headers);
        const claimToken = claimTokenOf(json.claimUrl);
        expect((await create(forAlice, headers)).json.claimUrl).toBe(json.claimUrl);
        expect((await find(json.intentId)).json.claimUrl).toBeUndefined();
        expect((await list('limit=1')).json.items).toMatchObject([{ intentId: json.intentId }]);
        expect((await list('limit=1')).json.items[0].claimUrl).toBeUndefined();
        const rows = await card.database.query(
          `SELECT length(claim_digest) AS bytes, escrow::text LIKE '%' || $2 || '%' AS plain FROM escrow WHERE escrow_id = $1`,
          [json.intentId, claimToken],
        );
        expect(rows).toEqual([{ bytes: 32, plain: false }]);
        expect((await create({ ...forAlice, payee: stranger.accountId })).json.claimUrl).toBeUndefined();
        expect(outcome(await claim(claimToken, stranger))).toEqual([409, 'CONFLICT']);
      });

      it('claims it once, and gets what is released; all others are refused', async () => {
        const { intentId, claimToken } = await paidForAlice();
        expect(outcome(await release(intentId))).toEqual([409, 'CONFLICT']);
        const looked = await card.call('GET', `/v1/escrow/claims/${claimToken}`);
        expect([looked.status, looked.json]).toEqual([
          200,
          { intentId, state: 'HELD', isClaimed: false, ...forAlice, expiresAt: expect.any(String) },
        ]);
        expect((await card.call('POST', `/v1/escrow/claims/${claimToken}`)).status).toBe(401);
        expect(outcome(await claim(claimToken, owner))).toEqual([403, 'FORBIDDEN']);
        const claimed = await claim(claimToken, stranger);
        expect([claimed.status, claimed.json]).toMatchObject([
          200,
          {
            role: 'payee',
            state: 'HELD',
            payeeAccountId: stranger.accountId,
            acceptedAt: expect.any(String),
          },
        ]);
        expect(claimed.json.metadata).toBeUndefined();
        expect((await claim(claimToken, stranger)).json).toEqual(claimed.json);
        expect(outcome(await claim(claimToken, third))).toEqual([409, 'CONFLICT']);
        const before = await balanceOf(stranger);
        expect(outcome(await release(intentId))).toEqual([200, 'RELEASED']);
        expect(await balanceOf(stranger)).toBe(before + 10_000_000);
      });

      it('claims it for a wallet, whose account is opened with the claim', async () => {
        const { intentId, claimToken } = await paidForAlice();
        const [address, another] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`];
        const claimFor = (body: unknown, headers = {}) =>
          card.call('POST', `/v1/escrow/claims/${claimToken}`, body, headers);
        expect(outcome(await claimFor({ address }, as(stranger)))).toEqual([400, 'CONFLICTING_CREDENTIALS']);
        const slip = await claimFor({ address: '0x8ba1f109551bd432803012645Ac136ddd64DBA72' });
        expect([slip.status, slip.json.errors[0].path]).toEqual([422, 'address']);
        expect((await claimFor({ address: '0x12' })).json.errors[0].path).toBe('address');
        const claimed = await claimFor({ address });
        const { payeeAccountId } = claimed.json;
        expect([claimed.status, payeeAccountId]).toEqual([200, expect.stringMatching(/^acct_/)]);
        expect((await claimFor({ address })).json).toEqual(claimed.json);
        expect(outcome(await claimFor({ address: another }))).toEqual([409, 'CONFLICT']);
        expect(outcome(await release(intentId))).toEqual([200, 'RELEASED']);
        const rows = await card.database.query(
          `SELECT kind, balance_micro_usd::int AS balance FROM account WHERE account_id = $1`,
          [payeeAccountId],
        );
        expect(rows).toEqual([{ kind: 'derived', balance: 10_000_000 }]);
      });

      it('is one of many who claim it at once', async () => {
        const { intentId, claimToken } = await paidForAlice();
        const callers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? stranger : third));
        const answers = await Promise.all(
          callers.map(async who => [who, await claim(claimToken, who)] as const),
        );
        const { payeeAccountId } = (await find(intentId)).json;
        expect([stranger.accountId, third.accountId]).toContain(payeeAccountId);
        for (const [who, answer] of answers)
          expect(answer.status).toBe(who.accountId === payeeAccountId ? 200 : 409);
      });

      it('that has not claimed it gets nothing: the money goes back', async () => {
        const { intentId, claimToken } = await paidForAlice();
        expect(outcome(await cancel(intentId))).toEqual([200, 'CANCELLED']);
        expect(outcome(await claim(claimToken, stranger))).toEqual([409, 'CONFLICT']);
      });

      it('is found by no other link', async () => {
        expect(outcome(await claim('A'.repeat(43), stranger))).toEqual([404, 'NOT_FOUND']);
        const { status, json } = await claim('short', stranger);
        expect([status, json.errors[0].path]).toEqual([400, 'claimToken']);
      });
    });

    describe('a payee with an account', () => {
      it('sees the escrow once it is held, and accepts it; only who made it releases or cancels it', async () => {
        const { json: open } = await create({ amountUsd: '10.00', payee: stranger.accountId });
        const asPayee = () => list('role=payee&limit=1', as(stranger));
        expect((await asPayee()).json.items[0]?.intentId).not.toBe(open.intentId);
        expect(outcome(await accept(open.intentId, as(stranger)))).toEqual([409, 'CONFLICT']);
        const { intentId } = await held({ payee: stranger.accountId, metadata: { order: '7' } });
        const accepted = await accept(intentId, as(stranger));
        expect([accepted.status, accepted.json]).toMatchObject([
          200,
          { role: 'payee', state: 'HELD', acceptedAt: expect.any(String) },
        ]);
        expect((await accept(intentId, as(stranger))).json).toEqual(accepted.json);
        expect((await asPayee()).json.items).toEqual([accepted.json]);
        for (const secret of ['metadata', 'clientSecret']) expect(accepted.json).not.toHaveProperty(secret);
        const { acceptedAt } = accepted.json;
        expect((await find(intentId)).json).toMatchObject({
          role: 'creator',
          acceptedAt,
          metadata: { order: '7' },
        });
        expect(outcome(await accept(intentId))).toEqual([403, 'FORBIDDEN']);
        expect(outcome(await accept(intentId, as(third)))).toEqual([404, 'NOT_FOUND']);
        for (const ask of [release(intentId, {}, as(stranger)), cancel(intentId, as(stranger))])
          expect(outcome(await ask)).toEqual([403, 'FORBIDDEN']);
        expect((await find(intentId)).json.state).toBe('HELD');
      });

      it('reads the list page by page, and with another filter no cursor of it', async () => {
        const made = [await held({ payee: third.accountId }), await held({ payee: third.accountId })];
        await card.emulator.idle();
        const first = (await list('role=payee&limit=1', as(third))).json;
        const second = (await list(`role=payee&limit=1&cursor=${first.nextCursor}`, as(third))).json;
        expect([first, second].map(page => page.items[0].intentId)).toEqual(
          made.map(({ intentId }) => intentId).reverse(),
        );
        const { status, json } = await list(`role=creator&cursor=${first.nextCursor}`, as(third));
        expect([status, json.errors[0].path]).toEqual([400, 'cursor']);
        expect((await list('role=creator', as(third))).json).toEqual({ items: [], nextCursor: null });
        expect((await list('limit=201')).json.errors[0]).toMatchObject({ path: 'limit', bound: 200 });
      });
    });

    describe('cancel and expiry', () => {
      it('gives the payment back to its payer, paid or not', async () => {
        const { intentId, reference } = await held();
        expect(outcome(await cancel(intentId))).toEqual([200, 'CANCELLED']);
        expect(await statusOf(reference)).toEqual(['canceled', 0]);
        const { json } = await create({ amountUsd: '1.00' });
        expect(outcome(await cancel(json.intentId))).toEqual([200, 'CANCELLED']);
        expect(outcome(await release(json.intentId))).toEqual([409, 'CONFLICT']);
      });

      it('past its time is 410 at once, and is given back by the sweep', async () => {
        const { intentId, reference } = await held();
        await card.database.query(
          `UPDATE escrow SET expires_at = now() - interval '1 second' WHERE escrow_id = $1`,
          [intentId],
        );
        expect(outcome(await release(intentId))).toEqual([410, 'EXPIRED']);
        expect(outcome(await cancel(intentId))).toEqual([410, 'EXPIRED']);
        await until(
          async () => (await find(intentId)).json.state === 'EXPIRED',
          () => 'the expiry',
        );
        expect(await statusOf(reference)).toEqual(['canceled', 0]);
      });
    });
  });
}
