import { fetchWithL402 } from '@getalby/lightning-tools/402/l402';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { verifyAuditedAnswer } from '@svc/client';
import { TOOLS, type ToolName } from '@svc/contracts';
import { HANGS_MS } from '@svc/platform/testing';
import { ADMIN_KEY } from './card-fixture.js';
import type { PaidRoute } from './paid-route-fixture.js';
import { payInvoice, post } from './paid-call.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

const ADDRESSES = ['gateway', 'department'] as const;
const PRICE = 1_000;
const NETWORK = { neuronCount: 1_000, iterations: 200, seed: 7 };
/** Longer than any test waits for it. */
const longRun = (seed: number) => ({
  ...{ neuronCount: 1_000_000, iterations: 100_000, seed },
  plasticity: { rule: 'none' },
});
const GRAPH = {
  problem: 'sssp',
  nodes: 4,
  edges: [
    [0, 1, 2],
    [1, 2, 3],
    [0, 2, 9],
  ],
  source: 0,
  target: 2,
};
/** As pymdp's known answer has it. */
const MODEL = {
  A: [
    [0.8, 0.1, 0.3],
    [0.15, 0.7, 0.2],
    [0.05, 0.2, 0.5],
  ],
  B: [
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    [
      [0.1, 0.1, 0.8],
      [0.8, 0.1, 0.1],
      [0.1, 0.8, 0.1],
    ],
  ],
  C: [2, 0, -1],
  D: [0.5, 0.3, 0.2],
  observations: [1],
  policyLength: 2,
};
/** A slope that rises and bends a little. */
const CONTOUR = Array.from({ length: 200 }, (_, i) => 120 + 0.05 * i + 0.02 * Math.sin(i / 9));
const TOOL_CALLS: [ToolName, Json][] = [
  ['evaluate_spatial_parcel_fep', { parcelId: 'plot 7', elevationContour: CONTOUR, soilConductivity: 12 }],
  ['webgpu_snn_attractor', { neuronCount: 1_000 }],
];

let route: PaidRoute;
let key: string;
const origins = { gateway: '', department: '' };

const withKey = (more: Record<string, string> = {}) => ({ 'x-svc-key': key, ...more });
const get = async (url: string, headers: Record<string, string> = {}): Promise<Json> =>
  (await fetch(url, { headers: { accept: 'application/json', ...headers } })).json() as Promise<Json>;
const balance = async () => (await get(`${origins.gateway}/v1/account`, withKey())).balanceMicroUsd as number;

/** Asks as long as something is not so yet. */
async function until<T>(ask: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (const sinceMs = Date.now(); ;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (Date.now() - sinceMs > HANGS_MS) throw new Error(`still ${JSON.stringify(value).slice(0, 400)}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** Requests of the month that are left, as an answer says. */
const leftOf = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);

/** Whether the evidence of an answer holds, by what is published alone. */
async function verdictOf(answer: Json, request: Json) {
  const { proof } = await get(`${origins.gateway}/v1/stark/proofs/${answer.auditProof.proofId as string}`);
  const { keys } = await get(`${origins.gateway}/.well-known/svc-proof-keys.json`);
  const batch = Buffer.from(proof as string, 'base64');
  return verifyAuditedAnswer({ answer, proof: batch, keys: keys as never, request });
}

/** @param shared what all suites of the file share */
export function describeNeuralDesks(shared: () => PaidRoute): void {
  describe('networks and inference at the desks', () => {
    beforeAll(async () => {
      route = shared();
      origins.gateway = route.address;
      origins.department = route.departmentAddress;
      const admin = { 'x-svc-key': ADMIN_KEY };
      const accounts = `${origins.gateway}/v1/admin/accounts`;
      const { json: account } = await post(accounts, {}, admin);
      const one = `${accounts}/${String(account.accountId)}`;
      await post(`${one}/credit`, { amountMicroUsd: 10_000_000, reason: 'test' }, admin);
      key = (await post(`${one}/keys`, {}, admin)).json.key as string;
    });

    describe.each(ADDRESSES)('the desks at the address of the %s', name => {
      const at = (path: string) => origins[name] + path;
      /** Another one at each address: the same request of one key within a minute is one purchase. */
      const network = { ...NETWORK, seed: name === 'gateway' ? 7 : 8 };
      const give = (
        deptId: string,
        capability: string,
        task: Json,
        headers = withKey({ prefer: 'wait=25' }),
      ) => post(at(`/departments/${deptId}`), { capability, task }, headers);
      const ended = (location: string) =>
        until(
          () => get(at(location)),
          ({ status }) => !['QUEUED', 'RUNNING'].includes(status as string),
        );

      it('say that they are there, and what they take', async () => {
        const { departments } = await until(
          () => get(at('/departments')),
          ({ departments: all }) =>
            (all as Json[]).filter(
              one => ['neuro', 'parcels'].includes(one.deptId as string) && one.status === 'ONLINE',
            ).length === 2,
        );
        const neuro = (departments as Json[]).find(({ deptId }) => deptId === 'neuro')!;
        expect(neuro.capabilities).toEqual(['snn.solve', 'snn.solve-graph', 'webgpu_snn_attractor']);
        expect(JSON.stringify(neuro.inputSchemas['snn.solve'])).toContain('"neuronCount"');
        expect(JSON.stringify(neuro.inputSchemas['snn.solve-graph'])).toContain('"edges"');
      });

      it('simulate as the route does: one seed, one state, whoever is asked; and the evidence holds', async () => {
        const before = await balance();
        const { status, json } = await give('neuro', 'snn.solve', network);
        expect([status, json.status, json.payment]).toEqual([200, 'COMPLETED', 'delivered']);
        expect(before - (await balance())).toBe(PRICE);
        const told = json.result as Json;
        const asked = await post(`${origins.gateway}/v1/snn/solve`, network);
        expect(asked.status).toBe(200);
        for (const field of ['stateHash', 'spikeCount', 'activeNeurons', 'synapticEvents', 'doesNotProve'])
          expect([field, told[field]]).toEqual([field, asked.json[field]]);
        expect(told.stateHash).toMatch(/^0x[0-9a-f]{16}$/);
        const read = {
          ...network,
          dtMs: 0.1,
          outDegree: 80,
          delayMs: 1.5,
          backend: 'auto',
          warmupSteps: 0,
          dryRun: false,
        };
        expect(await verdictOf(told, read)).toMatchObject({ valid: true });
        expect(await verdictOf({ ...told, spikeCount: 0 }, read)).toMatchObject({ valid: false });
        expect(await verdictOf(told, { ...read, seed: 99 })).toMatchObject({ valid: false });
      });

      it('solve a graph, and the evidence is of that graph', async () => {
        const { status, json } = await give('neuro', 'snn.solve-graph', GRAPH);
        expect([status, json.status]).toEqual([200, 'COMPLETED']);
        const result = json.result as Json;
        expect(result).toMatchObject({ exact: true, objective: 5, path: [0, 1, 2], solution: [0, 2, 5, -1] });
        expect(await verdictOf(result, GRAPH)).toMatchObject({ valid: true });
        expect(await verdictOf(result, { ...GRAPH, target: 1 })).toMatchObject({ valid: false });
      });

      it('infer what pymdp infers', async () => {
        const { status, json } = await give('parcels', 'fep.active-inference', MODEL);
        expect([status, json.status]).toEqual([200, 'COMPLETED']);
        const { F, qs } = json.result as Json;
        expect(F).toBeCloseTo(1.1239300967, 8);
        expect(qs[1]).toBeCloseTo(0.6461538462, 8);
      });

      it.each(TOOL_CALLS)('run the tool %s', async (tool, input) => {
        const desk = tool === 'webgpu_snn_attractor' ? 'neuro' : 'parcels';
        const first = await give(desk, tool, input);
        expect([200, 202]).toContain(first.status);
        const location = `/departments/${desk}/tasks/${String(first.json.taskId)}`;
        const done = await ended(location);
        expect([done.status, done.payment]).toEqual(['COMPLETED', 'delivered']);
        expect(TOOLS[tool].output.safeParse(done.result).success).toBe(true);
        expect(await verdictOf(done.result, { ...TOOLS[tool].input.parse(input) })).toMatchObject({
          valid: true,
        });
      });

      it('tell how far a long run is, end it where it is called off, and give its payment back', async () => {
        const before = await balance();
        const long = longRun(name === 'gateway' ? 1 : 2);
        const { status, headers, json } = await give(
          'neuro',
          'snn.solve',
          long,
          withKey({ prefer: 'respond-async' }),
        );
        expect([status, json.status]).toEqual([202, 'QUEUED']);
        const location = headers.get('location')!;
        await until(
          () => get(at(location)),
          ({ progress = 0 }) => progress > 0,
        );
        const response = await fetch(at(location), { method: 'DELETE' });
        expect([response.status, ((await response.json()) as Json).status]).toEqual([200, 'CANCELLED']);
        expect(await ended(location)).toMatchObject({ status: 'CANCELLED', payment: 'returned' });
        expect(await balance()).toBe(before);
        // What it held is free again at once.
        expect((await give('neuro', 'snn.solve', { ...network, seed: network.seed + 10 })).json.status).toBe(
          'COMPLETED',
        );
      });

      it.each<[string, string, string, Json, number, string]>([
        ['no neurons', 'neuro', 'snn.solve', { neuronCount: 0 }, 400, 'task.neuronCount'],
        ['10^9 neurons', 'neuro', 'snn.solve', { neuronCount: 1e9 }, 400, 'task.neuronCount'],
        ['an estimate, which is no task', 'neuro', 'snn.solve', { dryRun: true }, 422, 'task.dryRun'],
        [
          'a loop',
          'neuro',
          'snn.solve-graph',
          { ...GRAPH, edges: [[1, 1, 1]] },
          422,
          expect.stringMatching(/^task\.edges/) as unknown as string,
        ],
        [
          'an empty contour',
          'parcels',
          'evaluate_spatial_parcel_fep',
          { parcelId: 'plot 7', elevationContour: [] },
          400,
          'task.elevationContour',
        ],
        [
          'columns that sum to less than 1',
          'parcels',
          'fep.active-inference',
          { ...MODEL, D: [0.5, 0.3, 0.1] },
          422,
          'task.D',
        ],
      ])('refuse %s, naming it, and charge nothing', async (_what, desk, capability, task, status, path) => {
        const before = await balance();
        const { status: refused, json } = await give(desk, capability, task);
        expect([refused, (json.errors as Json[])[0].path]).toEqual([status, path]);
        expect(await balance()).toBe(before);
      });
    });

    describe('a route that goes on as a task', () => {
      it('is within the quota, done at the desk neuro, and stays counted where it is called off after it has begun', async () => {
        const solve = (body: Json) =>
          post(`${origins.gateway}/v1/snn/solve`, body, { prefer: 'respond-async' });
        const { status, headers, json } = await solve(NETWORK);
        expect([status, json.deptId]).toEqual([202, 'neuro']);
        const left = leftOf(headers);
        const done = await until(
          () => get(origins.gateway + headers.get('location')!),
          ({ status: state }) => state === 'COMPLETED',
        );
        expect(done).toMatchObject({ payment: 'delivered', result: { stateHash: expect.any(String) } });
        expect(done).not.toHaveProperty('receipt');
        const long = await solve(longRun(3));
        const task = origins.gateway + long.headers.get('location')!;
        await until(
          () => get(task),
          ({ progress = 0 }) => progress > 0,
        );
        await fetch(task, { method: 'DELETE' });
        expect(
          await until(
            () => get(task),
            ({ status: state }) => state === 'CANCELLED',
          ),
        ).toMatchObject({
          payment: 'delivered',
        });
        const after = await post(`${origins.gateway}/v1/snn/solve`, NETWORK);
        expect(leftOf(after.headers)).toBe(left - 2);
      });
    });

    describe.each(TOOL_CALLS)('the tool %s', (tool, input) => {
      const path = () => `${origins.gateway}/v1/tools/${tool}`;
      const isAnswer = (answer: Json) => expect(TOOLS[tool].output.safeParse(answer).error).toBeUndefined();

      it('is paid over HTTP by an unmodified client of L402', async () => {
        const wallet = {
          payInvoice: async ({ invoice }: { invoice: string }) => ({
            preimage: await payInvoice(origins.gateway, invoice),
          }),
        };
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
        };
        const response = await fetchWithL402(path(), init, { wallet });
        expect(response.status).toBe(200);
        isAnswer((await response.json()) as Json);
      });

      it('is called over MCP by the SDK’s client, held to the published schema', async () => {
        const client = new Client({ name: 'a client', version: '1' });
        const transport = new StreamableHTTPClientTransport(new URL(`${origins.gateway}/mcp`), {
          requestInit: { headers: withKey() },
        });
        await client.connect(transport);
        await client.listTools();
        const before = await balance();
        const { structuredContent, isError } = (await client.callTool(
          { name: tool, arguments: input },
          undefined,
          { timeout: 120_000 },
        )) as Json;
        await client.close();
        expect(isError ?? false).toBe(false);
        isAnswer(structuredContent as Json);
        expect(before - (await balance())).toBe(PRICE);
      });

      it('is executed as a saga on a ticket', async () => {
        const challenge = await fetch(`${origins.gateway}/v1/x402/challenge?tool=${tool}`);
        const { invoice } = (await challenge.json()) as Json;
        const macaroon = /macaroon="([^"]+)"/.exec(challenge.headers.get('www-authenticate')!)![1];
        const paid = {
          authorization: `L402 ${macaroon}:${await payInvoice(origins.gateway, invoice as string)}`,
        };
        const { json: bought } = await post(`${origins.gateway}/v1/x402/verify`, {}, paid);
        const { status, json } = await post(`${origins.gateway}/v1/x402/execute`, input, {
          'x-execution-ticket': bought.ticket as string,
        });
        expect([status, json.status]).toEqual([200, 'COMPLETED']);
        isAnswer(json);
        expect(await verdictOf(json, { ...TOOLS[tool].input.parse(input) })).toMatchObject({ valid: true });
      });
    });
  });
}
