import 'reflect-metadata';
import { pingProcedure, snnContract } from '@svc/contracts';
import { createLogger, findNatsServer, type NatsServer, startNatsServer } from '@svc/platform';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { callIdOf, packed, type SnnOnBus, startSnnOnBus } from './snn-on-bus.js';

/** A minute and more of work on one thread, were it not ended. */
const LONG = { neuronCount: 300_000, iterations: 40_000, threads: 1, seed: 1 };
const SMALL = { neuronCount: 1_000, iterations: 100, seed: 1 };
/** Turns of the event loop that a call takes itself, and more. */
const TURNS_OF_A_CALL = 50;
const HUNG_UP = { code: 'CONFLICT' };

/** Resolves when some replica has said that the call has begun. */
async function begun({ client }: SnnOnBus, callId: string): Promise<void> {
  for (let asked = 0; asked < 40; asked++) {
    const { stage } = await client.call(snnContract.callProgress, { callId, afterSeq: 1, waitMs: 500 });
    if (stage === 'simulating' || stage === 'solving') return;
  }
  throw new Error(`the call ${callId} has not begun`);
}

async function withService(
  settings: Parameters<typeof startSnnOnBus>[0],
  work: (snn: SnnOnBus) => Promise<void>,
): Promise<void> {
  const snn = await startSnnOnBus(settings);
  try {
    await work(snn);
  } finally {
    await snn.close();
  }
}

async function endsACall(snn: SnnOnBus, replicas: number): Promise<void> {
  const { client } = snn;
  const callId = callIdOf('A');
  const solving = client.call(snnContract.solve, { request: LONG, callId });
  const refused = expect(solving).rejects.toMatchObject(HUNG_UP);
  await begun(snn, callId);
  // The replicas are asked in turn, or by chance: either hears of the end, and one of them runs the call.
  const { cancelled } = await client.call(snnContract.cancelCall, { callId });
  await refused;
  if (replicas === 1) expect(cancelled).toBe(true);
  for (let i = 0; i < replicas; i++) {
    const admitted = client.call(snnContract.admitSolve, { request: LONG });
    await expect(admitted).resolves.toMatchObject({ waitMs: 0 });
    await expect(client.call(snnContract.solve, { request: SMALL, callId })).rejects.toMatchObject(HUNG_UP);
  }
}

/** Solves twice, and measures what the second time leaves to others. */
async function leavesTheEventLoop({ client }: SnnOnBus, neuronCount: number): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const request = { neuronCount, iterations: 100, seed: 3 };
  await client.call(snnContract.solve, { request });
  delay.enable();
  let isOver = false;
  const solving = client.call(snnContract.solve, { request }).finally(() => (isOver = true));
  // A run that kept the loop to itself would leave others the few turns of its call.
  let turns = 0;
  for (; !isOver; turns++) await new Promise(resolve => setImmediate(resolve));
  await solving;
  delay.disable();
  expect(turns).toBeGreaterThan(TURNS_OF_A_CALL);
  console.log(
    `event loop while ${neuronCount} neurons ran: p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms, max ${(delay.max / 1e6).toFixed(0)} ms`,
  );
  // Nothing smaller is a figure of health.
  const { measurements } = await client.call(pingProcedure('snn'), {}, { timeoutMs: 20_000 });
  expect(measurements.snnFramerateFps.samples).toBe(neuronCount < 1_000_000 ? 0 : 2);
}

/** @param sizes of the largest work: neurons, and edges of a graph */
export function describeCalls({ neuronCount, edgeCount }: { neuronCount: number; edgeCount: number }): void {
  describe('calls of the service', () => {
    it.each([1, 2])('end where they are cancelled, and free their lane, with %d replicas', replicas =>
      withService({ replicas }, snn => endsACall(snn, replicas)),
    );

    it('end over NATS too, whichever replica hears of it', async () => {
      const binary = findNatsServer();
      if (!binary) return console.log('SKIPPED: nats-server is not installed');
      const logger = createLogger('snn', { level: 'silent' });
      const dataDir = await mkdtemp(join(tmpdir(), 'svc-snn-'));
      const server: NatsServer = await startNatsServer({ binary, dataDir, logger });
      try {
        const bus = { kind: 'nats', url: server.url, token: server.token } as const;
        await withService({ replicas: 2, bus }, snn => endsACall(snn, 2));
      } finally {
        await server.stop();
        await rm(dataDir, { recursive: true, force: true });
      }
    });

    it('are taken while a large one runs, small ones beside it and large ones up to four behind it', () =>
      withService({}, async snn => {
        const { client } = snn;
        const ids = ['A', 'B', 'C', 'D', 'E'].map(callIdOf);
        const calls = [];
        for (const callId of ids) {
          calls.push(client.call(snnContract.solve, { request: LONG, callId, mode: 'task' }));
          if (calls.length === 1) await begun(snn, callId);
        }
        const ended = Promise.allSettled(calls);
        await expect(client.call(snnContract.solve, { request: SMALL })).resolves.toMatchObject({ seed: 1 });
        for (const asked of [snnContract.admitSolve, snnContract.solve]) {
          await expect(client.call(asked, { request: LONG, mode: 'task' })).rejects.toMatchObject({
            payload: { code: 'QUEUE_FULL', retryAfterSeconds: expect.any(Number) },
          });
        }
        for (const callId of ids.toReversed()) await client.call(snnContract.cancelCall, { callId });
        const outcomes = await ended;
        expect(outcomes.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
      }));

    it('end when the service closes and has waited long enough, with a word to come again', async () => {
      const snn = await startSnnOnBus({ variables: { SNN_DRAIN_SECONDS: '0' } });
      const callId = callIdOf('A');
      const solving = snn.client.call(snnContract.solve, { request: LONG, callId });
      const refused = expect(solving).rejects.toMatchObject({
        payload: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 },
      });
      await begun(snn, callId);
      await snn.close();
      await refused;
    });
  });

  it('leave the event loop to others', () => withService({}, snn => leavesTheEventLoop(snn, neuronCount)));

  it('solves a large graph from end to end', () =>
    withService({}, async ({ client }) => {
      const nodes = edgeCount / 10;
      // A chain of weight 10, and shortcuts that never pay.
      const edges = Array.from({ length: edgeCount }, (_, e) =>
        e < nodes - 1 ? [e, e + 1, 10] : [e % nodes, (e * 7_919 + 1) % nodes, 1_000_000_000],
      ).filter(([u, v]) => u !== v);
      const graph = packed({ problem: 'sssp', nodes, edges, source: 0, target: nodes - 1 });
      expect(graph.length).toBeLessThan(8_000_000);
      await client.call(snnContract.admitGraph, { graph });
      const reply = await client.call(snnContract.solveGraph, { graph });
      expect(reply).toMatchObject({ objective: 10 * (nodes - 1), valid: true, exact: true });
      expect(reply.path).toHaveLength(nodes);
      console.log(`sssp of ${edges.length} edges: ${reply.solveMs.toFixed(0)} ms`);
    }));

  it('solves sixty small graphs that come at once', () =>
    withService({}, async ({ client }) => {
      const objectives = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const edges = [
            [0, 1, i + 1],
            [1, 2, 3],
          ];
          const graph = packed({ problem: 'sssp', nodes: 3, edges, source: 0, target: 2 });
          await client.call(snnContract.admitGraph, { graph });
          return (await client.call(snnContract.solveGraph, { graph })).objective;
        }),
      );
      expect(objectives).toEqual(Array.from({ length: 60 }, (_, i) => i + 4));
    }));
}

/** What the figures of health are made of: nothing smaller. */
export function describeMillion(): void {
  describe('a million neurons', () => {
    it('are what the figures of health are made of', () =>
      withService({}, async snn => {
        const { client } = snn;
        const ping = async () =>
          (await client.call(pingProcedure('snn'), {}, { timeoutMs: 20_000 })).measurements;
        const request = { neuronCount: 1_000_000, iterations: 100, seed: 3 };
        await leavesTheEventLoop(snn, request.neuronCount);
        expect((await ping()).fepSurprisal).toMatchObject({ value: 0, samples: 0 });
        const third = await client.call(snnContract.solve, { request });
        const figures = await ping();
        expect(figures.snnFramerateFps).toMatchObject({ samples: 3, value: expect.any(Number) });
        expect(figures.snnFramerateFps.value).toBeGreaterThan(1);
        expect(Number.isFinite(figures.fepSurprisal.value)).toBe(true);
        expect(figures.fepSurprisal.samples).toBe(1);
        // What does not learn, is smaller, or is short, is no such figure.
        await client.call(snnContract.solve, { request: { ...request, plasticity: { rule: 'none' } } });
        await client.call(snnContract.solve, { request: { ...request, neuronCount: 999_999 } });
        await client.call(snnContract.solve, { request: { ...request, iterations: 99 } });
        expect((await ping()).snnFramerateFps.samples).toBe(3);
        expect(third.vramConsumedMb).toBeLessThan(450);
      }));
  });
}
