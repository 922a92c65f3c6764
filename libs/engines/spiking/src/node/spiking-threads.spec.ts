import { readdirSync, readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { collectGarbage } from '@svc/kernels/node';
import type { Plasticity, SpikingNetwork, SpikingRun } from '../simulation.js';
import { SpikingThreadError } from './spiking-threads.js';
import { WasmSpiking } from './wasm-spiking.js';

let spiking: WasmSpiking;
beforeEach(async () => {
  spiking = await WasmSpiking.open();
});
afterEach(() => spiking.close());

const NETWORK: SpikingNetwork = { neuronCount: 100_000, outDegree: 20, dtMs: 0.1, delayMs: 1.5, seed: 1 };
const SHORT: SpikingRun = {
  iterations: 40,
  warmupSteps: 0,
  recording: { rasterNeurons: 0, rateHistogramBins: 5, binMs: 1 },
};
/** Minutes of work: it ends because it is ended. */
const ENDLESS: SpikingRun = { ...SHORT, iterations: 100_000 };
const OPTIONS = { connectivity: 'procedural', threads: 2 } as const;

/** The threads of a simulator, as it has them. */
function workersOf(simulator: WasmSpiking): Worker[] {
  const { seats } = Reflect.get(simulator, 'threads') as { seats: { worker: Worker }[] };
  return seats.map(({ worker }) => worker);
}

/** A run that is under way: its first progress has been told. */
async function started(run: SpikingRun, signal?: AbortSignal): Promise<{ result: Promise<unknown> }> {
  let result: Promise<unknown> = Promise.resolve();
  await new Promise<void>(resolve => {
    const onProgress = (stepsDone: number): void => void (stepsDone > 0 && resolve());
    result = spiking.simulate(NETWORK, run, { ...OPTIONS, signal, onProgress });
    result.catch(() => undefined);
  });
  return { result };
}

it('ends with the reason of the signal, and runs again on the same threads', async () => {
  const expected = await spiking.simulate(NETWORK, SHORT, OPTIONS);
  const before = workersOf(spiking);
  const controller = new AbortController();
  const { result } = await started(ENDLESS, controller.signal);
  const reason = new Error('the client is gone');
  controller.abort(reason);
  await expect(result).rejects.toBe(reason);
  expect((await spiking.simulate(NETWORK, SHORT, OPTIONS)).stateHash).toBe(expected.stateHash);
  expect(workersOf(spiking)).toEqual(before);
  await expect(spiking.simulate(NETWORK, SHORT, { ...OPTIONS, signal: controller.signal })).rejects.toBe(
    reason,
  );
});

it('rejects when a thread is lost in a run, and runs again on a new one', async () => {
  const expected = await spiking.simulate(NETWORK, SHORT, OPTIONS);
  const { result } = await started(ENDLESS);
  const [victim, other] = workersOf(spiking);
  await victim.terminate();
  await expect(result).rejects.toThrow(SpikingThreadError);
  await expect(result).rejects.toMatchObject({ code: 'SPIKING_THREAD_FAILED' });
  expect((await spiking.simulate(NETWORK, SHORT, OPTIONS)).stateHash).toBe(expected.stateHash);
  expect(workersOf(spiking)).toContain(other);
  expect(workersOf(spiking)).not.toContain(victim);
});

it('replaces a thread that was lost between runs', async () => {
  const expected = await spiking.simulate(NETWORK, SHORT, OPTIONS);
  await workersOf(spiking)[1].terminate();
  expect((await spiking.simulate(NETWORK, SHORT, OPTIONS)).stateHash).toBe(expected.stateHash);
});

it('rejects when a kernel traps, and runs again', async () => {
  const threads = Reflect.get(spiking, 'threads') as {
    run: (jobs: readonly object[], niceness: number, onFailure: () => void) => Promise<void>;
  };
  const run = threads.run.bind(threads);
  // The second thread reads its parameters far behind the end of memory.
  threads.run = (jobs, ...rest) => run([jobs[0], { ...jobs[1], parametersAt: 0xfffffff0 }], ...rest);
  await expect(spiking.simulate(NETWORK, ENDLESS, OPTIONS)).rejects.toThrow(
    /^a kernel trapped: RuntimeError: memory access out of bounds/,
  );
  threads.run = run;
  expect((await spiking.simulate(NETWORK, SHORT, OPTIONS)).threads).toBe(2);
});

it('refuses a second run beside the first, and all once it is closed', async () => {
  const { result } = await started(ENDLESS);
  await expect(spiking.simulate(NETWORK, SHORT, OPTIONS)).rejects.toMatchObject({ code: 'SPIKING_BUSY' });
  await Promise.all([expect(result).rejects.toThrow(SpikingThreadError), spiking.close()]);
  await expect(spiking.simulate(NETWORK, SHORT, OPTIONS)).rejects.toMatchObject({ code: 'SPIKING_CLOSED' });
});

it('tells of progress that only grows, to the last step', async () => {
  const told: number[] = [];
  const run = { ...SHORT, warmupSteps: 30 };
  const onProgress = (stepsDone: number, stepCount: number): void => {
    expect(stepCount).toBe(70);
    told.push(stepsDone);
  };
  await spiking.simulate(NETWORK, run, { ...OPTIONS, onProgress });
  expect(told).toEqual([...told].sort((left, right) => left - right));
  expect(told.at(-1)).toBe(70);
});

/** The memories that are made while the work is done. */
async function memoriesMade(work: () => Promise<void>): Promise<WeakRef<WebAssembly.Memory>[]> {
  const original = WebAssembly.Memory;
  const memories: WeakRef<WebAssembly.Memory>[] = [];
  WebAssembly.Memory = class extends original {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(new WeakRef(this));
    }
  };
  try {
    await work();
  } finally {
    WebAssembly.Memory = original;
  }
  return memories;
}

it('gives the memory of a run back when one of another size follows, though the threads stay', async () => {
  const residentBytes = (): number => process.memoryUsage().rss;
  const stored = { ...OPTIONS, connectivity: 'stored' } as const;
  await spiking.simulate(NETWORK, SHORT, OPTIONS);
  const before = residentBytes();
  // 100 MB each: three of them would be seen.
  const memories = await memoriesMade(async () => {
    for (const outDegree of [500, 501, 502])
      await spiking.simulate({ ...NETWORK, outDegree }, { ...SHORT, iterations: 1 }, stored);
    await spiking.simulate(NETWORK, SHORT, OPTIONS);
  });
  await new Promise(setImmediate);
  collectGarbage();
  await new Promise(setImmediate);
  expect(memories.slice(0, 3).map(memory => memory.deref())).toEqual([undefined, undefined, undefined]);
  expect(residentBytes() - before).toBeLessThan(150e6);
});

it('gives all memory back when it is closed', async () => {
  const memories = await memoriesMade(async () => {
    const own = await WasmSpiking.open();
    await own.simulate(NETWORK, SHORT, OPTIONS);
    await own.close();
  });
  await new Promise(setImmediate);
  collectGarbage();
  expect(memories.map(memory => memory.deref())).toEqual([undefined]);
});

it('does run after run in one memory where they take as much, and none sees what was before it', async () => {
  const plasticity: Plasticity = {
    rule: 'stdp-all',
    ...{ aPlus: 0.3, aMinus: 0.3, tauPlusMs: 20, tauMinusMs: 20, wMaxMv: 20 },
  };
  const network = { ...NETWORK, neuronCount: 20_000, plasticity };
  const run = { ...SHORT, iterations: 300, recording: { ...SHORT.recording, rasterNeurons: 50 } };
  const hashOf = async (simulator: WasmSpiking, seed: number): Promise<unknown> => {
    const { stateHash, spikeCount, raster, weights } = await simulator.simulate(
      { ...network, seed },
      run,
      OPTIONS,
    );
    return { stateHash, spikeCount, raster, weights };
  };
  const apart: unknown[] = [];
  for (const seed of [1, 2, 1]) {
    const own = await WasmSpiking.open();
    apart.push(await hashOf(own, seed));
    await own.close();
  }
  const together: unknown[] = [];
  const memories = await memoriesMade(async () => {
    for (const seed of [1, 2, 1]) together.push(await hashOf(spiking, seed));
  });
  expect(memories).toHaveLength(1);
  expect(together).toEqual(apart);
});

it('lowers the priority of its own threads, and of no other, where threads have one', async () => {
  const isLinux = process.platform === 'linux';
  const nicenessOf = (thread: string): string =>
    readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1].split(' ')[16];
  const niceThreads = (): number =>
    isLinux ? readdirSync('/proc/self/task').filter(thread => nicenessOf(thread) === '6').length : 0;
  expect(niceThreads()).toBe(0);
  await spiking.simulate(NETWORK, SHORT, { ...OPTIONS, niceness: 6 });
  expect(niceThreads()).toBe(isLinux ? 2 : 0);
  await spiking.simulate(NETWORK, SHORT, OPTIONS);
  expect(niceThreads()).toBe(0);
});

it('leaves the event loop to others while it runs', async () => {
  const { result } = await started(ENDLESS);
  let hasEnded = false;
  void result.catch(() => undefined).finally(() => (hasEnded = true));
  // It never ends by itself: one that kept the loop to itself would let no turn of others come.
  for (let turns = 0; turns < 20; turns++) await new Promise(resolve => setImmediate(resolve));
  expect(hasEnded).toBe(false);
  await Promise.all([expect(result).rejects.toThrow(), spiking.close()]);
});
