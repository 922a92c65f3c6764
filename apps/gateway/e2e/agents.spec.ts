import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { SOLD_RESOURCES } from '@svc/contracts';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { BurstLimits, TrustedProxies, UNCHARGED_ANSWERS } from '@svc/edge';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningGateway } from '../src/start-gateway.js';
import { scriptedDepartment } from './department-under-test.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, HOLDER, scriptedPayments } from './payments-under-test.js';

const bus = new MemoryBus();
const [scripted, desk] = [scriptedPayments(), scriptedDepartment()];
const [payments, department] = [scripted.script, desk.script];
let gateway: RunningGateway;
let services: RunningService[];
beforeAll(async () => {
  services = [
    await startServiceOn(bus, 'payments', { controllers: scripted.controllers }),
    await startServiceOn(bus, 'department', { controllers: desk.controllers }),
  ];
  gateway = await startGatewayOn(bus);
});
beforeEach(() => {
  scripted.begin();
  desk.begin();
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});

const BULLION = '/api/agent/verify-bullion';
const PAID = { authorization: 'L402 bWFjYXJvb24:00' };
async function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = PAID,
  address = gateway.address,
) {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { response, json: (await response.json()) as Record<string, unknown> };
}
const coin = { productId: 'krugerrand', massG: 33.93 };
const ring = { ...coin, recordingBase64: Buffer.from('a ring').toString('base64') };

describe('the price record of a paid agent endpoint', () => {
  test.each([
    [BULLION, 0.05, 100],
    ['/api/agent/card-valuation', 0.03, 60],
    ['/partnerCoiVerify', 0.25, 500],
  ])('is answered by GET %s', async (path, priceUsd, priceSats) => {
    const response = await fetch(gateway.address + path);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      ...{ path, method: 'POST', priceUsd, priceSats, rail: 'PROCESSOR_MPP_OR_L402' },
      ...{ headerAuth: 'X-SVC-KEY', lightningAuth: 'Authorization: L402 <macaroon>:<preimage>' },
    });
  });
});

describe('a verification', () => {
  test('has its recording as bytes beside the request, when it is admitted too', async () => {
    expect((await post(BULLION, ring)).response.status).toBe(200);
    expect((await post(BULLION, ring, {})).response.status).toBe(402);
    expect(department.admitted).toHaveLength(2);
    for (const call of [...department.admitted, ...department.verified]) {
      const { request, recording } = call as { request: object; recording: Uint8Array };
      expect(request).toEqual({ ...coin, spectrumSvg: false });
      expect(Buffer.from(recording).toString()).toBe('a ring');
    }
  });

  test.each([
    ['both a recording and peaks', { ...ring, peaksHz: [4_400] }],
    ['neither', coin],
    ['a mass of nothing', { ...ring, massG: 0 }],
    ['a negative mass', { ...ring, massG: -1 }],
    ['a mass beyond every bar', { ...ring, massG: 1e9 }],
    ['a member that is not known', { ...ring, wisdom: 1 }],
    ['what is no base64', { ...coin, recordingBase64: '%%%' }],
  ])('with %s is 400 before anybody is asked, and nothing is claimed', async (_what, body) => {
    for (const headers of [PAID, {}]) {
      const { response, json } = await post(BULLION, body, headers);
      expect([response.status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect([department.admitted, payments.claimed, payments.challenged]).toEqual([[], [], []]);
  });
});

describe('the published example', () => {
  const { example } = SOLD_RESOURCES.find(({ target }) => target === BULLION)!;
  const impossible = () =>
    void (department.admitFaults = [problem('UNPROCESSABLE', 'There is no such product')]);

  test('asks for the price, in any spelling, and of nothing else', async () => {
    const respelled = Object.fromEntries(Object.entries(example).reverse());
    for (const body of [example, respelled, { ...example, spectrumSvg: false }]) {
      impossible();
      expect((await post(BULLION, body, {})).response.status).toBe(402);
    }
    expect(department.admitted).toEqual([]);
    for (const body of [
      { ...example, spectrumSvg: true },
      { ...example, massG: 33.94 },
    ]) {
      impossible();
      const { response, json } = await post(BULLION, body, {});
      expect([response.status, json.code]).toEqual([422, 'UNPROCESSABLE']);
    }
  });

  test('that is paid for is admitted as anything else: what cannot be done is refused, and nothing claimed', async () => {
    impossible();
    const { response, json } = await post(BULLION, example);
    expect([response.status, json.code]).toEqual([422, 'UNPROCESSABLE']);
    expect([department.admitted.length, payments.claimed]).toEqual([1, []]);
  });
});

describe('an answer that is not charged', () => {
  const credit = { key: 'svc_test_left', balanceMicroUsd: 50_000 };

  test('is sent, with the credit that the payment has become, and neither delivered nor receipted', async () => {
    department.charged = false;
    payments.creditAfterRelease = credit;
    const { response, json } = await post(BULLION, ring);
    expect([response.status, json.verdict, json.charged]).toEqual([200, 'PASS', false]);
    expect(response.headers.get('x-svc-key')).toBe(credit.key);
    expect(response.headers.get('cache-control')).toBe('private');
    expect(response.headers.get('payment-receipt')).toBeNull();
    expect(payments.delivered).toEqual([]);
    expect(payments.released).toMatchObject([{ attempt: 3, reason: 'NOT_CHARGED', givenUp: false }]);
  });

  test('is sent though its release is lost, which the end of its lease makes up for', async () => {
    department.charged = false;
    payments.releaseFaults = [new Error('lost')];
    const { response, json } = await post(BULLION, ring);
    expect([response.status, json.charged]).toEqual([200, false]);
    expect(response.headers.get('x-svc-key')).toBeNull();
  });

  test('is refused to whoever has had too many of them lately, before a claim; a charged one is not counted', async () => {
    const limited = await startGatewayOn(bus, {
      rateLimits: { factor: 1, trustedProxies: new TrustedProxies([]) },
    });
    const ask = (headers = PAID as Record<string, string>) => post(BULLION, ring, headers, limited.address);
    try {
      for (let turn = 0; turn < UNCHARGED_ANSWERS + 1; turn++) await ask();
      department.charged = false;
      for (let turn = 0; turn < UNCHARGED_ANSWERS; turn++) {
        expect((await ask()).response.status).toBe(200);
      }
      const claimed = payments.claimed.length;
      const { response, json } = await ask();
      expect([response.status, json.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('ratelimit-policy')).toContain('uncharged-answers');
      expect(payments.claimed).toHaveLength(claimed);
      // Nor with a key: one caller has as many as it likes.
      expect((await ask({ 'x-svc-key': 'svc_test_any' })).response.status).toBe(429);
      expect((await ask({})).response.status).toBe(402);
    } finally {
      await limited.close();
    }
  });

  test('counts as well when a task ends without a charge after its caller has left', async () => {
    const limited = await startGatewayOn(bus, {
      rateLimits: { factor: 1, trustedProxies: new TrustedProxies([]) },
    });
    const counted = jest.spyOn(BurstLimits.prototype, 'takeUncharged');
    const give = () =>
      post(
        '/departments/authentication',
        { task: coin },
        { ...PAID, prefer: 'respond-async' },
        limited.address,
      );
    const ended = async (count: number) => {
      while (department.ended.length < count) await delay(5);
    };
    try {
      expect((await give()).response.status).toBe(202);
      await ended(1);
      department.charged = false;
      for (let turn = 1; turn <= UNCHARGED_ANSWERS; turn++) {
        expect((await give()).response.status).toBe(202);
        while (counted.mock.calls.length < turn) await delay(5);
      }
      expect(department.ended.map(({ payment }) => payment)).toEqual([
        'delivered',
        ...Array.from({ length: UNCHARGED_ANSWERS }, () => 'returned'),
      ]);
      expect((await give()).json).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
      expect(counted).toHaveBeenCalledTimes(UNCHARGED_ANSWERS);
    } finally {
      counted.mockRestore();
      await limited.close();
    }
  });
});

describe('an audit of a certificate', () => {
  const body = { pdfBase64: Buffer.from('%PDF-').toString('base64'), requirementSetId: 'electrical' };

  test('belongs to the account of the key that came along, and says what is left of its credit', async () => {
    payments.credits = 39;
    const { response, json } = await post('/partnerCoiVerify', body, { 'x-svc-key': 'svc_test_any' });
    expect([response.status, json.creditsRemaining]).toEqual([200, 39]);
    const [{ pdf, ...call }] = department.audited;
    expect(Buffer.from(pdf!).toString()).toBe('%PDF-');
    expect(call).toEqual({
      request: { requirementSetId: 'electrical' },
      accountId: HOLDER.accountId,
      creditsRemaining: 39,
    });
  });

  test('is nobody’s without a key, and a bad key beside a payment is refused before a claim', async () => {
    expect((await post('/partnerCoiVerify', body)).json.creditsRemaining).toBeNull();
    expect(department.audited[0]).not.toHaveProperty('accountId');
    const { response } = await post('/partnerCoiVerify', body, { ...PAID, 'x-svc-key': BAD_KEY });
    expect(response.status).toBe(401);
    expect(payments.claimed).toHaveLength(1);
  });
});

test('an enrolment needs its scope', async () => {
  const asked = { productId: 'krugerrand', specimen: 'one', recordingBase64: ring.recordingBase64 };
  expect((await post('/api/agent/bullion/enrol', asked, {})).response.status).toBe(401);
  expect((await post('/api/agent/bullion/enrol', asked, { 'x-svc-key': 'k' })).response.status).toBe(403);
  expect((await post('/api/agent/bullion/enrolments', {}, {})).response.status).toBe(401);
  expect((await post('/api/agent/bullion/enrolments', {}, { 'x-svc-key': 'k' })).response.status).toBe(403);
  expect(department.enrolled).toEqual([]);
});
