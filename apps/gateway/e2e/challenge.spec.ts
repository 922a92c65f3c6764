import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PUBLISHED_EXAMPLES, SOLD_RESOURCES, TOOL_NAMES, X402Resources } from '@svc/contracts';
import { MemoryBus, type RunningService } from '@svc/platform';
import { findX402Network, offerX402, priceOf } from '@svc/protocols';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';

let gateway: RunningGateway;
let payments: RunningService;
let script: PaymentsScript;
beforeAll(async () => {
  const bus = new MemoryBus();
  const scripted = scriptedPayments();
  ({ script } = scripted);
  payments = await startServiceOn(bus, 'payments', { controllers: scripted.controllers });
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  await payments.close();
});
beforeEach(() => {
  script.challenged.length = 0;
  script.claimed.length = 0;
});

const challenge = (query = '', lines: HeaderLines = []) =>
  rawCall(gateway.address, `/v1/x402/challenge${query}`, { method: 'GET', lines });

describe('a challenge', () => {
  test.each(TOOL_NAMES)('for %s is a 402 at its price', async tool => {
    const { status, json, headers } = await challenge(`?tool=${tool}`);
    expect([status, json.code, json.tool]).toEqual([402, 'PAYMENT_REQUIRED', tool]);
    expect(json.costUsd).toBe(priceOf(`tool.${tool}`).priceUsd);
    expect(script.challenged).toMatchObject([{ operationId: `tool.${tool}` }]);
    expect(headers).toMatchObject({ 'x-402-challenge': 'v1.under.test', 'cache-control': 'no-store' });
  });

  test('without a tool is for m2m_license_contract, also beside a key, in one call of the bus', async () => {
    for (const lines of [[], [['X-SVC-KEY', 'svc_test_key']]] as HeaderLines[]) {
      expect((await challenge('', lines)).json).toMatchObject({ tool: 'm2m_license_contract' });
    }
    expect(script.challenged).toHaveLength(2);
    expect(script.challenged[0].resource).toBe(`${gateway.address}/v1/x402/verify?tool=m2m_license_contract`);
  });

  test.each(TOOL_NAMES)('says where %s can be paid', async tool => {
    const { json, headers } = await challenge(`?tool=${tool}`);
    expect(headers.link).toBe(`</v1/x402/verify?tool=${tool}>; rel="payment"`);
    expect([json.payableAt, json.payable]).toEqual([`/v1/x402/verify?tool=${tool}`, true]);
    expect(json.detail).not.toContain('do not pay');
  });

  test.each(['?tool=nothing', '?tool=', '?tool=__proto__', '?tool=a&tool=b'])(
    'for %s is 400',
    async query => {
      const { status, json } = await challenge(query);
      expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(script.challenged).toEqual([]);
    },
  );

  test.each([
    ['Authorization', 'L402 bWFj:00'],
    ['Authorization', 'Payment e30'],
    ['Payment-Authorization', 'Payment e30'],
    ['PAYMENT-SIGNATURE', 'e30='],
    ['X-PAYMENT', 'e30='],
    ['Payment-Credential', 'SPT spt_1'],
  ])(
    'that is paid here, by %s: %s, says where the payment belongs and leaves it alone',
    async (name, value) => {
      const { status, json, headers } = await challenge('', [[name, value]]);
      expect([status, json.code]).toEqual([402, 'PAY_AT_VERIFY']);
      expect(headers.link).toBe('</v1/x402/verify?tool=m2m_license_contract>; rel="payment"');
      expect(headers).toMatchObject({
        'www-authenticate': expect.anything(),
        'x-402-challenge': expect.stringMatching(/^v1\./),
      });
      expect(json.detail).toContain('do not pay again');
      expect([script.claimed, script.challenged.length]).toEqual([[], 1]);
    },
  );
});

describe('what x402 pays for', () => {
  test('is nothing while x402 cannot settle, and the rails that can are named', async () => {
    const { status, json } = await rawCall(gateway.address, '/.well-known/x402', { method: 'GET' });
    expect([status, json]).toMatchObject([
      200,
      { x402Version: 2, resources: [], items: [], rails: ['l402'] },
    ]);
    expect(script.challenged).toEqual([]);
  });

  test('is all that is sold at an address, but for prices that it does not take; each price is asked for once', async () => {
    const { caip2: network, usdc: asset } = findX402Network('base')!;
    const terms = {
      network,
      asset,
      payTo: `0x${'1'.repeat(40)}`,
      amountMicroUsd: 1_000,
      maxTimeoutSeconds: 120,
    };
    const resource = { url: 'https://svc.example/', description: 'x', mimeType: 'application/json' };
    const { headers } = offerX402({ ...terms, jti: 'j'.repeat(22) }, resource);
    script.moreOffers = [{ rail: 'x402', scheme: 'x402', headers }];
    script.withoutMoreOffers = ['zk.prove', 'tool.arena_challenge'];
    const { json } = await rawCall(gateway.address, '/.well-known/x402', { method: 'GET' });
    const { items, resources } = X402Resources.parse(json);
    const sold = SOLD_RESOURCES.filter(({ operationId }) => !script.withoutMoreOffers.includes(operationId));
    expect(resources).toEqual(sold.map(({ target }) => gateway.address + target));
    expect(items.map(({ resource: url, method }) => [method, url])).toEqual(
      sold.map(({ route, target }) => [route.method, gateway.address + target]),
    );
    const operations = script.challenged.map(({ operationId }) => operationId);
    expect([...operations].sort()).toEqual([...PUBLISHED_EXAMPLES.keys()].sort());
    expect(script.challenged.every(({ families }) => families?.join() === 'x402')).toBe(true);
  });
});
