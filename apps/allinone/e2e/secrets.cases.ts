import { beforeAll, describe, expect, it } from '@jest/globals';
import { problem } from '@svc/platform';
import { PROBLEMS, type ProblemCode } from '@svc/contracts';
import Stripe from 'stripe';
import type { AllRails } from './all-rails-fixture.js';
import { GOOD_CARD } from './card-fixture.js';
import { decodedPayment, fetchV2, fundedWallet } from './x402-wallet.js';

let rails: AllRails;

/** What must be found nowhere, by what it is. */
const secrets = new Map<string, string>();
/** Bodies of refusals, without the key that is told to the payer alone. */
const refusals: string[] = [];

function keep(what: string, secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < 8) throw new TypeError(`${what} is no secret: ${secret}`);
  secrets.set(`${what} ${secrets.size}`, secret);
  return secret;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}
async function call(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(rails.route.address + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const json = JSON.parse(await response.text()) as Record<string, unknown>;
  if (response.status >= 400) {
    const { creditKey, ...rest } = json;
    if (creditKey !== undefined) keep('credit key', creditKey);
    refusals.push(JSON.stringify(rest));
  }
  const creditKey = response.headers.get('x-svc-key');
  if (creditKey !== null) keep('credit key', creditKey);
  return { status: response.status, headers: response.headers, json };
}

let calls = 0;
/** A body that no other call has. */
const body = () => ({ traceData: `call ${calls++}`, degree: 8 });
const prove = (sent: object, headers: Record<string, string>) => call('/v1/zk/prove', sent, headers);

/** A fresh challenge whose invoice is paid. */
async function paidChallenge() {
  const { headers, json } = await call('/v1/zk/prove', body());
  const authenticate = headers.get('www-authenticate')!;
  const { json: paid } = await call('/dev/lightning/pay', { invoice: json.invoice });
  const preimage = keep('preimage', paid.preimage);
  const macaroon = keep('macaroon', /macaroon="([^"]+)"/.exec(authenticate)![1]);
  return { authenticate, preimage, macaroon };
}

async function payByLightning(): Promise<void> {
  const { macaroon, preimage } = await paidChallenge();
  const authorization = `L402 ${macaroon}:${preimage}`;
  const sent = body();
  rails.route.script.before = () =>
    Promise.reject(problem('INTERNAL', 'Scripted', { cause: new Error('broken') }));
  expect((await prove(sent, { authorization })).status).toBe(500);
  rails.route.script.before = async () => undefined;
  expect((await prove(sent, { authorization })).status).toBe(200);
  expect((await prove(sent, { authorization })).status).toBe(200);
  expect((await prove(body(), { authorization })).status).toBe(402);
  expect((await prove(body(), { authorization: `L402 ${macaroon}:${'0'.repeat(64)}` })).status).toBe(402);
  // A bearer token that is no key of ours is for somebody before us: nothing pays.
  expect((await prove(body(), { authorization: `Bearer ${preimage}` })).status).toBe(402);
  expect(
    (await prove(body(), { authorization, 'x-svc-key': keep('bad key', 'svc_test_made_up_key') })).status,
  ).toBe(401);
}

/** A bundle pays several calls, so its preimage is a secret for as long as it is good. */
async function payByBundle(): Promise<void> {
  const { headers, json } = await call('/v1/l402/bundle', { sats: 4 });
  const { json: paid } = await call('/dev/lightning/pay', { invoice: json.invoice });
  const preimage = keep('preimage of a bundle', paid.preimage);
  const macaroon = keep(
    'macaroon of a bundle',
    /macaroon="([^"]+)"/.exec(headers.get('www-authenticate')!)![1],
  );
  const authorization = `L402 ${macaroon}:${preimage}`;
  expect((await call('/v1/l402/bundle', {}, { authorization })).status).toBe(200);
  expect((await call('/v1/l402/bundle', {}, { authorization: `L402 ${preimage}` })).status).toBe(402);
  const statuses: number[] = [];
  for (let turn = 0; turn < 3; turn++) statuses.push((await prove(body(), { authorization })).status);
  expect(statuses).toEqual([200, 200, 402]);
}

async function payByMpp(): Promise<void> {
  const { authenticate, preimage } = await paidChallenge();
  const line = /Payment (id="[^"]+".*?method="lightning".*?)(?:, (?:L402|Payment) |$)/.exec(authenticate)![1];
  const challenge = Object.fromEntries(
    [...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]),
  );
  const credential = Buffer.from(JSON.stringify({ challenge, payload: { preimage } })).toString('base64url');
  const authorization = `Payment ${keep('MPP credential', credential)}`;
  expect((await prove(body(), { authorization })).status).toBe(200);
  expect((await prove(body(), { authorization })).status).toBe(402);
}

async function payByToken(): Promise<void> {
  for (const [paymentMethod, status] of [
    ['pm_card_visa', 200],
    ['pm_card_chargeDeclined', 402],
  ] as const) {
    const { headers } = await call('/v1/zk/prove', body());
    const token = keep('payment token', await rails.mintToken(paymentMethod));
    const presented = {
      'payment-credential': `SPT ${token}`,
      'x-402-challenge': headers.get('x-402-challenge')!,
    };
    expect((await prove(body(), presented)).status).toBe(status);
    expect((await prove(body(), { 'payment-credential': `SPT ${token}` })).status).toBe(402);
    expect((await prove(body(), { 'payment-credential': token })).status).toBe(400);
  }
}

/** Buys a pack, and spends of it. */
async function payByKey(): Promise<void> {
  const { json } = await call('/prepay-credits', {
    packId: 'pack_10',
    customerEmail: keep('e-mail', 'buyer-of-packs@example.com'),
  });
  await fetch(json.checkoutUrl as string, {
    method: 'POST',
    body: new URLSearchParams({ email: 'buyer-of-packs@example.com', ...GOOD_CARD, step: 'pay' }),
    redirect: 'manual',
  });
  const session = keep('checkout session', json.sessionId);
  const confirmed = await call(`/prepay-success?session_id=${session}`);
  const key = keep('bought key', confirmed.json.apiKey);
  expect((await prove(body(), { 'x-svc-key': key })).status).toBe(200);
  expect((await prove(body(), { authorization: `Bearer ${key}` })).status).toBe(200);
  const madeUp = keep('bad bearer key', 'svc_test_made_up_bearer_key');
  expect((await prove(body(), { authorization: `Bearer ${madeUp}` })).status).toBe(401);
  expect((await prove(body(), { 'x-svc-key': key, authorization: `Bearer ${madeUp}` })).status).toBe(400);
  expect((await call('/v1/account', undefined, { 'x-svc-key': key })).status).toBe(200);
  expect((await call('/leads', undefined, { 'x-svc-key': key })).status).toBe(403);
  expect((await prove(body(), { 'x-svc-key': key, authorization: 'L402 a', 'x-payment': 'b' })).status).toBe(
    400,
  );
}

/** A licence key lies in the path, where every server on the way writes it down. */
async function checkLicence(): Promise<void> {
  const licenceKey = keep('licence key', `sam1.${'A'.repeat(120)}.${'b'.repeat(86)}`);
  const path = `/sam/verify-key/${licenceKey}`;
  expect(await call(path)).toMatchObject({ status: 200, json: { valid: false } });
  expect((await call(path, {})).status).toBe(405);
}

async function notify(): Promise<void> {
  const { secretKey, webhookSecret } = rails.emulator;
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'unheard.of', data: { object: {} } });
  const signed = new Stripe(secretKey).webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
  const signature = keep('webhook signature', /v1=([0-9a-f]+)/.exec(signed)![1]);
  const forged = `t=${Math.floor(Date.now() / 1_000)},v1=${signature}`;
  expect((await call('/webhooks/stripe', `${payload} `, { 'stripe-signature': forged })).status).toBe(400);
}

async function payOnChain(): Promise<void> {
  if (!rails.chain) return;
  const sent: string[] = [];
  const wallet = await fundedWallet(rails.chain);
  const observed: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    const payment = request.headers.get('payment-signature');
    if (payment) sent.push(payment);
    return fetch(request);
  };
  const url = `${rails.route.address}/v1/zk/prove`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetchV2(wallet, observed)(url, {
    method: 'POST',
    headers,
    body: JSON.stringify(body()),
  });
  expect(answer.status).toBe(200);
  keep('x402 payment', sent[0]);
  keep('x402 signature', decodedPayment(sent[0]).payload.signature);
  const foreign = await prove(body(), { 'payment-signature': sent[0] });
  expect(foreign.status).toBe(402);
}

/** What no log and no refusal holds, on every rail. */
export function describeSecrets(railsOf: () => AllRails): void {
  describe('secrets', () => {
    beforeAll(() => {
      rails = railsOf();
    });

    it('no log of any level and no refusal holds a credential, a key, a token, a signature or a secret of ours', async () => {
      // Each secret of the deployment, by its first words.
      for (const secret of [
        ...[
          'payments secret',
          'macaroon secret',
          'lightning secret',
          'pepper',
          'credit key secret',
          'admin key',
        ].map(each => `${each} of the tests`),
        'licence-seed-of-the-tests',
      ])
        keep('secret of ours', secret);
      keep('Stripe key', rails.emulator.secretKey);
      keep('webhook secret', rails.emulator.webhookSecret);
      if (rails.chain) keep('facilitator key', rails.chain.facilitatorKey.slice(2));
      for (const pay of [
        payByLightning,
        payByBundle,
        payByMpp,
        payByToken,
        payByKey,
        checkLicence,
        notify,
        payOnChain,
      ])
        await pay();
      await rails.route.stopPayments();
      const { status } = await prove(body(), { authorization: `L402 ${[...secrets.values()].at(-1)}:00` });
      expect([402, 503]).toContain(status);
      await rails.route.startPayments();

      // The search would find something: there is much to look through, of every outcome.
      expect(rails.logs.length).toBeGreaterThan(30);
      expect(refusals.length).toBeGreaterThan(10);
      expect(
        new Set(refusals.map(text => PROBLEMS[(JSON.parse(text) as { code: ProblemCode }).code].status)).size,
      ).toBeGreaterThan(4);
      expect(secrets.size).toBeGreaterThan(14);
      const found = (texts: readonly string[]) =>
        [...secrets].filter(([, secret]) => texts.some(text => text.includes(secret))).map(([what]) => what);
      expect(found([...rails.logs, [...secrets.values()][0]])).toHaveLength(1);
      expect(found(rails.logs)).toEqual([]);
      expect(found(refusals)).toEqual([]);
    });
  });
}
