import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { problem } from '@svc/platform';
import { decodeReceipt, decodeX402Response, findPrice } from '@svc/protocols';
import { findAnvil, type LocalChain } from '@svc/sandbox';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm';
import { appendPaymentIdentifierToExtensions, generatePaymentId } from '@x402/extensions/payment-identifier';
import { evm, Mppx } from 'mppx/client';
import type { AllRails } from './all-rails-fixture.js';
import { type Answer, post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';
import type { RpcProxy } from './rpc-proxy.js';
import { chainActor, decodedPayment, encodedPayment, fetchV1, fetchV2, fundedWallet } from './x402-wallet.js';

const PRICE = BigInt(findPrice('zk.prove')!.amountMicroUsd);
const BODY = { traceData: '0x48656c6c6f', degree: 8, friBlowup: 8 };
const MILLION = 1_000_000n;

let chain: LocalChain;
let proxy: RpcProxy;
let actor: ReturnType<typeof chainActor>;
let route: PaidRoute;
let database: AllRails['database'];

const url = () => `${route.address}/v1/zk/prove`;
/** What a call sends: JSON that no other call of these tests has, so that none answers for another. */
const request = (body: object = { ...BODY, traceData: `0x${crypto.randomUUID().replaceAll('-', '')}` }) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A fetch that notes the payments that go through it, and can lose answers. */
function noting(change: { lose?: (response: Response) => boolean; strip?: string } = {}) {
  const payments: string[] = [];
  const over: typeof fetch = async (input, init) => {
    const sent = new Request(input, init);
    const value = sent.headers.get('PAYMENT-SIGNATURE') ?? sent.headers.get('X-PAYMENT');
    if (value !== null) payments.push(value);
    const response = await fetch(sent);
    if (change.lose?.(response)) throw new TypeError('the answer was lost');
    if (change.strip === undefined) return response;
    const headers = new Headers(response.headers);
    headers.delete(change.strip);
    return new Response(await response.arrayBuffer(), { status: response.status, headers });
  };
  return { over, payments };
}
const nonceOf = (payment: string) => decodedPayment(payment).payload.authorization.nonce;

/** Waits until the 402 offers x402, or offers it no more: payments look every five seconds. */
async function untilOffered(isOffered: boolean): Promise<string[]> {
  for (;;) {
    const rails = (await post(url(), undefined)).json.rails as string[];
    if (rails.includes('x402') === isOffered) return rails;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** A signed payment that nobody has presented yet. */
async function signedPayment(wallet: Awaited<ReturnType<typeof fundedWallet>>): Promise<string> {
  await untilOffered(true);
  const { over, payments } = noting();
  const stop = (async (input, init) => {
    const sent = new Request(input, init);
    if (!sent.headers.has('PAYMENT-SIGNATURE')) return over(sent);
    payments.push(sent.headers.get('PAYMENT-SIGNATURE')!);
    return new Response('{}');
  }) as typeof fetch;
  await fetchV2(wallet, stop)(url(), { method: 'POST' });
  return payments[0];
}
const pay = (payment: string, body: object = BODY): Promise<Answer> =>
  post(url(), body, { 'PAYMENT-SIGNATURE': payment });

async function ledgerSum(): Promise<string> {
  const [{ sum }] = await database.query<{ sum: string }[]>(
    'SELECT coalesce(sum(amount_micro_usd), 0)::text AS sum FROM ledger_entry',
  );
  return sum;
}

/** Asks again, as long as the answer is that it is not known. */
async function untilKnown(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.json.code !== 'SETTLEMENT_UNKNOWN' && answer.json.code !== 'PAYMENT_IN_FLIGHT') return answer;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** Uses the chain of the rails in the tests that follow; says that there is none, and is false, where it is not installed. */
function usesChain(railsOf: () => AllRails): boolean {
  if (findAnvil() === undefined) {
    it('needs anvil', () => console.log('SKIPPED: anvil is not installed'));
    return false;
  }
  beforeAll(() => {
    const rails = railsOf();
    ({ route, database } = rails);
    [chain, proxy] = [rails.chain!, rails.proxy!];
    actor = chainActor(chain);
  });
  return true;
}

/** Public clients of x402, as they are published. */
export function describeX402Clients(railsOf: () => AllRails): void {
  describe('unmodified x402 clients', () => {
    if (!usesChain(railsOf)) return;

    it('of version 2 pay with their default settings and get answer and settlement', async () => {
      const wallet = await fundedWallet(chain);
      const before = await actor.balanceOf(chain.payTo);
      const response = await fetchV2(wallet)(url(), request());
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ status: 'VERIFIED_VALID' });
      const settlement = decodeX402Response(response.headers.get('PAYMENT-RESPONSE')!)!;
      expect(settlement).toMatchObject({ success: true, network: chain.network, payer: wallet.address });
      const { status } = await actor.client.getTransactionReceipt({
        hash: settlement.transaction as `0x${string}`,
      });
      expect(status).toBe('success');
      expect((await actor.balanceOf(chain.payTo)) - before).toBe(PRICE);
      expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
    });

    it('of version 1 find the offer in the body, pay, and get answer and settlement', async () => {
      const wallet = await fundedWallet(chain);
      // Clients of version 1 know nothing of the header; the library that stands for them here knows both.
      const { over } = noting({ strip: 'PAYMENT-REQUIRED' });
      const response = await fetchV1(wallet, over)(url(), request());
      expect(response.status).toBe(200);
      const settlement = decodeX402Response(response.headers.get('X-PAYMENT-RESPONSE')!);
      expect(settlement).toMatchObject({ success: true, network: chain.network });
      expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
    });

    it('of MPP pay by evm/charge with their default settings, beside a login too, and the same money buys once', async () => {
      for (const login of [undefined, 'Bearer of-somebody-else']) {
        const wallet = await fundedWallet(chain);
        let sent = '';
        const over: typeof fetch = async (input, init) => {
          const asked = new Request(input, init);
          const [field, free] = login
            ? ['payment-authorization', 'authorization']
            : ['authorization', 'payment-authorization'];
          const value = asked.headers.get(field) ?? '';
          if (value.startsWith('Payment ')) {
            sent = value;
            expect(asked.headers.get(free)).toBe(login ?? null);
          }
          return fetch(asked);
        };
        const client = Mppx.create({
          ...{ fetch: over, polyfill: false },
          methods: [evm.charge({ account: wallet, authorization: { name: 'USDC', version: '2' } })],
        });
        const init = request();
        const headers = { ...init.headers, ...(login === undefined ? {} : { authorization: login }) };
        const response = await client.fetch(url(), { ...init, headers });
        expect(response.status).toBe(200);
        expect(decodeReceipt(response.headers.get('Payment-Receipt')!)).toMatchObject({
          ...{ status: 'success', method: 'evm', reference: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
        });
        expect(response.headers.get('PAYMENT-RESPONSE')).toBeNull();
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
        // The answer again, as it was; for another request, or as a payment of x402, the same money buys nothing.
        const again = await post(url(), JSON.parse(init.body), { authorization: sent });
        expect([again.status, again.text]).toEqual([200, await response.text()]);
        const elsewhere = await post(url(), JSON.parse(request().body), { authorization: sent });
        expect([elsewhere.status, elsewhere.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
        const { payload } = JSON.parse(Buffer.from(sent.slice(8), 'base64url').toString());
        const { type: _type, signature, ...authorization } = payload;
        const scheme = { x402Version: 1, scheme: 'exact', network: 'base-sepolia' };
        const shown = encodedPayment({ ...scheme, payload: { authorization, signature } });
        const stolen = await post(url(), JSON.parse(init.body), { 'X-PAYMENT': shown });
        expect(stolen.status).toBe(402);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
      }
    });

    it('that name their purchase buy once under its id, whatever authorisation pays', async () => {
      const wallet = await fundedWallet(chain);
      const id = generatePaymentId();
      const payer = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
      /** A fresh payment, with the id as the package of the extension adds it. */
      const named = async () => {
        const { headers } = await post(url(), undefined);
        const required = decodePaymentRequiredHeader(headers.get('PAYMENT-REQUIRED')!);
        const made = await payer.createPaymentPayload(required);
        const extensions = appendPaymentIdentifierToExtensions(structuredClone(required.extensions!), id);
        return encodedPayment({ ...made, extensions });
      };
      const { body } = request();
      const pay = async (text: string, more: Record<string, string> = {}) =>
        post(url(), JSON.parse(text), { 'PAYMENT-SIGNATURE': await named(), ...more });
      const first = await pay(body);
      const again = await pay(body);
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
      expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
      const other = await pay(request().body);
      expect([other.status, other.json.code]).toEqual([422, 'UNPROCESSABLE']);
      const twoIds = await pay(body, { 'idempotency-key': 'another purchase' });
      expect([twoIds.status, twoIds.json.errors]).toMatchObject([400, [{ path: 'Idempotency-Key' }]]);
      expect((await pay(body, { 'idempotency-key': id })).text).toBe(first.text);
      expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
    });

    it('see x402 among the rails of the 402', async () => {
      const { json } = await post(url(), undefined);
      expect(json.rails).toContain('x402');
    });

    it('whose wallet is empty get the 402 again, with the reason, and pay nothing', async () => {
      const wallet = await fundedWallet(chain, PRICE - 1n);
      const response = await fetchV2(wallet)(url(), request());
      expect(response.status).toBe(402);
      expect(await response.json()).toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
      expect(await actor.balanceOf(wallet.address)).toBe(PRICE - 1n);
    });
  });
}

/** What may become of a payment on a chain that is reached through a proxy. */
export function describeX402Payments(railsOf: () => AllRails): void {
  describe('x402', () => {
    if (!usesChain(railsOf)) return;
    afterEach(() => {
      route.script.before = async () => undefined;
      proxy.mode = 'open';
    });

    describe('one x402 payment', () => {
      it('used a hundred times at once buys one delivery', async () => {
        const wallet = await fundedWallet(chain);
        const payment = await signedPayment(wallet);
        const proved = route.script.provedCount;
        const answers = await Promise.all(Array.from({ length: 100 }, () => pay(payment)));
        const delivered = answers.filter(({ status }) => status === 200);
        expect(delivered.length).toBeGreaterThan(0);
        expect(new Set(delivered.map(({ text }) => text)).size).toBe(1);
        const others = new Set(answers.filter(({ status }) => status !== 200).map(({ json }) => json.code));
        expect([...others].filter(code => code !== 'PAYMENT_IN_FLIGHT')).toEqual([]);
        expect(route.script.provedCount - proved).toBe(1);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
        expect(await ledgerSum()).toBe('0');
      });

      it('presented again gets the stored answer and the first settlement; for another request it is refused', async () => {
        const wallet = await fundedWallet(chain);
        const payment = await signedPayment(wallet);
        const first = await pay(payment);
        const again = await pay(payment);
        expect([first.status, again.status]).toEqual([200, 200]);
        expect(again.text).toBe(first.text);
        expect(again.headers.get('PAYMENT-RESPONSE')).toBe(first.headers.get('PAYMENT-RESPONSE'));
        const elsewhere = await pay(payment, { ...BODY, degree: 16 });
        expect([elsewhere.status, elsewhere.json.code]).toEqual([402, 'PAYMENT_BOUND_ELSEWHERE']);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
      });

      it('that fails leaves its amount as credit, shown to its payer and not to who read it on the chain', async () => {
        const wallet = await fundedWallet(chain);
        const payment = await signedPayment(wallet);
        route.script.before = async () => {
          throw problem('SERVICE_UNAVAILABLE', 'the prover broke', { retryAfterSeconds: 1 });
        };
        const failed = await pay(payment);
        expect(failed.status).toBe(503);
        expect(failed.json).toMatchObject({ creditMicroUsd: Number(PRICE), creditKey: expect.any(String) });
        const { authorization, signature } = decodedPayment(payment).payload;
        const read = {
          x402Version: 1,
          scheme: 'exact',
          network: 'base-sepolia',
          payload: { authorization, signature },
        };
        const observer = await post(url(), BODY, {
          'X-PAYMENT': Buffer.from(JSON.stringify(read)).toString('base64'),
        });
        expect(observer.status).toBe(402);
        expect(observer.text).not.toContain(failed.json.creditKey as string);
        expect(JSON.stringify([...observer.headers])).not.toContain(failed.json.creditKey as string);
        // The payer's own credential takes its payment up again.
        route.script.before = async () => undefined;
        expect((await pay(payment)).status).toBe(200);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
        expect(await ledgerSum()).toBe('0');
      });
    });

    describe('whoever reads a settled authorization on the chain', () => {
      const GUESSES = [BODY, { ...BODY, degree: 16 }, { ...BODY, traceData: '0x00' }];
      const shown = (payment: string) => {
        const { authorization, signature } = decodedPayment(payment).payload;
        return { authorization, signature };
      };
      /** What an answer says, but for the offers and ids that are each its own. */
      const said = ({ status, json }: Answer) => [
        status,
        json.code,
        json.detail,
        'proof' in json,
        'opening' in json,
      ];
      /** Presents it in each form that needs no more than the chain, with each guess of the body. */
      async function observe(payment: string): Promise<Set<string>> {
        const { accepts } = (await post(url(), undefined)).json as { accepts: object[] };
        const required = (await fetch(url(), { method: 'POST' })).headers.get('PAYMENT-REQUIRED')!;
        const offer = JSON.parse(Buffer.from(required, 'base64').toString()) as { accepts: object[] };
        const payload = shown(payment);
        const { network } = accepts[0] as { network: string };
        const forms: Record<string, string>[] = [
          { 'X-PAYMENT': encodedPayment({ scheme: 'exact', network, x402Version: 1, payload }) },
          { 'PAYMENT-SIGNATURE': encodedPayment({ x402Version: 2, accepted: offer.accepts[0], payload }) },
          {
            'PAYMENT-SIGNATURE': encodedPayment({
              x402Version: 2,
              accepted: { ...offer.accepts[0], extra: { name: 'USDC', version: '2' } },
              payload,
            }),
          },
        ];
        const answers = await Promise.all(
          forms.flatMap(headers => GUESSES.map(body => post(url(), body, headers))),
        );
        return new Set(answers.map(answer => JSON.stringify(said(answer))));
      }

      it('gets neither the answer nor a word on whether a guess of the body was right, of version 2', async () => {
        const payment = await signedPayment(await fundedWallet(chain));
        const first = await pay(payment);
        expect(first.status).toBe(200);
        const refusals = [...(await observe(payment))];
        expect(refusals).toHaveLength(1);
        expect(JSON.parse(refusals[0]).slice(0, 2)).toEqual([402, 'PAYMENT_INVALID']);
        expect((await pay(payment)).text).toBe(first.text);
      });

      it('has no more by a credential of their own of version 1, whose payer has the answer with the first', async () => {
        const wallet = await fundedWallet(chain);
        const { over, payments } = noting({ strip: 'PAYMENT-REQUIRED' });
        const response = await fetchV1(wallet, over)(url(), request(BODY));
        expect(response.status).toBe(200);
        const refusals = [...(await observe(payments[0]))];
        expect(refusals).toHaveLength(1);
        expect(JSON.parse(refusals[0]).slice(0, 2)).toEqual([402, 'PAYMENT_INVALID']);
        const again = await post(url(), BODY, { 'X-PAYMENT': payments[0] });
        expect([again.status, again.text]).toEqual([200, await response.text()]);
      });
    });

    describe('a payer who signs again for the same request', () => {
      it('gets the stored answer, and the second authorization is not used', async () => {
        const wallet = await fundedWallet(chain);
        const body = request();
        let lost = 0;
        const { over, payments } = noting({ lose: ({ status }) => status === 200 && lost++ === 0 });
        const client = fetchV2(wallet, over);
        await expect(client(url(), body)).rejects.toThrow(/lost/);
        const proved = route.script.provedCount;
        const response = await client(url(), body);
        expect(response.status).toBe(200);
        expect(route.script.provedCount).toBe(proved);
        expect(payments).toHaveLength(2);
        const [first, second] = payments.map(nonceOf);
        expect(first).not.toBe(second);
        expect(await actor.isUsed(wallet.address, first)).toBe(true);
        expect(await actor.isUsed(wallet.address, second)).toBe(false);
        const settlement = decodeX402Response(response.headers.get('PAYMENT-RESPONSE')!)!;
        const receipt = await actor.client.getTransactionReceipt({
          hash: settlement.transaction as `0x${string}`,
        });
        expect(receipt.logs.some(({ topics }) => (topics as string[]).includes(first))).toBe(true);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
      });

      it('pays for another request anew', async () => {
        const wallet = await fundedWallet(chain);
        const client = fetchV2(wallet);
        expect((await client(url(), request())).status).toBe(200);
        expect((await client(url(), request())).status).toBe(200);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - 2n * PRICE);
      });
    });

    describe('a settlement whose answer was lost', () => {
      it('is 503 and never a fresh 402, and ends in the delivery or in credit of the same payment', async () => {
        const wallet = await fundedWallet(chain);
        const payment = await signedPayment(wallet);
        proxy.mode = 'lose-sent';
        const unknown = await pay(payment);
        expect([unknown.status, unknown.json.code]).toEqual([503, 'SETTLEMENT_UNKNOWN']);
        expect(unknown.headers.get('retry-after')).toMatch(/^\d+$/);
        expect(unknown.headers.get('PAYMENT-REQUIRED')).toBeNull();
        // It was carried out: only the answer was lost.
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
        expect((await pay(payment)).status).toBe(503);
        proxy.mode = 'open';
        const answer = await untilKnown(() => pay(payment));
        expect(answer.status).toBe(200);
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION - PRICE);
        expect(await ledgerSum()).toBe('0');
      });

      it('that never reached the chain takes nothing, and stays unknown while it still may', async () => {
        const wallet = await fundedWallet(chain);
        const payment = await signedPayment(wallet);
        proxy.mode = 'drop-sent';
        const unknown = await pay(payment);
        expect([unknown.status, unknown.json.code]).toEqual([503, 'SETTLEMENT_UNKNOWN']);
        proxy.mode = 'open';
        expect((await pay(payment)).json.code).toBe('SETTLEMENT_UNKNOWN');
        expect(await actor.balanceOf(wallet.address)).toBe(MILLION);
        expect(await actor.isUsed(wallet.address, nonceOf(payment))).toBe(false);
        expect(await ledgerSum()).toBe('0');
      });

      it('leaves x402 out of the 402 while the chain is away, and the other rails in', async () => {
        expect(await untilOffered(true)).toContain('x402');
        proxy.mode = 'closed';
        const rails = await untilOffered(false);
        expect(rails).toContain('l402');
        expect(rails).not.toContain('x402');
        proxy.mode = 'open';
        expect(await untilOffered(true)).toContain('x402');
      });
    });
  });
}
