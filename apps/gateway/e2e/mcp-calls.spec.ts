import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { TOOL_RUNNERS, type ToolName } from '@svc/contracts';
import { PROMPT_REFUSALS, REFUSAL_PAUSE_MS, TrustedProxies } from '@svc/edge';
import { createLogger, MemoryBus, problem, type RunningService } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { describeClientSetups } from './client-setups.cases.js';
import { describeMcpAnswers } from './mcp-answers.cases.js';
import { describeModernMcp } from './modern-mcp.cases.js';
import {
  initialize,
  type McpAnswer,
  type Message,
  postMcp,
  rpc,
  spokenIn,
  withoutStamps,
} from './mcp-post.js';
import { b64, CREDENTIAL, CREDENTIAL_META, OFFERS, TERMS, X402_TERMS } from './mcp-terms.js';
import { BAD_KEY, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { DIGEST, scriptedAttest, scriptedTools, toolScript } from './tools-under-test.js';
import { SAGA_ID, scriptedX402, type X402Script } from './x402-under-test.js';

let bus: MemoryBus;
let gateway: RunningGateway;
let services: RunningService[];
let payments: PaymentsScript;
let x402: X402Script;
const tools = toolScript();
beforeAll(async () => {
  bus = new MemoryBus();
  const [scripted, executions] = [scriptedPayments(), scriptedX402()];
  payments = scripted.script;
  x402 = executions.script;
  const more = {
    payments: [...scripted.controllers, ...executions.controllers],
    prover: [scriptedAttest(tools)],
  };
  services = [];
  for (const runner of new Set(Object.values(TOOL_RUNNERS))) {
    const controllers = [scriptedTools(runner, tools), ...(more[runner as keyof typeof more] ?? [])];
    services.push(await startServiceOn(bus, runner, { controllers }));
  }
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  Object.assign(tools, { faults: [], admitFaults: [], attestFaults: [], progress: [], digest: DIGEST });
  tools.reply = () => ({ output: { catalog: [] } });
  for (const list of [tools.admitted, tools.calls, tools.revoked, tools.attested]) list.length = 0;
  Object.assign(payments, { claimFaults: [], canBeGivenUp: true, claimMembers: {}, moreOffers: OFFERS });
  payments.bought = payments.deliveryHeaders = undefined;
  for (const list of [payments.claimed, payments.delivered, payments.released, payments.challenged]) {
    list.length = 0;
  }
  for (const list of [x402.executed, x402.admitted]) list.length = 0;
});

const KEY = { 'x-svc-key': 'svc_test_key' };

type Meta = Record<string, unknown>;
const toolCall = (name: string, args: unknown = {}, _meta?: Meta, id: unknown = 1) =>
  rpc('tools/call', { name, arguments: args, ...(_meta ? { _meta } : {}) }, id);
/** The protocol that calls are sent in: of the handshake, or of the envelope. */
let protocol: '2025-11-25' | '2026-07-28' = '2025-11-25';

const spoken = (message: Message, headers: Record<string, string>) => spokenIn(protocol, message, headers);
const call = async (message: Message, headers: Record<string, string> = {}) => {
  const sent = spoken(message, headers);
  const answer = await postMcp(`${gateway.address}/mcp`, sent.message, sent);
  return withoutStamps(answer.messages.at(-1)!);
};

const session = async (capabilities?: object): Promise<Record<string, string>> => {
  const { headers } = await postMcp(`${gateway.address}/mcp`, initialize(undefined, capabilities));
  return { 'mcp-session-id': headers.get('mcp-session-id')! };
};
const speaking = () => session({ experimental: { payment: { methods: ['stripe'], intents: ['charge'] } } });
const taken = () => [...payments.claimed, ...tools.calls, ...x402.executed];

describeClientSetups(() => ({ address: gateway.address, payments }));
describeMcpAnswers(() => ({ address: gateway.address, tools, payments, x402 }));
describeModernMcp(() => ({ address: gateway.address, bus, tools }));

describe.each(['2025-11-25', '2026-07-28'] as const)('over the protocol of %s', version => {
  beforeAll(() => void (protocol = version));
  afterAll(() => void (protocol = '2025-11-25'));

  describe('a call that is paid for by the key of the request', () => {
    test('is answered with the outputs, as content and as text', async () => {
      const { result } = await call(toolCall('get_product_catalog'), KEY);
      expect(result).not.toHaveProperty('isError');
      expect(result.structuredContent).toMatchObject({ catalog: [], evidence: expect.any(Object) });
      expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
      expect(payments.claimed).toMatchObject([
        { operationId: 'tool.get_product_catalog', accountKey: KEY['x-svc-key'] },
      ]);
      expect(tools.calls).toMatchObject([{ tool: 'get_product_catalog', baseUrl: gateway.address }]);
      expect(payments.delivered).toHaveLength(1);
    });

    test('says nothing of receipts: those of the Payment scheme are for its payments', async () => {
      expect((await call(toolCall('get_product_catalog'), KEY)).result).not.toHaveProperty('_meta');
    });

    test('is one purchase under one idempotency key', async () => {
      await call(toolCall('get_product_catalog', {}, { 'svc/idempotency-key': 'once' }), KEY);
      expect(payments.claimed).toMatchObject([{ idempotencyKey: 'once' }]);
    });

    test('of the saga tool runs as its saga', async () => {
      const { result } = await call(toolCall('m2m_license_contract', { licenseeAgentId: 'a' }), KEY);
      expect(result.structuredContent).toMatchObject({ sagaId: SAGA_ID });
      expect(x402.executed).toHaveLength(1);
    });
  });

  describe('a call without a payment', () => {
    test('is a result with the terms of both bindings', async () => {
      const { result } = await call(toolCall('get_product_catalog'));
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toEqual(X402_TERMS);
      expect(JSON.parse(result.content[0].text)).toEqual(X402_TERMS);
      const { problem: details, ...asked } = result._meta['org.paymentauth/payment-required'];
      expect(asked).toEqual({ httpStatus: 402, challenges: [CREDENTIAL.challenge] });
      expect(details).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' });
      expect(payments.challenged).toMatchObject([
        {
          resource: `${gateway.address}/v1/tools/get_product_catalog`,
          operationId: 'tool.get_product_catalog',
        },
      ]);
      expect(taken()).toEqual([]);
    });

    test('holds the problem where neither binding can pay', async () => {
      payments.moreOffers = [];
      const { result } = await call(toolCall('get_product_catalog'), await speaking());
      expect(result.structuredContent.problem).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' });
      expect(result).not.toHaveProperty('_meta');
    });

    test.each<[string, () => Promise<Record<string, string>>]>([
      ['its initialize', speaking],
      ['Accept-Payment', async () => ({ 'accept-payment': 'stripe/charge' })],
    ])('is −32042 for a client that speaks the Payment scheme, as %s says', async (_, headers) => {
      const { error } = await call(toolCall('get_product_catalog'), await headers());
      expect(error).toMatchObject({ code: -32_042, message: 'Payment Required' });
      expect(error.data).toMatchObject({ httpStatus: 402, challenges: [CREDENTIAL.challenge] });
      expect(error.data).not.toHaveProperty('failure');
    });

    test('is −32042 at /mcp/mpp for every client, and its payment is taken there as well', async () => {
      const at = async (message: Message) => {
        const sent = spoken(message, {});
        const { status, messages } = await postMcp(`${gateway.address}/mcp/mpp`, sent.message, sent);
        return [status, messages.at(-1)!] as const;
      };
      const [, { error }] = await at(toolCall('get_product_catalog'));
      expect(error).toMatchObject({ code: -32_042, data: { challenges: [CREDENTIAL.challenge] } });
      expect(error.data).not.toHaveProperty('elicitations');
      const [, { result }] = await at(toolCall('get_product_catalog', {}, CREDENTIAL_META));
      expect(result.structuredContent).toBeDefined();
      expect(payments.claimed).toHaveLength(1);
      const refused = await postMcp(`${gateway.address}/mcp/mpp`, []);
      expect([refused.status, refused.messages[0]]).toMatchObject([400, { id: null, error: {} }]);
    });
  });

  describe('a payment in _meta', () => {
    const claimedCredential = () =>
      (payments.claimed[0] as { credential: { scheme: string; value: string } }).credential;
    const receipt = {
      status: 'success',
      method: 'stripe',
      timestamp: '2026-04-02T00:00:00Z',
      reference: 'pi_1',
    };
    const receiptOf = (headers: Record<string, string>) => ({
      receipt: {
        ...{ rail: 'stripe', reference: 'paid', amountMicroUsd: 1_000, amountSats: 2 },
        ...{ timestamp: '2026-04-02T00:00:00.000Z', headers },
      } as never,
    });

    test('of the Payment scheme is the credential of the header, its request in canonical form', async () => {
      payments.claimMembers = receiptOf({ 'Payment-Receipt': b64(receipt, 'base64url') });
      const { result } = await call(toolCall('get_product_catalog', {}, CREDENTIAL_META));
      const { scheme, value } = claimedCredential();
      expect(scheme).toBe('Payment');
      expect(JSON.parse(Buffer.from(value, 'base64url').toString())).toEqual({
        ...CREDENTIAL,
        challenge: { ...CREDENTIAL.challenge, request: b64(canonicalJson(TERMS), 'base64url') },
      });
      expect(result._meta).toEqual({ 'org.paymentauth/receipt': { ...receipt, challengeId: 'challenge-1' } });
    });

    test('of x402 is the payment of the header, and its settlement is in the result', async () => {
      const settled = { success: true, transaction: '0x01', network: 'eip155:84532', payer: '0x02' };
      payments.claimMembers = receiptOf({ 'PAYMENT-RESPONSE': b64(settled, 'base64') });
      const payment = { x402Version: 2, accepted: X402_TERMS.accepts[0], payload: { signature: '0x00' } };
      const { result } = await call(toolCall('get_product_catalog', {}, { 'x402/payment': payment }));
      const { scheme, value } = claimedCredential();
      expect([scheme, JSON.parse(Buffer.from(value, 'base64').toString())]).toEqual(['x402', payment]);
      expect(result._meta).toEqual({ 'x402/payment-response': settled });
    });

    test('has its signed receipt, for the path of the tool and the canonical JSON of its arguments', async () => {
      payments.deliveryHeaders = { 'SVC-Receipt': 'signed' };
      const { result } = await call(toolCall('get_product_catalog', {}, CREDENTIAL_META));
      const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
      const requestHash = sha256(`POST /v1/tools/get_product_catalog\n${sha256('{}')}`);
      const called = { path: '/v1/tools/get_product_catalog', requestHash };
      expect([result._meta['svc/receipt'], payments.claimed]).toMatchObject(['signed', [{ called }]]);
    });

    test('leaves the key of its rest with the payer, and says what is left and what was refunded', async () => {
      const credit = { key: 'svc_test_rest', balanceMicroUsd: 499_000 } as never;
      payments.claimMembers = { ...receiptOf({ 'SVC-Refund': 'refunded=400' }), credit };
      const { result } = await call(toolCall('get_product_catalog', {}, CREDENTIAL_META));
      const { 'svc/credit-key': rest, 'svc/credit': left, 'svc/refund': refunded } = result._meta;
      expect([rest, left, refunded]).toEqual(['svc_test_rest', 'balance=499000', 'refunded=400']);
    });

    test('of the Payment scheme that does not verify is −32043, with fresh terms and the reason', async () => {
      payments.claimFaults = [problem('PAYMENT_INVALID', 'No such token')];
      const { error } = await call(toolCall('get_product_catalog', {}, CREDENTIAL_META));
      expect(error).toMatchObject({ code: -32_043, message: 'Payment Verification Failed' });
      expect(error.data).toMatchObject({
        httpStatus: 402,
        challenges: [CREDENTIAL.challenge],
        failure: { reason: 'payment-invalid', detail: 'No such token' },
      });
      expect(tools.calls).toEqual([]);
    });

    test('of x402 that does not settle is a result with fresh terms and what became of it', async () => {
      const failed = {
        success: false,
        transaction: '',
        network: 'eip155:84532',
        errorReason: 'insufficient_funds',
      };
      const headers = { 'PAYMENT-RESPONSE': b64(failed, 'base64') };
      payments.claimFaults = [problem('PAYMENT_INVALID', 'No funds', { extensions: { headers } })];
      const { result } = await call(
        toolCall('get_product_catalog', {}, { 'x402/payment': { x402Version: 2 } }),
      );
      expect(result.structuredContent).toMatchObject({
        ...{ x402Version: 2, accepts: X402_TERMS.accepts, error: expect.stringContaining('No funds') },
        'x402/payment-response': failed,
      });
    });

    test.each<[string, Meta]>([
      ['a credential that is text', { 'org.paymentauth/credential': 'Payment abc' }],
      ['a credential of null', { 'org.paymentauth/credential': null }],
      ['a credential without a challenge', { 'org.paymentauth/credential': { payload: {} } }],
      ['a payment that is text', { 'x402/payment': 'abc' }],
      ['a payment of an array', { 'x402/payment': [] }],
    ])('that is %s is refused before anything is taken', async (_, meta) => {
      const { error, result } = await call(toolCall('get_product_catalog', {}, meta));
      const isX402 = 'x402/payment' in meta;
      const told = isX402 ? result.structuredContent.problem : error.data.problem;
      expect([error?.code, told.code]).toEqual([isX402 ? undefined : -32_602, 'PAYMENT_MALFORMED']);
      expect(taken()).toEqual([]);
    });

    test('beside another one is refused: it is not known which is meant', async () => {
      for (const [meta, headers] of [
        [{ ...CREDENTIAL_META, 'x402/payment': { x402Version: 2 } }, {}],
        [CREDENTIAL_META, { authorization: 'L402 bWFj:00' }],
      ] as [Meta, Record<string, string>][]) {
        const { result } = await call(toolCall('get_product_catalog', {}, meta), headers);
        expect(result.structuredContent.problem).toMatchObject({ code: 'CONFLICTING_CREDENTIALS' });
      }
      expect(taken()).toEqual([]);
    });

    test('that may have settled asks for the same credential, and for no other payment', async () => {
      payments.claimFaults = [problem('SETTLEMENT_UNKNOWN', 'Ask again', { retryAfterSeconds: 1 })];
      const { error } = await call(toolCall('get_product_catalog', {}, CREDENTIAL_META));
      expect(error).toMatchObject({ code: -32_603, data: { problem: { code: 'SETTLEMENT_UNKNOWN' } } });
      expect(error.data).not.toHaveProperty('challenges');
    });
  });

  describe('nothing is asked or taken for', () => {
    afterEach(() => expect(taken()).toEqual([]));

    test.each(['nothing', '__proto__', 'toString', 'a'.repeat(999)])('the unknown tool %s', async name => {
      const { error } = await call(toolCall(name), KEY);
      expect(error).toMatchObject({ code: -32_602, message: expect.stringMatching(/^Unknown tool: /) });
    });

    test.each<[ToolName, unknown, string]>([
      ['zk_prove_spatial', { coordinates: 'here' }, 'coordinates'],
      ['zk_prove_spatial', { coordinates: [1, 'x'] }, 'coordinates[1]'],
      ['create_purchase_link', { tier: 'gold' }, 'tier'],
      ['get_product_catalog', { page: 2 }, 'page'],
    ])('%s of %j, whose fault is named', async (tool, args, path) => {
      for (const headers of [{}, KEY]) {
        const { error } = await call(toolCall(tool, args), headers);
        expect(error.code).toBe(-32_602);
        expect(error.data.problem.errors).toEqual([expect.objectContaining({ path })]);
      }
    });

    test.each([{ name: 'get_product_catalog', arguments: [] }, { name: 7 }, {}])(
      'params of %j, which are none of a call',
      async params => {
        const { error } = await call(rpc('tools/call', params), KEY);
        // The newer protocol names a call's tool in a header, too.
        expect([-32_602, -32_603, -32_020]).toContain(error.code);
      },
    );

    test('inputs that the tool cannot work on', async () => {
      tools.admitFaults = [problem('UNPROCESSABLE', 'too large')];
      const { result } = await call(toolCall('zk_prove_spatial', { coordinates: [1] }), KEY);
      expect([result.isError, result.structuredContent.problem.code]).toEqual([true, 'UNPROCESSABLE']);
    });

    test('a call that comes as a notification', async () => {
      const { id: _id, ...notification } = toolCall('get_product_catalog') as Record<string, unknown>;
      const { status } = await postMcp(`${gateway.address}/mcp`, notification, { headers: KEY });
      expect(status).toBe(202);
      // What comes behind it is answered.
      expect((await call(toolCall('get_product_catalog'))).result.isError).toBe(true);
    });
  });

  describe('a tool that fails', () => {
    test('says so in the result, and the payment goes back', async () => {
      tools.faults = [
        () => {
          throw problem('UNPROCESSABLE', 'impossible');
        },
      ];
      const { result } = await call(toolCall('zk_prove_spatial', { coordinates: [1] }), KEY);
      expect([result.isError, result.structuredContent.problem.paymentRetained]).toEqual([true, true]);
      expect([payments.released.length, payments.delivered.length]).toEqual([1, 0]);
    });

    test('in an unforeseen way leaks nothing', async () => {
      tools.faults = [
        () => {
          throw new Error('secret of the inside');
        },
      ];
      const answer = JSON.stringify(await call(toolCall('get_product_catalog'), KEY));
      expect(answer).not.toContain('secret');
      expect(payments.released).toHaveLength(1);
    });

    test('for a key that is none is 401 in the result', async () => {
      payments.claimFaults = [problem('UNKNOWN_CREDENTIAL', 'The key is not known')];
      const { result } = await call(toolCall('get_product_catalog'), { 'x-svc-key': BAD_KEY });
      expect(result.structuredContent.problem.status).toBe(401);
    });
  });
});

describe('refusals', () => {
  const lines: Record<string, unknown>[] = [];
  const refused = () => lines.filter(({ security }) => security === 'refused');
  /** Pauses that began, and what ends them. */
  const pauses: number[] = [];
  const releases: (() => void)[] = [];
  let limited: RunningGateway;
  beforeEach(async () => {
    for (const list of [lines, pauses, releases]) list.length = 0;
    const logger = createLogger('gateway', { level: 'silent' });
    logger.warn = ((line: Record<string, unknown>) => lines.push(line)) as typeof logger.warn;
    const pause = (ms: number) => {
      pauses.push(ms);
      return new Promise<void>(resolve => releases.push(resolve));
    };
    const rateLimits = { factor: 1, trustedProxies: new TrustedProxies([]), pause };
    limited = await startGatewayOn(bus, { logger, rateLimits });
  });
  afterEach(() => limited.close());

  const send = (message: object, headers = {}) => postMcp(`${limited.address}/mcp`, message, { headers });
  /** Holds its one pause until somebody else was answered. */
  const answersAfterPause = async (refusal: Promise<unknown>) => {
    const did: string[] = [];
    const answered = refusal.then(() => did.push('answered'));
    while (releases.length === 0) await delay(5);
    await send(rpc('ping'));
    did.push('paused');
    releases.pop()!();
    await answered;
    expect(did).toEqual(['paused', 'answered']);
  };

  test('of a key are logged, and slowed as those of HTTP are, with which they count', async () => {
    const call = () => {
      payments.claimFaults = [problem('UNKNOWN_CREDENTIAL', 'The key is not known')];
      return send(toolCall('get_product_catalog'), { 'x-svc-key': BAD_KEY });
    };
    const read = () => send(rpc('resources/read', { uri: `svc://sagas/${SAGA_ID}` }));
    for (let turn = 0; turn < PROMPT_REFUSALS.failures.count / 2; turn++) {
      await call();
      await read();
    }
    expect(refused()).toHaveLength(PROMPT_REFUSALS.failures.count);
    expect(refused()).toContainEqual(
      expect.objectContaining({ status: 401, route: '/mcp', address: '127.0.0.1' }),
    );
    expect(pauses).toEqual([]);
    await answersAfterPause(call());
    await answersAfterPause(read());
    expect(pauses).toEqual([REFUSAL_PAUSE_MS, REFUSAL_PAUSE_MS]);
  });

  test('of a limit are slowed, and not logged', async () => {
    const { count } = PROMPT_REFUSALS.limits;
    payments.claimFaults = Array.from({ length: count + 1 }, () => problem('RATE_LIMITED', 'Too many'));
    for (let turn = 0; turn < count; turn++) await send(toolCall('get_product_catalog'), KEY);
    expect(pauses).toEqual([]);
    await answersAfterPause(send(toolCall('get_product_catalog'), KEY));
    expect(pauses).toEqual([REFUSAL_PAUSE_MS]);
    expect(refused()).toEqual([]);
  });
});

/** Has the next tool run until the test lets it go on. */
function held(): { begun: Promise<void>; release: () => void } {
  let release = () => undefined as void;
  const end = new Promise<void>(resolve => (release = resolve));
  const begun = new Promise<void>(resolve => {
    tools.faults = [
      () => {
        resolve();
        return end;
      },
    ];
  });
  return { begun, release };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

describe('progress', () => {
  test('is told on the stream of the call, before its answer, to who asked for it', async () => {
    const { begun, release } = held();
    tools.progress = [
      { seq: 1, progress: 0.25, stage: 'trace', ended: false },
      { seq: 2, progress: 0.5, stage: 'commit', ended: false },
      { seq: 3, progress: 1, ended: true },
    ] as never;
    const onText = (text: string) => text.includes('"commit"') && release();
    const answering = postMcp(
      `${gateway.address}/mcp`,
      toolCall('get_product_catalog', {}, { progressToken: 'p' }),
      { headers: KEY, onText },
    );
    await begun;
    const { headers, messages } = await answering;
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(messages.slice(0, 2).map(({ method, params }) => [method, params])).toEqual([
      ['notifications/progress', { progressToken: 'p', progress: 0.25, total: 1, message: 'trace' }],
      ['notifications/progress', { progressToken: 'p', progress: 0.5, total: 1, message: 'commit' }],
    ]);
    expect(messages.at(-1)!.result.structuredContent).toMatchObject({ catalog: [] });
  });

  test('is not told to a client that reads no streams, which gets its answer', async () => {
    tools.progress = [{ seq: 1, progress: 0.25, ended: true }] as never;
    const message = toolCall('get_product_catalog', {}, { progressToken: 'p' });
    const { headers, messages } = await postMcp(`${gateway.address}/mcp`, message, {
      headers: { ...KEY, accept: 'application/json' },
    });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(messages[0].result.structuredContent).toMatchObject({ catalog: [] });
  });
});

describe('a call that nobody wants any more', () => {
  const isGivenBack = () => until(() => tools.revoked.length > 0 && payments.released.length > 0);
  const expectGivenBack = () => {
    expect(tools.revoked).toEqual([tools.calls[0].idemKey]);
    expect(payments.released).toMatchObject([{ givenUp: true }]);
    expect(payments.delivered).toEqual([]);
  };

  test.each([0, 7, 'mine'])('ends when its session cancels request %j, and is given back', async id => {
    const { begun, release } = held();
    const headers = { ...KEY, ...(await session()) };
    const answering: Promise<McpAnswer> = postMcp(
      `${gateway.address}/mcp`,
      toolCall('zk_prove_spatial', { coordinates: [1] }, undefined, id),
      { headers },
    );
    await begun;
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
    const { status } = await postMcp(`${gateway.address}/mcp`, cancelled, { headers });
    expect(status).toBe(202);
    expect((await answering).messages).toEqual([]);
    await isGivenBack();
    release();
    expectGivenBack();
  });

  test.each(['2025-11-25', '2026-07-28'] as const)(
    'over the protocol of %s ends when the connection closes, is given back, and holds up no close',
    async version => {
      protocol = version;
      const sent = spoken(toolCall('zk_prove_spatial', { coordinates: [1] }), KEY);
      protocol = '2025-11-25';
      const { begun, release } = held();
      const closing = await startGatewayOn(bus);
      const hungUp = new AbortController();
      const answering = postMcp(`${closing.address}/mcp`, sent.message, {
        headers: sent.headers,
        signal: hungUp.signal,
      });
      await begun;
      hungUp.abort();
      await expect(answering).rejects.toThrow();
      await isGivenBack();
      release();
      expectGivenBack();
      // It would wait for a call that never counts as done, until the drain gives up after minutes.
      const gaveUp = once(AbortSignal.timeout(30_000), 'abort').then(() => 'gave up');
      expect(await Promise.race([closing.close().then(() => 'closed'), gaveUp])).toBe('closed');
    },
  );

  test('goes on where another session cancels that id, or nobody says whose it is', async () => {
    const { begun, release } = held();
    const answering = postMcp(`${gateway.address}/mcp`, toolCall('get_product_catalog', {}, undefined, 7), {
      headers: { ...KEY, ...(await session()) },
    });
    await begun;
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    for (const headers of [await session(), {}]) {
      await postMcp(`${gateway.address}/mcp`, cancelled, { headers });
    }
    release();
    expect((await answering).messages.at(-1)!.result.structuredContent).toMatchObject({ catalog: [] });
    expect(payments.released).toEqual([]);
  });

  test('is not mixed up with another of its id: the second is refused while the first runs', async () => {
    const { begun, release } = held();
    const headers = { ...KEY, ...(await session()) };
    const first = postMcp(`${gateway.address}/mcp`, toolCall('get_product_catalog', {}, undefined, 7), {
      headers,
    });
    await begun;
    const second = await postMcp(
      `${gateway.address}/mcp`,
      toolCall('get_product_catalog', {}, undefined, 7),
      {
        headers,
      },
    );
    expect([second.status, second.messages[0].error.data.problem.code]).toEqual([409, 'CONFLICT']);
    release();
    expect((await first).status).toBe(200);
    expect(tools.calls).toHaveLength(1);
  });
});

describe('calls in flight', () => {
  test('from one address have a share; beyond it they are refused, and another address still gets in', async () => {
    const rateLimits = { factor: 0, trustedProxies: new TrustedProxies(['127.0.0.1/32']) };
    const shared = await startGatewayOn(bus, { rateLimits });
    const post = (address: string, message: object) =>
      postMcp(`${shared.address}/mcp`, message, { headers: { ...KEY, 'x-forwarded-for': address } });
    let release = () => undefined as void;
    const end = new Promise<void>(resolve => (release = resolve));
    tools.faults = Array.from({ length: 256 }, () => () => end);
    try {
      const first = Array.from({ length: 256 }, () => post('192.0.2.1', toolCall('get_product_catalog')));
      await until(() => tools.calls.length === 256);
      const { status, messages } = await post('192.0.2.1', rpc('tools/list'));
      const { code, detail } = messages[0].error.data.problem;
      expect([status, code, detail]).toEqual([429, 'RATE_LIMITED', expect.stringContaining('256')]);
      expect((await post('192.0.2.2', rpc('tools/list'))).status).toBe(200);
      release();
      for (const answer of await Promise.all(first)) expect(answer.status).toBe(200);
      expect((await post('192.0.2.1', rpc('tools/list'))).status).toBe(200);
    } finally {
      release();
      await shared.close();
    }
  });
});
