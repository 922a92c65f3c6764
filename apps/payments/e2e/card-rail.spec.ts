import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { priceOf, signChallengeToken } from '@svc/protocols';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import type { PresentedPayment } from '../src/rail/rail.js';
import { CardRail } from '../src/card/card-rail.js';
import { StripeAdapter, type TokenParameter } from '../src/card/stripe-adapter.js';

const KEYS = { paymentChallenge: new Uint8Array(32).fill(1), challengeToken: new Uint8Array(32).fill(2) };
const CLAIM_ID = '0b2f6a52-90b5-4d3b-8f0e-0d8b1f1f9a11';
const PRICE = priceOf('zk.prove');

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

/** What the processor answers next, in order; the last one again and again. */
type Answer = { status: number; json: unknown; headers?: Record<string, string> } | 'hang' | 'drop';

let asked: Asked[];
let answers: Answer[];
let server: Server;

beforeEach(async () => {
  asked = [];
  // The pause of stripe-node before it sends a call again, of which no option of it says how long it is.
  jest.spyOn(Stripe.prototype, 'getInitialNetworkRetryDelay').mockReturnValue(0.01);
  server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  jest.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { method = '', url = '', headers } = request;
  asked.push({ method, path: url, form: new URLSearchParams(body), headers });
  const next = answers.length > 1 ? answers.shift()! : answers[0];
  if (next === 'hang') return;
  if (next === 'drop') return void request.socket.destroy();
  response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers });
  response.end(JSON.stringify(next.json));
}

function railOf(
  parameter: TokenParameter = 'shared_payment_granted_token',
  decidedAfterMs?: number,
): CardRail {
  const adapter = new StripeAdapter({
    secretKey: 'sk_test_0123456789',
    webhookSecret: 'whsec_0123456789',
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenParameter: parameter,
    previewVersion: '2026-07-29.preview',
    timeoutMs: 300,
  });
  return new CardRail(adapter, KEYS, 'profile_1', decidedAfterMs);
}

const challengeToken = (operationId = 'zk.prove') =>
  signChallengeToken(KEYS.challengeToken, {
    jti: 'jti',
    operationId,
    amountMicroUsd: 1_000,
    amountSats: 2,
    exp: Math.floor(Date.now() / 1_000) + 600,
  });

const presented = (rail: CardRail): Promise<PresentedPayment> =>
  rail.verify({ scheme: 'SPT', value: 'spt_1', challengeToken: challengeToken() }, PRICE);

const intent = (status: string, more: object = {}) => ({
  id: 'pi_1',
  object: 'payment_intent',
  status,
  amount_received: status === 'succeeded' ? 50 : 0,
  metadata: { claim_id: CLAIM_ID },
  ...more,
});
const ok = (json: unknown): Answer => ({ status: 200, json });
const failed = (status: number, error: object): Answer => ({ status, json: { error } });
const declined = (status: string): Answer =>
  failed(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'do_not_honor',
    payment_intent: intent(status),
  });
const list = (...data: unknown[]): Answer => ok({ object: 'list', data, has_more: false });
const claim = (claimedAtMs: number) => ({
  claimId: CLAIM_ID,
  proofKey: 'challenge:jti',
  evidence: {},
  claimedAtMs,
});

async function settle(...next: Answer[]) {
  answers = next;
  const rail = railOf();
  return rail.settle(await presented(rail), CLAIM_ID);
}

describe('an offer', () => {
  it('is unique, also beside another of the same instant: a challenge is one payer’s', async () => {
    answers = [ok({})];
    const rail = railOf();
    const quote = {
      price: PRICE,
      realm: 'svc.example',
      resource: 'https://svc.example/v1/zk/prove',
      description: 'proof',
      expiresAtMs: 1_800_000_000_000,
    };
    const idOf = async (jti: string) => {
      const { offers } = await rail.quote({ ...quote, jti });
      return /id="([^"]+)"/.exec(offers[0].wwwAuthenticate!)![1];
    };
    expect(await idOf('a')).not.toBe(await idOf('b'));
    expect(await idOf('a')).toBe(await idOf('a'));
  });
});

describe('a charge', () => {
  it.each([
    ['shared_payment_granted_token', 'shared_payment_granted_token'],
    ['payment_method_data.shared_payment_granted_token', 'payment_method_data[shared_payment_granted_token]'],
  ] as const)(
    'carries its token as %s, its claim as idempotency key and in its metadata',
    async (parameter, field) => {
      answers = [ok(intent('succeeded'))];
      const rail = railOf(parameter);
      const settlement = await rail.settle(await presented(rail), CLAIM_ID);
      expect(settlement).toEqual({ outcome: 'settled', reference: 'pi_1', chargedMicroUsd: 500_000 });
      const [{ form, headers, path }] = asked;
      expect(path).toBe('/v1/payment_intents');
      expect([form.get(field), form.get('amount'), form.get('currency'), form.get('confirm')]).toEqual([
        'spt_1',
        '50',
        'usd',
        'true',
      ]);
      expect([form.get('metadata[claim_id]'), headers['idempotency-key']]).toEqual([CLAIM_ID, CLAIM_ID]);
      expect(headers['stripe-version']).toBe('2026-07-29.preview');
    },
  );

  it.each([
    ['declined', declined('requires_payment_method'), /do_not_honor/],
    [
      'of a token that is used',
      failed(400, { type: 'invalid_request_error', code: 'token_used' }),
      /token_used/,
    ],
    ['cancelled', ok(intent('canceled')), /nothing was taken/],
  ])('%s is refused: nothing was taken', async (_name, answer, detail) => {
    const settlement = await settle(answer);
    expect(settlement).toMatchObject({ outcome: 'refused', code: 'PAYMENT_INVALID' });
    expect((settlement as { detail: string }).detail).toMatch(detail);
  });

  it.each([
    ['that gets no answer', 'hang'],
    ['whose connection is lost', 'drop'],
    ['that fails on their side', failed(500, { type: 'api_error' })],
    ['whose key was used with other parameters', failed(400, { type: 'idempotency_error' })],
    ['that is being processed', ok(intent('processing'))],
    ['that is declined without its payment', failed(402, { type: 'card_error', code: 'card_declined' })],
    ['that is declined with a payment that is under way', declined('processing')],
  ] as [string, Answer][])('%s is unknown, and never refused', async (_name, answer) => {
    expect(await settle(answer)).toMatchObject({ outcome: 'unknown' });
    const keys = new Set(asked.map(({ headers }) => headers['idempotency-key']));
    expect([...keys]).toEqual([CLAIM_ID]);
  });

  const beforeTheCharge: [string, Answer, RegExp][] = [
    ['at a busy moment', failed(429, { type: 'invalid_request_error', code: 'rate_limit' }), /is busy/],
    ['by a key of nobody', failed(401, { type: 'invalid_request_error' }), /does not serve this deployment/],
    ['by a key without the right', failed(403, { type: 'invalid_request_error' }), /does not serve/],
    ['by an address of nothing', failed(404, { type: 'invalid_request_error' }), /does not serve/],
    [
      'by a parameter that is none',
      failed(400, { type: 'invalid_request_error', code: 'parameter_unknown' }),
      /does not serve/,
    ],
  ];
  it.each(beforeTheCharge)('%s took nothing, and is not the payer’s fault', async (_name, answer, detail) => {
    const settlement = await settle(answer);
    expect(settlement).toMatchObject({ outcome: 'refused', code: 'SERVICE_UNAVAILABLE' });
    expect((settlement as { detail: string }).detail).toMatch(detail);
    expect(asked).toHaveLength(1);
  });

  it.each(beforeTheCharge)('%s is unknown after a try that was lost', async (_name, answer) => {
    for (const lost of ['drop', 'hang', failed(500, { type: 'api_error' })] as Answer[]) {
      asked = [];
      expect(await settle(lost, answer)).toMatchObject({ outcome: 'unknown' });
      expect(asked).toHaveLength(2);
    }
  });

  describe('whose token another charge holds', () => {
    const error = { type: 'invalid_request_error', code: 'lock_timeout' };
    const locked = failed(429, error);
    const again: Answer = { status: 429, json: { error }, headers: { 'stripe-should-retry': 'true' } };
    const inUse = failed(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' });

    it('took nothing, however often it was tried: the same credential is worth sending again', async () => {
      for (const tries of [1, 2]) {
        asked = [];
        const settlement = await settle(...(tries === 1 ? [locked] : [again, locked]));
        expect(settlement).toMatchObject({ outcome: 'refused', code: 'PAYMENT_IN_FLIGHT' });
        expect(asked).toHaveLength(tries);
      }
    });

    it('is unknown after a try that was lost, and while an earlier try of its own is at work', async () => {
      expect(await settle('drop', locked)).toMatchObject({ outcome: 'unknown' });
      expect(await settle(inUse, inUse)).toMatchObject({ outcome: 'unknown' });
    });
  });

  it('that is declined, or whose request is not taken, is refused also after a try that was lost', async () => {
    const refused = { outcome: 'refused', code: 'PAYMENT_INVALID' };
    expect(await settle('drop', declined('requires_payment_method'))).toMatchObject(refused);
    const used = failed(400, { type: 'invalid_request_error', code: 'token_used' });
    expect(await settle('drop', used)).toMatchObject(refused);
  });

  it('that waits for its payer is ended before it is refused; where that fails it is unknown', async () => {
    expect(await settle(ok(intent('requires_action')), ok(intent('canceled')))).toMatchObject({
      outcome: 'refused',
    });
    expect(asked[1].path).toBe('/v1/payment_intents/pi_1/cancel');
    asked = [];
    expect(await settle(ok(intent('requires_action')), failed(500, { type: 'api_error' }))).toMatchObject({
      outcome: 'unknown',
    });
  });

  it('repeats nothing of what the processor says but its code', async () => {
    const settlement = await settle(
      failed(400, {
        type: 'invalid_request_error',
        message: 'No such token: spt_1',
        code: 'resource missing',
      }),
    );
    expect(JSON.stringify({ ...settlement, cause: undefined })).not.toMatch(/spt_1|No such|resource missing/);
  });
});

describe('an enquiry', () => {
  it('finds the payment of the claim among others, and takes nothing', async () => {
    answers = [
      list(intent('succeeded', { id: 'pi_0', metadata: { claim_id: 'other' } }), intent('succeeded')),
    ];
    const settlement = await railOf().enquire(claim(Date.now()));
    expect(settlement).toMatchObject({ outcome: 'settled', reference: 'pi_1' });
    expect(asked.map(({ method }) => method)).toEqual(['GET']);
  });

  it('says that nothing was taken only once a charge cannot be under way any more', async () => {
    answers = [list()];
    expect(await railOf().enquire(claim(Date.now()))).toMatchObject({ outcome: 'unknown' });
    expect(await railOf().enquire(claim(Date.now() - 119_000))).toMatchObject({ outcome: 'unknown' });
    expect(await railOf().enquire(claim(Date.now() - 121_000))).toMatchObject({ outcome: 'refused' });
  });

  it('is unknown while the processor is away', async () => {
    answers = [failed(500, { type: 'api_error' })];
    expect(await railOf().enquire(claim(Date.now() - 600_000))).toMatchObject({ outcome: 'unknown' });
  });

  it('of more payments than can be read asks the index, whose no counts only after an hour', async () => {
    const full = ok({ object: 'list', data: [intent('succeeded', { metadata: {} })], has_more: true });
    const empty = ok({ object: 'search_result', data: [], has_more: false });
    answers = [...Array.from({ length: 10 }, () => full), empty];
    expect(await railOf().enquire(claim(Date.now() - 600_000))).toMatchObject({ outcome: 'unknown' });
    expect(decodeURIComponent(asked[10].path)).toContain(`metadata['claim_id']:'${CLAIM_ID}'`);
    answers = [...Array.from({ length: 10 }, () => full), empty];
    expect(await railOf().enquire(claim(Date.now() - 3_700_000))).toMatchObject({ outcome: 'refused' });
  });
});

describe('a token’s verification', () => {
  it('finds what it says it pays for, and nothing where it does not say', async () => {
    answers = [ok({})];
    const rail = railOf();
    const token = { scheme: 'SPT' as const, value: 'spt_1' };
    expect(rail.operationOf({ ...token, challengeToken: challengeToken('tool.arena_challenge') })).toBe(
      'tool.arena_challenge',
    );
    expect(rail.operationOf(token)).toBeUndefined();
    const request = Buffer.from(JSON.stringify({ externalId: 'tool.zk_prove_spatial' })).toString(
      'base64url',
    );
    const challenge = { id: 'i', realm: 'r', method: 'stripe', intent: 'charge', request };
    const value = (given: object) => Buffer.from(JSON.stringify(given)).toString('base64url');
    const charge = { scheme: 'Payment' as const, value: value({ challenge, payload: {} }) };
    expect(rail.operationOf(charge)).toBe('tool.zk_prove_spatial');
    expect(rail.operationOf({ ...charge, value: value({ challenge }) })).toBeUndefined();
  });

  it('refuses a challenge of another operation, and moves nothing', async () => {
    const credential = {
      scheme: 'SPT' as const,
      value: 'spt_1',
      challengeToken: challengeToken('stark.prove-m31'),
    };
    await expect(railOf().verify(credential, PRICE)).rejects.toMatchObject({
      code: 'PAYMENT_BOUND_ELSEWHERE',
    });
    expect(asked).toHaveLength(0);
  });

  it('is known whatever is asked by now, and held against that for what it has not bought', async () => {
    const rail = railOf();
    const credential = { scheme: 'SPT' as const, value: 'spt_1', challengeToken: challengeToken() };
    const dearer = { ...PRICE, amountMicroUsd: 600_000 };
    expect(rail.known(credential, dearer).proofKey).toBe((await rail.verify(credential, PRICE)).proofKey);
    expect(() => rail.requireOffered(credential, PRICE)).not.toThrow();
    expect(() => rail.requireOffered(credential, dearer)).toThrow(/price is 600000 micro-USD/);
    await expect(rail.verify(credential, dearer)).rejects.toMatchObject({ code: 'PAYMENT_INSUFFICIENT' });
  });

  it('keeps no token: neither in the proof key nor in the evidence', async () => {
    const { secret, ...kept } = await presented(railOf());
    expect(secret).toBe('spt_1');
    expect(JSON.stringify(kept)).not.toContain('spt_1');
  });
});
