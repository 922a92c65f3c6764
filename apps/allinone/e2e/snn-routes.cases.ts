import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { SNN_DOES_NOT_PROVE, snnRoutes } from '@svc/contracts';
import { byTier, HANGS_MS } from '@svc/platform/testing';
import { once } from 'node:events';
import { request } from 'node:http';
import { DataSource } from 'typeorm';
import { ADMIN_KEY } from './card-fixture.js';
import { type Answer, paidL402, payInvoice, post } from './paid-call.js';
import type { PaidRoute } from './paid-route-fixture.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const { solve, solveGraph, activeInference } = snnRoutes;
const SMALL = { neuronCount: 1_000, iterations: 200, seed: 7 };
/** The specification's: a million neurons with STDP; so many steps take seconds anywhere. */
const LONG = { neuronCount: 1_000_000, iterations: 2_500, seed: 1 };
const GRAPH = solveGraph.body.schema.meta()!.example as Json;
const MODEL = activeInference.body.schema.meta()!.example as Json;
/** Of a graph whose JSON has megabytes. */
const EDGES = byTier(250_000, 1_000_000);
const NODES = EDGES / 10;
const LIMIT = 1_000;
/** How often the gateway is asked for its health beside a long run. */
const HEALTH_ANSWERS = byTier(20, 60);

let route: PaidRoute;
let database: DataSource;

const at = (path: string) => route.address + path;
const ask = (body: unknown, headers: Record<string, string> = {}) => post(at(solve.path), body, headers);
const get = async (path: string) => (await (await fetch(at(path))).json()) as Json;

/** Sets how much of the month's requests this address has used. */
async function useUp(used: number): Promise<void> {
  await database.query('UPDATE quota_usage SET used = $1', [used]);
}
const used = async () =>
  Number((await database.query('SELECT coalesce(sum(used), 0) AS used FROM quota_usage'))[0].used);
const claims = async () => Number((await database.query('SELECT count(*) AS n FROM payment_claim'))[0].n);

async function until<T>(question: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (const sinceMs = Date.now(); ;) {
    const value = await question();
    if (isSo(value)) return value;
    if (Date.now() - sinceMs > HANGS_MS) throw new Error(`still ${JSON.stringify(value)?.slice(0, 400)}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** Sends a request and hangs up when told. */
function abandoned(path: string, body: unknown, headers: Record<string, string> = {}) {
  const sent = { 'content-type': 'application/json', ...headers };
  const outgoing = request(at(path), { method: 'POST', headers: sent });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(body));
  return outgoing;
}

async function keyWith(amountMicroUsd: number): Promise<string> {
  const admin = { 'x-svc-key': ADMIN_KEY };
  const { json: account } = await post(at('/v1/admin/accounts'), {}, admin);
  const one = at(`/v1/admin/accounts/${String(account.accountId)}`);
  await post(`${one}/credit`, { amountMicroUsd, reason: 'test' }, admin);
  return (await post(`${one}/keys`, {}, admin)).json.key as string;
}

/** What each bad request is refused with: status, code, and the field that is named. */
const BAD: readonly [name: string, body: Json, status: number, field: string][] = [
  ['neuronCount 0', { neuronCount: 0 }, 400, 'neuronCount'],
  ['neuronCount -1', { neuronCount: -1 }, 400, 'neuronCount'],
  ['neuronCount 1.5', { neuronCount: 1.5 }, 400, 'neuronCount'],
  ['neuronCount 10^9', { neuronCount: 1e9 }, 400, 'neuronCount'],
  ['iterations 10^7', { neuronCount: 100, iterations: 1e7 }, 400, 'iterations'],
  ['a budget past the bound', { neuronCount: 4_000_000, iterations: 100_000 }, 422, 'iterations'],
  [
    'more memory than there is',
    { neuronCount: 4_000_000, connectivity: 'stored', outDegree: 400, iterations: 1 },
    422,
    '',
  ],
  ['synapses to more than all', { neuronCount: 100, outDegree: 100 }, 422, 'outDegree'],
  ['a text', { neuronCount: '1000' }, 400, 'neuronCount'],
  ['an unknown field', { neuronCount: 100, neurons: 5 }, 400, 'neurons'],
  ['too many bins', { ...SMALL, iterations: 100_000, record: { binMs: 0.1 } }, 422, 'record.binMs'],
];
const BAD_GRAPHS: readonly [name: string, body: Json, status: number, field: string][] = [
  ['a loop', { ...GRAPH, edges: [[1, 1, 2]] }, 422, 'edges'],
  ['a negative weight', { ...GRAPH, edges: [[0, 1, -2]] }, 422, 'edges'],
  ['an unknown node', { ...GRAPH, edges: [[0, 3, 2]] }, 422, 'edges'],
  ['a node that cannot be', { ...GRAPH, edges: [[0, -1, 2]] }, 400, 'edges'],
  ['a source beyond the nodes', { ...GRAPH, source: 3 }, 422, 'source'],
  ['no source', { ...GRAPH, source: undefined, target: undefined }, 422, 'source'],
  ['an unknown problem', { ...GRAPH, problem: 'tsp' }, 400, 'problem'],
  ['nothing', {}, 400, 'problem'],
];
const BAD_MODELS: readonly [name: string, body: Json, status: number, field: string][] = [
  ['columns that do not sum to 1', { ...MODEL, A: [[0.5, 0.1, 0.3], ...MODEL.A.slice(1)] }, 422, 'A'],
  ['a negative probability', { ...MODEL, D: [1.5, -0.3, -0.2] }, 400, 'D'],
  ['C of another length', { ...MODEL, C: [1, 2] }, 422, 'C'],
  ['D of another length', { ...MODEL, D: [0.5, 0.5] }, 422, 'D'],
  ['B of another shape', { ...MODEL, B: [[[1]]] }, 422, 'B'],
  ['an observation that is none', { ...MODEL, observations: [3] }, 422, 'observations'],
  ['a number that is none', { ...MODEL, gamma: null }, 400, 'gamma'],
  ['too many numbers', { ...MODEL, B: Array(64).fill(Array(13).fill(Array(256).fill(0))) }, 400, 'B'],
  ['an unknown field', { ...MODEL, states: 3 }, 400, 'states'],
  ['nothing', {}, 400, 'A'],
  ['too many policies', { ...MODEL, B: Array(64).fill(MODEL.B[0]), policyLength: 8 }, 422, ''],
];

/** As the service reads it: what evidence speaks of. */
const withDefaults = (body: Json): Json => solve.body.schema.parse(body) as Json;

function manyEdges(): string {
  let state = 1;
  const random = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const edges: string[] = [];
  for (let k = 0; k < EDGES; k++) {
    const [u, v] = [random(NODES), random(NODES - 1)];
    edges.push(`[${u},${v >= u ? v + 1 : v},${1 + random(1_000)}]`);
  }
  return `{"problem":"sssp","nodes":${NODES},"source":0,"edges":[${edges.join(',')}]}`;
}

/** How often `GET /health` is answered, one question after the other, until the work is done. */
async function healthWhile(work: Promise<unknown>, onAnswer = (_count: number) => undefined as unknown) {
  let [answers, isDone] = [0, false];
  const end = () => void (isDone = true);
  work.then(end, end);
  for (;;) {
    await (await fetch(at('/health'))).arrayBuffer();
    if (isDone) return answers;
    onAnswer(++answers);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** Announces a body of so many bytes, and reads the answer that comes before it is sent. */
function tooLong(path: string, bytes: number): Promise<{ status: number; json: Json }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': bytes };
    const outgoing = request(at(path), { method: 'POST', headers }, incoming => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode!, json: JSON.parse(Buffer.concat(chunks).toString()) as Json });
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    outgoing.write('{"problem":"sssp","edges":[');
  });
}

/** @param shared what all suites of the file share */
export function describeSnnRoutes(shared: () => PaidRoute): void {
  describe('networks and inference by their routes', () => {
    beforeAll(async () => {
      route = shared();
      database = await new DataSource({
        type: 'postgres',
        url: route.databaseUrl,
        extra: { options: '-c search_path=payments' },
      }).initialize();
    });

    afterAll(async () => {
      await database?.destroy();
    });

    beforeEach(() => useUp(0));

    describe('a simulation', () => {
      it('within the quota is free, has the fields of the table and evidence that verifies', async () => {
        const { status, json, headers } = await ask(SMALL);
        expect(status).toBe(200);
        expect(json).toMatchObject({
          ...{ activeNeurons: expect.any(Number), spikeCount: expect.any(Number), memoryKind: 'host' },
          ...{ framerateFps: expect.any(Number), vramConsumedMb: expect.any(Number), seed: 7 },
          ...{ proves: 'commitment', doesNotProve: SNN_DOES_NOT_PROVE.solve },
        });
        expect(json.stateHash).toMatch(/^0x[0-9a-f]{16}$/);
        expect(headers.get('ratelimit')).toMatch(/^"month";r=\d+;t=\d+$/);
        expect(await used()).toBe(1);
        const { auditProof, ...result } = json;
        const check = { auditProof, result, request: withDefaults(SMALL) };
        expect((await post(at('/v1/stark/verify-proof'), check)).json).toMatchObject({ valid: true });
        const changed = { ...check, result: { ...result, spikeCount: Number(result.spikeCount) + 1 } };
        expect((await post(at('/v1/stark/verify-proof'), changed)).json).toMatchObject({ valid: false });
      });

      it('has one hash for one request, whatever its threads and its connectivity', async () => {
        const variants = [{}, { threads: 1 }, { threads: 2 }, { connectivity: 'stored' }];
        const hashes = new Set<unknown>();
        for (const variant of variants) hashes.add((await ask({ ...SMALL, ...variant })).json.stateHash);
        expect(hashes.size).toBe(1);
        expect((await ask({ ...SMALL, seed: 8 })).json.stateHash).not.toBe([...hashes][0]);
      });

      it('records rasters and rates, as data and as SVG', async () => {
        const record = { rasterNeurons: 100, rateHistogramBins: 10, binMs: 2, svg: true };
        const { status, json } = await ask({ ...SMALL, iterations: 1_000, record });
        expect([status, (json.rateHistogram as Json).counts.length]).toEqual([200, 10]);
        expect((json.raster as Json[]).length).toBeGreaterThan(0);
        expect((json.svg as Json).raster).toMatch(/^<svg /);
        expect((json.svg as Json).rates).toMatch(/^<svg /);
      });

      it('is told what it would take for nothing', async () => {
        const { status, json } = await ask({ neuronCount: 1_000_000, dryRun: true });
        expect([status, json.dryRun, json.synapses]).toEqual([200, true, 80_000_000]);
        expect(json.memoryMb).toBeLessThan(450);
        expect(await used()).toBe(0);
      });
    });

    describe.each([
      ['a simulation', solve.path, BAD],
      ['a graph', solveGraph.path, BAD_GRAPHS],
      ['a model', activeInference.path, BAD_MODELS],
    ])('bad input of %s', (_of, path, table) => {
      it.each(table)(
        '%s is refused with field, bound and value, and costs nothing',
        async (_name, body, status, field) => {
          const before = await claims();
          const key = await keyWith(10_000);
          for (const headers of [{}, { 'x-svc-key': key }] as Record<string, string>[]) {
            const answer = await post(at(path), body, headers);
            const [fault] = (answer.json.errors ?? []) as Json[];
            expect([answer.status, fault?.path]).toEqual([status, expect.stringContaining(field)]);
          }
          expect([await used(), await claims()]).toEqual([0, before]);
        },
      );
    });

    describe('what is no JSON', () => {
      it.each([solve.path, solveGraph.path, activeInference.path])('is 400 at %s', async path => {
        for (const body of [
          '{"neuronCount":',
          '{"a":NaN}',
          '{"a":1,"a":2}',
          `${'['.repeat(70)}${']'.repeat(70)}`,
        ]) {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(at(path), { method: 'POST', body, headers });
          expect([response.status, ((await response.json()) as Json).code]).toEqual([400, 'MALFORMED_JSON']);
        }
        expect(await used()).toBe(0);
      });
    });

    describe('over the quota', () => {
      beforeEach(() => useUp(LIMIT));

      it('asks for the price, is paid by L402, and gives the answer again for the same credential', async () => {
        const asked = await ask(SMALL);
        expect([asked.status, asked.json.code]).toEqual([402, 'PAYMENT_REQUIRED']);
        const authorization = await paidL402(route.address, solve.path);
        const first = await ask(SMALL, { authorization });
        expect([first.status, first.headers.get('payment-receipt')]).toEqual([200, expect.any(String)]);
        expect((await ask(SMALL, { authorization })).text).toBe(first.text);
        expect((await ask({ ...SMALL, seed: 9 }, { authorization })).status).toBe(402);
      });

      it('takes a key’s credit, once for one Idempotency-Key', async () => {
        const key = await keyWith(5_000);
        const headers = { 'x-svc-key': key, 'idempotency-key': crypto.randomUUID() };
        // A key has a quota of its own; used up, its credit pays.
        await ask(SMALL, { 'x-svc-key': key });
        await useUp(1_000_000);
        const first = await ask(SMALL, headers);
        expect(first.status).toBe(200);
        expect((await ask(SMALL, headers)).text).toBe(first.text);
        const account = (await (
          await fetch(at('/v1/account'), { headers: { 'x-svc-key': key } })
        ).json()) as Json;
        expect(account.balanceMicroUsd).toBe(4_000);
      });

      it('is paid by a client that is in use, unmodified, on every route', async () => {
        const wallet = {
          payInvoice: async ({ invoice }: { invoice: string }) => ({
            preimage: await payInvoice(route.address, invoice),
          }),
        };
        for (const [path, body] of [
          [solve.path, SMALL],
          [solveGraph.path, GRAPH],
          [activeInference.path, MODEL],
        ] as const) {
          const sent = {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          };
          const response = await fetchWithL402(at(path), sent, { wallet });
          expect([path, response.status]).toEqual([path, 200]);
          expect(response.headers.get('payment-receipt')).toEqual(expect.any(String));
        }
      });
    });

    describe('a graph', () => {
      it('is solved, and its evidence is of the graph that was sent', async () => {
        const { status, json } = await post(at(solveGraph.path), GRAPH);
        expect(status).toBe(200);
        expect(json).toMatchObject({
          exact: true,
          objective: 5,
          solution: [0, 2, 5],
          path: [0, 1, 2],
          valid: true,
        });
        const { auditProof, ...result } = json;
        const verified = await post(at('/v1/stark/verify-proof'), { auditProof, result, request: GRAPH });
        expect(verified.json).toMatchObject({ valid: true });
      });

      it('of megabytes of edges is solved while the gateway goes on answering', async () => {
        const text = manyEdges();
        const headers = { 'content-type': 'application/json' };
        const solving = fetch(at(solveGraph.path), { method: 'POST', body: text, headers });
        const answers = await healthWhile(solving);
        const response = await solving;
        const json = (await response.json()) as Json;
        expect([response.status, json.exact, json.valid, json.solution?.length]).toEqual([
          200,
          true,
          true,
          NODES,
        ]);
        // Were it parsed or solved on the event loop, there would be one. How long they take stands in docs/neural.md.
        expect(answers).toBeGreaterThanOrEqual(5);
      });

      it('of ten million edges is 413 and names the bytes that are read', async () => {
        const outcome = await tooLong(solveGraph.path, 150_000_000);
        expect([outcome.status, outcome.json.errors]).toEqual([
          413,
          [expect.objectContaining({ bound: 33_554_432 })],
        ]);
      });
    });

    describe('active inference', () => {
      it('gives the known answer of its example, in nats', async () => {
        const { status, json } = await post(at(activeInference.path), MODEL);
        expect(status).toBe(200);
        const { qs, F, qPi } = json as Json;
        const expected = [0.2307692308, 0.6461538462, 0.1230769231];
        for (const [k, q] of expected.entries()) expect(qs[k]).toBeCloseTo(q, 9);
        expect(F).toBeCloseTo(1.1239300967, 9);
        expect(qPi[3]).toBeCloseTo(0.9963130124, 8);
        const { auditProof, ...result } = json;
        const check = { auditProof, result, request: { ...MODEL, gamma: 16, alpha: 16 } };
        expect((await post(at('/v1/stark/verify-proof'), check)).json).toMatchObject({ valid: true });
      });
    });

    describe('a million neurons', () => {
      it('leave the gateway responsive, end with the client that hung up, and stay counted', async () => {
        // As long as this machine is expected to take half a minute for: on a slow one, more steps would be refused.
        const { json: estimate } = await ask({ ...LONG, dryRun: true });
        const iterations = Math.ceil((LONG.iterations * 30) / Number(estimate.seconds));
        const outgoing = abandoned(solve.path, { ...LONG, iterations });
        let isAnswered = false;
        outgoing.once('response', () => (isAnswered = true));
        await until(used, count => count === 1 || isAnswered);
        const ended = once(outgoing, 'close');
        // Before the run ends, which takes many times as long.
        await healthWhile(ended, count => count === HEALTH_ANSWERS && outgoing.destroy());
        expect(isAnswered).toBe(false);
        // The lane is free again: a large run is admitted without a wait, and begins.
        const free = await until(
          () => ask({ ...LONG, iterations: 1 }),
          ({ status }) => status === 200,
        );
        expect(free.json.neuronCount).toBe(1_000_000);
        expect(await used()).toBe(2);
      });

      it('that are asked for at once are answered, each by itself', async () => {
        const asked = Array.from({ length: 12 }, (_, seed) => ask({ ...SMALL, seed }));
        const answers: Answer[] = await Promise.all(asked);
        expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
        expect(answers.map(({ json }) => json.seed)).toEqual(Array.from({ length: 12 }, (_, seed) => seed));
        expect(await used()).toBe(12);
      });
    });

    describe('a run that is preferred asynchronous', () => {
      const prefer = { prefer: 'respond-async' };

      it('is a task of the neuro desk: told of, completed with what the route answers, and counted once', async () => {
        const { status, json, headers } = await ask(SMALL, prefer);
        expect([status, json.capability, headers.get('preference-applied')]).toEqual([
          202,
          'snn.solve',
          'respond-async',
        ]);
        const task = await until(
          () => get(headers.get('location')!),
          ({ status }) => !['QUEUED', 'RUNNING'].includes(status as string),
        );
        expect([task.status, task.result?.proves]).toEqual(['COMPLETED', 'commitment']);
        expect(task.result.stateHash).toBe((await ask(SMALL)).json.stateHash);
        expect(await used()).toBe(2);
      });

      it('tells its progress, is cancelled, and stays counted, for it has begun', async () => {
        const { status, headers } = await ask(LONG, prefer);
        expect([status, await used()]).toEqual([202, 1]);
        const location = headers.get('location')!;
        await until(
          () => get(location),
          ({ status }) => status === 'RUNNING',
        );
        const running = await until(
          () => get(location),
          ({ progress }) => (progress as number) > 0,
        );
        expect([running.status, running.stage]).toEqual(['RUNNING', expect.any(String)]);
        const cancelled = await fetch(at(location), { method: 'DELETE' });
        expect([cancelled.status, ((await cancelled.json()) as Json).status]).toEqual([200, 'CANCELLED']);
        await until(
          () => get(location),
          ({ payment }) => payment === 'delivered',
        );
        expect(await used()).toBe(1);
      });

      it('hands its payment over, which buys the finished task again and again', async () => {
        await useUp(LIMIT);
        const authorization = await paidL402(route.address, solveGraph.path);
        const { status, headers } = await post(at(solveGraph.path), GRAPH, { authorization, ...prefer });
        expect(status).toBe(202);
        await until(
          () => get(headers.get('location')!),
          ({ status }) => status === 'COMPLETED',
        );
        const again = await post(at(solveGraph.path), GRAPH, { authorization, ...prefer });
        expect([again.status, (again.json.result as Json).objective]).toEqual([200, 5]);
      });
    });

    describe('whatever is sent', () => {
      it('no route answers 500, and nothing of it is counted', async () => {
        const pool: unknown[] = [
          ...[null, true, 0, -1, 1.5, 1e308, '', 'x', [], {}, [[]], [[0, 1, 1]], { rule: 'none' }],
          ...[[[0.5], [0.5]], [[[1]]], [1e9], 'sssp', 3, 1_000, ['\u0000'], { svg: true }],
        ];
        let state = 20_261_122;
        const random = (n: number) => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return Math.floor((state / 2 ** 32) * n);
        };
        const bases: readonly [string, Json][] = [
          [solve.path, { ...SMALL, iterations: 5 }],
          [solveGraph.path, GRAPH],
          [activeInference.path, MODEL],
        ];
        const turns = byTier(40, 2_000);
        let answered = 0;
        for (let turn = 0; turn < turns; turn++) {
          const [path, base] = bases[turn % 3];
          const body: Json = structuredClone(base);
          const names = [
            ...Object.keys(body),
            'record',
            'plasticity',
            'threads',
            'dtMs',
            'outDegree',
            '__proto__',
            'E',
          ];
          for (let k = 0; k <= random(3); k++) {
            const name = names[random(names.length)];
            if (random(4) === 0) delete body[name];
            else
              Object.defineProperty(body, name, {
                value: pool[random(pool.length)],
                enumerable: true,
                configurable: true,
              });
          }
          // Of many addresses: one of them would fill its minute of free work, and 429 shows nothing of the route.
          const from = { 'x-forwarded-for': `198.51.100.${Math.floor(turn / 100)}` };
          const { status, text } = await post(at(path), body, from);
          const isAnswered = status < 500 && status !== 429;
          expect([JSON.stringify(body), isAnswered ? 'answered' : text]).toEqual([
            JSON.stringify(body),
            'answered',
          ]);
          if (status === 200 && body.dryRun !== true) answered++;
        }
        expect(await used()).toBe(answered);
      });
    });
  });
}
