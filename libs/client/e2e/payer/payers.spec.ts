import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  findX402Network,
  offerX402,
  parseX402Payment,
  requireX402Terms,
  sharedPaymentTokenOffer,
} from '@svc/protocols';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { recoverTypedDataAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type ClientOptions, createClient } from '../../src/client.js';
import { PaymentRefusedError, SvcError, WalletError } from '../../src/errors.js';
import type { AuthorizedPayment } from '../../src/payment.js';
import type { TokenRequest } from '../../src/payer/spt-payer.js';
import type { TransferTypedData } from '../../src/payer/x402-payer.js';

const account = privateKeyToAccount(`0x${'59'.repeat(32)}`);
const { caip2, usdc } = findX402Network('base-sepolia')!;
const terms = {
  network: caip2,
  asset: usdc,
  payTo: `0x${'Aa'.repeat(20)}`,
  amountMicroUsd: 1_000,
  maxTimeoutSeconds: 120,
};
const resource = {
  url: 'https://svc.example/v1/thing',
  description: 'One thing',
  mimeType: 'application/json',
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const challengeToken = `v1.${encode({ amountMicroUsd: 1_000 })}.x`;
const cardOffer = sharedPaymentTokenOffer({
  networkId: 'profile_1',
  paymentMethodTypes: ['card'],
  priceMicroUsd: 1_000,
  expiresAtMs: Date.UTC(2030, 0, 1),
});

type Respond = (request: IncomingMessage, response: ServerResponse, count: number) => void;
const open: Server[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(server => new Promise(done => server.close(done))));
});

/** A server and the headers of the requests that reached it. */
async function start(respond: Respond) {
  const seen: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => respond(request, response, seen.length));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  open.push(server);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const retry = { retriesMax: 3, waitMsMax: 2_000 };
  const post = (options: Partial<ClientOptions>, call = {}) =>
    createClient({ baseUrl, retry, ...options }).request('POST', '/v1/thing', { body: { a: 1 }, ...call });
  return { seen, post };
}

const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
    .end(JSON.stringify(body));

/** A 402 with both offers, but for what is changed. */
function demand(
  response: ServerResponse,
  changes: { x402?: object; required?: object; body?: object; headers?: object } = {},
) {
  const offer = offerX402({ ...terms, ...changes.x402 }, resource);
  const required = changes.required ? { 'PAYMENT-REQUIRED': encode(changes.required) } : offer.headers;
  const body = {
    type: 'about:blank',
    title: 'Payment Required',
    status: 402,
    code: 'PAYMENT_REQUIRED',
    detail: 'pay',
  };
  const members = { ...offer.body, priceUsd: '0.001', sharedPaymentToken: cardOffer, ...changes.body };
  json(
    response,
    402,
    { ...body, ...members },
    { ...required, 'x-402-challenge': challengeToken, ...changes.headers },
  );
}

const failure = (work: Promise<unknown>): Promise<SvcError> =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => (error instanceof SvcError ? error : Promise.reject(error)),
  );

describe('a call paid by x402', () => {
  const x402 = { signer: account, networks: [caip2] };
  const paid: Respond = (request, response) =>
    request.headers['payment-signature'] ? json(response, 200, { done: true }) : demand(response);

  test('is authorised once, for the very price and receiver, under a signature that verifies', async () => {
    const { seen, post } = await start(paid);
    const signed: TransferTypedData[] = [];
    const signer = {
      address: account.address,
      signTypedData: (data: TransferTypedData) => {
        signed.push(data);
        return account.signTypedData(data);
      },
    };
    const { data, payment } = await post({ x402: { ...x402, signer } });
    expect(data).toEqual({ done: true });
    expect(payment).toMatchObject({ rail: 'x402', amountMicroUsd: 1_000 });
    const read = parseX402Payment(String(seen[1]['payment-signature']));
    expect(() => requireX402Terms(read, terms, Date.now())).not.toThrow();
    expect(signed).toHaveLength(1);
    const signature = read.signature as `0x${string}`;
    expect(await recoverTypedDataAddress({ ...signed[0], signature })).toBe(account.address);
    expect(read.authorization.from).toBe(account.address);
    expect(signed[0].message['nonce']).toBe(read.authorization.nonce);
  });

  test('is asked for again with the same authorisation where its answer is lost', async () => {
    const { seen, post } = await start((request, response, count) => {
      if (count === 2) return void response.socket?.destroy();
      paid(request, response, count);
    });
    expect((await post({ x402 })).data).toEqual({ done: true });
    expect(seen.map(headers => headers['payment-signature'] !== undefined)).toEqual([false, true, true]);
    expect(seen[2]['payment-signature']).toBe(seen[1]['payment-signature']);
  });

  test('is never paid a second time: a 402 to the payment is the end, and the payment is kept', async () => {
    const { seen, post } = await start((_request, response) => demand(response));
    const error = await failure(post({ x402 }));
    expect(error.code).toBe('PAYMENT_REQUIRED');
    expect((error.payment as AuthorizedPayment).rail).toBe('x402');
    expect(seen).toHaveLength(2);
  });

  test('is not authorised on a chain that was not named', async () => {
    const { seen, post } = await start(paid);
    const error = await failure(post({ x402: { ...x402, networks: ['eip155:8453'] } }));
    expect(error.code).toBe('CHALLENGE_UNSUPPORTED');
    expect(seen).toHaveLength(1);
  });

  test.each([
    ['dearer than the answer says', { x402: { amountMicroUsd: 2_000 } }, 'PRICE_MISMATCH'],
    ['cheaper than the answer says', { x402: { amountMicroUsd: 999 } }, 'PRICE_MISMATCH'],
    [
      'dearer than the challenge token says',
      { x402: { amountMicroUsd: 2_000 }, body: { priceUsd: '0.002' } },
      'PRICE_MISMATCH',
    ],
    ['without a price', { body: { priceUsd: undefined } }, 'PRICE_NOT_STATED'],
    [
      'in another token',
      { x402: { asset: { ...usdc, address: `0x${'11'.repeat(20)}` } } },
      'CHALLENGE_UNSUPPORTED',
    ],
    ['to no address', { x402: { payTo: '0x12' } }, 'CHALLENGE_MALFORMED'],
    ['for no time', { x402: { maxTimeoutSeconds: 0 } }, 'CHALLENGE_MALFORMED'],
    ['of another version', { required: { x402Version: 1, accepts: [] } }, 'CHALLENGE_MALFORMED'],
    ['of a newer version', { required: { x402Version: 3, accepts: [] } }, 'CHALLENGE_UNSUPPORTED'],
    ['in no JSON', { headers: { 'PAYMENT-REQUIRED': 'x' } }, 'CHALLENGE_MALFORMED'],
  ])('is refused before anything is signed where the offer is %s', async (_what, changes, code) => {
    const { post } = await start((_request, response) => demand(response, changes));
    const signTypedData = jest.fn(account.signTypedData as (data: TransferTypedData) => Promise<string>);
    const error = await failure(
      post({ x402: { ...x402, signer: { address: account.address, signTypedData } } }),
    );
    expect(error).toBeInstanceOf(PaymentRefusedError);
    expect(error.code).toBe(code);
    expect(signTypedData).not.toHaveBeenCalled();
  });

  test('is refused above the limit of a call', async () => {
    const { post } = await start(paid);
    expect((await failure(post({ x402, maxSatsPerCall: 1 }))).code).toBe('PRICE_ABOVE_LIMIT');
    expect((await post({ x402, maxSatsPerCall: 2 })).data).toEqual({ done: true });
  });

  test('signs for no longer than an hour, whatever the offer asks', async () => {
    const { seen, post } = await start((request, response) =>
      request.headers['payment-signature']
        ? json(response, 200, {})
        : demand(response, { x402: { maxTimeoutSeconds: 1e9 } }),
    );
    await post({ x402 });
    const { validBefore } = parseX402Payment(String(seen[1]['payment-signature'])).authorization;
    expect(Number(validBefore)).toBeLessThanOrEqual(Date.now() / 1_000 + 3_600);
  });

  test('that the signer refuses has moved no money', async () => {
    const { seen, post } = await start(paid);
    const signTypedData = () => Promise.reject(new Error('locked'));
    const error = await failure(
      post({ x402: { ...x402, signer: { address: account.address, signTypedData } } }),
    );
    expect(error).toBeInstanceOf(WalletError);
    expect(error.message).not.toContain('locked');
    expect(seen).toHaveLength(1);
  });
});

describe('a call paid by card token', () => {
  const wallet = (token = 'spt_1') => {
    const asked: TokenRequest[] = [];
    const createToken = async (request: TokenRequest) => {
      asked.push(request);
      return token;
    };
    return { asked, cardTokens: { centsMax: 50, createToken } };
  };
  const paid: Respond = (request, response) =>
    request.headers['payment-credential'] ? json(response, 200, { done: true }) : demand(response);

  test('sends one token with the challenge that it is for', async () => {
    const { seen, post } = await start(paid);
    const { asked, cardTokens } = wallet();
    const { payment } = await post({ cardTokens });
    expect(asked).toEqual([cardOffer]);
    expect(seen[1]).toMatchObject({ 'payment-credential': 'SPT spt_1', 'x-402-challenge': challengeToken });
    expect(payment).toMatchObject({ rail: 'spt', amountMicroUsd: 500_000 });
  });

  test.each([
    ['a larger amount', { sharedPaymentToken: { ...cardOffer, amount: '51' } }, 'PRICE_MISMATCH'],
    ['another currency', { sharedPaymentToken: { ...cardOffer, currency: 'eur' } }, 'CHALLENGE_MALFORMED'],
    ['parts of a cent', { sharedPaymentToken: { ...cardOffer, amount: '50.5' } }, 'CHALLENGE_MALFORMED'],
    ['nobody to grant it to', { sharedPaymentToken: { ...cardOffer, networkId: 7 } }, 'CHALLENGE_MALFORMED'],
    ['no card at all', { sharedPaymentToken: undefined }, 'CHALLENGE_UNSUPPORTED'],
  ])('asks its wallet for nothing where the offer names %s', async (_what, body, code) => {
    const { post } = await start((_request, response) => demand(response, { body }));
    const { asked, cardTokens } = wallet();
    expect((await failure(post({ cardTokens }))).code).toBe(code);
    expect(asked).toEqual([]);
  });

  test('is refused above the limit in cents, and for what is no token', async () => {
    const { post } = await start(paid);
    const { cardTokens } = wallet();
    expect((await failure(post({ cardTokens: { ...cardTokens, centsMax: 49 } }))).code).toBe(
      'PRICE_ABOVE_LIMIT',
    );
    expect(await failure(post(wallet('spt 1\r\nx: y')))).toBeInstanceOf(WalletError);
  });

  test('comes after stablecoin, which costs the price alone', async () => {
    const { seen, post } = await start((request, response) =>
      request.headers['payment-signature'] ? json(response, 200, {}) : demand(response),
    );
    const { asked, cardTokens } = wallet();
    await post({ cardTokens, x402: { signer: account, networks: [caip2] } });
    expect(asked).toEqual([]);
    expect(seen[1]['payment-credential']).toBeUndefined();
  });
});

describe('a call paid by an account key', () => {
  const key = `svc_test_${'a'.repeat(16)}_${'b'.repeat(43)}`;

  test('that has an idempotency key is asked for again where its answer is lost, under the same value', async () => {
    const { seen, post } = await start((_request, response, count) =>
      count === 1 ? void response.socket?.destroy() : json(response, 200, { done: true }),
    );
    expect((await post({ key }, { idempotencyKey: 'purchase-1' })).data).toEqual({ done: true });
    expect(seen.map(headers => [headers['x-svc-key'], headers['idempotency-key']])).toEqual([
      [key, 'purchase-1'],
      [key, 'purchase-1'],
    ]);
  });

  test('has one of its own where it proves or starts a job, and each purchase another', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers['idempotency-key']);
      request.resume().on('end', () => {
        if (seen.length === 1) return void response.socket?.destroy();
        const proof = { proof: 'AA==', proofId: 'p', airId: 'a', publicInputs: {} };
        json(response, 200, { ...proof, jobId: 'j', state: 'queued' });
      });
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    open.push(server);
    const client = createClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      key,
    });
    await client.prove({ traceData: 'x' });
    await client.startJob('/v1/zk/prove', { traceData: 'x' });
    expect(seen[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(seen[1]).toBe(seen[0]);
    expect(seen[2]).toMatch(/^[0-9a-f]{32}$/);
    expect(seen[2]).not.toBe(seen[0]);
  });

  test('has one where it asks for a rendezvous: its proof serves once, and the same call may be asked again', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', part => (body += part));
      request.on('end', () => {
        seen.push([request.headers['idempotency-key'], body]);
        if (seen.length === 1) return void response.socket?.destroy();
        json(response, 202, { sessionId: 's', expiresAt: '2026-04-02T00:00:00.000Z', iceServers: [] });
      });
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    open.push(server);
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const request = { sdpOffer: 'v=0', peerPublicKey: 'ab', nonce: '00' };
    await createClient({ baseUrl, key }).rendezvous(request);
    expect(seen).toEqual([
      [expect.stringMatching(/^[0-9a-f]{32}$/), JSON.stringify(request)],
      [expect.stringMatching(/^[0-9a-f]{32}$/), JSON.stringify(request)],
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  test('without one is not: the key could be charged twice', async () => {
    const { seen, post } = await start((_request, response) => void response.socket?.destroy());
    expect((await failure(post({ key }))).code).toBe('UNREACHABLE');
    expect(seen).toHaveLength(1);
  });

  test('is paid by the wallet where the key does not, with both sent', async () => {
    const { seen, post } = await start((request, response) =>
      request.headers['payment-signature'] ? json(response, 200, { done: true }) : demand(response),
    );
    await post({ key, x402: { signer: account, networks: [caip2] } });
    expect(seen[1]['x-svc-key']).toBe(key);
  });
});
