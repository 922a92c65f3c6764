import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { BAD_PAYMENTS, TrustedProxies } from '@svc/edge';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { SAGA_ID, scriptedX402, TICKET, type X402Script } from './x402-under-test.js';

const bus = new MemoryBus();
let gateway: RunningGateway;
let payments: RunningService;
let script: X402Script;
let challenges: PaymentsScript['challenged'];
beforeAll(async () => {
  const [scripted, x402] = [scriptedPayments(), scriptedX402()];
  ({ script } = x402);
  challenges = scripted.script.challenged;
  const controllers = [...scripted.controllers, ...x402.controllers];
  payments = await startServiceOn(bus, 'payments', { controllers });
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  await payments.close();
});
beforeEach(() => {
  script.faults = [];
  script.outcome = { ...script.outcome, status: 200 };
  const { questions, verified, executed, admitted, sagas, turns } = script;
  for (const list of [questions, verified, executed, admitted, sagas, turns, challenges]) list.length = 0;
});

const VERIFY = '/v1/x402/verify';
const EXECUTE = '/v1/x402/execute';
const call = (path: string, lines: HeaderLines = [], body?: unknown) =>
  rawCall(gateway.address, path, { lines, body });

const L402 = ['Authorization', 'L402 bWFj:00'] as const;
const SPT = ['Payment-Credential', 'SPT spt_1'] as const;
const X402 = ['PAYMENT-SIGNATURE', 'tool=get_product_catalog'] as const;
const KEY = ['X-SVC-KEY', 'svc_test_key'] as const;
const HAS_TICKET = ['X-Execution-Ticket', TICKET] as const;
const LICENCE = { licenseeAgentId: 'agent-1' };
const taken = () => [...script.verified, ...script.executed];

describe.each([VERIFY, EXECUTE])('%s without a payment', path => {
  test.each([['no body', undefined] as const, ['{}', {}] as const])(
    'and with %s is the 402 of the tool',
    async (_, body) => {
      const { status, json, headers } = await call(path, [], body);
      expect([status, json.code, json.tool]).toEqual([402, 'PAYMENT_REQUIRED', 'm2m_license_contract']);
      expect(headers).toMatchObject({ 'x-402-challenge': 'v1.under.test', 'cache-control': 'no-store' });
      expect(challenges).toMatchObject([
        {
          operationId: 'tool.m2m_license_contract',
          resource: `${gateway.address}${path}?tool=m2m_license_contract`,
        },
      ]);
      await call(`${path}?tool=get_product_catalog`, [], body);
      expect(challenges[1]).toMatchObject({ operationId: 'tool.get_product_catalog' });
      expect(taken()).toEqual([]);
    },
  );

  test('for a tool of no catalogue, or two of them, is 400', async () => {
    for (const query of ['?tool=nothing', '?tool=', '?tool=a&tool=b', '?tool=__proto__']) {
      const { status, json } = await call(path + query, [L402], {});
      expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect(taken()).toEqual([]);
  });

  test('a body that is none of the schema is 400 before anything is asked', async () => {
    const body = path === VERIFY ? { agentId: 7 } : { executionTicket: 7 };
    for (const lines of [[], [L402], [KEY]] as HeaderLines[]) {
      for (const bad of [body, [], 'text', 7]) {
        const { status, json } = await call(path, lines, bad);
        expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
      }
    }
    expect([taken(), challenges]).toEqual([[], []]);
  });

  test('text that cannot be bound to a payment is 400, paid or not', async () => {
    const body = path === VERIFY ? { agentId: '\ud800' } : { licenseeAgentId: '\ud800' };
    const lines: HeaderLines[] = path === VERIFY ? [[L402]] : [[], [L402], [HAS_TICKET]];
    for (const each of lines) {
      expect((await call(path, each, body)).json.code).toBe('VALIDATION_FAILED');
    }
    expect(taken()).toEqual([]);
  });

  test('two payments, or two keys, are 400 and neither is taken', async () => {
    for (const lines of [
      [L402, SPT],
      [KEY, ['X-SVC-KEY', 'svc_test_another']],
    ] as HeaderLines[]) {
      const { status, json } = await call(path, lines, LICENCE_OF[path]);
      expect([status, json.code]).toEqual([400, 'CONFLICTING_CREDENTIALS']);
    }
    expect(taken()).toEqual([]);
  });

  test('an Idempotency-Key that is none is 400, paid or not', async () => {
    for (const lines of [[], [L402]] as HeaderLines[]) {
      const { json } = await call(path, [...lines, ['Idempotency-Key', ' ']], LICENCE_OF[path]);
      expect(json.code).toBe('VALIDATION_FAILED');
    }
    expect(taken()).toEqual([]);
  });

  test('what pays, and how, goes to the payments service with the tool', async () => {
    await call(path, [KEY, X402, ['Idempotency-Key', 'once']], LICENCE_OF[path]);
    expect(taken()).toMatchObject([
      {
        credential: { scheme: 'x402', value: X402[1] },
        accountKey: KEY[1],
        idempotencyKey: 'once',
        tool: 'get_product_catalog',
      },
    ]);
  });

  test('a tool that is named beside a payment for another is 400, and nothing is taken', async () => {
    const { status } = await call(`${path}?tool=m2m_license_contract`, [X402], LICENCE_OF[path]);
    expect([status, taken()]).toEqual([400, []]);
  });

  test.each(['TIMEOUT', 'SERVICE_UNAVAILABLE', 'INTERNAL'] as const)(
    'a payment that ends in %s is 503 SETTLEMENT_UNKNOWN, never a fresh 402',
    async code => {
      for (const lines of [[L402], [KEY]] as HeaderLines[]) {
        script.faults = [problem(code, 'Scripted')];
        const { status, json, headers } = await call(path, lines, LICENCE_OF[path]);
        expect([status, json.code, json.paymentRetained]).toEqual([503, 'SETTLEMENT_UNKNOWN', true]);
        expect(headers).not.toHaveProperty('www-authenticate');
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
    },
  );

  test('a payment that is refused gets the reason, its credit and a challenge at the price of the tool', async () => {
    const credit = { key: 'svc_test_left', balanceMicroUsd: 500_000 };
    const extensions = { credit, headers: { 'PAYMENT-RESPONSE': 'refused' } };
    script.faults = [problem('PAYMENT_INVALID', 'Scripted', { extensions })];
    const { status, json, headers } = await call(path, [X402], LICENCE_OF[path]);
    expect([status, json.code, json.creditKey]).toEqual([402, 'PAYMENT_INVALID', credit.key]);
    expect(json).not.toHaveProperty('credit');
    expect(headers).toMatchObject({ 'payment-response': 'refused', 'x-402-challenge': 'v1.under.test' });
    expect(challenges).toMatchObject([{ operationId: 'tool.get_product_catalog' }]);
  });

  test('a payment in flight says when to come back, and not which claim it is', async () => {
    const extensions = { claimId: SAGA_ID, attempt: 1 };
    script.faults = [problem('PAYMENT_IN_FLIGHT', 'Scripted', { retryAfterSeconds: 3, extensions })];
    const { status, headers, text } = await call(path, [L402], LICENCE_OF[path]);
    expect([status, headers['retry-after'], text.includes(SAGA_ID)]).toEqual([409, '3', false]);
  });
});

/** A good body of each route. */
const LICENCE_OF: Record<string, object> = { [VERIFY]: { agentId: 'agent-1' }, [EXECUTE]: LICENCE };

test.each([
  { agentId: 'a\u0000' },
  { agentId: 'two\nlines' },
  { capability: 'a\u0000' },
  { capability: '\u001b[31m' },
])('a ticket for %j is 400, paid or not: such a name can be neither kept nor shown', async body => {
  for (const lines of [[], [L402], [KEY]] as HeaderLines[]) {
    const { status, json } = await call(VERIFY, lines, body);
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  expect([taken(), challenges]).toEqual([[], []]);
});

test('a number that JSON has and we cannot hold is 400, and not called text', async () => {
  const response = await fetch(gateway.address + EXECUTE, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [HAS_TICKET[0]]: TICKET },
    body: '{"licenseeAgentId":"a","streamIndex":1e400}',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ message: expect.stringContaining('number') }],
  });
});

describe('a ticket', () => {
  test('is sold with receipts, credit and the way on, and kept by no cache', async () => {
    const { status, json, headers } = await call(VERIFY, [L402], { agentId: 'a', capability: 'c' });
    expect([status, json.status, json.ticket]).toEqual([200, 'PAYMENT_CLEARED', TICKET]);
    expect(headers).toMatchObject({
      'payment-receipt': 'receipt-under-test',
      'payment-response': 'settled-under-test',
      'x-svc-key': 'svc_test_left',
      'cache-control': 'private, no-store',
      link: '</v1/x402/execute>; rel="next"',
    });
    expect(script.verified).toMatchObject([{ agentId: 'a', capability: 'c', tool: 'm2m_license_contract' }]);
  });

  test('is sold to a payment without a body, and to a key', async () => {
    for (const lines of [[L402], [KEY]] as HeaderLines[])
      expect((await call(VERIFY, lines)).status).toBe(200);
    expect(script.verified).toHaveLength(2);
  });

  test('is sold for a token whose challenge is in the body, in the header, or the same in both', async () => {
    const token = 'v1.tool=get_product_catalog.mac';
    const header = ['X-402-Challenge', token] as const;
    const body = { challengeToken: token };
    for (const [lines, sent] of [
      [[SPT], body],
      [[SPT, header], {}],
      [[SPT, header], body],
    ] as [HeaderLines, object][]) {
      expect((await call(VERIFY, lines, sent)).json.tool).toBe('get_product_catalog');
    }
    expect(script.verified.map(({ credential }) => credential?.challengeToken)).toEqual(Array(3).fill(token));
    const two = await call(VERIFY, [SPT, header], { challengeToken: 'v1.other.mac' });
    expect([two.status, two.json.code]).toEqual([400, 'CONFLICTING_CREDENTIALS']);
    const none = await call(VERIFY, [SPT], {});
    expect([none.status, none.json.code]).toEqual([402, 'PAYMENT_MALFORMED']);
    expect(none.headers).toHaveProperty('x-402-challenge');
  });

  test('whose challenge is named but not paid is the 402 of the tool that it is for', async () => {
    const { status, json } = await call(VERIFY, [], { challengeToken: 'v1.tool=get_product_catalog.mac' });
    expect([status, json.tool]).toEqual([402, 'get_product_catalog']);
  });
});

describe('an execution', () => {
  test('by ticket, in the header or in the body, passes on the inputs alone', async () => {
    const answers = [
      await call(EXECUTE, [HAS_TICKET], LICENCE),
      await call(EXECUTE, [], { ...LICENCE, executionTicket: TICKET }),
      await call(EXECUTE, [HAS_TICKET, KEY], { ...LICENCE, executionTicket: TICKET }),
    ];
    for (const { status, headers, json } of answers) {
      expect([status, json.sagaId]).toEqual([200, SAGA_ID]);
      expect(headers.link).toBe(`</v1/x402/sagas/${SAGA_ID}>; rel="describedby"`);
      expect(headers['cache-control']).toBe('private, no-store');
    }
    const baseUrl = gateway.address;
    expect(script.executed).toEqual([
      { ticket: TICKET, input: LICENCE, baseUrl },
      { ticket: TICKET, input: LICENCE, baseUrl },
      { ticket: TICKET, accountKey: KEY[1], input: LICENCE, baseUrl },
    ]);
  });

  test('by a ticket that can be none of ours is asked all the same, cut to its bound', async () => {
    for (const odd of ['nothing', 'x'.repeat(5_000), '']) {
      await call(EXECUTE, [['X-Execution-Ticket', odd]], LICENCE);
      expect(script.executed.pop()).toMatchObject({ ticket: odd.slice(0, 128) });
    }
  });

  test.each([
    ['two in the header', [HAS_TICKET, ['X-Execution-Ticket', 'tkt_other']], LICENCE],
    ['one in the header and another in the body', [HAS_TICKET], { ...LICENCE, executionTicket: 'tkt_other' }],
    ['one beside a payment', [HAS_TICKET, L402], LICENCE],
    ['one in the body beside a payment', [SPT], { ...LICENCE, executionTicket: TICKET }],
  ] as [string, HeaderLines, object][])('with %s is 400 and uses nothing', async (_, lines, body) => {
    const { status, json } = await call(EXECUTE, lines, body);
    expect([status, json.code, script.executed]).toEqual([400, 'CONFLICTING_CREDENTIALS', []]);
  });

  test('without a payment is validated, admitted and then asked to pay', async () => {
    const bad = await call(EXECUTE, [], { licenseeAgentId: '' });
    expect([bad.status, bad.json.errors?.[0].path]).toEqual([400, 'licenseeAgentId']);
    const good = await call(EXECUTE, [], LICENCE);
    expect([good.status, good.json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    expect([script.admitted, script.executed]).toEqual([[LICENCE], []]);
  });

  test('that goes on is 202, says where it is asked for, and does not say that it has succeeded', async () => {
    script.outcome = { ...script.outcome, status: 202, result: { sagaId: SAGA_ID, status: 'RUNNING' } };
    const { status, headers, json } = await call(EXECUTE, [X402], LICENCE);
    expect([status, json.status]).toEqual([202, 'RUNNING']);
    expect(headers).toMatchObject({
      location: `/v1/x402/sagas/${SAGA_ID}`,
      'payment-response': 'settled-under-test',
    });
    expect(headers).not.toHaveProperty('payment-receipt');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  test.each([
    ['TICKET_UNKNOWN', 401],
    ['FORBIDDEN', 403],
    ['TICKET_USED', 409],
    ['STREAM_INDEX_STALE', 409],
    ['CONFLICT', 409],
    ['TICKET_EXPIRED', 410],
    ['UNPROCESSABLE', 422],
  ] as const)('that is refused as %s is %d', async (code, status) => {
    script.faults = [problem(code, 'Scripted')];
    const answer = await call(EXECUTE, [HAS_TICKET], LICENCE);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  test('by a used ticket names the saga, and where it is', async () => {
    script.faults = [problem('TICKET_USED', 'Scripted', { extensions: { sagaId: SAGA_ID } })];
    const { json, headers } = await call(EXECUTE, [HAS_TICKET], LICENCE);
    expect([json.sagaId, headers.location]).toEqual([SAGA_ID, `/v1/x402/sagas/${SAGA_ID}`]);
  });

  test('that was taken back says what came of it and where the credit lies, and is no unknown settlement', async () => {
    const credit = { key: 'svc_test_left', balanceMicroUsd: 5_000 };
    const extensions = { sagaId: SAGA_ID, status: 'COMPENSATED', walHash: '0x00', credit };
    script.faults = [problem('SERVICE_UNAVAILABLE', 'Scripted', { extensions, retryAfterSeconds: 1 })];
    const { status, json, headers } = await call(EXECUTE, [L402], LICENCE);
    expect([status, json.code, json.status, json.creditKey]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      503,
      credit.key,
    ]);
    expect([json.sagaId, headers.location]).toEqual([SAGA_ID, `/v1/x402/sagas/${SAGA_ID}`]);
  });

  test('by ticket that nobody answers is as unknown as it is: no payment is at stake', async () => {
    script.faults = [problem('TIMEOUT', 'Scripted')];
    const { status, json } = await call(EXECUTE, [HAS_TICKET, KEY], LICENCE);
    expect([status, json.code]).toEqual([504, 'TIMEOUT']);
  });

  test('of a tool other than the ticket is held against it', async () => {
    await call(`${EXECUTE}?tool=get_product_catalog`, [HAS_TICKET], {});
    expect(script.questions).toEqual([{ ticket: TICKET, tool: 'get_product_catalog' }]);
  });
});

describe('a saga', () => {
  const path = `/v1/x402/sagas/${SAGA_ID}`;
  const get = (lines: HeaderLines) => rawCall(gateway.address, path, { method: 'GET', lines });

  test('is shown to its ticket and to a key, whatever payment comes along, and to nobody else', async () => {
    for (const lines of [[HAS_TICKET], [KEY], [HAS_TICKET, L402, SPT]] as HeaderLines[]) {
      const { status, headers } = await get(lines);
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    }
    expect(script.sagas).toEqual([
      { sagaId: SAGA_ID, ticket: TICKET },
      { sagaId: SAGA_ID, accountKey: KEY[1] },
      { sagaId: SAGA_ID, ticket: TICKET },
    ]);
    expect((await get([])).status).toBe(401);
  });

  test('of an id that is none is 400', async () => {
    const { status } = await rawCall(gateway.address, '/v1/x402/sagas/x', { method: 'GET' });
    expect(status).toBe(400);
  });
});

describe('payments for tools', () => {
  let limited: RunningGateway;
  beforeAll(async () => {
    const rateLimits = { factor: 1, trustedProxies: new TrustedProxies(['127.0.0.0/8']) };
    limited = await startGatewayOn(bus, { rateLimits });
  });
  afterAll(() => limited?.close());
  let address = 0;
  const ROUTES = [VERIFY, EXECUTE, '/v1/tools/m2m_license_contract'];
  const pay = (path: string, from: string, lines: HeaderLines = [L402]) =>
    rawCall(limited.address, path, {
      lines: [...lines, ['X-Forwarded-For', from]],
      body: path === VERIFY ? {} : LICENCE,
    });

  test.each(ROUTES)(
    'that are none are looked at up to a bound at %s, and good ones are not counted',
    async path => {
      const from = `203.0.113.${++address}`;
      for (let good = 0; good < 3; good++) expect((await pay(path, from)).status).toBe(200);
      const seen: number[] = [];
      for (let turn = 0; turn <= BAD_PAYMENTS; turn++) {
        script.faults = [problem('PAYMENT_INVALID', 'The preimage is another one')];
        seen.push((await pay(path, from)).status);
      }
      expect(seen).toEqual([...Array(BAD_PAYMENTS).fill(402), 429]);
      script.faults = [];
      const { json } = await pay(path, from);
      expect(json.errors).toMatchObject([{ path: 'bad-payments', bound: BAD_PAYMENTS }]);
      expect((await pay(path, from, [KEY])).status).toBe(200);
      expect((await pay(path, `203.0.113.${++address}`)).status).toBe(200);
    },
  );

  test.each(ROUTES)('are taken in the turn of their caller at %s', async path => {
    const [one, other] = [`203.0.113.${++address}`, `203.0.113.${++address}`];
    for (const from of [one, one, other]) await pay(path, from);
    const [first, again, others] = script.turns;
    expect(first).toEqual({ subject: expect.any(String), standing: 'claiming' });
    expect([again, others?.subject === first?.subject]).toEqual([first, false]);
  });

  test('are asked about before, and run by tickets, in the turn of their caller too', async () => {
    const from = `203.0.113.${++address}`;
    await pay(EXECUTE, from, []);
    await pay(EXECUTE, from, [HAS_TICKET]);
    const [admitted, run] = script.turns;
    expect([admitted?.standing, run?.standing]).toEqual(['later', 'settled']);
    expect(admitted?.subject).toBe(run?.subject);
  });
});
