import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { facilitatorRequestOf, findX402Network } from '@svc/protocols';
import { HTTPFacilitatorClient } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FacilitatorAway } from '../src/onchain/facilitator.js';
import { RemoteFacilitator } from '../src/onchain/remote-facilitator.js';

const { usdc, caip2 } = findX402Network('eip155:84532')!;
const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const request = facilitatorRequestOf(
  {
    version: 2,
    network: caip2,
    authorization: {
      from: ADDRESS,
      to: ADDRESS,
      value: '1000',
      validAfter: '0',
      validBefore: '9999999999',
      nonce: `0x${'ab'.repeat(32)}`,
    },
    signature: `0x${'11'.repeat(65)}`,
    accepted: {},
  },
  { network: caip2, asset: usdc, payTo: ADDRESS, amountMicroUsd: 1_000, maxTimeoutSeconds: 120 },
  { url: 'https://svc.example/', description: 'd', mimeType: 'application/json' },
);

interface Seen {
  method?: string;
  url?: string;
  authorization?: string;
  body: unknown;
}
let answer: (response: ServerResponse, request: IncomingMessage) => void;
const seen: Seen[] = [];
const server = createServer(async (incoming, response) => {
  // Each request has a connection of its own, so that none fails by what became of another.
  response.setHeader('connection', 'close');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const { method, url, headers } = incoming;
  const { authorization } = headers;
  seen.push({ method, url, authorization, body: text === '' ? undefined : JSON.parse(text) });
  answer(response, incoming);
});
let url: string;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});
beforeEach(() => void seen.splice(0));

const says =
  (json: unknown, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
const facilitator = (change: object = {}) =>
  new RemoteFacilitator({ url, verifyTimeoutMs: 300, settleTimeoutMs: 300, ...change });

describe('a facilitator over HTTP', () => {
  it('is asked just as the public client asks it', async () => {
    const client = new HTTPFacilitatorClient({ url });
    const payload = request.paymentPayload as unknown as PaymentPayload;
    const requirements = request.paymentRequirements as PaymentRequirements;
    answer = says({ isValid: true });
    await client.verify(payload, requirements);
    await facilitator().verify(request);
    answer = says({ success: true, transaction: '0x1', network: caip2 });
    await client.settle(payload, requirements);
    await facilitator().settle(request);
    answer = says({ kinds: [{ x402Version: 2, scheme: 'exact', network: caip2 }] });
    await client.getSupported();
    await facilitator().kinds();
    expect(seen).toHaveLength(6);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[3]).toEqual(seen[2]);
    expect(seen[5]).toEqual(seen[4]);
  });

  it('gets the authorization that it wants', async () => {
    answer = says({ isValid: true });
    await facilitator({ authorization: 'Bearer abc' }).verify(request);
    expect(seen[0].authorization).toBe('Bearer abc');
  });

  it('says yes with 200 alone, and no with whatever status', async () => {
    answer = says({ isValid: true });
    expect(await facilitator().verify(request)).toEqual({ valid: true });
    answer = says({ isValid: false, invalidReason: 'insufficient_funds' }, 400);
    expect(await facilitator().verify(request)).toEqual({ valid: false, reason: 'insufficient_funds' });
    answer = says({ isValid: false, invalidReason: null });
    expect(await facilitator().verify(request)).toEqual({ valid: false, reason: '' });
    answer = says({ isValid: true }, 402);
    await expect(facilitator().verify(request)).rejects.toThrow(FacilitatorAway);
  });

  it('tells a transfer that was done from one that was refused and one in doubt', async () => {
    const outcomeOf = async (json: unknown, status = 200) => {
      answer = says(json, status);
      return (await facilitator().settle(request)).outcome;
    };
    expect(await outcomeOf({ success: true, transaction: '0x1' })).toBe('done');
    expect(await outcomeOf({ success: false, transaction: '', errorReason: 'insufficient_funds' }, 400)).toBe(
      'refused',
    );
    const used = 'FiatTokenV2: authorization is used or canceled';
    expect(await outcomeOf({ success: false, transaction: '', errorReason: used })).toBe('refused');
    // It was sent: it may yet be mined.
    expect(await outcomeOf({ success: false, transaction: '0x1', errorReason: 'settlement_pending' })).toBe(
      'in-doubt',
    );
    expect(await outcomeOf({ success: true, transaction: '0x1' }, 402)).toBe('in-doubt');
    expect(await outcomeOf({ success: false, transaction: '' }, 500)).toBe('in-doubt');
  });

  it.each([
    'invalid_exact_evm_transaction_failed',
    'invalid_exact_evm_failed_to_get_receipt',
    'invalid_exact_evm_failed_to_execute_transfer',
    'invalid_exact_evm_transaction_simulation_failed',
    'invalid_exact_evm_verification_failed',
    'invalid_transaction_state',
    'settle_exact_node_failure',
    'unexpected_settle_error',
    'The request timed out',
    'insufficient_funds for what comes after it was sent',
    '',
    null,
    undefined,
  ])('that names no transaction and %p may have sent one: in doubt', async errorReason => {
    for (const transaction of ['', null, undefined]) {
      for (const status of [200, 400, 402]) {
        answer = says({ success: false, transaction, errorReason }, status);
        expect(await facilitator().settle(request)).toMatchObject({ outcome: 'in-doubt' });
      }
    }
  });

  const misbehaviours: [string, (response: ServerResponse) => void][] = [
    ['hangs', () => undefined],
    ['sends its head and hangs', response => void response.writeHead(200).write('{"isValid":')],
    ['closes the connection', response => void response.destroy()],
    ['answers no JSON', response => void response.end('<html>')],
    ['answers another JSON', says(['isValid', 'success', 'kinds'])],
    ['answers a yes that is a word', says({ isValid: 'true', success: 'true', transaction: '0x1' })],
    [
      'answers more than is read',
      response => void response.end(`{"isValid":true,"success":true,"x":"${'x'.repeat(100_000)}"}`),
    ],
    ['fails', says({ error: 'internal' }, 500)],
    [
      'sends on to another address',
      response => void response.writeHead(307, { location: 'http://127.0.0.1:1/verify' }).end(),
    ],
  ];
  it.each(misbehaviours)(
    'that %s has verified nothing, and leaves a settlement in doubt',
    async (_name, does) => {
      answer = does;
      await expect(facilitator().verify(request)).rejects.toThrow(FacilitatorAway);
      await expect(facilitator().kinds()).rejects.toThrow(FacilitatorAway);
      expect(await facilitator().settle(request)).toMatchObject({ outcome: 'in-doubt' });
      server.closeAllConnections();
    },
  );

  it('is not followed to another address with the payment', async () => {
    const other = createServer((_incoming, response) => {
      seen.push({ body: 'followed' });
      response.end('{"isValid":true}');
    });
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/verify`;
    answer = response => void response.writeHead(308, { location }).end();
    try {
      await expect(facilitator().verify(request)).rejects.toThrow(FacilitatorAway);
      expect(seen.filter(({ body }) => body === 'followed')).toHaveLength(0);
    } finally {
      other.closeAllConnections();
      await new Promise(resolve => other.close(resolve));
    }
  });

  it('is asked what it supports once a minute, and again after it could not say', async () => {
    const one = facilitator();
    answer = says({}, 500);
    await expect(one.isReady()).rejects.toThrow(FacilitatorAway);
    answer = says({ kinds: [{ x402Version: 2, scheme: 'exact', network: caip2 }] });
    expect(await one.isReady()).toBe(true);
    await one.kinds();
    expect(seen).toHaveLength(2);
  });
});
