import { beforeAll, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { Mppx, stripe as stripeMethod } from 'mppx/client';
import type { AllRails } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { paidL402, payInvoice, post } from './paid-call.js';
import { fetchV2, fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const TOP_UP = '/v1/account/top-up';
let rails: AllRails;
let key: string;
let accountId: string;

const at = (path: string) => rails.route.address + path;
const balance = async (of = key) => {
  const response = await fetch(at('/v1/account'), { headers: { 'x-svc-key': of } });
  return ((await response.json()) as Json).balanceMicroUsd as number;
};
const init = (body: object, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const wallet = {
  payInvoice: async ({ invoice }: { invoice: string }) => ({
    preimage: await payInvoice(rails.route.address, invoice),
  }),
};

const paid = (body: object) => paidL402(rails.route.address, TOP_UP, rails.route.address, fetch, body);

/** @param shared what all suites of the file share */
export function describeTopUps(shared: () => AllRails): void {
  describe('a top-up', () => {
    beforeAll(async () => {
      rails = shared();
      const admin = { 'x-svc-key': ADMIN_KEY };
      const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
      accountId = account.accountId as string;
      key = (await post(at(`/v1/admin/accounts/${accountId}/keys`), {}, admin)).json.key as string;
    });

    it('costs what it credits: an amount, a pack, or the smallest pack where nothing is said', async () => {
      for (const [body, microUsd] of [
        [{ usd: '5.00' }, 5_000_000],
        [{ usd: '0.01' }, 10_000],
        [{ usd: '1000' }, 1_000_000_000],
        [{ packId: 'pack_50' }, 50_000_000],
        [{}, 10_000_000],
        [undefined, 10_000_000],
      ] as const) {
        for (const headers of [{}, { 'x-svc-key': key }] as Record<string, string>[]) {
          const { status, json } = await post(at(TOP_UP), body, headers);
          expect([body, status, json.code]).toEqual([body, 402, 'PAYMENT_REQUIRED']);
          if (rails.chain) expect((json.accepts as Json[])[0].maxAmountRequired).toBe(String(microUsd));
        }
      }
      expect(await balance()).toBe(0);
    });

    it.each([
      [{ usd: '0' }, 'usd'],
      [{ usd: '0.001' }, 'usd'],
      [{ usd: '1000.01' }, 'usd'],
      [{ usd: 5 }, 'usd'],
      [{ usd: '5', packId: 'pack_10' }, 'packId'],
      [{ packId: 'pack_1' }, 'packId'],
      [{ cents: 5 }, ''],
    ])('of %j is 400', async (body, path) => {
      const { status, json } = await post(at(TOP_UP), body);
      expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(JSON.stringify(json.errors)).toContain(path);
    });

    it('is credit of the key beside the payment, by every rail, and of no other', async () => {
      const paying: (readonly [string, (body: object) => Promise<Response>])[] = [
        ['lightning', body => fetchWithL402(at(TOP_UP), init(body, { 'x-svc-key': key }), { wallet })],
        [
          'card',
          body =>
            Mppx.create({
              methods: [
                stripeMethod({ createToken: () => rails.mintToken(), paymentMethod: 'pm_card_visa' }),
              ],
              polyfill: false,
            }).fetch(at(TOP_UP), init(body, { 'x-svc-key': key })),
        ],
      ];
      const { chain } = rails;
      if (chain) {
        const fetchPaid = fetchV2(await fundedWallet(chain));
        paying.push(['x402', body => fetchPaid(at(TOP_UP), init(body, { 'x-svc-key': key }))]);
      }
      for (const [rail, pay] of paying) {
        const before = await balance();
        const response = await pay({ usd: '0.50' });
        const json = (await response.json()) as Json;
        expect([rail, response.status, json]).toEqual([
          rail,
          200,
          { accountId, creditedMicroUsd: 500_000, balanceMicroUsd: before + 500_000 },
        ]);
        expect(response.headers.get('x-svc-key')).toBeNull();
        expect(await balance()).toBe(before + 500_000);
      }
      const { json } = await post(at('/v1/zk/prove'), { traceData: 'from the top-up' }, { 'x-svc-key': key });
      expect(json.proofRootHash).toEqual(expect.any(String));
    });

    it('lies on a key of its own without one, once however often the payment is shown', async () => {
      const authorization = await paid({ usd: '2.00' });
      const shown = [];
      for (let turn = 0; turn < 3; turn++)
        shown.push(await post(at(TOP_UP), { usd: '2.00' }, { authorization }));
      const [{ status, json, headers }] = shown;
      expect([status, json.keyIn, json.creditedMicroUsd]).toEqual([200, 'X-SVC-KEY', 2_000_000]);
      const made = headers.get('x-svc-key')!;
      expect(shown.map(each => [each.json, each.headers.get('x-svc-key')])).toEqual(
        Array(3).fill([json, made]),
      );
      expect(await balance(made)).toBe(2_000_000);
      expect(JSON.stringify(json)).not.toContain(made);
    });

    it('is for its own amount and account: another one is asked for with the same payment in vain', async () => {
      const authorization = await paid({ usd: '2.00' });
      const larger = await post(at(TOP_UP), { usd: '20.00' }, { authorization });
      expect(larger.status).toBe(402);
      const before = await balance();
      await post(at(TOP_UP), { usd: '2.00' }, { authorization, 'x-svc-key': key });
      expect(await balance()).toBe(before + 2_000_000);
      const other = await post(at(TOP_UP), { usd: '2.00' }, { authorization });
      expect([other.status, other.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
      expect(await balance()).toBe(before + 2_000_000);
    });

    it('is taken for one of fifty that show the payment at once', async () => {
      const authorization = await paid({ usd: '3.00' });
      const before = await balance();
      const answers = await Promise.all(
        Array.from({ length: 50 }, () =>
          post(at(TOP_UP), { usd: '3.00' }, { authorization, 'x-svc-key': key }),
        ),
      );
      expect(answers.filter(({ status }) => ![200, 409, 429, 503].includes(status))).toEqual([]);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
      expect(await balance()).toBe(before + 3_000_000);
    });

    it('takes no key that is none, and no payment beside it', async () => {
      const authorization = await paid({ usd: '1.00' });
      const none = `svc_test_${'a'.repeat(16)}_${'A'.repeat(43)}`;
      const refused = await post(at(TOP_UP), { usd: '1.00' }, { authorization, 'x-svc-key': none });
      expect([refused.status, refused.json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
      expect((await post(at(TOP_UP), { usd: '1.00' }, { authorization })).status).toBe(200);
    });

    it('leaves the ledger and the claims without a finding', async () => {
      const { json } = await post(at('/v1/admin/reconcile'), {}, { 'x-svc-key': ADMIN_KEY });
      expect(json.findings).toEqual([]);
    });
  });
}
