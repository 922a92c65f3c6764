import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SNN_DOES_NOT_PROVE, SnnRequest, snnRoutes, type SnnResult, SolveGraphRequest } from '@svc/contracts';
import { documentDigest, FREE_WORK_UNITS, TrustedProxies } from '@svc/edge';
import { MemoryBus, problem, type RunningService } from '@svc/platform';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { inflateRawSync } from 'node:zlib';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn, startServiceOn } from './gateway-under-test.js';
import { BAD_KEY, type PaymentsScript, scriptedPayments } from './payments-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';
import { scriptedSnn, type SnnScript } from './snn-under-test.js';
import { scriptedAttest, type ToolScript, toolScript } from './tools-under-test.js';

const SOLVE = snnRoutes.solve.path;
const GRAPH = snnRoutes.solveGraph.path;
const INFER = snnRoutes.activeInference.path;
const PAID: HeaderLines = [['Authorization', 'L402 bWFj:00']];
const WITH_KEY: HeaderLines = [['X-SVC-KEY', 'svc_test_key']];
const ASYNC: HeaderLines = [['Prefer', 'respond-async']];
const graph = snnRoutes.solveGraph.body.schema.meta()!.example as object;
const model = snnRoutes.activeInference.body.schema.meta()!.example as object;

const bus = new MemoryBus();
let gateway: RunningGateway;
let services: RunningService[];
let money: PaymentsScript;
let snn: SnnScript;
let evidence: ToolScript;
beforeAll(async () => {
  const payments = scriptedPayments();
  const scripted = scriptedSnn();
  [money, snn, evidence] = [payments.script, scripted.script, toolScript()];
  services = [
    await startServiceOn(bus, 'payments', { controllers: payments.controllers }),
    await startServiceOn(bus, 'snn', { controllers: scripted.controllers }),
    await startServiceOn(bus, 'department', { controllers: scripted.deskControllers }),
    await startServiceOn(bus, 'prover', { controllers: [scriptedAttest(evidence)] }),
  ];
  gateway = await startGatewayOn(bus);
});
afterAll(async () => {
  await gateway.close();
  for (const service of services) await service.close();
});
beforeEach(() => {
  Object.assign(money, { requestsLeft: 1_000, canBeGivenUp: true, releaseFaults: [], claimFaults: [] });
  for (const list of [money.counted, money.uncounted, money.claimed, money.delivered]) list.length = 0;
  money.released.length = 0;
  Object.assign(snn, { before: async () => undefined, taskBecomes: {}, workUnits: 0 });
  for (const list of [snn.admitted, snn.solved, snn.graphs, snn.inferred, snn.cancelled]) list.length = 0;
  for (const list of [snn.submitted, snn.submitFaults, snn.admitFaults]) list.length = 0;
  evidence.attested.length = 0;
});

const post = (path: string, body?: unknown, lines: HeaderLines = []) =>
  rawCall(gateway.address, path, { body, lines });
const postText = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const sent = { 'content-type': 'application/json', ...headers };
  const response = await fetch(gateway.address + path, { method: 'POST', body, headers: sent });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};
const nothingTaken = () => {
  expect(money.requestsLeft).toBe(1_000);
  expect([money.claimed, money.delivered]).toEqual([[], []]);
};
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
};

describe.each([
  ['a simulation', SOLVE, { neuronCount: 100, seed: 7 }, SNN_DOES_NOT_PROVE.solve],
  ['a graph problem', GRAPH, graph, SNN_DOES_NOT_PROVE.solveGraph],
  ['an inference', INFER, model, SNN_DOES_NOT_PROVE.activeInference],
])('%s', (_name, path, body, doesNotProve) => {
  test('within the quota is answered for nothing, counted once, with what it does not prove', async () => {
    const { status, json, headers } = await post(path, body);
    expect([status, json.proves, json.doesNotProve]).toEqual([200, 'commitment', doesNotProve]);
    expect([money.counted.length, money.uncounted, money.claimed]).toEqual([1, [], []]);
    expect(headers.ratelimit).toMatch(/^"month";r=999;t=\d+$/);
    expect(json.auditProof).toMatchObject({ proves: 'commitment', doesNotProve });
    expect(evidence.attested).toMatchObject([{ isFree: true }]);
  });

  test('has evidence over all that it says, as whoever checks it takes its digest', async () => {
    const { auditProof: _evidence, ...said } = (await post(path, body)).json;
    const [{ resultDigest }] = evidence.attested;
    expect(Buffer.from(resultDigest)).toEqual(Buffer.from(documentDigest(said)));
  });

  test('over the quota is 402, then sold, and what was paid is delivered with the very answer', async () => {
    money.requestsLeft = 0;
    const asked = await post(path, body);
    expect([asked.status, asked.json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
    const { status, headers, text } = await post(path, body, PAID);
    expect([status, headers['payment-receipt']]).toEqual([200, 'receipt-under-test']);
    expect(evidence.attested).toMatchObject([{ isFree: false }]);
    expect(Buffer.from(money.delivered[0].response.body).toString()).toBe(text);
  });

  test('that is impossible costs nothing, counted, by key or paid', async () => {
    const impossible = () =>
      problem('UNPROCESSABLE', 'Impossible', { errors: [{ path: 'x', message: 'no', bound: 1 }] });
    for (const lines of [[], WITH_KEY, PAID]) {
      snn.admitFaults.push(impossible());
      const { status, json } = await post(path, body, lines);
      expect([status, json.errors]).toEqual([422, [{ path: 'x', message: 'no', bound: 1 }]]);
    }
    money.requestsLeft = 0;
    snn.admitFaults.push(impossible());
    expect((await post(path, body)).status).toBe(422);
    money.requestsLeft = 1_000;
    nothingTaken();
  });

  test('ends at its service once its client has hung up, and stays counted', async () => {
    let go = () => {};
    snn.before = () => new Promise<void>(resolve => (go = resolve));
    await hangUp(path, body, () => snn.solved.length + snn.graphs.length + snn.inferred.length === 1);
    await until(() => snn.cancelled.length === 1);
    const [asked] = [...snn.solved, ...snn.graphs, ...snn.inferred];
    expect(snn.cancelled).toEqual([asked.callId]);
    go();
    snn.before = async () => undefined;
    // By the time that the next call is answered, a count would have gone back.
    expect((await post(path, body)).headers.ratelimit).toMatch(/^"month";r=998;/);
    expect(money.uncounted).toEqual([]);
  });

  test('that is paid ends with its client too where the payment lets it, and else goes on to its delivery', async () => {
    let go = () => {};
    const begun = () => snn.solved.length + snn.graphs.length + snn.inferred.length;
    snn.before = () => new Promise<void>(resolve => (go = resolve));
    await hangUp(path, body, () => begun() === 1, PAID);
    await until(() => money.released.length === 1 && snn.cancelled.length === 1);
    expect(money.released).toMatchObject([{ givenUp: true }]);
    go();
    money.canBeGivenUp = false;
    await hangUp(path, body, () => begun() === 2, PAID);
    // What has been asked since is answered after the end of that connection was seen.
    for (let k = 0; k < 5; k++) await fetch(`${gateway.address}/livez`, { headers: { connection: 'close' } });
    const cancelledBefore = snn.cancelled.length;
    go();
    expect(cancelledBefore).toBe(1);
    await until(() => money.delivered.length === 1);
    expect([snn.cancelled.length, money.released.length]).toEqual([1, 1]);
  });

  test('whose evidence cannot be made is not counted', async () => {
    evidence.attestFaults.push(problem('OVERLOADED', 'No more may wait', { retryAfterSeconds: 1 }));
    expect((await post(path, body)).status).toBe(503);
    nothingTaken();
  });
});

describe('a dry run', () => {
  test.each([
    ['without a credential', [] as HeaderLines],
    ['with a key', WITH_KEY],
    ['with a payment', PAID],
    ['as a task', ASYNC],
  ])(
    '%s is counted nowhere, takes no payment, simulates nothing, and says what a run would take',
    async (_name, lines) => {
      money.requestsLeft = 0;
      const { status, json } = await post(SOLVE, { neuronCount: 1_000_000, dryRun: true }, lines);
      expect([status, json]).toEqual([
        200,
        {
          ...{ dryRun: true, memoryMb: 12, memoryKind: 'host', backend: 'wasm', connectivity: 'procedural' },
          ...{ threads: 1, synapses: 8_000, seconds: 0.25 },
        },
      ]);
      expect([money.counted, money.claimed, snn.solved, snn.submitted]).toEqual([[], [], [], []]);
    },
  );

  test('that cannot be is refused as the run would be', async () => {
    snn.admitFaults.push(problem('UNPROCESSABLE', 'Too much'));
    expect((await post(SOLVE, { neuronCount: 100, dryRun: true })).status).toBe(422);
    expect((await post(SOLVE, { neuronCount: 1, dryRun: true })).status).toBe(400);
    nothingTaken();
  });
});

describe('a call that is preferred asynchronous', () => {
  const TASKED = [
    ['snn.solve', SOLVE, { neuronCount: 100 }, SnnRequest.parse({ neuronCount: 100 })],
    ['snn.solve-graph', GRAPH, graph, graph],
  ] as const;

  test.each(TASKED)(
    '%s becomes a task of the neuro desk that takes the count over',
    async (name, path, body, task) => {
      const { status, json, headers } = await post(path, body, ASYNC);
      const [order] = snn.submitted;
      expect([status, json.status, headers['preference-applied']]).toEqual([202, 'QUEUED', 'respond-async']);
      expect(headers.location).toBe(`/departments/neuro/tasks/${order.taskId}`);
      expect(order.request).toEqual({ capability: name, task, priority: 'normal' });
      expect(order.payment).toEqual({
        counted: { subject: 'address:127.0.0.1', resetsAt: '2100-02-01T00:00:00.000Z' },
      });
      expect([money.counted.length, money.uncounted, snn.admitted.at(-1)!.mode]).toEqual([1, [], 'task']);
      expect([snn.solved, snn.graphs]).toEqual([[], []]);
    },
  );

  test.each(TASKED)(
    '%s, paid, hands its claim over: nothing is delivered or released here',
    async (_name, path, body, _task) => {
      const { status, headers } = await post(path, body, [...PAID, ...ASYNC]);
      expect([status, headers.location]).toEqual([
        202,
        expect.stringContaining('/departments/neuro/tasks/tsk_'),
      ]);
      expect(snn.submitted[0].payment).toMatchObject({
        claim: { attempt: 3, canBeGivenUp: true, receipt: 'receipt-under-test' },
      });
      expect([money.delivered, money.released]).toEqual([[], []]);
    },
  );

  test('answers with the task where it has ended within the wait, and with its problem where it has failed', async () => {
    const wait: HeaderLines = [['Prefer', 'respond-async, wait=5']];
    snn.taskBecomes = { status: 'COMPLETED', payment: 'delivered', result: { spikeCount: 4 } };
    const done = await post(SOLVE, { neuronCount: 100 }, wait);
    expect([done.status, done.json.status, done.json.result]).toEqual([200, 'COMPLETED', { spikeCount: 4 }]);
    snn.taskBecomes = {
      status: 'FAILED',
      payment: 'returned',
      problem: { code: 'UNPROCESSABLE', detail: 'It cannot be' },
    };
    const failed = await post(SOLVE, { neuronCount: 100 }, wait);
    expect([failed.status, failed.json.detail, failed.json.status]).toEqual([422, 'It cannot be', 422]);
  });

  test('gives its count back under the key of its task where it is refused: twice given back is once', async () => {
    snn.submitFaults.push(problem('QUEUE_FULL', 'Full', { retryAfterSeconds: 1 }));
    expect((await post(SOLVE, { neuronCount: 100 }, ASYNC)).status).toBe(429);
    expect(money.uncounted).toEqual([
      {
        ...{ subject: 'address:127.0.0.1', resetsAt: '2100-02-01T00:00:00.000Z' },
        callKey: snn.submitted[0].taskId,
      },
    ]);
  });

  test('reaches its desk as it came, a graph, and is read nowhere before', async () => {
    const text = ` ${JSON.stringify(graph)} `;
    expect((await postText(GRAPH, text, { prefer: 'respond-async' })).status).toBe(202);
    expect(inflateRawSync(snn.submitted[0].packedTask!).toString('utf8')).toBe(text);
  });

  test('is refused, a graph larger than a task may be, before anything is taken', async () => {
    const body = JSON.stringify({ ...graph, edges: Array(500_000).fill([0, 1, 2]) });
    for (const headers of [{}, { authorization: 'L402 bWFj:00' }] as Record<string, string>[]) {
      const { status, json } = await postText(GRAPH, body, { prefer: 'respond-async', ...headers });
      expect([status, json.errors]).toEqual([
        413,
        [expect.objectContaining({ bound: 4_000_000, got: body.length })],
      ]);
    }
    nothingTaken();
    expect((await postText(GRAPH, body)).status).toBe(200);
    expect(snn.graphs.map(({ text }) => text.length)).toEqual([body.length]);
  });
});

describe('a graph', () => {
  test('reaches its service as it came, whatever it is, and is read nowhere before', async () => {
    for (const text of ['{"problem": "sssp"', '[1,1]', '{"a":1,"a":2}', '{"u":"\u20ac"}']) {
      await postText(GRAPH, text);
      expect(snn.graphs.at(-1)!.text).toBe(text);
    }
  });

  test('is bound to its bytes: its payment and its evidence are of what was sent and read', async () => {
    const text = JSON.stringify(graph);
    for (const body of [text, text, ` ${text}`])
      await postText(GRAPH, body, { authorization: 'L402 bWFj:00' });
    const digests = money.claimed.map(claim => (claim as { requestDigest: string }).requestDigest);
    expect(digests[0]).toBe(digests[1]);
    expect(digests[0]).not.toBe(digests[2]);
    const read = createHash('sha256').update('as the service has read it').digest();
    expect(Buffer.from(evidence.attested[0].requestDigest)).toEqual(read);
  });

  test('of more than 33,554,432 bytes is 413 and names them, and so is one that no message carries', async () => {
    const tooLong = await postText(GRAPH, ' '.repeat(33_554_433));
    expect([tooLong.status, tooLong.json.errors]).toEqual([
      413,
      [expect.objectContaining({ bound: 33_554_432 })],
    ]);
    const noise = JSON.stringify({ a: randomBytes(8_500_000).toString('base64') });
    const tooDense = await postText(GRAPH, noise);
    expect([tooDense.status, tooDense.json.errors]).toEqual([
      413,
      [expect.objectContaining({ bound: 8_323_072 })],
    ]);
    nothingTaken();
  });

  test('without a body, or with an empty one, over the quota asks what it costs', async () => {
    money.requestsLeft = 0;
    for (const body of [undefined, {}]) expect((await post(GRAPH, body)).status).toBe(402);
    expect(snn.admitted).toEqual([]);
  });

  test('that names nothing is answered by its service within the quota; without a body it is 400', async () => {
    snn.admitFaults.push(problem('VALIDATION_FAILED', 'problem: is required'));
    expect((await post(GRAPH, {})).json.detail).toBe('problem: is required');
    const { status, json } = await post(GRAPH);
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    nothingTaken();
  });
});

describe('a model', () => {
  test('reaches its service as it came, whatever it is, and is read nowhere before', async () => {
    const numbers = `{"A":[[${'7,'.repeat(1_000_000)}7]]}`;
    for (const text of ['{"A": [[1', '[1,1]', '{"a":1,"a":2}', '{"u":"\u20ac"}', numbers]) {
      expect((await postText(INFER, text)).status).toBe(200);
      expect(snn.inferred.at(-1)!.text).toBe(text);
    }
    expect(snn.admitted.map(({ verb }) => verb)).toEqual(Array(5).fill('inference'));
  });

  test('is bound to its bytes: its payment and its evidence are of what was sent and read', async () => {
    const text = JSON.stringify(model);
    for (const body of [text, text, ` ${text}`])
      await postText(INFER, body, { authorization: 'L402 bWFj:00' });
    const digests = money.claimed.map(claim => (claim as { requestDigest: string }).requestDigest);
    expect(digests[0]).toBe(digests[1]);
    expect(digests[0]).not.toBe(digests[2]);
    const read = createHash('sha256').update('as the service has read it').digest();
    expect(Buffer.from(evidence.attested[0].requestDigest)).toEqual(read);
  });

  test('of more than 8,388,608 bytes is 413 and names them, and costs nothing', async () => {
    const { status, json } = await postText(INFER, ' '.repeat(8_388_609));
    expect([status, json.errors]).toEqual([413, [expect.objectContaining({ bound: 8_388_608 })]]);
    nothingTaken();
  });

  test('costs of free work what its service says of it', async () => {
    const rateLimits = { factor: 2_100 / FREE_WORK_UNITS, trustedProxies: new TrustedProxies([]) };
    const small = await startGatewayOn(bus, { rateLimits });
    snn.workUnits = 1_000;
    try {
      const seen: number[] = [];
      for (let n = 0; n < 4; n++) seen.push((await rawCall(small.address, INFER, { body: model })).status);
      expect(seen).toEqual([200, 200, 429, 429]);
    } finally {
      snn.workUnits = 0;
      await small.close();
    }
  });

  test('whose answer is large is worked on alone, and a small one beside others', async () => {
    const underWay: (() => void)[] = [];
    let most = 0;
    snn.before = () =>
      new Promise(resolve => {
        underWay.push(resolve);
        most = Math.max(most, underWay.length);
      });
    const three = () => Promise.all(Array.from({ length: 3 }, async () => (await post(INFER, model)).status));
    snn.workUnits = 200;
    const large = three();
    await until(() => snn.admitted.length === 3);
    for (let n = 0; n < 3; n++) {
      await until(() => underWay.length > 0);
      underWay.shift()!();
    }
    expect([await large, most]).toEqual([[200, 200, 200], 1]);
    snn.workUnits = 1;
    const small = three();
    await until(() => underWay.length === 3);
    underWay.forEach(release => release());
    expect(await small).toEqual([200, 200, 200]);
  });

  test('that its service refuses costs nothing', async () => {
    const errors = [{ path: 'B', message: 'A and B together hold too many numbers', bound: 196_608 }];
    snn.admitFaults.push(problem('VALIDATION_FAILED', 'B: too many', { errors }));
    expect(await post(INFER, { ...model, B: [] })).toMatchObject({ status: 400, json: { errors } });
    nothingTaken();
  });
});

describe('a key that is none', () => {
  test.each([SOLVE, GRAPH, INFER])('is 401 at %s', async path => {
    const body = { [SOLVE]: { neuronCount: 100 }, [GRAPH]: graph, [INFER]: model }[path];
    const { status, json } = await post(path, body, [['X-SVC-KEY', BAD_KEY]]);
    expect([status, json.code]).toEqual([401, 'UNKNOWN_CREDENTIAL']);
  });
});

test('the examples of the document are requests that the schemas take', () => {
  const example = SnnRequest.meta()!.example;
  expect(SnnRequest.safeParse(example).success).toBe(true);
  expect(SolveGraphRequest.safeParse(graph).success).toBe(true);
  expect(snnRoutes.activeInference.body.schema.safeParse(model).success).toBe(true);
});

test('the same request of different callers has the same digests of evidence', async () => {
  const ask = async () => (await post(SOLVE, { neuronCount: 100, seed: 1 })).json as unknown as SnnResult;
  const [first, second] = [await ask(), await ask()];
  expect(first.auditProof.requestDigest).toBe(second.auditProof.requestDigest);
});

/** Sends a request, and closes the connection once it has begun. */
async function hangUp(path: string, body: unknown, hasBegun: () => boolean, lines: HeaderLines = []) {
  const outgoing = request(gateway.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...Object.fromEntries(lines) },
  });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  await until(hasBegun);
  outgoing.destroy();
}
