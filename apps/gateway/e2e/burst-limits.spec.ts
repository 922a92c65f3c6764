import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { departmentTaskContract, type ParsedRequestOf, type Task } from '@svc/contracts';
import { Handle, MemoryBus, type RunningService } from '@svc/platform';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  BURST_CHALLENGE_DIVISOR,
  BURST_READING_UNITS,
  BURST_REQUESTS,
  BURST_SENT_BYTES,
  KnownKeys,
  Pace,
  paceOf,
  ProcessBursts,
  type RateLimitSettings,
  SIMULATED_FAULTS,
  TrustedProxies,
} from '@svc/edge';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import {
  BAD_KEY,
  DERIVED_KEY,
  HOLDER,
  type PaymentsScript,
  scriptedPayments,
} from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedX402, TICKET, type X402Script } from './x402-under-test.js';

let bus: MemoryBus;
let gateway: RunningGateway;
let payments: RunningService;
let script: PaymentsScript;
let x402: X402Script;
/** Called for each key that is known from then on, or known to be none. */
const learnt = jest.spyOn(KnownKeys.prototype as unknown as { remember: () => void }, 'remember');
async function start(rateLimits: Partial<RateLimitSettings>): Promise<void> {
  bus = new MemoryBus();
  const [scripted, tools] = [scriptedPayments(), scriptedX402()];
  ({ script } = scripted);
  x402 = tools.script;
  const controllers = [...scripted.controllers, ...tools.controllers];
  payments = await startServiceOn(bus, 'payments', { controllers });
  const settings = { factor: 1, trustedProxies: new TrustedProxies([]), ...rateLimits };
  gateway = await startGatewayOn(bus, { rateLimits: settings });
}
afterEach(async () => {
  learnt.mockClear();
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
/** Until the key that came last is known, or known to be none. */
async function whenKeysKnown(count: number): Promise<void> {
  while (script.authenticated.length < count || learnt.mock.calls.length < count) await delay(5);
}
const PREFLIGHT: HeaderLines = [
  ['Origin', 'https://page.example'],
  ['Access-Control-Request-Method', 'POST'],
];
/** A factor by which an address has so many requests. */
const factorFor = (requests: number) => requests / BURST_REQUESTS.address;

describe('bodies', () => {
  const post = (body: unknown, lines: HeaderLines = []) =>
    rawCall(gateway.address, '/v1/zk/prove', { body, lines });

  test.each([
    ['of many values', { traceData: Array.from({ length: 1_500 }, () => 0) }],
    ['of many bytes', { traceData: 'x'.repeat(64_000) }],
  ])('%s are read up to a bound for one address, and beyond it 429 names it', async (_name, body) => {
    await start({ factor: 1_800 / BURST_READING_UNITS });
    // What is refused for another reason was read all the same.
    expect((await post(body)).status).not.toBe(429);
    const refused = (await Promise.all([post(body), post(body), post(body)])).find(
      ({ status }) => status === 429,
    )!;
    expect(refused.json).toMatchObject({
      code: 'RATE_LIMITED',
      detail: expect.stringContaining('units of body'),
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test.each([
    ['by its announced length', ['content-length', '64000'], 999],
    ['where it comes in chunks and nothing is left', ['transfer-encoding', 'chunked'], 1_001],
  ] as const)('beyond it are refused before they are sent, %s', async (_name, line, units) => {
    await start({ factor: 1_000 / BURST_READING_UNITS });
    const { host } = new URL(gateway.address);
    const head = [
      ['host', host],
      ['content-type', 'application/json'],
    ];
    // Counted, though it is refused for what it says.
    expect((await post('x'.repeat(units * 64 - 2))).status).toBe(units > 1_000 ? 429 : 400);
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = [...head, line].flat();
      const unsent = request(`${gateway.address}/v1/zk/prove`, { method: 'POST', headers }, resolve);
      unsent.on('error', reject);
      unsent.flushHeaders();
    });
    expect(answered.statusCode).toBe(429);
    expect(answered.headers.connection).toBe('close');
    answered.resume();
  });

  test('that come in chunks are counted as they come: one that never ends is refused', async () => {
    await start({ factor: 4_000 / BURST_READING_UNITS });
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const endless = request(`${gateway.address}/v1/zk/prove`, { method: 'POST', headers });
    endless.write(Buffer.alloc(4_000 * 64 + 1, ' '));
    const [{ statusCode }] = (await once(endless, 'response')) as [IncomingMessage];
    expect(statusCode).toBe(429);
    endless.destroy();
  });

  test('leave calls without one alone', async () => {
    await start({ factor: 1_000 / BURST_READING_UNITS });
    expect((await post('x'.repeat(64_100))).status).toBe(429);
    expect((await get('/v1/departments')).status).not.toBe(429);
  });
});

describe('calls of one caller', () => {
  let takes: jest.SpiedFunction<Pace['take']>;
  beforeAll(() => {
    takes = jest.spyOn(Pace.prototype, 'take');
  });
  afterAll(() => takes.mockRestore());
  const post = (body: unknown) => rawCall(gateway.address, '/v1/zk/prove', { body });

  test('that send something wait for their turn by address and size, and those that would wait too long are 429', async () => {
    await start({});
    takes.mockReturnValue(0);
    const body = { traceData: 'x'.repeat(32_768) };
    expect((await post(body)).status).not.toBe(429);
    expect(takes.mock.calls).toEqual([
      [expect.stringContaining('127.0.0.1'), paceOf(JSON.stringify(body).length)],
    ]);
    takes.mockReturnValue(undefined);
    expect((await post(body)).json).toMatchObject({
      code: 'RATE_LIMITED',
      detail: expect.stringContaining('would wait more than 10 s for their turn'),
    });
  });

  test.each([
    ['/v1/departments', 'reads'],
    ['/livez', 'probes'],
  ])('of %s wait less, and not for those that send something', async (path, what) => {
    await start({});
    takes.mockClear().mockReturnValue(0);
    await get(path);
    expect(takes.mock.calls).toEqual([[expect.stringMatching(`^${what} .*127.0.0.1`), 1]]);
    takes.mockReturnValue(undefined);
    expect((await get(path)).status).toBe(429);
  });
});

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
    await start({ factor: factorFor(3 * BURST_CHALLENGE_DIVISOR) });
    expect(await statuses(4, () => get('/v1/x402/challenge'))).toEqual([402, 402, 402, 429]);
    expect(script.challenged).toHaveLength(3);
    expect((await get('/openapi.json')).status).toBe(200);
  });

  test('of challenges that are paid does not end', async () => {
    await start({ factor: factorFor(BURST_CHALLENGE_DIVISOR - 1) });
    const challenge = () => get('/v1/x402/challenge');
    for (let turn = 0; turn < 3; turn++) {
      expect((await challenge()).status).toBe(402);
      // The payment is claimed; no prover runs in this test.
      const lines: HeaderLines = [['Authorization', 'L402 bWFj:00']];
      await rawCall(gateway.address, '/v1/zk/prove', { body: { traceData: 'x' }, lines });
      expect(script.claimed).toHaveLength(turn + 1);
    }
    expect(await statuses(2, challenge)).toEqual([402, 429]);
  });

  test.each([
    ['preflights', '/v1/zk/prove', { method: 'OPTIONS', lines: PREFLIGHT }, 204],
    ['addresses that are none', '/%zz', { method: 'GET' }, 400],
    ['a second host', '/v1/departments', { method: 'GET', lines: [['Host', 'b.example']] }, 400],
    ['what is no probe', '/livez', { body: {} }, 405],
  ] as const)('of %s ends too', async (_name, path, call, status) => {
    await start({ factor: factorFor(3) });
    const seen = await statuses(4, () => rawCall(gateway.address, path, call as object));
    expect(seen).toEqual([status, status, status, 429]);
  });

  test('of documents, asked for by HEAD, ends as if they had been sent', async () => {
    await start({ factor: 1 });
    const head = () => rawCall(gateway.address, '/openapi.json', { method: 'HEAD' });
    const most = Math.ceil(BURST_SENT_BYTES / Number((await head()).headers['content-length']));
    expect(await statuses(most + 1, head)).toContain(429);
  });

  test('of documents ends when they have had so many bytes', async () => {
    await start({ factor: 1 });
    const { headers } = await get('/openapi.json');
    const most = Math.ceil(BURST_SENT_BYTES / Number(headers['content-length']));
    // Their heads count as they do, and take a slow machine less than a window.
    const head = () => rawCall(gateway.address, '/openapi.json', { method: 'HEAD' });
    const answers = await statuses(most + 2, head);
    expect(answers.filter(status => status === 200).length).toBeLessThanOrEqual(most);
    // What is refused pays nothing back, however often it is asked for.
    expect(new Set(await statuses(20, () => get('/openapi.json')))).toEqual(new Set([429]));
    const { json } = await get('/openapi.json');
    expect(json.detail).toContain('bytes of answers to GET, HEAD and MCP');
    // What is no answer to GET is no matter of it.
    expect((await rawCall(gateway.address, '/v1/zk/prove', { body: {} })).status).not.toBe(429);
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

describe('listeners', () => {
  test.each([
    ['of one process count a caller together', new ProcessBursts(), [402, 429]],
    ['of processes of their own count each for itself', undefined, [402, 402]],
  ])('%s', async (_name, bursts, expected) => {
    await start({ factor: 0 });
    const rateLimits = {
      factor: factorFor(BURST_CHALLENGE_DIVISOR - 1),
      trustedProxies: new TrustedProxies([]),
    };
    const listeners = [0, 1].map(() => startGatewayOn(bus, { rateLimits, bursts }));
    const seen: number[] = [];
    for (const { address } of await Promise.all(listeners))
      seen.push((await rawCall(address, '/v1/x402/challenge', { method: 'GET' })).status);
    for (const listener of listeners) await (await listener).close();
    expect(seen).toEqual(expected);
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

  test('with a key that came of a payment’s rest is counted by its address', async () => {
    await start({ factor: factorFor(2) });
    const call = () => get('/openapi.json', [['X-SVC-KEY', DERIVED_KEY]]);
    expect((await call()).status).toBe(200);
    await whenKeysKnown(1);
    expect((await call()).status).toBe(200);
    expect((await call()).json.detail).toContain('from this address');
  });

  test('with a key that is known is counted by its account, one with a key made up by the address', async () => {
    await start({ factor: factorFor(2) });
    const call = (key: string) => get('/openapi.json', [['X-SVC-KEY', key]]);
    // The first request asks whose key it is, and counts by the address meanwhile.
    expect((await call('svc_test_key')).status).toBe(200);
    await whenKeysKnown(1);
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

const LICENCE_QUOTE = {
  ...{ capability: 'm2m_license_contract', operationId: 'tool.m2m_license_contract' },
  paidBy: 'ticket' as const,
};

/** A desk whose tasks are paid for with a ticket, and wait. */
@Controller()
class LicenceDesk {
  @Handle(departmentTaskContract.quoteTask)
  quoteTask() {
    return LICENCE_QUOTE;
  }

  @Handle(departmentTaskContract.admitTask)
  admitTask() {
    return LICENCE_QUOTE;
  }

  @Handle(departmentTaskContract.submitTask)
  submitTask({ taskId, deptId }: ParsedRequestOf<typeof departmentTaskContract.submitTask>): Task {
    return {
      ...{ taskId, deptId, capability: 'm2m_license_contract', status: 'QUEUED', priority: 'normal' },
      ...{ payment: 'held', createdAt: '2026-04-02T00:00:00.000Z' },
    };
  }
}

describe('a simulated fault', () => {
  const TICKETED = ['X-Execution-Ticket', TICKET] as const;
  const licence = (lines: HeaderLines, input: object) =>
    rawCall(gateway.address, '/v1/x402/execute', { lines, body: { licenseeAgentId: 'a', ...input } });
  const fault = (...lines: HeaderLines) => licence(lines, { simulateFault: true });
  const forwardedFor = (address: string) => ['X-Forwarded-For', address] as const;
  const factorForFaults = (faults: number) => faults / SIMULATED_FAULTS;

  test('beyond the limit is 429 with a wait, before its ticket, key or payment is shown to anybody', async () => {
    await start({});
    const taken = await statuses(SIMULATED_FAULTS, () => fault(TICKETED));
    expect(taken).toEqual(Array(SIMULATED_FAULTS).fill(200));
    const ways: HeaderLines[] = [
      [TICKETED],
      [['X-SVC-KEY', 'svc_test_key']],
      [['Authorization', 'L402 bWFj:00']],
      [['PAYMENT-SIGNATURE', 'tool=m2m_license_contract']],
    ];
    for (const way of ways) {
      const { status, json, headers } = await fault(...way);
      expect([status, json.code]).toEqual([429, 'RATE_LIMITED']);
      expect(json.detail).toContain('simulated faults in 60 s from this address; nothing was taken');
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(headers['ratelimit-policy']).toBe(`"simulated-faults";q=${SIMULATED_FAULTS};w=60`);
      expect(headers.ratelimit).toMatch(/^"simulated-faults";r=0;t=\d+$/);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('www-authenticate');
    }
    expect(x402.executed).toHaveLength(SIMULATED_FAULTS);
    expect([script.claimed, x402.verified]).toEqual([[], []]);
  });

  test('is counted alone: licences that are meant go on, and a call that would only be asked to pay', async () => {
    await start({ factor: factorForFaults(1) });
    expect(await statuses(3, () => fault())).toEqual([402, 402, 402]);
    expect(
      await statuses(2, () => licence([TICKETED, ['Authorization', 'L402 x:0']], { simulateFault: true })),
    ).toEqual([400, 400]);
    expect(await statuses(2, () => fault(TICKETED))).toEqual([200, 429]);
    for (const input of [{}, { simulateFault: false }])
      expect((await licence([TICKETED], input)).status).toBe(200);
  });

  test('counts by its address, whatever keys come along', async () => {
    await start({ factor: factorForFaults(2) });
    for (const [at, key] of ['svc_test_one', 'svc_test_two'].entries()) {
      expect((await fault(['X-SVC-KEY', key])).status).toBe(200);
      await whenKeysKnown(at + 1);
    }
    for (const key of ['svc_test_one', 'svc_test_three', BAD_KEY]) {
      const { status, json } = await fault(['X-SVC-KEY', key]);
      expect([status, json.detail]).toEqual([429, expect.stringContaining('from this address')]);
    }
    expect(x402.executed).toHaveLength(2);
  });

  test('counts by the account of a known key too, wherever it is shown', async () => {
    await start({ factor: factorForFaults(2), trustedProxies: new TrustedProxies(['127.0.0.0/8']) });
    const key = ['X-SVC-KEY', 'svc_test_key'] as const;
    await rawCall(gateway.address, '/openapi.json', { method: 'GET', lines: [key] });
    await whenKeysKnown(1);
    const seen: [number, string?][] = [];
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      const { status, json } = await fault(key, forwardedFor(address));
      seen.push([status, json.detail]);
    }
    expect(seen.map(([status]) => status)).toEqual([200, 200, 429]);
    expect(seen[2][1]).toContain('of this account');
    // The neighbour whose address the account used has what is left of it.
    expect(await statuses(2, () => fault(TICKETED, forwardedFor('192.0.2.1')))).toEqual([200, 429]);
    expect((await fault(TICKETED, forwardedFor('192.0.2.4'))).status).toBe(200);
  });

  test('is one that a desk is given too, whose payment buys no ticket beyond the limit', async () => {
    await start({ factor: factorForFaults(2) });
    const desk = await startServiceOn(bus, 'department', { controllers: [LicenceDesk] });
    const task = (...lines: HeaderLines) =>
      rawCall(gateway.address, '/departments/licensing', {
        lines: [...lines, ['Prefer', 'respond-async']],
        body: { capability: 'm2m_license_contract', task: { licenseeAgentId: 'a', simulateFault: true } },
      });
    const paid = ['X-SVC-KEY', 'svc_test_key'] as const;
    try {
      expect((await task()).status).toBe(402);
      expect((await fault(TICKETED)).status).toBe(200);
      expect((await task(paid)).status).toBe(202);
      expect(await task(paid)).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } });
      expect(x402.verified).toHaveLength(1);
    } finally {
      await desk.close();
    }
  });

  test('is let through where the limits are set off', async () => {
    await start({ factor: 0 });
    const seen = await statuses(SIMULATED_FAULTS + 2, () => fault(TICKETED));
    expect(new Set(seen)).toEqual(new Set([200]));
  });
});
