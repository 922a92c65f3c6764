import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, countingProver, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';

let gateway: RunningGateway;
let services: RunningService[];
let script: PaymentsScript;
let count: ReturnType<typeof countingProver>['count'];
beforeAll(async () => {
  const bus = new MemoryBus();
  const payments = scriptedPayments();
  const counting = countingProver();
  ({ script } = payments);
  ({ count } = counting);
  services = [
    await startServiceOn(bus, 'payments', { controllers: payments.controllers }),
    await startServiceOn(bus, 'prover', { controllers: counting.controllers }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  script.claimFaults = [];
  script.claimMembers = {};
  script.deliveryHeaders = undefined;
  script.creditAfterRelease = undefined;
  for (const list of [script.claimed, script.delivered, script.released, script.challenged]) list.length = 0;
  count.proved = 0;
});

const BODY = { traceData: 'hello', degree: 8 };
const prove = (lines: HeaderLines, body: unknown = BODY) =>
  rawCall(gateway.address, '/v1/zk/prove', { lines, body });

const L402 = ['Authorization', 'L402 bWFj:00'] as const;
const LSAT = ['Authorization', 'lsat bWFj:00'] as const;
const MPP = ['Authorization', 'Payment eyJjIjp7fX0'] as const;
const APART = ['Payment-Authorization', 'Payment eyJjIjp7fX0'] as const;
const X402_V2 = ['PAYMENT-SIGNATURE', 'eyJ4NDAyVmVyc2lvbiI6Mn0='] as const;
const PURCHASE = 'pay_0123456789abcdef';
const X402_NAMED = [
  'PAYMENT-SIGNATURE',
  Buffer.from(
    JSON.stringify({
      x402Version: 2,
      extensions: { 'payment-identifier': { info: { required: false, id: PURCHASE } } },
    }),
  ).toString('base64'),
] as const;
const X402_V1 = ['X-PAYMENT', 'eyJ4NDAyVmVyc2lvbiI6MX0='] as const;
const SPT = ['Payment-Credential', 'SPT spt_123'] as const;
const CHALLENGE = ['X-402-Challenge', 'v1.e30.mac'] as const;
const KEY = ['X-SVC-KEY', 'svc_test_key'] as const;
const BEARER = ['Authorization', 'Bearer svc_test_key'] as const;
const FOREIGN = ['Authorization', 'bearer eyJhbGciOiJub25lIn0.e30.'] as const;
const PAYMENTS = { L402, LSAT, MPP, X402_V2, X402_V1, SPT };

/** What is asked, what answers, and what the payments service is asked to claim, if anything. */
type Row = readonly [
  name: string,
  lines: HeaderLines,
  body: unknown,
  status: number,
  code: string | undefined,
  claim?: Record<string, unknown>,
];

const ROWS: readonly Row[] = [
  ['nothing, and no body', [], undefined, 402, 'PAYMENT_REQUIRED'],
  ['nothing, and {}', [], {}, 402, 'PAYMENT_REQUIRED'],
  ['nothing, and a good body', [], BODY, 402, 'PAYMENT_REQUIRED'],
  ['nothing, and a bad body', [], { degree: 3 }, 400, 'VALIDATION_FAILED'],
  ['a challenge alone', [CHALLENGE], {}, 402, 'PAYMENT_REQUIRED'],
  ['a payment, and a bad body', [L402], { degree: 3 }, 400, 'VALIDATION_FAILED'],
  ['a key, and a bad body', [KEY], { degree: 3 }, 400, 'VALIDATION_FAILED'],
  ['L402', [L402], BODY, 200, undefined, { credential: { scheme: 'L402', value: 'bWFj:00' } }],
  [
    'LSAT in small letters',
    [LSAT],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'L402', value: 'bWFj:00' } },
  ],
  ['MPP', [MPP], BODY, 200, undefined, { credential: { scheme: 'Payment', value: 'eyJjIjp7fX0' } }],
  ['x402 version 2', [X402_V2], BODY, 200, undefined, { credential: { scheme: 'x402', value: X402_V2[1] } }],
  ['x402 version 1', [X402_V1], BODY, 200, undefined, { credential: { scheme: 'x402', value: X402_V1[1] } }],
  [
    'a payment token with its challenge',
    [SPT, CHALLENGE],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'SPT', value: 'spt_123', challengeToken: 'v1.e30.mac' } },
  ],
  ['a payment token without its challenge', [SPT], BODY, 402, 'PAYMENT_MALFORMED'],
  ['a payment token with two challenges', [SPT, CHALLENGE, CHALLENGE], BODY, 400, 'CONFLICTING_CREDENTIALS'],
  ['a key', [KEY], BODY, 200, undefined, { accountKey: 'svc_test_key' }],
  [
    'a key and a payment',
    [KEY, L402],
    BODY,
    200,
    undefined,
    { accountKey: 'svc_test_key', credential: { scheme: 'L402', value: 'bWFj:00' } },
  ],
  [
    'two keys with two thousand fields between them',
    [
      KEY,
      ...Array.from({ length: 2_100 }, (_, i): [string, string] => [`a${i}`, '']),
      ['X-SVC-KEY', 'svc_b'],
    ],
    BODY,
    400,
    'CONFLICTING_CREDENTIALS',
  ],
  ['one key twice', [KEY, KEY], BODY, 200, undefined, { accountKey: 'svc_test_key' }],
  ['one key twice as a bearer token', [BEARER, BEARER], BODY, 200, undefined, { accountKey: 'svc_test_key' }],
  ['two keys', [KEY, ['X-SVC-KEY', 'svc_b']], BODY, 400, 'CONFLICTING_CREDENTIALS'],
  [
    'two keys as bearer tokens',
    [BEARER, ['Authorization', 'Bearer svc_b']],
    BODY,
    400,
    'CONFLICTING_CREDENTIALS',
  ],
  ['an empty key', [['X-SVC-KEY', '']], BODY, 401, 'UNKNOWN_CREDENTIAL'],
  ['a key that is too long', [['X-SVC-KEY', 'k'.repeat(257)]], BODY, 401, 'UNKNOWN_CREDENTIAL'],
  [
    'a scheme that is not registered',
    [['Authorization', 'L4O2 a:b']],
    BODY,
    400,
    'PAYMENT_METHOD_UNSUPPORTED',
  ],
  [
    'MPP in the field beside a login',
    [APART],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'Payment', value: 'eyJjIjp7fX0' } },
  ],
  [
    'a login of any scheme, and a payment beside it',
    [['Authorization', 'Basic x'], APART],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'Payment', value: 'eyJjIjp7fX0' } },
  ],
  [
    'a key as a bearer token, and a payment beside it',
    [BEARER, APART],
    BODY,
    200,
    undefined,
    { accountKey: 'svc_test_key', credential: { scheme: 'Payment', value: 'eyJjIjp7fX0' } },
  ],
  [
    'a key and a payment in one line, as proxies join them',
    [['Authorization', 'Bearer svc_test_key, L402 bWFj:00']],
    BODY,
    200,
    undefined,
    { accountKey: 'svc_test_key', credential: { scheme: 'L402', value: 'bWFj:00' } },
  ],
  [
    'L402 where MPP belongs',
    [['Payment-Authorization', 'L402 a:b']],
    BODY,
    400,
    'PAYMENT_METHOD_UNSUPPORTED',
  ],
  ['an empty field beside a login', [['Payment-Authorization', 'Payment']], BODY, 402, 'PAYMENT_MALFORMED'],
  ['a key as a bearer token', [BEARER], BODY, 200, undefined, { accountKey: 'svc_test_key' }],
  ['one key in both ways', [KEY, BEARER], BODY, 200, undefined, { accountKey: 'svc_test_key' }],
  ['another key as a bearer token', [['X-SVC-KEY', 'svc_a'], BEARER], BODY, 400, 'CONFLICTING_CREDENTIALS'],
  ['a bearer token of somebody else', [FOREIGN], BODY, 402, 'PAYMENT_REQUIRED'],
  ...['Basic YTpi', 'DPoP e30.e30.', 'Digest username="a", realm="b"', 'Negotiate YII='].map(
    login =>
      [
        `a login by ${login.split(' ')[0]}, and a key`,
        [['Authorization', login], KEY],
        BODY,
        200,
        undefined,
        { accountKey: 'svc_test_key' },
      ] as const,
  ),
  [
    'a bearer token of somebody else, and a payment',
    [FOREIGN, L402],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'L402', value: 'bWFj:00' } },
  ],
  [
    'a key as a bearer token, and a payment',
    [BEARER, X402_V2],
    BODY,
    200,
    undefined,
    { accountKey: 'svc_test_key', credential: { scheme: 'x402', value: X402_V2[1] } },
  ],
  ['a token of another kind', [['Payment-Credential', 'TOK x']], BODY, 400, 'PAYMENT_METHOD_UNSUPPORTED'],
  ['a scheme without a credential', [['Authorization', 'L402']], BODY, 402, 'PAYMENT_MALFORMED'],
  ['an empty x402 header', [['PAYMENT-SIGNATURE', ' ']], BODY, 402, 'PAYMENT_MALFORMED'],
  ['a credential that is too long', [['X-PAYMENT', 'x'.repeat(16_385)]], BODY, 402, 'PAYMENT_MALFORMED'],
  [
    'an Idempotency-Key',
    [KEY, ['Idempotency-Key', 'buy-1']],
    BODY,
    200,
    undefined,
    { accountKey: 'svc_test_key', idempotencyKey: 'buy-1' },
  ],
  [
    'the id of a purchase within a payment of x402',
    [X402_NAMED],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'x402', value: X402_NAMED[1] }, idempotencyKey: PURCHASE },
  ],
  [
    'the same in both places',
    [X402_NAMED, ['Idempotency-Key', PURCHASE]],
    BODY,
    200,
    undefined,
    { credential: { scheme: 'x402', value: X402_NAMED[1] }, idempotencyKey: PURCHASE },
  ],
  ['two ids that differ', [X402_NAMED, ['Idempotency-Key', 'buy-1']], BODY, 400, 'VALIDATION_FAILED'],
  ['an empty Idempotency-Key', [KEY, ['Idempotency-Key', '']], BODY, 400, 'VALIDATION_FAILED'],
  ['a long Idempotency-Key', [KEY, ['Idempotency-Key', 'x'.repeat(256)]], BODY, 400, 'VALIDATION_FAILED'],
  [
    'two Idempotency-Keys',
    [KEY, ['Idempotency-Key', 'a'], ['Idempotency-Key', 'b']],
    BODY,
    400,
    'VALIDATION_FAILED',
  ],
];

describe('a priced call that brings', () => {
  // One member each: what a row leaves out would be taken for jest's `done`.
  test.each(ROWS.map(row => [row[0], row] as const))('%s', async (_name, row) => {
    const [, lines, body, status, code, claim] = row;
    const answer = await prove(lines, body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(script.claimed).toMatchObject(claim ? [claim] : []);
    for (const member of ['credential', 'accountKey', 'idempotencyKey']) {
      if (claim && !(member in claim)) expect(script.claimed[0]).not.toHaveProperty(member);
    }
    expect([count.proved, script.delivered.length]).toEqual(claim ? [1, 1] : [0, 0]);
    // A refusal that a payment mends has a challenge, and no other one has.
    expect('x-402-challenge' in answer.headers).toBe(status === 402);
    expect(answer.headers['cache-control']).toBe(status === 200 ? 'private' : 'no-store');
  });

  const pairs = Object.entries(PAYMENTS).flatMap(([one, first]) =>
    Object.entries(PAYMENTS)
      .filter(([other]) => other !== one && !(one.startsWith('L') && other.startsWith('L')))
      .map(([other, second]) => [one, other, first, second] as const),
  );
  test.each(pairs)('%s and %s is 400, whatever else it brings', async (_one, _other, first, second) => {
    for (const more of [[], [KEY], [CHALLENGE]]) {
      const { status, json, text } = await prove([first, second, ...more]);
      expect([status, json.code]).toEqual([400, 'CONFLICTING_CREDENTIALS']);
      for (const [, value] of [first, second]) expect(text).not.toContain(value.split(' ').at(-1));
    }
    expect([script.claimed, count.proved]).toEqual([[], 0]);
  });
});

describe('one payment under two names', () => {
  test.each([
    ['LSAT and L402', [LSAT, L402], 'L402'],
    [
      'L402 in both alphabets of base64',
      [
        ['Authorization', 'LSAT a+/A:0A'],
        ['Authorization', 'L402 a-_A:0a'],
      ],
      'L402',
    ],
    [
      'both in one line, as proxies join them',
      [['Authorization', 'LSAT bWFj,bWFk:00, L402 bWFj,bWFk:00']],
      'L402',
    ],
    ['MPP twice', [MPP, MPP], 'Payment'],
    ['MPP in both of its fields', [MPP, APART], 'Payment'],
    ['both headers of x402', [X402_V2, ['X-PAYMENT', X402_V2[1].replace('=', '')]], 'x402'],
    ['a token twice', [SPT, SPT, CHALLENGE], 'SPT'],
  ] as [string, HeaderLines, string][])('%s counts once', async (_name, lines, scheme) => {
    const { status } = await prove(lines);
    expect([status, count.proved]).toEqual([200, 1]);
    expect(script.claimed).toMatchObject([{ credential: { scheme } }]);
  });

  test.each([
    [
      'another, neither of them base64',
      [
        ['Authorization', 'L402 a:b'],
        ['Authorization', 'L402 c:d'],
      ],
    ],
    ['another preimage', [LSAT, ['Authorization', 'L402 bWFj:01']]],
    ['another macaroon', [LSAT, ['Authorization', 'L402 bWFk:00']]],
    ['another macaroon in its line', [['Authorization', 'LSAT bWFj:00,L402 bWFk:00']]],
    ['another in the field beside a login', [MPP, ['Payment-Authorization', 'Payment eyJjIjp7fX1']]],
    ['L402 in the one and MPP in the other field', [L402, APART]],
    ['another token', [SPT, ['Payment-Credential', 'SPT spt_124'], CHALLENGE]],
    ['another payload', [X402_V2, ['X-PAYMENT', 'eyJ4NDAyVmVyc2lvbiI6M30=']]],
  ] as [string, HeaderLines][])('beside %s is 400', async (_name, lines) => {
    const { status, json } = await prove(lines);
    expect([status, json.code, script.claimed]).toEqual([400, 'CONFLICTING_CREDENTIALS', []]);
  });
});

describe('what the payments service refuses', () => {
  test.each([
    ['UNKNOWN_CREDENTIAL', 401, false],
    ['PAYMENT_INSUFFICIENT', 402, true],
    ['PAYMENT_EXPIRED', 402, true],
    ['FORBIDDEN', 403, false],
    ['UNPROCESSABLE', 422, false],
    ['EXPIRED', 410, false],
  ] as const)('%s is %i, with a challenge where a payment mends it: %s', async (code, status, challenged) => {
    script.claimFaults = [problem(code, 'Scripted')];
    const answer = await prove([KEY]);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect('x-402-challenge' in answer.headers).toBe(challenged);
    expect([count.proved, script.delivered]).toEqual([0, []]);
  });

  test('with credit left tells the payer its key, and nothing of what it says to the gateway alone', async () => {
    const credit = { key: 'svc_test_credit', balanceMicroUsd: 499_000 };
    const headers = { 'PAYMENT-RESPONSE': 'failed', 'X-PAYMENT-RESPONSE': 'failed' };
    const quota = { plan: 'developer', limit: 50_000, used: 50_000, resetsAt: '2100-02-01T00:00:00.000Z' };
    script.claimFaults = [problem('PAYMENT_INVALID', 'Scripted', { extensions: { credit, headers, quota } })];
    const answer = await prove([X402_V2]);
    expect(answer.json).toMatchObject({
      code: 'PAYMENT_INVALID',
      creditKey: 'svc_test_credit',
      creditMicroUsd: 499_000,
    });
    for (const member of ['credit', 'headers', 'quota']) expect(answer.json).not.toHaveProperty(member);
    expect(answer.headers).toMatchObject({
      'payment-response': 'failed',
      'x-payment-response': 'failed',
      'ratelimit-policy': '"month";q=50000;w=2678400',
    });
    expect(answer.headers.ratelimit).toMatch(/^"month";r=0;t=\d+$/);
    expect(answer.headers).not.toHaveProperty('payment-receipt');
    expect(answer.headers).not.toHaveProperty('x-svc-key');
  });
});

describe('an answer', () => {
  const receipt = {
    ...{ rail: 'x402', reference: '0xabc', amountMicroUsd: 1_000, amountSats: 2 },
    timestamp: '2026-04-02T00:00:00.000Z',
    headers: { 'Payment-Receipt': 'r', 'PAYMENT-RESPONSE': 'p', 'X-PAYMENT-RESPONSE': 'p' },
  };
  const credit = { key: 'svc_test_credit', balanceMicroUsd: 499_000 };

  test('that was paid for has the receipt, the settlement, and the key of what was left', async () => {
    script.claimMembers = { receipt, credit };
    const { status, headers } = await prove([X402_V2]);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...{ 'payment-receipt': 'r', 'payment-response': 'p', 'x-payment-response': 'p' },
      'x-svc-key': 'svc_test_credit',
    });
  });

  test('is claimed for the request as it came, and says what was delivered', async () => {
    script.claimMembers = { receipt };
    script.deliveryHeaders = { 'SVC-Receipt': 'signed', 'PAYMENT-RESPONSE': 'with the receipt' };
    const { status, headers } = await prove([X402_V2]);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...{ 'payment-receipt': 'r', 'payment-response': 'with the receipt', 'x-payment-response': 'p' },
      'svc-receipt': 'signed',
    });
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const requestHash = sha256(`POST /v1/zk/prove\n${sha256(JSON.stringify(BODY))}`);
    expect(script.claimed).toMatchObject([{ called: { path: '/v1/zk/prove', requestHash } }]);
  });

  test('that failed says that money has moved and where it is, and has no receipt', async () => {
    script.claimMembers = { receipt };
    script.creditAfterRelease = { ...credit, balanceMicroUsd: 500_000 };
    await services[1].close();
    const answer = await prove([X402_V2]);
    expect([answer.status, answer.json.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(answer.json).toMatchObject({
      ...{ paymentRetained: true, creditKey: 'svc_test_credit', creditMicroUsd: 500_000 },
    });
    expect(answer.headers).toMatchObject({ 'payment-response': 'p', 'x-payment-response': 'p' });
    expect(answer.headers).not.toHaveProperty('payment-receipt');
    expect(answer.headers).not.toHaveProperty('x-svc-key');
    expect(script.released).toHaveLength(1);
  });

  test('may be read by a page of any origin, with every header of the answer that the documents name', async () => {
    const { headers } = await prove([['Origin', 'https://page.example']], {});
    expect(headers['access-control-allow-origin']).toBe('*');
    const exposed = String(headers['access-control-expose-headers']).split(/,\s*/);
    const pages = await readFile(new URL('../../../docs/payments.md', import.meta.url), 'utf8');
    const [, table] = /## Headers\n([^]*?)\n## /.exec(pages)!;
    const rows = [...table.matchAll(/^\| (`.*?`) \| (?:answer|both|402) \|/gm)];
    const told = rows.flatMap(([, names]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect([...new Set(told)].sort()).toEqual(exposed.sort());
    expect(exposed).toEqual(expect.arrayContaining(['WWW-Authenticate', 'SVC-Receipt', 'SVC-Credit']));
  });
});

test('an unknown key is 401 also where the payments service knows it is, and nothing is claimed by it', async () => {
  script.claimFaults = [problem('UNKNOWN_CREDENTIAL', 'The key is not known')];
  const { status, json, text } = await prove([['X-SVC-KEY', BAD_KEY], L402]);
  expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
  expect(text).not.toContain(BAD_KEY);
});
