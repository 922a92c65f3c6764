import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { evm, Mppx, stripe as stripeMethod } from 'mppx/client';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AllRails } from './all-rails-fixture.js';
import { ADMIN_KEY } from './card-fixture.js';
import { lightningMethod } from './mppx-lightning.js';
import { openAccount, paidL402, payInvoice } from './paid-call.js';
import { fetchV1, fetchV2, fundedWallet } from './x402-wallet.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any payload

/** Of a sandbox that nothing says otherwise of. */
const ORIGIN = 'http://localhost:3000';
const TARGET = '/v1/zk/prove';
const VERIFIER = new URL('../../../tools/clients/verify-receipt.mjs', import.meta.url);

/** A call that was paid for, as its payer has kept it. */
interface Kept {
  readonly receipt: string;
  readonly call: {
    readonly origin: string;
    readonly method: string;
    readonly target: string;
    readonly body: Uint8Array;
    readonly answer: Uint8Array;
  };
  readonly response: Response;
}
type Verify = (receipt: string, document: Json, call: Kept['call']) => Json;

let rails: AllRails;
let verifyReceipt: Verify;
let document: Json;
let calls = 0;

const url = () => rails.route.address + TARGET;
const get = async (path: string): Promise<Json> =>
  (await fetch(rails.route.address + path)).json() as Promise<Json>;

/** Calls with a body that no other call has, and keeps what went and what came. */
async function keep(over: typeof fetch, headers: Record<string, string> = {}, text?: string): Promise<Kept> {
  // Spelled as no library spells it: the bytes count.
  const body = text ?? `{ "degree": 8, "traceData": "receipt ${calls++}" }`;
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  const response = await over(url(), init);
  const answer = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status} ${Buffer.from(answer).toString()}`);
  const call = { origin: ORIGIN, method: 'POST', target: TARGET, body: Buffer.from(body), answer };
  return { receipt: response.headers.get('SVC-Receipt') ?? '', call, response };
}

const byKey = (key: string) => keep(fetch, { 'x-svc-key': key });
const byL402 = async () => keep(fetch, { authorization: await paidL402(rails.route.address) });
const byX402 = async () => keep(fetchV2(await fundedWallet(rails.chain!)) as typeof fetch);
const byX402V1 = async () => {
  // Clients of version 1 know nothing of the header; the library that stands for them here knows both.
  const bodyAlone: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 402) return response;
    const headers = new Headers(response.headers);
    headers.delete('PAYMENT-REQUIRED');
    return new Response(await response.text(), { status: 402, headers });
  };
  return keep(fetchV1(await fundedWallet(rails.chain!), bodyAlone) as typeof fetch);
};
const byEvm = async () => {
  const account = await fundedWallet(rails.chain!);
  const methods = [evm.charge({ account, authorization: { name: 'USDC', version: '2' } })];
  return keep(Mppx.create({ methods, polyfill: false }).fetch as typeof fetch);
};
const byCard = () => {
  const methods = [stripeMethod({ createToken: () => rails.mintToken(), paymentMethod: 'pm_card_visa' })];
  return keep(Mppx.create({ methods, polyfill: false }).fetch as typeof fetch);
};
/** A token of a card without the `Payment` scheme around it. */
const byToken = async () => {
  const { headers } = await fetch(url(), { method: 'POST' });
  const token = { 'payment-credential': `SPT ${await rails.mintToken()}` };
  return keep(fetch, { ...token, 'x-402-challenge': headers.get('x-402-challenge')! });
};
const byLightning = () => {
  const lightning = lightningMethod(invoice => payInvoice(rails.route.address, invoice));
  return keep(Mppx.create({ methods: [lightning], polyfill: false }).fetch as typeof fetch);
};
/** What a bundle of L402 pays for: two calls of one credential. */
const byBundle = async (): Promise<Kept[]> => {
  const { address } = rails.route;
  const asked = { sats: 100, capabilities: ['zk.*'], validSeconds: 3_600 };
  const authorization = await paidL402(address, '/v1/l402/bundle', address, fetch, asked);
  return [await keep(fetch, { authorization }), await keep(fetch, { authorization })];
};

const settlementOf = ({ response }: Kept): Json =>
  JSON.parse(Buffer.from(response.headers.get('PAYMENT-RESPONSE') ?? '', 'base64').toString());

/** Every text that differs in one bit of one byte. */
const flipped = (text: string): string[] =>
  [...text].map((character, at) => {
    const other = String.fromCharCode(character.charCodeAt(0) ^ 1);
    return text.slice(0, at) + other + text.slice(at + 1);
  });
const flippedBytes = (bytes: Uint8Array): Uint8Array[] =>
  [...bytes].map((byte, at) => Uint8Array.from(bytes, (each, place) => (place === at ? byte ^ 1 : each)));

/** @param shared what all suites of the file share */
export function describeReceipts(shared: () => AllRails): void {
  describe('the signed receipt of a paid answer', () => {
    let key: string;
    let all: Kept[];
    let byRail: Record<string, Kept>;
    let ofBundle: Kept[];
    const chained = <T>(make: () => Promise<T>, times: number) =>
      rails.chain ? Array(times).fill(make) : [];

    beforeAll(async () => {
      rails = shared();
      ({ verifyReceipt } = (await import(VERIFIER.href)) as { verifyReceipt: Verify });
      document = await get('/.well-known/did.json');
      ({ key } = await openAccount(rails.route.address, ADMIN_KEY, 'credit', 1_000_000));
      const makers: (() => Promise<Kept>)[] = [
        ...Array<() => Promise<Kept>>(4).fill(byCard),
        ...Array<() => Promise<Kept>>(2).fill(byToken),
        ...Array<() => Promise<Kept>>(4).fill(byLightning),
        ...Array<() => Promise<Kept>>(14).fill(byL402),
        ...(chained(byX402, 6) as (() => Promise<Kept>)[]),
        ...(chained(byX402V1, 2) as (() => Promise<Kept>)[]),
        ...(chained(byEvm, 4) as (() => Promise<Kept>)[]),
      ];
      all = [];
      for (const make of makers) all.push(await make());
      ofBundle = await byBundle();
      all.push(...ofBundle);
      while (all.length < 100) all.push(await byKey(key));
      byRail = {};
      for (const kept of all) {
        const { rail } = JSON.parse(Buffer.from(kept.receipt.split('.')[1] ?? '', 'base64url').toString());
        byRail[rail as string] ??= kept;
      }
    });

    it('is taken by a verifier that has none of our code, 100 of 100, over every rail', () => {
      const said = all.map(({ receipt, call }) => verifyReceipt(receipt, document, call));
      expect(new Set(said.map(({ id }) => id as string)).size).toBe(100);
      const onChain = rails.chain ? ['mpp-evm', 'x402'] : [];
      const offline = ['l402', 'mpp-lightning', 'mpp-stripe', 'spt', 'svc-key'];
      expect(Object.keys(byRail).sort()).toEqual([...offline, ...onChain].sort());
      const usage = { operationId: 'zk.prove', calls: 1, amountMicroUsd: 1_000 };
      for (const each of said)
        expect(each).toMatchObject({
          version: 1,
          resourceUrl: ORIGIN + TARGET,
          usage,
          asset: expect.any(String),
        });
    });

    it('says what each rail has settled, in units and decimals, and who has paid where that is proved', () => {
      const said = (rail: string) => verifyReceipt(byRail[rail].receipt, document, byRail[rail].call);
      expect(said('svc-key')).toMatchObject({
        ...{
          network: 'account',
          payer: expect.stringMatching(/^account:acct_/),
          amount: '1000',
          decimals: 6,
        },
      });
      for (const rail of ['l402', 'mpp-lightning'])
        expect(said(rail)).toMatchObject({
          ...{ network: 'lightning', payer: '', amount: '2', decimals: 8, asset: 'BTC' },
          transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
        });
      for (const rail of ['mpp-stripe', 'spt'])
        expect(said(rail)).toMatchObject({
          ...{ network: 'stripe', amount: '500000', decimals: 6, asset: 'USD' },
          transaction: expect.stringMatching(/^pi_/),
        });
      const [one, other] = ofBundle.map(({ receipt, call }) => verifyReceipt(receipt, document, call));
      expect(one).toMatchObject({ rail: 'svc-key', network: 'account', amount: '1000' });
      expect([other.payer, other.id]).toEqual([one.payer, expect.not.stringContaining(one.id)]);
      for (const rail of rails.chain ? ['x402', 'mpp-evm'] : [])
        expect(said(rail)).toMatchObject({
          ...{ network: rails.chain!.network, amount: '1000', decimals: 6, asset: rails.chain!.asset },
          ...{ payer: expect.stringMatching(/^0x/), transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
        });
    });

    it('is refused with any byte changed, of itself, of the request or of the answer', () => {
      const taken: unknown[] = [];
      let tried = 0;
      for (const { receipt, call } of Object.values(byRail)) {
        const { method, target, body, answer } = call;
        const refused = (text: string, change: Partial<Kept['call']>) => {
          tried++;
          try {
            verifyReceipt(text, document, { ...call, ...change });
            taken.push({ text, change });
          } catch {
            // As it must be.
          }
        };
        for (const other of flipped(receipt)) refused(other, {});
        // The same bytes of the signature, spelled with bits that say nothing.
        const last = receipt.length - 1;
        refused(receipt.slice(0, last) + String.fromCharCode(receipt.charCodeAt(last) + 1), {});
        for (const other of flipped(method)) refused(receipt, { method: other });
        for (const other of [...flipped(target), `${target}?a=1`]) refused(receipt, { target: other });
        for (const other of flippedBytes(body)) refused(receipt, { body: other });
        for (const other of flippedBytes(answer)) refused(receipt, { answer: other });
        refused(receipt, { origin: 'http://localhost:3001' });
      }
      expect(taken).toEqual([]);
      expect(tried).toBeGreaterThan(1_000 * Object.keys(byRail).length);
    });

    it('is the same text when the same answer is given again', async () => {
      const authorization = await paidL402(rails.route.address);
      const first = await keep(fetch, { authorization });
      const again = await keep(fetch, { authorization }, Buffer.from(first.call.body).toString());
      expect([again.receipt, again.response.headers.get('payment-receipt')]).toEqual([
        first.receipt,
        first.response.headers.get('payment-receipt'),
      ]);
      verifyReceipt(again.receipt, document, again.call);
      const headers = { 'x-svc-key': key, 'idempotency-key': `receipt-${Date.now()}` };
      const bought = await keep(fetch, headers);
      const repeated = await keep(fetch, headers, Buffer.from(bought.call.body).toString());
      expect(repeated.receipt).toBe(bought.receipt);
    });

    it('of a ticket binds the ticket, on every rail, and is the same text when the payment is shown again', async () => {
      const target = '/v1/x402/verify';
      const buy = async (over: typeof fetch, headers: Record<string, string>): Promise<Kept> => {
        const body = `{ "agentId": "agent-7" }`;
        const json = { 'content-type': 'application/json', ...headers };
        const response = await over(rails.route.address + target, { method: 'POST', headers: json, body });
        const answer = new Uint8Array(await response.arrayBuffer());
        expect([response.status, Buffer.from(answer).toString()]).toEqual([200, expect.any(String)]);
        const call = { origin: ORIGIN, method: 'POST', target, body: Buffer.from(body), answer };
        return { receipt: response.headers.get('SVC-Receipt') ?? '', call, response };
      };
      const authorization = await paidL402(rails.route.address, target);
      const bought = [
        await buy(fetch, { 'x-svc-key': key }),
        await buy(fetch, { authorization }),
        ...(rails.chain ? [await buy(fetchV2(await fundedWallet(rails.chain)) as typeof fetch, {})] : []),
      ];
      const usage = { operationId: 'tool.m2m_license_contract', calls: 1, amountMicroUsd: 5_000 };
      for (const { receipt, call } of bought) {
        expect(verifyReceipt(receipt, document, call)).toMatchObject({ resourceUrl: ORIGIN + target, usage });
        for (const answer of flippedBytes(call.answer))
          expect(() => verifyReceipt(receipt, document, { ...call, answer })).toThrow();
      }
      const again = await buy(fetch, { authorization });
      expect([again.receipt, again.call.answer]).toEqual([bought[1].receipt, bought[1].call.answer]);
    });

    it('is not there where the requests of a plan have paid, and where nothing was sold', async () => {
      const { key: plan } = await openAccount(rails.route.address, ADMIN_KEY, 'quota', 0);
      expect((await byKey(plan)).receipt).toBe('');
      const asked = await fetch(url(), { method: 'POST' });
      expect([asked.status, asked.headers.get('SVC-Receipt')]).toEqual([402, null]);
    });

    it('names our own origin, whatever Host a caller says', async () => {
      const { port } = new URL(rails.route.address);
      const body = '{"traceData":"forged host","degree":8}';
      const headers = { host: 'evil.example', 'x-svc-key': key, 'content-type': 'application/json' };
      const [receipt, answer] = await new Promise<[string, Buffer]>((settle, fail) => {
        const sent = request({ port, path: TARGET, method: 'POST', headers }, async response => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          settle([String(response.headers['svc-receipt']), Buffer.concat(chunks)]);
        });
        sent.on('error', fail).end(body);
      });
      const call = { origin: ORIGIN, method: 'POST', target: TARGET, body: Buffer.from(body), answer };
      expect(verifyReceipt(receipt, document, call).resourceUrl).toBe(ORIGIN + TARGET);
    });

    it('has its keys beside the other published ones, and in the DID document that its kid leads to', async () => {
      const { keys } = await get('/.well-known/svc-receipt-keys.json');
      const [{ id, publicKeyJwk }] = document.verificationMethod as Json[];
      expect(document.id).toBe('did:web:localhost%3A3000');
      expect(id).toBe(`${document.id}#${keys[0].kid}`);
      expect([publicKeyJwk.x, keys[0].use]).toEqual([keys[0].publicKey, 'receipt']);
    });

    it('is read by the command line of the verifier', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'receipt-'));
      try {
        const { receipt, call } = byRail.l402;
        const parts = {
          ...{ 'receipt.txt': receipt, 'request.json': call.body, 'answer.json': call.answer },
          ...{ 'did.json': JSON.stringify(document), 'other.json': 'another answer' },
        };
        for (const [name, bytes] of Object.entries(parts)) await writeFile(join(folder, name), bytes);
        const run = (origin: string, answer: string, keys: string[] = []) =>
          promisify(execFile)(
            process.execPath,
            [fileURLToPath(VERIFIER), origin, 'receipt.txt', 'POST', TARGET, 'request.json', answer, ...keys],
            { cwd: folder },
          );
        const { stdout } = await run(ORIGIN, 'answer.json', ['did.json']);
        expect(JSON.parse(stdout)).toMatchObject({ rail: 'l402', resourceUrl: ORIGIN + TARGET });
        const refusal = (of: string) => ({ code: 1, stderr: expect.stringContaining(of) });
        await expect(run(ORIGIN, 'other.json', ['did.json'])).rejects.toMatchObject(
          refusal('another answer'),
        );
        // Keys that are asked for: of an address that is not the origin which the receipt names here.
        const { address } = rails.route;
        await expect(run(address, 'answer.json')).rejects.toMatchObject(refusal('the keys are of'));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('comes to clients of x402 within the settlement, for the offer that was signed, as their library reads it', async () => {
      if (!rails.chain) return;
      const asked = await fetch(url(), { method: 'POST' });
      const required = JSON.parse(Buffer.from(asked.headers.get('PAYMENT-REQUIRED')!, 'base64').toString());
      const [offer] = extractOffersFromPaymentRequired(required);
      const jwk = document.verificationMethod[0].publicKeyJwk;
      await verifyOfferSignatureJWS(offer as never, jwk);
      const [decoded] = decodeSignedOffers([offer]);
      const { payTo, amount, network, asset } = required.accepts[0];
      expect(decoded).toMatchObject({
        payTo,
        amount,
        network,
        asset,
        resourceUrl: ORIGIN + TARGET,
        acceptIndex: 0,
      });
      const settled = all.filter(({ response }) => extractReceiptFromResponse(response) !== undefined);
      const versions = ['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'].map(
        name => settled.filter(({ response }) => response.headers.has(name)).length,
      );
      expect(versions).toEqual([6, 2]);
      for (const { response, receipt } of settled)
        expect(extractReceiptFromResponse(response)).toEqual({ format: 'jws', signature: receipt });
      const artifact = extractReceiptFromResponse(byRail.x402.response)!;
      const payload = await verifyReceiptSignatureJWS(artifact as never, jwk);
      expect(verifyReceiptMatchesOffer(artifact, decoded, [payload.payer])).toBe(true);
      expect(settlementOf(byRail.x402)).toMatchObject({ success: true, transaction: payload.transaction });
    });

    it('leaves the headers of a 402 and of an answer within what proxies take', async () => {
      const asked = await fetch(url(), { method: 'POST' });
      const bytesOf = ({ headers }: Response) =>
        [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
      const sizes = Object.entries(byRail).map(([rail, { response }]) => [rail, bytesOf(response)]);
      console.log(`header bytes: 402 ${bytesOf(asked)}, ${sizes.map(pair => pair.join(' ')).join(', ')}`);
      expect(asked.headers.get('PAYMENT-REQUIRED')?.length ?? 0).toBeLessThan(6_144);
      for (const [, bytes] of sizes) expect(bytes).toBeLessThan(8_192);
    });
  });
}
