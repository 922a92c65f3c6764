import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { AlbyWallet, MemoryTokenStore, setupL402Interceptor } from 'l402';
import { createRequire } from 'node:module';
import { payInvoice } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

/** The very axios that the client under test brings along. */
const { default: axios } = createRequire(createRequire(import.meta.url).resolve('l402'))(
  'axios',
) as typeof import('axios');

const BODY = { traceData: '0x48656c6c6f', degree: 64, friBlowup: 8 };
const OTHER_BODY = { ...BODY, degree: 128 };

let route: PaidRoute;
const paid: string[] = [];

/** Pays in the sandbox, and remembers what it was asked to pay. */
async function pay(invoice: string): Promise<string> {
  paid.push(invoice);
  return payInvoice(route.address, invoice);
}

/** Clients of L402 that are in use. */
export function describeL402Clients(routeOf: () => PaidRoute): void {
  describe('clients of L402', () => {
    beforeAll(() => {
      route = routeOf();
    });
    beforeEach(() => {
      paid.length = 0;
    });

    describe('two L402 clients that are in use, unmodified', () => {
      it('l402 for axios pays once for a request, is given its answer again, and pays for another', async () => {
        const client = axios.create({ baseURL: route.address });
        // Its wallet for Alby accounts, with an account that is the sandbox.
        const account = {
          sendPayment: async ({ invoice }: { invoice: string }) => ({ payment_preimage: await pay(invoice) }),
        };
        setupL402Interceptor(client, new AlbyWallet(account as never), new MemoryTokenStore());
        const first = await client.post('/v1/zk/prove', BODY);
        expect([first.status, first.data.status, paid.length]).toEqual([200, 'VERIFIED_VALID', 1]);
        expect(first.headers['payment-receipt']).toEqual(expect.any(String));

        // It keeps the token for the path: the same request again is the same answer, and nothing is paid.
        const again = await client.post('/v1/zk/prove', BODY);
        expect([again.data, paid.length]).toEqual([first.data, 1]);
        // For another body the token buys nothing, and its 402 is one that the client pays.
        const other = await client.post('/v1/zk/prove', OTHER_BODY);
        expect([other.status, other.data.traceLength, paid.length]).toEqual([200, 128, 2]);
      });

      it('the L402 fetch of @getalby/lightning-tools pays for each request', async () => {
        const wallet = {
          payInvoice: async ({ invoice }: { invoice: string }) => ({ preimage: await pay(invoice) }),
        };
        const prove = async (body: object) => {
          const response = await fetchWithL402(
            `${route.address}/v1/zk/prove`,
            { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
            { wallet },
          );
          return { status: response.status, json: (await response.json()) as Record<string, unknown> };
        };
        const first = await prove({ ...BODY, traceData: '0x02' });
        expect([first.status, first.json.status, paid.length]).toEqual([200, 'VERIFIED_VALID', 1]);
        expect((await prove({ ...OTHER_BODY, traceData: '0x02' })).status).toBe(200);
        expect(paid.length).toBe(2);
      });
    });
  });
}
