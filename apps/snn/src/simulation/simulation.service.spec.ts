import { jest } from '@jest/globals';
import { SnnRequest } from '@svc/contracts';
import { type MeasurementRegistry } from '@svc/platform';
import { type SpikingResult } from '@svc/spiking';
import { SpikingThreadError } from '@svc/spiking/node';
import type { ComputeThreads } from '../compute/compute-threads.js';
import { snnLimitsOf } from '../snn-config.js';
import { FrameRates } from './frame-rates.js';
import { SimulationService } from './simulation.service.js';
import type { RunSize, SpikingEngines } from './spiking-engines.js';

/** An engine that takes one run at a time, as WasmSpiking does, and ends it when it is told. */
class HeldEngine {
  readonly runs: (() => void)[] = [];
  private isBusy = false;

  async simulate(): Promise<SpikingResult> {
    if (this.isBusy) throw new SpikingThreadError('SPIKING_BUSY', 'a run is already under way');
    this.isBusy = true;
    await new Promise<void>(resolve => this.runs.push(resolve));
    this.isBusy = false;
    return { meanRateHz: 6, loopMs: 1 } as SpikingResult;
  }

  async close(): Promise<void> {}
}

const turn = () => new Promise(resolve => setImmediate(resolve));
afterEach(() => jest.restoreAllMocks());

it('runs what waited among large ones there, though the service has learnt meanwhile that it is small', async () => {
  const wasm: Record<RunSize, HeldEngine> = { small: new HeldEngine(), large: new HeldEngine() };
  const service = new SimulationService(
    { wasm, gpu: async () => ({ available: false, reason: 'none' }) } as unknown as SpikingEngines,
    new FrameRates({} as MeasurementRegistry),
    {} as ComputeThreads,
    { ...snnLimitsOf({}), threadsDefault: 1, threadsMax: 1 },
  );
  const runOf = (iterations: number) => {
    const plan = service.plan(SnnRequest.parse({ neuronCount: 10_000, iterations, threads: 1 }));
    const { estimateMs } = service.assertRoom(plan, 'sync');
    return { estimateMs, done: service.simulate(plan, { mode: 'sync' }) };
  };
  const first = runOf(100_000);
  const waits = runOf(16_500);
  const small = runOf(1_000);
  expect([first, waits, small].map(({ estimateMs }) => estimateMs > 500)).toEqual([true, true, false]);
  while (wasm.large.runs.length + wasm.small.runs.length < 2) await turn();
  // Far below what was expected of it, and long enough to be learnt from.
  const takenMs = performance.now() + 110;
  jest.spyOn(performance, 'now').mockReturnValue(takenMs);
  wasm.large.runs[0]();
  await first.done;
  while (wasm.large.runs.length < 2) await turn();
  const again = service.plan(SnnRequest.parse({ neuronCount: 10_000, iterations: 16_500, threads: 1 }));
  expect(service.assertRoom(again, 'sync').estimateMs).toBeLessThan(500);
  expect([wasm.small.runs.length, wasm.large.runs.length]).toEqual([1, 2]);
  wasm.large.runs[1]();
  wasm.small.runs[0]();
  await Promise.all([waits.done, small.done]);
});
