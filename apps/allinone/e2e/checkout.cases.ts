import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { byTier } from '@svc/platform/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { type CardRoute } from './card-fixture.js';

const PACK_MICRO_USD = 10_000_000;

let card: CardRoute;

const prepay = (body?: unknown, headers: Record<string, string> = {}) =>
  card.call('POST', '/prepay-credits', body, headers);
const success = (sessionId: string, headers: Record<string, string> = {}) =>
  card.call('GET', `/prepay-success?session_id=${sessionId}`, undefined, headers);
const balanceOf = async (key: string): Promise<number> =>
  (await card.call('GET', '/v1/account', undefined, { 'x-svc-key': key })).json.balanceMicroUsd as number;

/** A pack that was paid and confirmed: its key. */
async function boughtKey(): Promise<{ key: string; sessionId: string }> {
  const { json } = await prepay({ packId: 'pack_10' });
  await card.payCheckout(json.checkoutUrl);
  const { json: confirmed } = await success(json.sessionId);
  return { key: confirmed.apiKey, sessionId: json.sessionId };
}

async function rows(sql: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
  return card.database.query(sql, parameters);
}

const topUps = (sessionId: string) =>
  rows(`SELECT * FROM ledger_entry WHERE reference = $1 AND account LIKE 'customer:%'`, [sessionId]);

async function ledgerSum(): Promise<number> {
  const [{ sum }] = await rows(`SELECT coalesce(sum(amount_micro_usd), 0) AS sum FROM ledger_entry`);
  return Number(sum);
}

async function settled(): Promise<void> {
  await card.emulator.idle();
}

/** @param shared what all suites of the file share */
export function describeCheckout(shared: () => CardRoute): void {
  describe('checkouts', () => {
    beforeAll(async () => {
      card = shared();
    });

    beforeEach(() => {
      card.emulator.control.clearFaults();
      card.emulator.control.configureWebhooks({ paused: false, duplicates: 0, order: 'created' });
    });

    describe('POST /prepay-credits', () => {
      it('without a body is a checkout of the default pack, on a page of the processor', async () => {
        const { status, json } = await prepay();
        expect([status, json.packId, json.credits]).toEqual([200, 'pack_10', 40]);
        const session = await card.stripe.checkout.sessions.retrieve(json.sessionId);
        expect([session.amount_total, session.currency, session.mode]).toEqual([1_000, 'usd', 'payment']);
        expect(session.success_url).toBe(
          `${card.route.address}/prepay-success?session_id={CHECKOUT_SESSION_ID}`,
        );
      });

      it.each([
        [{ packId: 'pack_11' }, 'packId'],
        [{ customerEmail: 'nobody' }, 'customerEmail'],
        [{ packId: 'pack_10', amountUsd: '0.01' }, 'amountUsd'],
      ])('refuses %j with 400 that names the field', async (body, path) => {
        const { status, json } = await prepay(body);
        expect([status, json.code, json.errors[0].path]).toEqual([400, 'VALIDATION_FAILED', path]);
      });

      it('refuses a key that is nobody’s, and takes nothing for it', async () => {
        const { status, json } = await prepay(
          {},
          { 'x-svc-key': `svc_test_${'a'.repeat(16)}_${'A'.repeat(43)}` },
        );
        expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
      });

      it('gives one session for one Idempotency-Key, also when its answer was lost; another body under it is 422', async () => {
        const headers = { 'idempotency-key': randomUUID() };
        const before = (await card.stripe.checkout.sessions.list({ limit: 100 })).data.length;
        card.emulator.control.fault({
          method: 'POST',
          path: '/v1/checkout/sessions',
          times: 2,
          after: true,
          drop: true,
        });
        const lost = await prepay({}, headers);
        expect([lost.status, lost.json.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
        const first = await prepay({}, headers);
        const again = await prepay({ packId: 'pack_10' }, headers);
        expect([first.status, again.json]).toEqual([200, first.json]);
        expect((await card.stripe.checkout.sessions.list({ limit: 100 })).data.length).toBe(before + 1);
        const other = await prepay({ packId: 'pack_50' }, headers);
        expect([other.status, other.json.code]).toEqual([422, 'UNPROCESSABLE']);
        const { key } = await boughtKey();
        const ofAnother = await prepay({}, { ...headers, 'x-svc-key': key });
        expect(ofAnother.json.sessionId).not.toBe(first.json.sessionId);
      });
    });

    describe('an Idempotency-Key', () => {
      it('that could be guessed is refused without an account, whose address others may share', async () => {
        const { status, json } = await prepay({}, { 'idempotency-key': 'fifteen chars!!' });
        expect([status, json.code, json.errors]).toEqual([
          400,
          'VALIDATION_FAILED',
          [
            {
              path: 'Idempotency-Key',
              message: expect.stringContaining('X-SVC-KEY'),
              bound: 16,
              got: '15 characters',
            },
          ],
        ]);
        expect((await prepay({}, { 'idempotency-key': randomUUID().slice(0, 16) })).status).toBe(200);
      });

      it('may be short beside X-SVC-KEY, and is that account’s own', async () => {
        const [mine, theirs] = [await boughtKey(), await boughtKey()];
        const as = (key: string) => prepay({}, { 'idempotency-key': '1', 'x-svc-key': key });
        const [first, again, other] = [await as(mine.key), await as(mine.key), await as(theirs.key)];
        expect([first.status, again.json.sessionId]).toEqual([200, first.json.sessionId]);
        expect(other.json.sessionId).not.toBe(first.json.sessionId);
      });
    });

    describe('one Idempotency-Key, twenty times at once', () => {
      it('is one session, which every answer names that names any', async () => {
        const headers = { 'idempotency-key': randomUUID() };
        const before = (await card.stripe.checkout.sessions.list({ limit: 100 })).data.length;
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => prepay({ packId: 'pack_250' }, headers)),
        );
        const named = answers.filter(({ status }) => status === 200).map(({ json }) => json.sessionId);
        expect(named.length).toBeGreaterThan(0);
        expect(new Set(named).size).toBe(1);
        for (const { status } of answers) expect([200, 503]).toContain(status);
        expect((await card.stripe.checkout.sessions.list({ limit: 100 })).data.length).toBe(before + 1);
      });
    });

    describe('GET /prepay-success', () => {
      it('of a session that is none of ours is 404, of one that is not paid 409', async () => {
        const unknown = await success('cs_test_nothing');
        expect([unknown.status, unknown.json.code]).toEqual([404, 'NOT_FOUND']);
        const { json } = await prepay({});
        const unpaid = await success(json.sessionId);
        expect([unpaid.status, unpaid.json.code]).toEqual([409, 'CHECKOUT_UNPAID']);
        expect(unpaid.headers.get('www-authenticate')).toBeNull();
        const declined = await card.payCheckout(json.checkoutUrl, { number: '4000 0000 0000 0002' });
        expect(declined).toBeNull();
        expect((await success(json.sessionId)).status).toBe(409);
      });

      it('shows the key once, which has the pack’s credit and pays', async () => {
        const { json } = await prepay({ customerEmail: 'lead@example.com' });
        const leadsTo = await card.payCheckout(json.checkoutUrl);
        expect(leadsTo).toBe(`${card.route.address}/prepay-success?session_id=${json.sessionId}`);
        const first = await success(json.sessionId);
        expect(first.status).toBe(200);
        expect(first.json).toMatchObject({
          status: 'FULFILLED',
          packId: 'pack_10',
          creditsAdded: 40,
          credits: 40,
        });
        expect(first.headers.get('cache-control')).toBe('no-store');
        const key = first.json.apiKey as string;
        expect(await balanceOf(key)).toBe(PACK_MICRO_USD);
        const again = await success(json.sessionId);
        expect(again.json).toMatchObject({ credits: 40, keyShownAt: expect.any(String) });
        expect(again.text).not.toContain('svc_test_');
        const call = await card.call(
          'POST',
          '/v1/zk/prove',
          { traceData: '0x01', degree: 8 },
          { 'x-svc-key': key },
        );
        expect([call.status, await balanceOf(key)]).toEqual([200, PACK_MICRO_USD - 1_000]);
        const [lead] = await rows(`SELECT * FROM lead WHERE email = 'lead@example.com'`);
        expect(lead).toMatchObject({ source: 'checkout' });
      });

      it('asked by forty at once, and by the webhook, shows one key to one of them and credits once', async () => {
        const { json } = await prepay({});
        await card.payCheckout(json.checkoutUrl);
        const answers = await Promise.all(Array.from({ length: 40 }, () => success(json.sessionId)));
        await settled();
        expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
        expect(answers.filter(({ json: { apiKey } }) => apiKey !== undefined)).toHaveLength(1);
        expect(await topUps(json.sessionId)).toHaveLength(1);
        const accounts = new Set(answers.map(answer => answer.json.accountId));
        expect(accounts.size).toBe(1);
        expect(await ledgerSum()).toBe(0);
      });

      it('answers a browser with a page, on which the key is once; what fetches ahead does not use it up', async () => {
        const html = { accept: 'text/html,application/xhtml+xml;q=0.9' };
        const { json } = await prepay({});
        const unpaid = await success(json.sessionId, html);
        expect([unpaid.status, unpaid.headers.get('content-type')]).toEqual([
          409,
          'text/html; charset=utf-8',
        ]);
        await card.payCheckout(json.checkoutUrl);
        // Who asks again so soon is told what was found before, until the processor has told us.
        await settled();
        const ahead = await success(json.sessionId, { ...html, 'sec-purpose': 'prefetch' });
        expect(ahead.text).not.toContain('svc_test_');
        await fetch(`${card.route.address}/prepay-success?session_id=${json.sessionId}`, { method: 'HEAD' });
        const page = await success(json.sessionId, html);
        expect([page.status, page.text.match(/svc_test_[a-z0-9]{16}_[\w-]{43}/g)?.length]).toEqual([200, 1]);
        expect(page.headers.get('cache-control')).toBe('no-store');
        expect(page.headers.get('referrer-policy')).toBe('no-referrer');
        expect((await success(json.sessionId, html)).text).not.toContain('svc_test_');
      });

      it('of a pack that was bought with a key raises the credit of that key, and shows none', async () => {
        const { key } = await boughtKey();
        const { json } = await prepay({ packId: 'pack_50' }, { 'x-svc-key': key });
        await card.payCheckout(json.checkoutUrl);
        const confirmed = await success(json.sessionId);
        expect(confirmed.json).toMatchObject({ packId: 'pack_50', creditsAdded: 200, credits: 240 });
        expect(confirmed.json.apiKey).toBeUndefined();
        expect(await balanceOf(key)).toBe(60_000_000);
      });

      it.each([
        ['is fulfilled once it has succeeded', false, 200],
        ['is not when it fails', true, 409],
      ])('of a bank debit is 409 while it is under way, and %s', async (_name, fails, status) => {
        const sessionId = await bankCheckout();
        const { data } = await card.stripe.events.list({ type: 'checkout.session.completed', limit: 1 });
        expect(data[0].data.object).toMatchObject({ id: sessionId, payment_status: 'unpaid' });
        await settled();
        expect((await success(sessionId)).json.code).toBe('CHECKOUT_UNPAID');
        expect(await topUps(sessionId)).toHaveLength(0);
        card.emulator.control.settleBankDebit(sessionId, { fails });
        await settled();
        expect(await topUps(sessionId)).toHaveLength(fails ? 0 : 1);
        expect((await success(sessionId)).status).toBe(status);
      });

      /** A checkout that was completed with a bank account, as the merchant's settings at the processor may allow. */
      async function bankCheckout(): Promise<string> {
        const { json } = await prepay({});
        const ours = await card.stripe.checkout.sessions.retrieve(json.sessionId);
        const session = await card.stripe.checkout.sessions.create({
          mode: 'payment',
          // Of versions before the one that the types are of.
          ...{ payment_method_types: ['card', 'us_bank_account'] },
          client_reference_id: ours.client_reference_id!,
          line_items: [
            {
              quantity: 1,
              price_data: { currency: 'usd', unit_amount: 1_000, product_data: { name: 'pack' } },
            },
          ],
          success_url: ours.success_url!,
        });
        await rows(`UPDATE checkout_session SET session_id = $1 WHERE session_id = $2`, [
          session.id,
          ours.id,
        ]);
        const bank = { number: '', expiry: '', cvc: '', account: '000123456789' };
        expect(await card.payCheckout(session.url!, bank)).toContain('/prepay-success');
        return session.id;
      }
    });

    describe('POST /webhooks/stripe', () => {
      /** The event of a paid checkout, none of whose deliveries went out. */
      async function heldEvent(): Promise<{ event: string; sessionId: string }> {
        await settled();
        card.emulator.control.configureWebhooks({ paused: true });
        const { json } = await prepay({});
        await card.payCheckout(json.checkoutUrl);
        const { data } = await card.stripe.events.list({ type: 'checkout.session.completed', limit: 1 });
        return { event: JSON.stringify(data[0]), sessionId: json.sessionId };
      }

      const changed = (event: string, members: object) => ({ ...JSON.parse(event), ...members }) as object;

      it('has its effect once when one event is delivered a hundred times at once', async () => {
        const { event, sessionId } = await heldEvent();
        const answers = await Promise.all(Array.from({ length: 100 }, () => card.deliver(event)));
        expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
        expect(answers.filter(({ json }) => json.outcome === 'done')).toHaveLength(1);
        expect(answers.filter(({ json }) => json.outcome === 'duplicate')).toHaveLength(99);
        expect(await topUps(sessionId)).toHaveLength(1);
        const confirmed = await success(sessionId);
        expect(confirmed.json).toMatchObject({ credits: 40, apiKey: expect.stringMatching(/^svc_test_/) });
      });

      it.each([
        ['without a signature', (event: string) => card.call('POST', '/webhooks/stripe', event)],
        [
          'signed by another secret',
          (event: string) => card.deliver(event, { secret: 'whsec_of_somebody_else' }),
        ],
        [
          'signed too long ago',
          (event: string) => card.deliver(event, { timestamp: Math.floor(Date.now() / 1_000) - 301 }),
        ],
        [
          'signed at a time to come',
          (event: string) => card.deliver(event, { timestamp: Math.floor(Date.now() / 1_000) + 330 }),
        ],
        ['of null, rightly signed', () => card.deliver('null')],
        ['of a list, rightly signed', () => card.deliver('[]')],
        [
          'of an event about nothing, rightly signed',
          (event: string) => card.deliver(changed(event, { data: { object: null } })),
        ],
        [
          'of an event without data, rightly signed',
          (event: string) => card.deliver(changed(event, { data: undefined })),
        ],
        [
          'of an event without an id, rightly signed',
          (event: string) => card.deliver(changed(event, { id: 7 })),
        ],
        [
          'of an event of no kind, rightly signed',
          (event: string) => card.deliver(changed(event, { type: null })),
        ],
        [
          'of an event of no time, rightly signed',
          (event: string) => card.deliver(changed(event, { created: 1e300 })),
        ],
        [
          'altered by one byte',
          async (event: string) => {
            const header = card.stripe.webhooks.generateTestHeaderString({
              payload: event,
              secret: card.emulator.webhookSecret,
            });
            return card.call('POST', '/webhooks/stripe', `${event} `, { 'stripe-signature': header });
          },
        ],
        [
          'without a body',
          () => card.call('POST', '/webhooks/stripe', undefined, { 'stripe-signature': 't=1,v1=00' }),
        ],
      ])('%s is 400, and nothing is done', async (_name, send) => {
        const { event, sessionId } = await heldEvent();
        const [{ count: before }] = await rows(`SELECT count(*) FROM webhook_event`);
        const { status, json } = await send(event);
        expect([status, json.code]).toEqual([400, 'WEBHOOK_INVALID']);
        expect(await rows(`SELECT count(*) FROM webhook_event`)).toEqual([{ count: before }]);
        expect(await topUps(sessionId)).toHaveLength(0);
      });

      it('answers 400 to whatever signature and bytes it gets that are not the processor’s', async () => {
        await settled();
        const [{ count: before }] = await rows(`SELECT count(*) FROM webhook_event`);
        const now = Math.floor(Date.now() / 1_000);
        const signature = fc.oneof(
          fc.string({ unit: fc.constantFrom(...'tv1=,0af- ;'), maxLength: 60 }),
          fc.stringMatching(/^[0-9a-f]{64}$/).map(hex => `t=${now},v1=${hex}`),
          fc.constant(`t=${now},v1=${'0'.repeat(2_000)}`),
        );
        await fc.assert(
          fc.asyncProperty(signature, fc.json(), async (header, body) => {
            const { status } = await card.call('POST', '/webhooks/stripe', body, {
              'stripe-signature': header,
            });
            expect(status).toBe(400);
          }),
          { numRuns: byTier(30, 2_000) },
        );
        expect(await rows(`SELECT count(*) FROM webhook_event`)).toEqual([{ count: before }]);
      });

      it('takes events of other kinds, and of things that are not ours, and does nothing', async () => {
        const other = {
          id: `evt_${randomUUID()}`,
          object: 'event',
          created: 1,
          type: 'radar.early_fraud_warning.created',
          data: { object: {} },
        };
        expect((await card.deliver(other)).json).toEqual({ received: true, outcome: 'ignored' });
        const session = await card.stripe.checkout.sessions.create({
          mode: 'payment',
          line_items: [
            {
              quantity: 1,
              price_data: { currency: 'usd', unit_amount: 1_000, product_data: { name: 'of another shop' } },
            },
          ],
          success_url: 'https://shop.example/thanks',
        });
        await card.payCheckout(session.url!);
        await settled();
        expect(await topUps(session.id)).toHaveLength(0);
        expect((await success(session.id)).status).toBe(404);
      });

      it('is delivered again while the processor cannot be asked, and then has its effect', async () => {
        const { event, sessionId } = await heldEvent();
        card.emulator.control.fault({
          method: 'GET',
          path: '/v1/checkout/sessions/*',
          times: 2,
          status: 500,
        });
        const away = await card.deliver(event);
        expect([away.status, away.json.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
        expect((await card.deliver(event)).json.outcome).toBe('done');
        expect(await topUps(sessionId)).toHaveLength(1);
      });
    });

    describe('keys and sessions', () => {
      it('are in no log', async () => {
        const { key, sessionId } = await boughtKey();
        const log = card.logs.join('\n');
        expect(log).not.toContain(key.slice(-43));
        expect(log).not.toContain(sessionId);
      });
    });
  });
}
