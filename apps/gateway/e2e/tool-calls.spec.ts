import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ToolName } from '@svc/contracts';
import { MemoryBus, otherRequest, problem, type RunningService } from '@svc/platform';
import { canonicalJson } from '@svc/protocols';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { ROOT, scriptedAttest, scriptedTools, toolScript } from './tools-under-test.js';
import { SAGA_ID, scriptedX402, type X402Script } from './x402-under-test.js';

let gateway: RunningGateway;
let services: RunningService[];
let payments: PaymentsScript;
let x402: X402Script;
const tools = toolScript();
beforeAll(async () => {
  const bus = new MemoryBus();
  const [scripted, executions] = [scriptedPayments(), scriptedX402()];
  payments = scripted.script;
  x402 = executions.script;
  const own = scriptedTools('payments', tools);
  const controllers = [...scripted.controllers, ...executions.controllers, own];
  services = [
    await startServiceOn(bus, 'payments', { controllers }),
    await startServiceOn(bus, 'prover', {
      controllers: [scriptedTools('prover', tools), scriptedAttest(tools)],
    }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  Object.assign(tools, { faults: [], admitFaults: [], attestFaults: [], progress: [] });
  tools.reply = () => ({ output: { catalog: [] } });
  for (const list of [tools.admitted, tools.calls, tools.revoked, tools.attested]) list.length = 0;
  payments.claimFaults = [];
  payments.canBeGivenUp = true;
  payments.claimMembers = {};
  for (const list of [payments.claimed, payments.delivered, payments.released, payments.challenged]) {
    list.length = 0;
  }
  for (const list of [x402.executed, x402.admitted]) list.length = 0;
});

const KEY = ['X-SVC-KEY', 'svc_test_key'] as const;
const L402 = ['Authorization', 'L402 bWFj:00'] as const;
const ACCOUNT = `acct_${'a'.repeat(20)}`;
const call = (tool: string, body?: unknown, lines: HeaderLines = [KEY]) =>
  rawCall(gateway.address, `/v1/tools/${tool}`, { lines, body });
const taken = () => [...payments.claimed, ...tools.calls, ...x402.executed];
const digestOf = (value: unknown) =>
  `0x${createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex')}`;

const SPATIAL = {
  ...{ verified: true, starkRootCommitment: `0x${'ab'.repeat(32)}`, primeField: '2^64 - 2^32 + 1' },
  ...{ latencyMs: 1.5, securityBits: 100, paymentReceipt: 'receipt-under-test' },
};
const ITEM = {
  ...{ kind: 'pack', productId: 'pack_10', buyWith: 'POST /prepay-credits', priceUsd: '10', audits: 40 },
};
const PROOF = {
  ...{ starkRoot: SPATIAL.starkRootCommitment, proofId: 'prf_1', airId: 'spatial-box/v1' },
  ...{ publicInputs: { frame: 'wgs84', axes: [{ name: 'latitude', min: 1, max: 2 }] }, contextDomain: '' },
};

describe('a tool that is paid for', () => {
  test('answers with the outputs of the catalogue and their evidence, and is delivered', async () => {
    const { status, json, headers, text } = await call('get_product_catalog', {});
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'payment-receipt': 'receipt-under-test',
      'cache-control': 'private',
    });
    const { auditProof, ...answer } = json as { auditProof: Record<string, unknown> };
    expect(answer).toEqual({ catalog: [], starkRoot: ROOT });
    expect(auditProof).toMatchObject({
      proves: 'commitment',
      requestDigest: digestOf({}),
      resultDigest: digestOf({ catalog: [] }),
    });
    expect(payments.claimed).toMatchObject([{ operationId: 'tool.get_product_catalog', accountKey: KEY[1] }]);
    expect(payments.delivered.map(({ response }) => Buffer.from(response.body).toString())).toEqual([text]);
    expect(tools.calls).toMatchObject([{ tool: 'get_product_catalog', input: {}, baseUrl: gateway.address }]);
  });

  test('repeats what its proof has, and its evidence speaks neither of private inputs nor of what opens it', async () => {
    tools.reply = () => ({ output: { ...SPATIAL, more: 1 }, ...PROOF, opening: { salt: '0x01' } });
    const { status, json } = await call('zk_prove_spatial', { coordinates: [52.5, 13.4], parcelId: 'p' });
    expect(status).toBe(200);
    const { auditProof, ...answer } = json as { auditProof: Record<string, unknown> };
    expect(answer).toEqual({ ...SPATIAL, ...PROOF, opening: { salt: '0x01' } });
    expect(auditProof).toMatchObject({
      proves: 'computation',
      requestDigest: digestOf({ parcelId: 'p' }),
      resultDigest: digestOf({ ...SPATIAL, ...PROOF }),
    });
    expect(tools.calls).toMatchObject([{ receipt: 'receipt-under-test' }]);
  });

  test('is told whose key pays, and nobody where a payment does', async () => {
    payments.claimMembers = { accountId: ACCOUNT };
    await call('get_product_catalog', {});
    payments.claimMembers = {};
    await call('get_product_catalog', {}, [L402]);
    expect(tools.calls.map(({ accountId }) => accountId)).toEqual([ACCOUNT, undefined]);
  });

  test('whose answer is none of its catalogue is 500, and nothing is delivered', async () => {
    tools.reply = () => ({ output: { catalog: 'none' } });
    const { status, json } = await call('get_product_catalog', {});
    expect([status, json.code, json.paymentRetained]).toEqual([500, 'INTERNAL', true]);
    expect([payments.delivered.length, payments.released.length]).toEqual([0, 1]);
  });

  test('whose evidence cannot be made gives the payment back, and the next try has the same key', async () => {
    tools.reply = () => ({ output: { catalog: [{ ...ITEM, productId: 'attested never before' }] } });
    tools.attestFaults = [problem('OVERLOADED', 'Scripted', { retryAfterSeconds: 1 })];
    const { json } = await call('get_product_catalog', {});
    expect([json.code, json.paymentRetained, payments.released.length]).toEqual(['OVERLOADED', true, 1]);
    expect((await call('get_product_catalog', {})).status).toBe(200);
    const [first, second] = tools.calls.map(({ idemKey }) => idemKey);
    expect([second, tools.revoked]).toEqual([first, []]);
  });

  test('that refuses when it runs is answered with its problem, and the payment goes back', async () => {
    const errors = [{ path: 'coordinates', message: 'no such box' }];
    tools.faults = [
      () => {
        throw problem('UNPROCESSABLE', 'impossible', { errors });
      },
    ];
    const { status, json } = await call('zk_prove_spatial', { coordinates: [1] });
    expect([status, json.code, json.errors, json.paymentRetained]).toEqual([
      ...[422, 'UNPROCESSABLE', errors, true],
    ]);
    expect(payments.released).toMatchObject([{ reason: 'UNPROCESSABLE', givenUp: false }]);
  });

  test('that runs at another replica is waited for', async () => {
    const running = () => {
      throw problem('CONFLICT', 'runs', { retryAfterSeconds: 1, extensions: { state: 'running' } });
    };
    tools.faults = [running];
    expect((await call('get_product_catalog', {})).status).toBe(200);
    expect(new Set(tools.calls.map(({ idemKey }) => idemKey)).size).toBe(1);
  });

  test('shares its evidence with calls that have the very same inputs and answer, and with no others', async () => {
    const answers = await Promise.all([0, 1, 2].map(() => call('get_product_catalog', {})));
    const proofs = answers.map(({ json }) => json.auditProof);
    expect(proofs).toEqual([proofs[0], proofs[0], proofs[0]]);
    expect([tools.attested.length <= 1, tools.calls.length]).toEqual([true, 3]);
    const attested = tools.attested.length;
    tools.reply = () => ({ output: { catalog: [ITEM] } });
    const { json } = await call('get_product_catalog', {});
    expect(tools.attested).toHaveLength(attested + 1);
    expect((json.auditProof as { resultDigest: string }).resultDigest).toBe(digestOf({ catalog: [ITEM] }));
    tools.reply = () => ({ output: SPATIAL, ...PROOF });
    for (let i = 0; i < 2; i++) await call('zk_prove_spatial', { coordinates: [1] });
    expect(tools.attested).toHaveLength(attested + 3);
  });

  test('has a key of its claim alone: of its body nobody could guess by that', async () => {
    tools.reply = () => ({ output: SPATIAL, ...PROOF });
    await call('zk_prove_spatial', { coordinates: [1] });
    await call('zk_prove_spatial', { coordinates: [2] });
    payments.claimMembers = { claimId: SAGA_ID };
    await call('zk_prove_spatial', { coordinates: [2] });
    const [first, second, third] = tools.calls.map(({ idemKey }) => idemKey);
    expect([second, third === first]).toEqual([first, false]);
  });

  test('of a claim whose key stands for an earlier request goes under the next one', async () => {
    tools.reply = () => ({ output: SPATIAL, ...PROOF });
    const other = () => {
      throw otherRequest();
    };
    // Before a first attempt nothing can have left a key behind.
    payments.claimMembers = { attempt: 1 };
    tools.faults = [other];
    expect((await call('zk_prove_spatial', { coordinates: [1] })).status).toBe(422);
    payments.claimMembers = { attempt: 2 };
    tools.faults = [other];
    expect((await call('zk_prove_spatial', { coordinates: [2] })).status).toBe(200);
    const [, second, third] = tools.calls.map(({ idemKey }) => idemKey);
    expect(third).not.toBe(second);
    expect(tools.revoked).toEqual([]);
  });
});

/** Sends a call and hangs up once the tool runs. */
async function hangUp(tool: ToolName, body: object): Promise<void> {
  const ended = new AbortController();
  const end = new Promise<void>(resolve => ended.signal.addEventListener('abort', () => resolve()));
  const begun = new Promise<void>(resolve => {
    tools.faults = [
      () => {
        resolve();
        return end;
      },
    ];
  });
  const outgoing = request(`${gateway.address}/v1/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-svc-key': KEY[1] },
  });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  await begun;
  outgoing.destroy();
  // Calls that come behind the end of the connection: it has been noticed before they are answered.
  for (let i = 0; i < 2; i++) expect((await call('nothing', {})).status).toBe(404);
  ended.abort();
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5);
}

describe('a client that hangs up', () => {
  test('ends the call: its key is revoked, and the payment goes back as given up', async () => {
    await hangUp('zk_prove_spatial', { coordinates: [1] });
    await until(() => tools.revoked.length > 0 && payments.released.length > 0);
    expect(tools.revoked).toEqual([tools.calls[0].idemKey]);
    expect(payments.released).toMatchObject([{ givenUp: true }]);
    expect(payments.delivered).toEqual([]);
  });

  test('and comes again gets a run under the next key', async () => {
    tools.reply = () => ({ output: SPATIAL, ...PROOF });
    payments.claimMembers = { attempt: 1 };
    await hangUp('zk_prove_spatial', { coordinates: [1] });
    await until(() => tools.revoked.length > 0 && payments.released.length > 0);
    payments.claimMembers = { attempt: 2 };
    expect((await call('zk_prove_spatial', { coordinates: [1] })).status).toBe(200);
    const [first, second] = tools.calls.map(({ idemKey }) => idemKey);
    expect(tools.calls).toHaveLength(2);
    expect(second).not.toBe(first);
  });

  test('and may not give up any more has its answer made and kept', async () => {
    payments.canBeGivenUp = false;
    await hangUp('get_product_catalog', {});
    await until(() => payments.delivered.length > 0);
    expect([payments.delivered.length, payments.released.length, tools.revoked]).toEqual([1, 0, []]);
  });
});

test('a key that was revoked more often than the claim has attempts is refused, and nobody tries for ever', async () => {
  payments.claimMembers = { attempt: 2 };
  const refuse = () => {
    throw problem('CONFLICT', 'Scripted', { extensions: { state: 'revoked' } });
  };
  tools.faults = [refuse, refuse, refuse, refuse];
  const { status, json } = await call('get_product_catalog', {});
  expect([status, json.code, tools.calls.length]).toEqual([409, 'CONFLICT', 2]);
});

describe('before anything is asked or taken', () => {
  test('a tool of no catalogue is 404', async () => {
    for (const name of ['nothing', '__proto__', 'toString', 'ZK_PROVE_SPATIAL', 'a'.repeat(99)]) {
      const { status, json } = await call(name, {});
      expect([status, json.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(taken()).toEqual([]);
  });

  test.each<[ToolName, unknown, string]>([
    ['zk_prove_spatial', { coordinates: 'here' }, 'coordinates'],
    ['zk_prove_spatial', { coordinates: [1, 'x'] }, 'coordinates[1]'],
    ['zk_prove_spatial', { coordinates: [1], nope: 1 }, 'nope'],
    ['generate_goldilocks_stark_proof', { privateWitness: [] }, 'publicInputs'],
    ['create_purchase_link', { tier: 'gold' }, 'tier'],
    ['get_product_catalog', { page: 2 }, 'page'],
    ['m2m_license_contract', { licenseeAgentId: 7 }, 'licenseeAgentId'],
    ['m2m_license_contract', { licenseeAgentId: 'a', faultStep: 9 }, 'faultStep'],
  ])('%s of %j is 400, naming %s', async (tool, body, path) => {
    for (const lines of [[], [L402], [KEY]] as HeaderLines[]) {
      const { status, json } = await call(tool, body, lines);
      expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(json.errors).toEqual([expect.objectContaining({ path })]);
    }
    expect([taken(), payments.challenged]).toEqual([[], []]);
  });

  test('inputs that the tool cannot work on are refused, paid or not', async () => {
    for (const lines of [[], [KEY]] as HeaderLines[]) {
      tools.admitFaults = [problem('UNPROCESSABLE', 'too large')];
      const { status, json } = await call('zk_prove_spatial', { coordinates: [1] }, lines);
      expect([status, json.code]).toEqual([422, 'UNPROCESSABLE']);
    }
    expect(taken()).toEqual([]);
  });
});

describe('without a payment', () => {
  test.each<[ToolName, unknown]>([
    ['get_product_catalog', undefined],
    ['get_product_catalog', {}],
    ['zk_prove_spatial', {}],
    ['zk_prove_spatial', { coordinates: [1] }],
    ['m2m_license_contract', {}],
    ['m2m_license_contract', { licenseeAgentId: 'a' }],
  ])('%s with %j is 402 at the price of the tool, for this very route', async (tool, body) => {
    const { status, json, headers } = await call(tool, body, []);
    expect([status, json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    expect(headers).toMatchObject({ 'x-402-challenge': 'v1.under.test', 'cache-control': 'no-store' });
    const resource = `${gateway.address}/v1/tools/${tool}`;
    expect(payments.challenged).toMatchObject([{ operationId: `tool.${tool}`, resource }]);
    expect(taken()).toEqual([]);
  });
});

describe('m2m_license_contract', () => {
  test('runs as its saga, which takes the payment itself', async () => {
    const lines: HeaderLines = [L402, ['Idempotency-Key', 'once']];
    const { status, json, headers } = await call('m2m_license_contract', { licenseeAgentId: 'a' }, lines);
    expect([status, json.sagaId]).toEqual([200, SAGA_ID]);
    expect(headers).toMatchObject({
      link: `</v1/x402/sagas/${SAGA_ID}>; rel="describedby"`,
      'payment-receipt': 'receipt-under-test',
    });
    expect(x402.executed).toMatchObject([
      { tool: 'm2m_license_contract', input: { licenseeAgentId: 'a' }, idempotencyKey: 'once' },
    ]);
    expect([payments.claimed, tools.calls]).toEqual([[], []]);
  });
});
