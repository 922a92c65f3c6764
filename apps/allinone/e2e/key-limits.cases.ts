import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AllRails } from './all-rails-fixture.js';
import { CallbackReceiver, isSignedBy, until } from './callback-receiver.js';
import { fetchV2, fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const ADMIN_KEY = 'admin key of the tests, at least 32 characters';
const PROVE = '/v1/zk/prove';
const PROOF = { traceData: 'the same again' };
const receiver = new CallbackReceiver();
let rails: AllRails;
let owner: string;
let noticeUrl: string;

async function call(method: string, path: string, key?: string, body?: unknown) {
  const response = await fetch(rails.route.address + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { 'x-svc-key': key }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}
const post = (path: string, key: string, body: unknown = {}) => call('POST', path, key, body);
const makeKey = async (asked: Json, by = owner) => {
  const { status, json } = await post('/v1/account/keys', by, asked);
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json;
};
let purchases = 0;
/** Another purchase each time, of 1,000 µUSD. */
const buy = (key: string) => post(PROVE, key, { traceData: `purchase ${purchases++}` });

/** @param shared what all suites of the file share */
export function describeKeyLimits(shared: () => AllRails): void {
  describe('a key for an agent', () => {
    beforeAll(async () => {
      rails = shared();
      noticeUrl = await receiver.listen();
      const { json: account } = await post('/v1/admin/accounts', ADMIN_KEY);
      const one = `/v1/admin/accounts/${String(account.accountId)}`;
      await post(`${one}/credit`, ADMIN_KEY, { amountMicroUsd: 5_000_000, reason: 'test' });
      owner = (await post(`${one}/keys`, ADMIN_KEY)).json.key as string;
    });
    afterAll(() => receiver.close());

    it('moves no held payment, and is shown no licence key: those are for keys that open the account', async () => {
      const { key } = await makeKey({ cap: { usd: '0.01' } });
      const escrow = `/v1/escrow/intents/esc_${'A'.repeat(22)}`;
      for (const [method, path, forWhole] of [
        ['POST', `${escrow}/release`, 404],
        ['POST', `${escrow}/cancel`, 404],
        ['GET', '/v1/account/licences', 200],
      ] as const) {
        const refused = await call(method, path, key as string);
        expect([path, refused.status, refused.json.code]).toEqual([path, 403, 'FORBIDDEN']);
        expect([path, (await call(method, path, owner)).status]).toEqual([path, forWhole]);
      }
    });

    it('spends its cap and no more; each answer says what is left, and a payment beside it still pays', async () => {
      const made = await makeKey({ label: 'ci', cap: { usd: '0.003', per: 'day' }, operations: ['zk.*'] });
      expect(made).toMatchObject({
        ...{ label: 'ci', operations: ['zk.*'] },
        caps: [{ per: 'day', capMicroUsd: 3_000, spentMicroUsd: 0, resetsAt: expect.any(String) }],
      });
      const key = made.key as string;
      for (const spent of [1_000, 2_000, 3_000]) {
        const { status, headers } = await buy(key);
        expect(status).toBe(200);
        expect(headers.get('svc-credit')).toMatch(new RegExp(`^balance=[0-9]+, cap=3000, spent=${spent}$`));
      }
      const over = await buy(key);
      expect(over.status).toBe(402);
      expect(over.json).toMatchObject({
        ...{ code: 'BUDGET_EXHAUSTED', charged: 'no', retry: 'pay' },
        ...{ capMicroUsd: 3_000, spentMicroUsd: 3_000, priceMicroUsd: 1_000 },
        resetsAt: expect.stringMatching(/T00:00:00\.000Z$/),
      });
      expect(over.headers.get('www-authenticate')).toMatch(/^L402 /);
      const { chain } = rails;
      if (!chain) return;
      const paying = fetchV2(await fundedWallet(chain));
      const paid = await paying(rails.route.address + PROVE, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-key': key },
        body: JSON.stringify({ traceData: 'paid beside the key' }),
      });
      expect(paid.status).toBe(200);
      const { json } = await call('GET', '/v1/account', key);
      const listed = (json.keys as Json[]).find(({ keyId }) => keyId === made.keyId)!;
      expect(listed.caps).toMatchObject([{ spentMicroUsd: 3_000 }]);
    });

    it('is not made for what has no price, as the document says', async () => {
      const refused = await call('POST', '/v1/account/keys', owner, {
        operations: ['zk.prove', 'zk.nothing'],
      });
      expect(refused).toMatchObject({
        status: 422,
        json: { code: 'UNPROCESSABLE', errors: [{ path: 'operations[1]' }] },
      });
      const { json } = await call('GET', '/openapi.json', owner);
      expect((json.paths as Json)['/v1/account/keys'].post.responses).toHaveProperty('422');
    });

    it('pays for its operations alone: anything else is 403 before a price is told', async () => {
      const { key } = await makeKey({ operations: ['agent.*'] });
      for (const [path, body] of [
        [PROVE, { traceData: 'x' }],
        ['/v1/tools/get_product_catalog', {}],
        ['/v1/mesh/rendezvous', {}],
        ['/v1/x402/verify?tool=get_product_catalog', {}],
      ] as const) {
        const { status, json, headers } = await post(path, key as string, body);
        expect([path, status, json.code]).toEqual([path, 403, 'FORBIDDEN']);
        expect(json.operations).toEqual(['agent.*']);
        expect(headers.get('www-authenticate')).toBeNull();
      }
    });

    it('pays no more than X-Svc-Max-Price says, for a call, a ticket or a tool', async () => {
      const { key, keyId } = await makeKey({ cap: { usd: '1' } });
      for (const path of [PROVE, '/v1/x402/verify?tool=m2m_license_contract', '/v1/tools/sync_mesh_crdt']) {
        const headers = {
          'content-type': 'application/json',
          'x-svc-key': key as string,
          'x-svc-max-price': '0.0009',
        };
        const body = JSON.stringify(path === PROVE ? PROOF : {});
        const response = await fetch(rails.route.address + path, { method: 'POST', headers, body });
        const json = (await response.json()) as Json;
        expect([path, response.status, json.code, json.maxMicroUsd]).toEqual([
          path,
          412,
          'PRECONDITION_FAILED',
          900,
        ]);
      }
      const { json } = await call('GET', '/v1/account', key as string);
      const { caps } = (json.keys as Json[]).find(listed => listed.keyId === keyId)!;
      expect(caps).toMatchObject([{ spentMicroUsd: 0 }]);
    });

    it('says what is left in a ticket, in an answer that is given again, and in one that a payment left something of', async () => {
      const { key } = await makeKey({ cap: { usd: '1' } });
      const ticket = await post('/v1/x402/verify?tool=get_product_catalog', key as string);
      expect([ticket.status, ticket.json.status]).toEqual([200, 'PAYMENT_CLEARED']);
      expect(ticket.headers.get('svc-credit')).toMatch(/cap=1000000, spent=1000$/);
      const [first, again] = [
        await post(PROVE, key as string, PROOF),
        await post(PROVE, key as string, PROOF),
      ];
      expect(first.headers.get('svc-credit')).toMatch(/spent=2000$/);
      expect(again.headers.get('svc-credit')).toBe(first.headers.get('svc-credit'));
    });

    it('calls its holder once when little is left, signed, and tells of it again after there was more', async () => {
      receiver.statuses = [500, 204];
      const { key, keyId } = await makeKey({
        ...{ cap: { usd: '0.004' } },
        notify: { belowUsd: '0.003', url: noticeUrl },
      });
      for (let turn = 0; turn < 4; turn++) await buy(key as string);
      const [call1, call2] = await until(
        () => Promise.resolve(receiver.calls.filter(({ body }) => body.includes(keyId as string))),
        calls => calls.length === 2,
      );
      expect(call2.headers['webhook-id']).toBe(call1.headers['webhook-id']);
      const { json } = await call('GET', '/.well-known/svc-callback-keys.json');
      expect(isSignedBy(call2, json.keys as Json[])).toBe(true);
      expect(JSON.parse(call2.body)).toMatchObject({
        type: 'account.low-balance',
        data: { keyId, belowMicroUsd: 3_000, leftMicroUsd: 2_000, capMicroUsd: 4_000, spentMicroUsd: 2_000 },
      });
      expect(receiver.calls.filter(({ body }) => body.includes(keyId as string))).toHaveLength(2);
    });
  });
}
