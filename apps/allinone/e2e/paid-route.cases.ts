import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { problem } from '@svc/platform';
import fc from 'fast-check';
import { Challenge, Credential, Receipt } from 'mppx';
import { Mppx } from 'mppx/client';
import { request as httpRequest } from 'node:http';
import { Client } from 'pg';
import { lightningMethod } from './mppx-lightning.js';
import { paidL402 as paidL402At, payInvoice as payInvoiceAt, post as postTo } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

let route: PaidRoute;

const BODY = { traceData: '0x48656c6c6f', degree: 8, friBlowup: 8 };

const post = (body: unknown, headers: Record<string, string> = {}, path = '/v1/zk/prove') =>
  postTo(`${route.address}${path}`, body, headers);
const payInvoice = (invoice: string) => payInvoiceAt(route.address, invoice);
const paidL402 = () => paidL402At(route.address);

async function countClaims(): Promise<number> {
  const database = new Client({ connectionString: route.databaseUrl });
  await database.connect();
  try {
    const { rows } = await database.query('SELECT count(*)::int AS count FROM payment_claim');
    return rows[0].count;
  } finally {
    await database.end();
  }
}

/** What a priced route answers, by Lightning alone. */
export function describePaidRoute(routeOf: () => PaidRoute): void {
  describe('a priced route', () => {
    beforeAll(() => {
      route = routeOf();
    });
    afterEach(() => {
      route.script.before = async () => undefined;
    });

    describe('a priced route without payment', () => {
      it.each([
        ['no body', undefined],
        ['an empty object', {}],
        ['a valid body', BODY],
      ])('answers a 402 that can be paid, for %s', async (_name, body) => {
        const { status, headers, json } = await post(body);
        expect(status).toBe(402);
        expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('x-402-challenge')).toBe(json.challengeToken);
        expect(json).toMatchObject({
          code: 'PAYMENT_REQUIRED',
          status: 402,
          priceUsd: '0.001',
          priceSats: 2,
          rails: ['l402', 'mpp-lightning'],
          invoice: expect.stringMatching(/^lnbcrt/),
          expiresAt: expect.any(String),
        });
        expect(json.type).not.toMatch(/paymentauth/);
      });

      it('gives each challenge a line of its own, L402 first, or Payment first to who accepts it', async () => {
        const linesOf = (headers: Record<string, string>) =>
          new Promise<string[]>((resolve, reject) => {
            const request = httpRequest(
              `${route.address}/v1/zk/prove`,
              { method: 'POST', headers },
              response => {
                response.resume();
                const raw = response.rawHeaders;
                resolve(
                  raw.filter(
                    (_, index) => index % 2 === 1 && raw[index - 1].toLowerCase() === 'www-authenticate',
                  ),
                );
              },
            );
            request.on('error', reject);
            request.end();
          });
        const schemes = async (headers = {}) => (await linesOf(headers)).map(line => line.split(' ', 1)[0]);
        expect(await schemes()).toEqual(['L402', 'Payment']);
        expect(await schemes({ 'accept-payment': 'lightning/charge' })).toEqual(['Payment', 'L402']);
        // What it does not match, it does not hide.
        expect(await schemes({ 'accept-payment': 'tempo/charge' })).toEqual(['L402', 'Payment']);
      });

      it('validates a body that is not empty first, and names field, bound and value', async () => {
        const { status, json, headers } = await post({ ...BODY, degree: 9 });
        expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
        expect(json.errors).toMatchObject([{ path: 'degree', got: 9 }]);
        expect(headers.get('www-authenticate')).toBeNull();
      });

      it('asks no money for what the prover would refuse', async () => {
        const { status, json, headers } = await post({ ...BODY, traceData: 'impossible' });
        expect([status, json.code]).toEqual([422, 'UNPROCESSABLE']);
        expect(headers.get('www-authenticate')).toBeNull();
      });
    });

    describe('a priced route with payment', () => {
      it('refuses what is impossible before it claims, and an unknown key beside the payment: both cost nothing', async () => {
        const authorization = await paidL402();
        const impossible = await post({ ...BODY, traceData: 'impossible' }, { authorization });
        expect([impossible.status, impossible.json.paymentRetained]).toEqual([422, undefined]);
        const keyed = await post(BODY, { authorization, 'x-svc-key': 'svc_test_x' });
        expect([keyed.status, keyed.json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
        expect((await post(BODY, { authorization })).status).toBe(200);
      });

      it.each(['L402', 'LSAT', 'l402', 'lsat'])(
        'answers the scheme name %s, with a receipt',
        async scheme => {
          const credential = (await paidL402()).replace('L402', scheme);
          const { status, headers, json } = await post(BODY, { authorization: credential });
          expect([status, json.status]).toEqual([200, 'VERIFIED_VALID']);
          expect(headers.get('cache-control')).toBe('private');
          expect(Receipt.deserialize(headers.get('payment-receipt')!)).toMatchObject({
            status: 'success',
            method: 'lightning',
          });
        },
      );

      it('gives a lost answer again byte for byte with the first receipt, and proves once', async () => {
        const authorization = await paidL402();
        const before = route.script.provedCount;
        const first = await post(BODY, { authorization });
        const again = await post({ friBlowup: 8, degree: 8, traceData: '0x48656c6c6f' }, { authorization });
        expect([first.status, again.status]).toEqual([200, 200]);
        expect(again.text).toBe(first.text);
        for (const name of ['payment-receipt', 'content-type', 'cache-control']) {
          expect(again.headers.get(name)).toBe(first.headers.get(name));
        }
        expect(route.script.provedCount).toBe(before + 1);
      });

      it('takes a request and the same request with its defaults spelled out for one', async () => {
        const authorization = await paidL402();
        const first = await post({ traceData: 'abc' }, { authorization });
        const again = await post({ traceData: 'abc', degree: 65_536, friBlowup: 8 }, { authorization });
        expect(again.text).toBe(first.text);
      });

      it('runs the handler once for twenty requests at once with one payment', async () => {
        const authorization = await paidL402();
        const before = route.script.provedCount;
        const answers = await Promise.all(Array.from({ length: 20 }, () => post(BODY, { authorization })));
        expect(route.script.provedCount).toBe(before + 1);
        const delivered = answers.filter(({ status }) => status === 200);
        expect(new Set(delivered.map(({ text }) => text)).size).toBe(1);
        for (const { status, headers, json } of answers) {
          if (status === 200) continue;
          expect([status, json.code]).toEqual([409, 'PAYMENT_IN_FLIGHT']);
          expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        }
      });

      it('sells a payment for one body alone, and offers another for the second', async () => {
        const authorization = await paidL402();
        await post(BODY, { authorization });
        const { status, json, headers } = await post({ ...BODY, traceData: 'other' }, { authorization });
        expect([status, json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
        expect(headers.get('www-authenticate')).toMatch(/^L402 /);
      });

      it.each(['L402 first', 'Payment first'])(
        'sells one invoice once, whichever of its two schemes it is shown by: %s',
        async order => {
          const { headers, json } = await post(undefined);
          const challenges = headers.get('www-authenticate')!;
          const [challenge] = Challenge.deserializeList(challenges);
          const { methodDetails } = challenge.request as { methodDetails: { invoice: string } };
          expect(methodDetails.invoice).toBe(json.invoice);
          const preimage = await payInvoice(json.invoice as string);
          const credentials = [
            `L402 ${/macaroon="([^"]+)"/.exec(challenges)![1]}:${preimage}`,
            Credential.serialize({ challenge, payload: { preimage } }),
          ];
          if (order === 'Payment first') credentials.reverse();
          const [first, second] = credentials.map(authorization => ({ authorization }));
          const before = route.script.provedCount;
          const answer = await post(BODY, first);
          expect(answer.status).toBe(200);
          const elsewhere = await post({ ...BODY, traceData: 'other' }, second);
          expect([elsewhere.status, elsewhere.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
          const again = await post(BODY, second);
          expect([again.status, again.text]).toEqual([200, answer.text]);
          expect(again.headers.get('payment-receipt')).toBe(answer.headers.get('payment-receipt'));
          expect(route.script.provedCount).toBe(before + 1);
        },
      );

      it('charges nothing for a body that does not validate', async () => {
        const authorization = await paidL402();
        expect((await post({ ...BODY, degree: 9 }, { authorization })).status).toBe(400);
        expect((await post(BODY, { authorization })).status).toBe(200);
      });

      it('keeps the payment when the handler fails, says so, and takes it again', async () => {
        const authorization = await paidL402();
        route.script.before = async () => {
          throw problem('OVERLOADED', 'All provers are busy', { retryAfterSeconds: 2 });
        };
        const failed = await post(BODY, { authorization });
        expect([failed.status, failed.json.code, failed.json.paymentRetained]).toEqual([
          503,
          'OVERLOADED',
          true,
        ]);
        expect(failed.headers.get('retry-after')).toBe('2');
        expect(failed.headers.get('payment-receipt')).toBeNull();
        route.script.before = async () => undefined;
        expect((await post(BODY, { authorization })).status).toBe(200);
      });

      it('answers 429 with the wait when the queue is full, before any payment, and keeps one that was made', async () => {
        const authorization = await paidL402();
        const full = problem('QUEUE_FULL', '64 proofs of this size are ahead', { retryAfterSeconds: 7 });
        route.script.admission = full;
        try {
          const unpaid = await post(BODY);
          expect([unpaid.status, unpaid.json.code]).toEqual([429, 'QUEUE_FULL']);
          expect(unpaid.headers.get('retry-after')).toBe('7');
          expect(unpaid.headers.get('www-authenticate')).toBeNull();
        } finally {
          route.script.admission = undefined;
        }
        route.script.before = async () => {
          throw full;
        };
        const paid = await post(BODY, { authorization });
        expect([paid.status, paid.json.code, paid.json.paymentRetained]).toEqual([429, 'QUEUE_FULL', true]);
        route.script.before = async () => undefined;
        expect((await post(BODY, { authorization })).status).toBe(200);
      });

      it('refuses a payment before it is claimed when the queue is full, and gives what was bought before all the same', async () => {
        const [authorization, earlier] = [await paidL402(), await paidL402()];
        const answered = await post(BODY, { authorization: earlier });
        expect(answered.status).toBe(200);
        const [claimed, proved] = [await countClaims(), route.script.provedCount];
        route.script.admission = problem('QUEUE_FULL', '64 proofs are ahead', { retryAfterSeconds: 7 });
        try {
          const { status, json, headers } = await post(BODY, { authorization });
          expect([status, json.code, json.paymentRetained]).toEqual([503, 'OVERLOADED', undefined]);
          expect(json.detail).toBe('64 proofs are ahead. Nothing was taken for this call');
          expect(headers.get('retry-after')).toBe('7');
          expect(headers.get('www-authenticate')).toBeNull();
          const again = await post(BODY, { authorization: earlier });
          expect([again.status, again.text]).toEqual([200, answered.text]);
        } finally {
          route.script.admission = undefined;
        }
        expect([await countClaims(), route.script.provedCount]).toEqual([claimed, proved]);
        expect((await post(BODY, { authorization })).status).toBe(200);
      });

      it('tells the prover how a call stands with its payment', async () => {
        const authorization = await paidL402();
        route.script.standings.length = 0;
        await post(BODY);
        await post(BODY, { authorization });
        // No place is kept for an address that has brought a payment that was none, as other tests here do.
        expect(route.script.standings).toEqual([
          'later',
          expect.stringMatching(/^(claiming|later)$/),
          'settled',
        ]);
      });

      it('leaks nothing when the handler breaks', async () => {
        const authorization = await paidL402();
        route.script.before = async () => {
          throw new Error('postgres://user:hunter2@db');
        };
        const failed = await post(BODY, { authorization });
        expect([failed.status, failed.json.paymentRetained]).toEqual([500, true]);
        expect(failed.text).not.toMatch(/hunter2/);
      });

      it('cancels the proof of a caller that hung up, and its payment buys another', async () => {
        const authorization = await paidL402();
        const before = route.script.provedCount;
        const caller = new AbortController();
        let finish = () => {};
        const proving = new Promise<void>(resolve => (finish = resolve));
        const started = new Promise<void>(resolve => {
          route.script.before = () => (resolve(), proving);
        });
        const headers = { 'content-type': 'application/json', authorization };
        const hungUp = fetch(`${route.address}/v1/zk/prove`, {
          method: 'POST',
          headers,
          body: JSON.stringify(BODY),
          signal: caller.signal,
        });
        await started;
        expect((await post(BODY, { authorization })).json.code).toBe('PAYMENT_IN_FLIGHT');
        const callId = route.script.callIds.at(-1)!;
        caller.abort();
        await expect(hungUp).rejects.toThrow();
        while (!route.script.cancelledCallIds.includes(callId)) await new Promise(setImmediate);
        finish();
        route.script.before = async () => undefined;
        // Given back as every failed call's payment is: for any body of the operation.
        const other = { ...BODY, traceData: 'another' };
        let again = await post(other, { authorization });
        while (again.json.code === 'PAYMENT_BOUND_ELSEWHERE') again = await post(other, { authorization });
        expect(again.status).toBe(200);
        expect(route.script.provedCount).toBe(before + 2);
      });

      it('answers 503 and never a fresh 402 while payments is away, and takes the payment afterwards', async () => {
        const authorization = await paidL402();
        await route.stopPayments();
        try {
          for (const headers of [{ authorization }, {}]) {
            const away = await post(BODY, headers as Record<string, string>);
            expect(away.status).toBe(503);
            expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
            expect(away.headers.get('www-authenticate')).toBeNull();
          }
        } finally {
          await route.startPayments();
        }
        expect((await post(BODY, { authorization })).status).toBe(200);
      });

      it('delivers nothing that it could not record, and the payment is still good', async () => {
        const authorization = await paidL402();
        route.script.before = () => route.stopPayments();
        const lost = await post(BODY, { authorization });
        expect([lost.status, lost.json.code, lost.json.paymentRetained]).toEqual([
          503,
          'SETTLEMENT_UNKNOWN',
          true,
        ]);
        route.script.before = async () => undefined;
        await route.startPayments();
        const { status, json } = await post(BODY, { authorization });
        expect([status, json.code]).toEqual([409, 'PAYMENT_IN_FLIGHT']);
      });
    });

    describe('a priced route with credentials that do not pay', () => {
      it.each([
        ['two of them', { authorization: 'L402 a:b', 'x-payment': 'e30=' }, 400, 'CONFLICTING_CREDENTIALS'],
        ['an account key', { 'x-svc-key': 'svc_test_x' }, 401, 'UNKNOWN_CREDENTIAL'],
        [
          'a payment token without its challenge',
          { 'payment-credential': 'SPT spt_x' },
          402,
          'PAYMENT_MALFORMED',
        ],
        ['x402', { 'payment-signature': 'e30=' }, 400, 'PAYMENT_METHOD_UNSUPPORTED'],
        ['x402 of version 1', { 'x-payment': 'e30=' }, 400, 'PAYMENT_METHOD_UNSUPPORTED'],
        ['a scheme that is not registered', { authorization: 'L4O2 x' }, 400, 'PAYMENT_METHOD_UNSUPPORTED'],
        ['a bearer token of somebody else', { authorization: 'Bearer x' }, 402, 'PAYMENT_REQUIRED'],
        ['a login to somebody else', { authorization: 'Basic YTpi' }, 402, 'PAYMENT_REQUIRED'],
        ['half an L402', { authorization: 'L402' }, 402, 'PAYMENT_MALFORMED'],
        ['a broken L402', { authorization: 'L402 abc:def' }, 402, 'PAYMENT_MALFORMED'],
        ['a broken Payment', { authorization: 'Payment e30' }, 402, 'PAYMENT_MALFORMED'],
      ])('answers %s as documented', async (_name, headers, status, code) => {
        const answer = await post(BODY, headers as Record<string, string>);
        expect([answer.status, answer.json.code]).toEqual([status, code]);
        expect(answer.headers.get('www-authenticate') !== null).toBe(status === 402);
      });

      it('sees two Authorization lines, of which node drops one', async () => {
        const status = await new Promise((resolve, reject) => {
          const request = httpRequest(`${route.address}/v1/zk/prove`, { method: 'POST' }, response => {
            response.resume();
            resolve(response.statusCode);
          });
          request.on('error', reject);
          request.setHeader('content-type', 'application/json');
          request.setHeader('authorization', ['L402 a:b', 'L402 c:d'] as unknown as string);
          request.end(JSON.stringify(BODY));
        });
        expect(status).toBe(400);
      });

      it('names the problem types of the Payment scheme to who uses it', async () => {
        const malformed = await post(BODY, { authorization: 'Payment e30' });
        expect(malformed.json.type).toBe('https://paymentauth.org/problems/malformed-credential');
        const required = await post(undefined, { 'accept-payment': 'lightning/charge' });
        expect(required.json.type).toBe('https://paymentauth.org/problems/payment-required');
        const { headers } = await post(undefined);
        const challenge = Challenge.deserializeList(headers.get('www-authenticate')!)[0];
        const unpaid = Credential.serialize({ challenge, payload: { preimage: '00'.repeat(32) } });
        const refused = await post(BODY, { authorization: unpaid });
        expect([refused.status, refused.json.type]).toEqual([
          402,
          'https://paymentauth.org/problems/verification-failed',
        ]);
      });

      it('meets any credential with a documented answer, never a 500', async () => {
        const header = fc.stringMatching(/^[!-~]([ -~]{0,200}[!-~])?$/);
        const schemes = fc.constantFrom('L402 ', 'LSAT ', 'Payment ', '');
        await fc.assert(
          fc.asyncProperty(schemes, header, async (scheme, value) => {
            const { status, json } = await post(BODY, { authorization: `${scheme}${value}` });
            expect([400, 402]).toContain(status);
            expect(json.code).toMatch(/^PAYMENT_/);
          }),
          { numRuns: 60 },
        );
      });

      it('refuses text that has no canonical form, with a payment or without, and takes no money for it', async () => {
        const authorization = await paidL402();
        const { status, json } = await post({ ...BODY, traceData: '\ud800' }, { authorization });
        expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
        expect((await post(BODY, { authorization })).status).toBe(200);
      });
    });

    describe('public clients, unmodified', () => {
      it('pays with the L402 fetch of @getalby/lightning-tools', async () => {
        const wallet = {
          payInvoice: async ({ invoice }: { invoice: string }) => ({ preimage: await payInvoice(invoice) }),
        };
        const response = await fetchWithL402(
          `${route.address}/v1/zk/prove`,
          { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(BODY) },
          { wallet },
        );
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({ status: 'VERIFIED_VALID' });
      });

      it('pays with the fetch of mppx, given a lightning method', async () => {
        const lightning = lightningMethod(payInvoice);
        const client = Mppx.create({ methods: [lightning], polyfill: false });
        const response = await client.fetch(`${route.address}/v1/zk/prove`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(BODY),
        });
        expect(response.status).toBe(200);
        expect(Receipt.fromResponse(response)).toMatchObject({
          method: 'lightning',
          challengeId: expect.any(String),
        });
      });
    });
  });
}
