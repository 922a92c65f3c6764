import 'reflect-metadata';
import { jest } from '@jest/globals';
import { snnContract } from '@svc/contracts';
import { deflateRawSync } from 'node:zlib';
import { ComputeThreads } from '../src/compute/compute-threads.js';
import { packed, type SnnOnBus, startSnnOnBus } from './snn-on-bus.js';

const GRAPH = {
  problem: 'sssp',
  nodes: 4,
  edges: [
    [0, 1, 2],
    [1, 2, 3],
  ],
  source: 0,
};
const MODEL = {
  A: [
    [0.9, 0.2],
    [0.1, 0.8],
  ],
  B: [
    [
      [1, 0],
      [0, 1],
    ],
  ],
  C: [0, 1],
  D: [0.5, 0.5],
  observations: [0],
};

describe('what the service refuses, before any work', () => {
  let snn: SnnOnBus;

  beforeAll(async () => {
    // A gigabyte less than by default, so that a test can ask for too much and the plan is all that is made of it.
    snn = await startSnnOnBus({ variables: { SNN_MEMORY_MB_MAX: '500', SNN_WORK_MAX: '9e12' } });
  });
  afterAll(() => snn?.close());

  it.each([
    ['no neurons', { neuronCount: 0 }, 'VALIDATION_FAILED', 'neuronCount', 100],
    ['less than none', { neuronCount: -1 }, 'VALIDATION_FAILED', 'neuronCount', 100],
    ['half a neuron', { neuronCount: 1.5 }, 'VALIDATION_FAILED', 'neuronCount', 'int'],
    ['a billion neurons', { neuronCount: 1e9 }, 'VALIDATION_FAILED', 'neuronCount', 4_000_000],
    ['ten million steps', { iterations: 1e7 }, 'VALIDATION_FAILED', 'iterations', 100_000],
    ['more synapses than neurons', { neuronCount: 100, outDegree: 100 }, 'UNPROCESSABLE', 'outDegree', 99],
    ['too much work', { neuronCount: 4_000_000, iterations: 100_000 }, 'UNPROCESSABLE', 'iterations', 9e12],
    [
      'too much work before the first counted step',
      { neuronCount: 4_000_000, iterations: 1, warmupSteps: 100_000 },
      'UNPROCESSABLE',
      'iterations',
      9e12,
    ],
    ['too much memory', { neuronCount: 4_000_000, iterations: 10 }, 'UNPROCESSABLE', 'neuronCount', 500e6],
    [
      'more memory than there can be',
      { neuronCount: 4_000_000, iterations: 1, outDegree: 2_000 },
      'UNPROCESSABLE',
      'neuronCount',
      500e6,
    ],
    [
      'too much time for an open connection',
      { iterations: 100_000, threads: 1 },
      'UNPROCESSABLE',
      'iterations',
      100_000,
    ],
    [
      'a raster of more neurons than there are',
      { neuronCount: 100, outDegree: 9, record: { rasterNeurons: 101 } },
      'UNPROCESSABLE',
      'record.rasterNeurons',
      100,
    ],
    ['bins narrower than a step', { dtMs: 1, record: { binMs: 0.5 } }, 'UNPROCESSABLE', 'record.binMs', 1],
    [
      'more bins than are told',
      { neuronCount: 1_000, iterations: 100_000, dtMs: 1, record: { binMs: 1 } },
      'UNPROCESSABLE',
      'record.binMs',
      10,
    ],
    [
      'time constants below what is simulated',
      { plasticity: { tauPlusMs: 0.5 } },
      'VALIDATION_FAILED',
      'plasticity.tauPlusMs',
      1,
    ],
    ['an unknown field', { neurons: 5 }, 'VALIDATION_FAILED', 'neurons', undefined],
  ])(
    '%s: names field, bound and value, and asks nobody to run it',
    async (_name, request, code, path, bound) => {
      const asked = [
        snn.client.call(snnContract.admitSolve, { request: request as never }),
        snn.client.call(snnContract.solve, { request: request as never }),
      ];
      for (const call of asked) {
        const error = await call.then(
          () => undefined,
          (reason: { code: string; payload: { errors: { path: string }[]; detail: string } }) => reason,
        );
        expect(error).toMatchObject({ code });
        // Under the contract the request is a member of the message.
        const fault = error!.payload.errors.find(each => each.path.replace(/^request\./, '') === path);
        expect(fault).toMatchObject(bound === undefined ? { path: expect.any(String) } : { bound });
      }
    },
  );

  it('says with the bound what would be taken, and how a longer run is asked for', async () => {
    const long = { neuronCount: 1_000_000, iterations: 100_000, threads: 1 };
    await expect(snn.client.call(snnContract.admitSolve, { request: long })).rejects.toMatchObject({
      payload: { detail: expect.stringMatching(/at most 100 s.*Prefer: respond-async/) },
    });
    await expect(
      snn.client.call(snnContract.admitSolve, { request: long, mode: 'task' }),
    ).resolves.toMatchObject({ seconds: expect.any(Number) });
  });

  it.each([
    ['not deflated', Buffer.from('{}'), 'VALIDATION_FAILED', 'graph'],
    ['not JSON', packed('{"problem":'), 'MALFORMED_JSON', ''],
    ['not UTF-8', deflateRawSync(Buffer.from([0x22, 0xff, 0x22])), 'MALFORMED_JSON', ''],
    ['a member named twice', packed('{"nodes":1,"nodes":2}'), 'MALFORMED_JSON', ''],
    ['a forbidden key', packed('{"__proto__":{"nodes":2}}'), 'MALFORMED_JSON', ''],
    ['nested too deep', packed('['.repeat(100_000)), 'MALFORMED_JSON', ''],
    ['no object', packed('[]'), 'VALIDATION_FAILED', ''],
    ['nothing in it', packed('{}'), 'VALIDATION_FAILED', 'problem'],
    ['an unknown problem', packed({ ...GRAPH, problem: 'tsp' }), 'VALIDATION_FAILED', 'problem'],
    ['an unknown field', packed({ ...GRAPH, colour: 1 }), 'VALIDATION_FAILED', 'colour'],
    ['no nodes', packed({ ...GRAPH, nodes: 0 }), 'VALIDATION_FAILED', 'nodes'],
    ['a tuple of two', packed({ ...GRAPH, edges: [[0, 1]] }), 'VALIDATION_FAILED', 'edges[0]'],
    [
      'text for a node',
      packed({
        ...GRAPH,
        edges: [
          [0, 1, 2],
          ['1', 2, 3],
        ],
      }),
      'VALIDATION_FAILED',
      'edges[1][0]',
    ],
    [
      'a weight that no double holds',
      packed('{"problem":"sssp","nodes":2,"edges":[[0,1,1e400]],"source":0}'),
      'VALIDATION_FAILED',
      'edges[0][2]',
    ],
    [
      'a loop',
      packed({
        ...GRAPH,
        edges: [
          [0, 1, 2],
          [2, 2, 3],
        ],
      }),
      'UNPROCESSABLE',
      'edges[1]',
    ],
    ['a negative weight', packed({ ...GRAPH, edges: [[0, 1, -2]] }), 'UNPROCESSABLE', 'edges[0][2]'],
    ['an unknown node', packed({ ...GRAPH, edges: [[0, 4, 2]] }), 'UNPROCESSABLE', 'edges[0][1]'],
    ['no source', packed({ ...GRAPH, source: undefined }), 'UNPROCESSABLE', 'source'],
    [
      'more work than a call may have',
      packed({ problem: 'mis', nodes: 100_000, edges: [], steps: 1e6 }),
      'UNPROCESSABLE',
      'steps',
    ],
  ] as const)('a graph: %s', async (_name, graph, code, path) => {
    for (const asked of [snnContract.admitGraph, snnContract.solveGraph]) {
      const call = snn.client.call(asked, { graph: Uint8Array.from(graph) });
      await expect(call).rejects.toMatchObject({
        code,
        payload: { errors: expect.arrayContaining([expect.objectContaining({ path })]) },
      });
    }
  });

  it('a graph whose text is longer than its route takes, however well it packs', async () => {
    const graph = packed(`{"problem":"${' '.repeat(33_554_432)}"}`);
    expect(graph.length).toBeLessThan(100_000);
    await expect(snn.client.call(snnContract.admitGraph, { graph })).rejects.toMatchObject({
      payload: { code: 'BODY_TOO_LARGE', errors: [{ bound: 33_554_432 }] },
    });
  });

  it('names thirty-two faults of a graph at most', async () => {
    const edges = Array.from({ length: 100 }, () => [0, 1, 'x']);
    const error = await snn.client
      .call(snnContract.admitGraph, { graph: packed({ ...GRAPH, edges }) })
      .catch(reason => reason);
    expect(error.payload.errors).toHaveLength(32);
  });

  it.each([
    ['not deflated', Buffer.from('{}'), 'VALIDATION_FAILED', 'model'],
    ['not JSON', packed('{"A":'), 'MALFORMED_JSON', ''],
    ['not UTF-8', deflateRawSync(Buffer.from([0x22, 0xff, 0x22])), 'MALFORMED_JSON', ''],
    ['a member named twice', packed('{"A":1,"A":2}'), 'MALFORMED_JSON', ''],
    ['a forbidden key', packed('{"__proto__":{"A":2}}'), 'MALFORMED_JSON', ''],
    ['nested too deep', packed('['.repeat(100_000)), 'MALFORMED_JSON', ''],
    ['no object', packed('[]'), 'VALIDATION_FAILED', ''],
    ['nothing in it', packed('{}'), 'VALIDATION_FAILED', 'A'],
    ['an unknown field', packed({ ...MODEL, states: 2 }), 'VALIDATION_FAILED', 'states'],
    ['more bytes than its route takes', packed(' '.repeat(8_388_609)), 'BODY_TOO_LARGE', ''],
  ] as const)('a model: %s', async (_name, model, code, path) => {
    for (const asked of [snnContract.admitInference, snnContract.infer]) {
      await expect(snn.client.call(asked, { model: Uint8Array.from(model) })).rejects.toMatchObject({
        code,
        payload: { errors: expect.arrayContaining([expect.objectContaining({ path })]) },
      });
    }
  });

  it.each([
    [
      'columns that do not sum to 1',
      'A[*][0]',
      {
        A: [
          [0.9, 0.2],
          [0.2, 0.8],
        ],
      },
    ],
    ['shapes that do not fit', 'D', { D: [1] }],
    ['a negative probability', 'D[0]', { D: [1.5, -0.5] }],
    ['an observation that there is not', 'observations[0]', { observations: [2] }],
    [
      'more policies than are scored',
      'policyLength',
      {
        B: Array.from({ length: 64 }, () => [
          [1, 0],
          [0, 1],
        ]),
        policyLength: 8,
      },
    ],
    [
      'an impossible observation',
      'observations[0] of infer alone',
      {
        A: [
          [1, 1],
          [0, 0],
        ],
        observations: [1],
      },
    ],
  ])('a model: %s', async (_name, where, more) => {
    const [path, inferAlone] = where.split(' of ');
    const model = packed({ ...MODEL, ...more });
    const asked = inferAlone ? [snnContract.infer] : [snnContract.admitInference, snnContract.infer];
    for (const procedure of asked) {
      const error = await snn.client.call(procedure, { model }).catch(reason => reason);
      expect(['UNPROCESSABLE', 'VALIDATION_FAILED']).toContain(error.code);
      expect(error.payload.errors[0].path).toBe(path);
    }
  });

  it('a model: looks at its numbers beside the event loop', async () => {
    // As many as a model may have, none of them a number.
    const request = { ...MODEL, B: Array(64).fill(Array(12).fill(Array(255).fill('half'))) };
    const model = packed(request);
    const { run } = ComputeThreads.prototype;
    const did: string[] = [];
    const threads = jest.spyOn(ComputeThreads.prototype, 'run').mockImplementation(async function (
      this: ComputeThreads,
      kind,
      input,
      options,
    ) {
      const refused: Error = await run.call(this, kind, input, options).then(
        () => new Error('it was taken'),
        error => error as Error,
      );
      did.push(`${kind} refused by a thread`);
      // The event loop has others' turns while nobody knows here what is wrong with the model.
      await snn.client.call(snnContract.admitSolve, { request: { neuronCount: 1_000 } });
      did.push('another answered');
      throw refused;
    });
    try {
      const refused = await snn.client.call(snnContract.admitInference, { model }).catch(error => error);
      did.push('answered');
      expect(refused.payload.errors[0]).toMatchObject({ path: 'B[0][0][0]', got: 'half' });
      expect(did).toEqual(['readModel refused by a thread', 'another answered', 'answered']);
    } finally {
      threads.mockRestore();
    }
  });

  it('says that there is no GPU where one is asked for by name', async () => {
    const request = { neuronCount: 1_000, backend: 'webgpu' as const };
    await expect(snn.client.call(snnContract.solve, { request })).rejects.toMatchObject({
      payload: { code: 'UNPROCESSABLE', errors: [{ path: 'backend', got: 'webgpu' }] },
    });
  });
});
