import { afterEach, describe, expect, test } from '@jest/globals';
import { MemoryBus, type RunningService } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { BURST_REQUESTS } from '../src/rate-limit/burst-limits.js';
import { TrustedProxies } from '../src/rate-limit/client-address.js';
import type { RateLimitSettings } from '../src/rate-limit/rate-limit-config.js';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, HOLDER, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';

let gateway: RunningGateway;
let payments: RunningService;
let script: PaymentsScript;
async function start(rateLimits: Partial<RateLimitSettings>): Promise<void> {
  const bus = new MemoryBus();
  const scripted = scriptedPayments();
  ({ script } = scripted);
  payments = await startServiceOn(bus, 'payments', { controllers: scripted.controllers });
  const settings = { factor: 1, trustedProxies: new TrustedProxies([]), ...rateLimits };
  gateway = await startGatewayOn(bus, { rateLimits: settings });
}
afterEach(async () => {
  await gateway.close();
  await payments.close();
});

const get = (path: string, lines: HeaderLines = []) =>
  rawCall(gateway.address, path, { method: 'GET', lines });
const statuses = async (times: number, call: () => Promise<{ status: number }>) => {
  const seen: number[] = [];
  for (let turn = 0; turn < times; turn++) seen.push((await call()).status);
  return seen;
};
/** A factor by which an address has so many requests. */
const factorFor = (requests: number) => requests / BURST_REQUESTS.address;

describe('a flood', () => {
  test('from one address is 429 with a wait, on any route, and a page of any origin can read why', async () => {
    await start({ factor: factorFor(3) });
    expect(await statuses(3, () => get('/openapi.json'))).toEqual([200, 200, 200]);
    for (const path of ['/openapi.json', '/nowhere', '/v1/x402/challenge']) {
      const { status, json, headers } = await get(path, [['Origin', 'https://page.example']]);
      expect([status, json.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(10);
      expect(headers['ratelimit-policy']).toBe('"burst";q=3;w=10');
      expect(headers.ratelimit).toMatch(/^"burst";r=0;t=\d+$/);
      expect(headers['access-control-allow-origin']).toBe('*');
    }
    expect(script.challenged).toEqual([]);
    expect((await get('/livez')).status).toBe(200);
  });

  test('of challenges ends before one of requests does, and costs no further invoice', async () => {
    await start({ factor: factorFor(9) });
    expect(await statuses(4, () => get('/v1/x402/challenge'))).toEqual([402, 402, 402, 429]);
    expect(script.challenged).toHaveLength(3);
    expect((await get('/openapi.json')).status).toBe(200);
  });

  test('of bad payments still learns that each was bad, without a challenge', async () => {
    await start({ factor: factorFor(30) });
    await statuses(10, () => get('/v1/x402/challenge'));
    const { status, json, headers } = await rawCall(gateway.address, '/v1/zk/prove', {
      lines: [['Payment-Credential', 'SPT x']],
      body: { traceData: 'a' },
    });
    expect([status, json.code]).toEqual([402, 'PAYMENT_MALFORMED']);
    expect(headers).not.toHaveProperty('x-402-challenge');
  });

  test('is let through where the limits are set off', async () => {
    await start({ factor: 0 });
    expect(new Set(await statuses(30, () => get('/livez')))).toEqual(new Set([200]));
    expect(new Set(await statuses(30, () => get('/v1/x402/challenge')))).toEqual(new Set([402]));
  });
});

describe('a caller', () => {
  test('is whoever holds the connection: X-Forwarded-For of a stranger changes nothing', async () => {
    await start({ factor: factorFor(2) });
    const call = (n: number) => get('/openapi.json', [['X-Forwarded-For', `192.0.2.${n}`]]);
    expect(await statuses(2, () => call(1))).toEqual([200, 200]);
    expect((await call(2)).status).toBe(429);
  });

  test('is whom a trusted proxy names, an IPv6 one by its /64', async () => {
    await start({ factor: factorFor(2), trustedProxies: new TrustedProxies(['127.0.0.0/8']) });
    const call = (address: string) => get('/openapi.json', [['X-Forwarded-For', address]]);
    expect(await statuses(3, () => call('2001:db8::1'))).toEqual([200, 200, 429]);
    expect((await call('2001:db8::2:1')).status).toBe(429);
    expect((await call('2001:db8:0:1::1')).status).toBe(200);
    expect((await call('192.0.2.1')).status).toBe(200);
  });

  test('behind a trusted proxy is told the scheme that it called', async () => {
    await start({ trustedProxies: new TrustedProxies(['127.0.0.1']) });
    await get('/v1/x402/challenge', [['X-Forwarded-Proto', 'https']]);
    expect(script.challenged[0].resource).toBe(
      `https://127.0.0.1:${gateway.port}/v1/x402/verify?tool=m2m_license_contract`,
    );
  });

  test('with a key that is known is counted by its account, one with a key made up by the address', async () => {
    await start({ factor: factorFor(2) });
    const call = (key: string) => get('/openapi.json', [['X-SVC-KEY', key]]);
    // The first request asks whose key it is, and counts by the address meanwhile.
    expect((await call('svc_test_key')).status).toBe(200);
    while (script.authenticated.length === 0) await delay(5);
    await delay(20);
    const developer = Math.ceil(BURST_REQUESTS.developer * factorFor(2));
    expect(HOLDER.plan).toBe('developer');
    expect(await statuses(developer, () => call('svc_test_key'))).toEqual(Array(developer).fill(200));
    expect((await call('svc_test_key')).json.detail).toContain('of this account');
    expect((await call(BAD_KEY)).status).toBe(200);
    expect((await call(BAD_KEY)).json.detail).toContain('from this address');
    // Each key was asked for once.
    expect(script.authenticated).toHaveLength(2);
  });
});
