import 'reflect-metadata';
import { pingProcedure, snnContract } from '@svc/contracts';
import { packed, type SnnOnBus, startSnnOnBus } from './snn-on-bus.js';

const NETWORK = { neuronCount: 2_000, iterations: 500, seed: 7 };

describe('the service of spiking networks and inference', () => {
  let snn: SnnOnBus;

  beforeAll(async () => {
    snn = await startSnnOnBus();
  });
  afterAll(() => snn?.close());

  it('simulates a network, and gives the same request the same state whatever the threads and the connectivity', async () => {
    const { client } = snn;
    const solve = (more: object) => client.call(snnContract.solve, { request: { ...NETWORK, ...more } });
    const first = await solve({ record: { rasterNeurons: 100, svg: true } });
    expect(first).toMatchObject({ seed: 7, backend: 'wasm', memoryKind: 'host', connectivity: 'procedural' });
    expect(first.spikeCount).toBeGreaterThan(100);
    expect(first.raster!.length).toBeGreaterThan(0);
    expect(first.rasterTruncated).toBe(false);
    expect(first.svg!.raster).toMatch(/^<svg[\s\S]*<\/svg>\s*$/);
    expect(first.weights!.meanMv).toBeGreaterThan(0);
    const second = await solve({ connectivity: 'stored', threads: 1 });
    expect([second.stateHash, second.spikeCount]).toEqual([first.stateHash, first.spikeCount]);
    expect(second.connectivity).toBe('stored');
    const other = await solve({ plasticity: { rule: 'none' } });
    expect(other.stateHash).not.toBe(first.stateHash);
    expect(other.weights).toBeUndefined();
  });

  it('draws a seed where none is given, and answers it', async () => {
    const { client } = snn;
    const request = { ...NETWORK, seed: undefined };
    const [a, b] = [
      await client.call(snnContract.solve, { request }),
      await client.call(snnContract.solve, { request }),
    ];
    expect(a.seed).not.toBe(b.seed);
    const again = await client.call(snnContract.solve, { request: { ...NETWORK, seed: a.seed } });
    expect(again.stateHash).toBe(a.stateHash);
  });

  it('admits what it can run, with what that takes', async () => {
    const admission = await snn.client.call(snnContract.admitSolve, {
      request: { neuronCount: 1_000_000, plasticity: { rule: 'none' } },
    });
    expect(admission).toMatchObject({ backend: 'wasm', memoryKind: 'host', synapses: 80_000_000, waitMs: 0 });
    expect(admission.memoryMb).toBeGreaterThan(10);
    expect(admission.memoryMb).toBeLessThan(40);
    expect(admission.seconds).toBeGreaterThan(0);
  });

  it('solves a graph that it has admitted', async () => {
    const request = {
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
    const graph = packed(request);
    const admitted = await snn.client.call(snnContract.admitGraph, { graph });
    expect(admitted).toEqual({ seconds: expect.any(Number), waitMs: 0 });
    const reply = await snn.client.call(snnContract.solveGraph, { graph });
    expect(reply).toMatchObject({
      exact: true,
      valid: true,
      objective: 5,
      path: [0, 1, 2],
      solution: [0, 2, 5, -1],
    });
    expect(reply.requestDigest).toHaveLength(32);
  });

  it('infers states and an action', async () => {
    const request = {
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
    const model = packed(request);
    // Four policies of six numbers each, and next to no sums.
    expect((await snn.client.call(snnContract.admitInference, { model })).workUnits).toBeCloseTo(0.024, 3);
    const reply = await snn.client.call(snnContract.infer, { model });
    expect(reply.F).toBeCloseTo(1.1239300967, 9);
    expect(reply.policies).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(reply.action).toBe(1);
  });

  it('says why there are no figures yet', async () => {
    const { measurements } = await snn.client.call(pingProcedure('snn'), {});
    expect(measurements.snnFramerateFps).toMatchObject({ value: 0, samples: 0, reason: expect.any(String) });
    expect(measurements.fepSurprisal).toMatchObject({ value: 0, samples: 0, reason: expect.any(String) });
  });
});
