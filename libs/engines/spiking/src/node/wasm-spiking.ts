import { WEIGHT_UNITS } from '../model-constants.js';
import { boundedRaster, summarizeRun, weightMoments } from '../run-summary.js';
import { checkSimulation } from '../simulation-bounds.js';
import {
  type RasterSpike,
  RASTER_SPIKES_MAX,
  type RunOptions,
  type SpikingNetwork,
  type SpikingResult,
  type SpikingRun,
} from '../simulation.js';
import { type Hash64, stateHash } from '../state-hash.js';
import { layOutRun, type RunLayout, writeRun } from '../wasm/run-layout.js';
import { RunControl } from './run-control.js';
import { RunMemory } from './run-memory.js';
import { loadSpikingModule } from './spiking-module.js';
import { SpikingThreadError, SpikingThreads } from './spiking-threads.js';

/** More threads than this gain nothing at any size that is admitted. */
export const SPIKING_THREADS_MAX = 64;

const PROGRESS_INTERVAL_MS = 100;

/** Runs networks on the WASM kernels, in threads on one shared memory a run. One run at a time for each instance. */
export class WasmSpiking {
  private readonly threads = new SpikingThreads();
  private readonly memory = new RunMemory();
  private isBusy = false;
  private isClosed = false;

  private constructor(private readonly module: WebAssembly.Module) {}

  /** @throws Error if the kernels have not been built */
  static async open(): Promise<WasmSpiking> {
    return new WasmSpiking(await loadSpikingModule());
  }

  /**
   * Simulates a network. Its result is a function of network and run: threads and connectivity change times and bytes alone.
   *
   * @throws {SpikingParameterError} for a parameter out of bounds
   * @throws RangeError for a number of threads that is not in 1 … 64, or when the memory is not to be had
   * @throws {SpikingThreadError} when a thread is lost, or another run is under way
   * @throws the signal's reason
   */
  async simulate(network: SpikingNetwork, run: SpikingRun, options: RunOptions): Promise<SpikingResult> {
    checkSimulation(network, run);
    const { threads } = options;
    if (!Number.isInteger(threads) || threads < 1 || threads > SPIKING_THREADS_MAX) {
      throw new RangeError(`threads must be an integer in 1…${SPIKING_THREADS_MAX}, got ${threads}`);
    }
    options.signal?.throwIfAborted();
    if (this.isClosed) throw new SpikingThreadError('SPIKING_CLOSED', 'the simulator was closed');
    if (this.isBusy) throw new SpikingThreadError('SPIKING_BUSY', 'a run is already under way');
    this.isBusy = true;
    try {
      return await this.runOnce(network, run, options);
    } finally {
      this.isBusy = false;
    }
  }

  /** Ends the threads; a run that is under way rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.threads.close();
    this.memory.letGoOfKept();
  }

  private async runOnce(
    network: SpikingNetwork,
    run: SpikingRun,
    options: RunOptions,
  ): Promise<SpikingResult> {
    const beginNs = Number(process.hrtime.bigint());
    const layout = layOutRun(network, run, options.connectivity, options.threads);
    const { constants, wiring } = layout;
    const threads = layout.scratch.length;
    const memory = this.memory.take(layout);
    writeRun(memory.buffer, layout, network, run, options.connectivity);
    const control = new RunControl(run.recording.rasterNeurons > 0);
    const stepCount = run.warmupSteps + run.iterations;
    const { blockSteps } = constants;
    // End of the build, of the warm-up, and of each block or part of one after it.
    const times = new Float64Array(new SharedArrayBuffer(8 * (2 + layout.segments)));
    const job = {
      module: this.module,
      memory,
      control: control.words.buffer,
      times: times.buffer,
      tallyAt: layout.regions.tally.at,
      parametersAt: layout.regions.parameters.at,
      threads,
      isPlastic: network.plasticity !== undefined,
      sectorCount: wiring.sectors.count,
      blockSteps,
      warmupSteps: run.warmupSteps,
      stepCount,
      // Without recorded neurons there are no bits that say which.
      rasterSpikesMax: run.recording.rasterNeurons > 0 ? RASTER_SPIKES_MAX : 0,
    };
    const jobs = layout.scratch.map((scratch, thread) => ({ ...job, scratch, thread }));
    let areThreadsDone = false;
    try {
      await this.watched(control, stepCount, options, async () => {
        await this.threads.run(jobs, options.niceness ?? 0, () => control.end());
        areThreadsDone = true;
      });
    } finally {
      if (areThreadsDone && !this.isClosed) this.memory.keep(memory);
      else this.memory.letGo(memory.buffer.byteLength);
    }
    return {
      ...readResult(memory.buffer, layout, network, run),
      ...readTimes(times, beginNs, run.warmupSteps, stepCount, blockSteps),
      bytesAllocated: memory.buffer.byteLength + layout.controlBytes,
      threads,
    };
  }

  /** Tells of progress, and ends the run when the signal says so. */
  private async watched(
    control: RunControl,
    stepCount: number,
    { signal, onProgress }: RunOptions,
    work: () => Promise<void>,
  ): Promise<void> {
    const onAbort = (): void => control.end();
    signal?.addEventListener('abort', onAbort, { once: true });
    const timer =
      onProgress && setInterval(() => onProgress(control.stepsDone, stepCount), PROGRESS_INTERVAL_MS);
    try {
      await work();
      signal?.throwIfAborted();
      onProgress?.(stepCount, stepCount);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }
}

function readResult(
  memory: ArrayBufferLike,
  layout: RunLayout,
  network: SpikingNetwork,
  run: SpikingRun,
): Omit<SpikingResult, 'buildMs' | 'loopMs' | 'stepMs' | 'bytesAllocated' | 'threads'> {
  const { regions, wiring, constants } = layout;
  const { spikeCounts, stepSpikes, digests, tally } = regions;
  const stepCount = run.warmupSteps + run.iterations;
  const states: Hash64[] = [];
  const weights: Hash64[] = [];
  let sum = 0;
  let squares = 0n;
  for (let sector = 0; sector < wiring.sectors.count; sector++) {
    const at = digests.at + 32 * sector;
    const [stateLow, stateHigh, weightsLow, weightsHigh] = new Uint32Array(memory, at, 4);
    states.push({ low: stateLow, high: stateHigh });
    if (!network.plasticity) continue;
    weights.push({ low: weightsLow, high: weightsHigh });
    const sums = new BigUint64Array(memory, at + 16, 2);
    sum += Number(sums[0]);
    squares += sums[1];
  }
  const [rasterSpikes, truncatedHistories] = new Uint32Array(memory, tally.at, 2);
  return {
    ...summarizeRun(network, run, {
      neuronsBySpikes: new Uint32Array(memory, spikeCounts.at, layout.spikeCountEntries),
      spikesPerStep: new Uint32Array(memory, stepSpikes.at, stepCount),
    }),
    ...readRaster(memory, layout, rasterSpikes),
    stateHash: stateHash([...states, ...weights]),
    ...(network.plasticity && {
      weights: {
        ...weightMoments(
          constants.excitatoryCount * network.outDegree,
          sum,
          squares,
          network.plasticity.wMaxMv / WEIGHT_UNITS,
        ),
        truncatedHistories,
      },
    }),
  };
}

/** The threads write in the order in which they come by; a whole block is always complete. */
function readRaster(
  memory: ArrayBufferLike,
  { regions }: RunLayout,
  spikes: number,
): Pick<SpikingResult, 'raster' | 'rasterTruncated'> {
  const words = new Uint32Array(memory, regions.raster.at, 2 * spikes);
  const raster: RasterSpike[] = Array.from({ length: spikes }, (_, k) => ({
    neuron: words[2 * k + 1],
    stepIndex: words[2 * k],
  }));
  raster.sort((left, right) => left.stepIndex - right.stepIndex || left.neuron - right.neuron);
  return boundedRaster(raster, RASTER_SPIKES_MAX);
}

/** From the clock of the threads, ns. */
function readTimes(
  times: Float64Array,
  beginNs: number,
  warmupSteps: number,
  stepCount: number,
  blockSteps: number,
): Pick<SpikingResult, 'buildMs' | 'loopMs' | 'stepMs'> {
  const stepMs = new Float64Array(times.length - 2);
  let step = warmupSteps;
  let beforeNs = times[1];
  for (let k = 0; k < stepMs.length; k++) {
    const end = Math.min(step - (step % blockSteps) + blockSteps, stepCount);
    stepMs[k] = (times[k + 2] - beforeNs) / 1e6 / (end - step);
    beforeNs = times[k + 2];
    step = end;
  }
  return { buildMs: (times[0] - beginNs) / 1e6, loopMs: (beforeNs - times[1]) / 1e6, stepMs };
}
