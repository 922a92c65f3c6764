import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { PROBLEM_CODES, PROBLEMS } from '@svc/contracts';
import { TrustedProxies, UNCHARGED_ANSWERS } from '@svc/edge';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { countingProver, JOB_ID, scriptedPayments } from './payments-under-test.js';
import { rawCall } from './raw-call.js';

const bus = new MemoryBus();
const payments = scriptedPayments();
const counting = countingProver();
const { script } = payments;
const { script: prover, count } = counting;
let gateway: RunningGateway;
let services: RunningService[];
const startProver = () => startServiceOn(bus, 'prover', { controllers: counting.controllers });
beforeAll(async () => {
  services = [
    await startServiceOn(bus, 'payments', { controllers: payments.controllers }),
    await startProver(),
  ];
  gateway = await startGatewayOn(bus);
});
beforeEach(() => {
  payments.begin();
  counting.begin();
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});

const unknown = (code: 'TIMEOUT' | 'SERVICE_UNAVAILABLE' | 'INTERNAL') => problem(code, 'Scripted');

const L402 = { authorization: 'L402 bWFjYXJvb24:00' };
const KEY = { 'x-svc-key': 'svc_test_key' };

async function prove(
  payment: Record<string, string> = L402,
  { address } = gateway,
): Promise<{ response: Response; json: Record<string, unknown> }> {
  const response = await fetch(`${address}/v1/zk/prove`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...payment },
    body: '{"traceData":"hello","degree":8}',
  });
  return { response, json: (await response.json()) as Record<string, unknown> };
}

/** What a payer must learn who may have paid: to ask again with the same credential, and not to pay. */
function expectSettlementUnknown({ response, json }: Awaited<ReturnType<typeof prove>>): void {
  expect([response.status, json.code, json.paymentRetained]).toEqual([503, 'SETTLEMENT_UNKNOWN', true]);
  expect([json.charged, json.retry]).toEqual(['unknown', 'same']);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const name of ['www-authenticate', 'x-402-challenge', 'payment-receipt']) {
    expect(response.headers.get(name)).toBeNull();
  }
}

describe('a claim', () => {
  test.each(['TIMEOUT', 'SERVICE_UNAVAILABLE', 'INTERNAL'] as const)(
    'that ends in %s is 503 SETTLEMENT_UNKNOWN, never a fresh 402 or a 504, and nothing runs',
    async code => {
      script.claimFaults = [unknown(code)];
      expectSettlementUnknown(await prove());
      expect([count.proved, script.realms, script.delivered]).toEqual([0, [], []]);
      expect((await prove()).response.status).toBe(200);
    },
  );
});

describe('a payment in flight', () => {
  const claim = { claimId: '6b0d3c1e-5f3a-4b7e-9a57-2f1d8c1f6e10', attempt: 2 };
  const inFlight = (extensions?: Record<string, unknown>) =>
    problem('PAYMENT_IN_FLIGHT', 'Scripted', { retryAfterSeconds: 5, extensions });

  test('names the job that holds it, where one does, and never its claim', async () => {
    script.claimFaults = [inFlight(claim), inFlight(claim), inFlight()];
    const path = `/v1/stark/jobs/${JOB_ID}`;
    for (const [location, jobId] of [[path, JOB_ID], [null], [null]]) {
      const { response, json } = await prove();
      expect([response.status, json.code]).toEqual([409, 'PAYMENT_IN_FLIGHT']);
      expect([response.headers.get('location'), json.jobId]).toEqual([location, jobId]);
      expect(response.headers.get('retry-after')).toBe('5');
      expect([json.claimId, json.attempt]).toEqual([undefined, undefined]);
    }
    expect(count.holdersAsked).toEqual([claim, claim]);
  });

  test('is 409 all the same while nobody can say which job holds it', async () => {
    await services[1].close();
    script.claimFaults = [inFlight(claim)];
    const { response, json } = await prove().finally(async () => (services[1] = await startProver()));
    expect([response.status, json.code, json.jobId]).toEqual([409, 'PAYMENT_IN_FLIGHT', undefined]);
    expect([response.headers.get('location'), json.claimId]).toEqual([null, undefined]);
  });
});

describe('a proof that fails', () => {
  test.each([
    ['TIMEOUT', 504, true],
    ['SERVICE_UNAVAILABLE', 503, false],
    ['INTERNAL', 500, false],
  ] as const)(
    'with %s gives its payment back, given up by the payer only where the wait was over',
    async (code, status, givenUp) => {
      prover.proveFaults = [unknown(code)];
      const { response, json } = await prove();
      expect([response.status, json.code, json.paymentRetained]).toEqual([status, code, true]);
      expect(script.released).toMatchObject([{ attempt: 3, reason: code, givenUp }]);
      expect([count.proved, script.delivered]).toEqual([1, []]);
    },
  );
});

describe('a proof that takes its time', () => {
  test('has its payment held until it is delivered', async () => {
    let end = () => {};
    prover.working = new Promise(resolve => (end = resolve));
    const proving = prove();
    while (script.heartbeats.length === 0) await delay(10);
    const [{ claimId, attempt }] = script.heartbeats[0];
    end();
    expect((await proving).response.status).toBe(200);
    expect(script.delivered).toMatchObject([{ claimId, attempt }]);
    expect(script.heartbeats).toEqual([[{ claimId, attempt }]]);
  });
});

describe('a payment whose proofs were given up too often', () => {
  test('buys a job that cannot be given up, whose failure is the answer and gives the payment back', async () => {
    script.canBeGivenUp = false;
    const { response, json } = await prove();
    expect([response.status, json.code, json.paymentRetained]).toEqual([422, 'UNPROCESSABLE', true]);
    expect(count.jobs).toMatchObject([{ canBeGivenUp: false, attempt: 3 }]);
    expect([count.proved, script.delivered]).toEqual([0, []]);
    expect(script.released).toMatchObject([{ attempt: 3, givenUp: false }]);
  });

  test('is given back, and asked for again, where its job cannot be followed and has left it to the next claim', async () => {
    script.canBeGivenUp = false;
    prover.eventFaults = [unknown('SERVICE_UNAVAILABLE')];
    const { response, json } = await prove();
    expect([response.status, json.code, json.paymentRetained]).toEqual([503, 'SERVICE_UNAVAILABLE', true]);
    expect(response.headers.get('retry-after')).toBe('1');
    expect([script.claimed.length, count.jobs.length, count.proved]).toEqual([2, 1, 0]);
    expect(script.claimed[1]).toEqual(script.claimed[0]);
    expect(script.released).toMatchObject([{ attempt: 3, reason: 'SERVICE_UNAVAILABLE', givenUp: false }]);
    expect(script.delivered).toEqual([]);
  });
});

describe('a delivery', () => {
  test('that breaks once is recorded at the second try, with the same record, and the answer leaves', async () => {
    script.deliverFaults = [unknown('INTERNAL')];
    const { response } = await prove();
    expect(response.status).toBe(200);
    expect(response.headers.get('payment-receipt')).toBe('receipt-under-test');
    expect(script.delivered).toHaveLength(2);
    expect(script.delivered[1]).toEqual(script.delivered[0]);
    expect(count.proved).toBe(1);
  });

  test('that is lost to another attempt is 409, and neither its answer nor a receipt leaves', async () => {
    script.deliverFaults = [problem('CONFLICT', 'The claim is another attempt’s')];
    const { response, json } = await prove();
    expect([response.status, json.code]).toEqual([409, 'PAYMENT_IN_FLIGHT']);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('payment-receipt')).toBeNull();
    expect(json).not.toHaveProperty('proofId');
    expect(script.delivered).toHaveLength(1);
  });

  test('that never becomes known is 503 SETTLEMENT_UNKNOWN after three tries, and keeps its claim', async () => {
    script.deliverFaults = [unknown('TIMEOUT'), unknown('SERVICE_UNAVAILABLE'), unknown('INTERNAL')];
    const answer = await prove();
    expectSettlementUnknown(answer);
    expect(answer.json).not.toHaveProperty('proofId');
    expect(script.delivered).toHaveLength(3);
    expect(script.released).toEqual([]);
  });
});

test('a proof that its payment finds impossible is counted: so much work for nothing, and no more', async () => {
  const rateLimits = { factor: 1, trustedProxies: new TrustedProxies([]) };
  const limited = await startGatewayOn(bus, { rateLimits });
  const ask = () => prove(L402, limited);
  try {
    for (let turn = 0; turn < UNCHARGED_ANSWERS; turn++) {
      prover.proveFaults = [problem('UNPROCESSABLE', 'the trace breaks')];
      expect((await ask()).json).toMatchObject({ status: 422, code: 'UNPROCESSABLE' });
    }
    const { response, json } = await ask();
    expect([response.status, json.code]).toEqual([429, 'RATE_LIMITED']);
    expect(response.headers.get('ratelimit-policy')).toContain('uncharged-answers');
    expect(count.proved).toBe(UNCHARGED_ANSWERS);
  } finally {
    await limited.close();
  }
});

describe('the realm of a challenge', () => {
  const quoteFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(`${gateway.address}/v1/zk/prove`, { method: 'POST', headers: { host } });
      outgoing.on('response', response => response.resume().on('end', () => resolve(response.statusCode)));
      outgoing.on('error', reject).end();
    });

  test.each([
    ['prover.example:8443', 'prover.example:8443'],
    ['[::1]:3000', '[::1]:3000'],
    ['x'.repeat(256), 'localhost'],
  ])('for Host %s is %s', async (host, realm) => {
    expect(await quoteFor(host)).toBe(402);
    expect(script.realms).toEqual([realm]);
  });

  test.each(['a"b', 'a\\b'])('for Host %s, which is none, is not asked for', async host => {
    expect(await quoteFor(host)).toBe(400);
    expect(script.realms).toEqual([]);
  });
});

describe('a problem says whether it was charged, and how to go on:', () => {
  const OUTCOME_UNKNOWN: readonly string[] = ['TIMEOUT', 'SERVICE_UNAVAILABLE', 'INTERNAL'];

  test.each(PROBLEM_CODES)('%s', async code => {
    const { charged, retry } = PROBLEMS[code];
    // Not by `fetch`, which sends a request again that is answered with 421.
    const told = async (payment: Record<string, string>) => {
      const sent = { body: { traceData: 'hello', degree: 8 }, lines: Object.entries(payment) };
      const { json } = await rawCall(gateway.address, '/v1/zk/prove', sent);
      return [json.code, json.charged, json.retry];
    };
    script.claimFaults = [problem(code, 'Scripted')];
    expect(await told(KEY)).toEqual(
      OUTCOME_UNKNOWN.includes(code) ? ['SETTLEMENT_UNKNOWN', 'unknown', 'same'] : [code, charged, retry],
    );
    const again = () => (prover.proveFaults = [problem(code, 'Scripted')]);
    again();
    // A payment of a rail is kept; an account has its amount again, where the gateway heard of it.
    expect(await told(L402)).toEqual([code, 'yes', retry]);
    again();
    expect(await told(KEY)).toEqual([code, 'no', retry]);
    again();
    script.releaseFaults = [problem('TIMEOUT', 'No reply came')];
    expect(await told(KEY)).toEqual([code, 'unknown', retry]);
    // With a time to wait, the same request is worth sending again.
    script.claimFaults = [problem('CONFLICT', 'Scripted', { retryAfterSeconds: 3 })];
    expect(await told(KEY)).toEqual(['CONFLICT', 'no', 'same']);
  });
});
