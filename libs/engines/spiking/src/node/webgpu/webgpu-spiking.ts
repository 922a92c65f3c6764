import { wiringOf } from '../../connectivity.js';
import { deriveConstants, type ModelConstants, WEIGHT_UNITS } from '../../model-constants.js';
import {
  boundedRaster,
  neuronsBySpikes,
  type RunTally,
  summarizeRun,
  weightMoments,
} from '../../run-summary.js';
import { checkSimulation } from '../../simulation-bounds.js';
import {
  type Connectivity,
  RASTER_SPIKES_MAX,
  type RasterSpike,
  type RunOptions,
  type SpikingNetwork,
  type SpikingResult,
  type SpikingRun,
} from '../../simulation.js';
import { type Hash64, stateHash, WordHash } from '../../state-hash.js';
import { stdpTables } from '../../stdp-tables.js';
import {
  BATCH_STEPS_MAX,
  type BufferPlan,
  planBuffers,
  plannedBytes,
  rasterBegin,
  rasterCapacity,
  rowWords,
  tableWords,
  variantOf,
} from './buffers.js';
import { type CurrentScales, currentScales } from './fixed-point.js';
import { GpuRun, WebGpuLostError } from './gpu-run.js';
import { LOG_HEADER } from './kernel-layout.js';
import { RESTING_BELOW_MV } from './shaders.js';
import type { UniformSource } from './uniforms.js';

/** How long a batch of steps should take: so soon does a run end when it is told to. */
const BATCH_MS = 20;

/** Steps of the first batch, before it is known how long one takes. */
const FIRST_BATCH_STEPS = 16;

/** Progress is told about so often. */
const PROGRESS_MS = 100;

/** State of a network at the end of a run, in the units of the reference. */
export interface SpikingState {
  /** Membrane potentials relative to rest, mV; −∞ for a neuron that rests after a spike. */
  readonly potentials: Float32Array;
  /** Currents, scaled to the begin of the block, mV. */
  readonly currentsE: Float32Array;
  readonly currentsI: Float32Array;
  /** Plastic weights, row by row. */
  readonly weights?: Uint16Array;
}

interface Prepared {
  readonly source: UniformSource;
  readonly plan: BufferPlan;
}

/**
 * The network on a GPU. It draws the same graph and the same first potentials from a seed as the other
 * backends, and repeats bit by bit on one adapter; other adapters and other backends differ from it by
 * roundings, which a recurrent network makes grow. So its `stateHash` begins with `webgpu:`.
 */
export class WebGpuSpiking {
  /** Where the bytes of a run lie. */
  readonly memoryKind = 'gpu';
  private lost?: GPUDeviceLostInfo;

  /**
   * @param device with the limits that runs need; `openWebGpu` asks for all that its adapter has
   * @param adapter what the adapter calls itself
   */
  constructor(
    private readonly device: GPUDevice,
    readonly adapter: string,
  ) {
    void device.lost.then(info => (this.lost = info));
  }

  /**
   * Bytes that a run would take.
   *
   * @throws {SpikingParameterError} for a parameter out of bounds
   * @throws {WebGpuLimitError} when a buffer is larger than the adapter binds
   */
  estimateBytes(network: SpikingNetwork, run: SpikingRun, connectivity: Connectivity): number {
    return plannedBytes(this.prepare(network, run, connectivity).plan);
  }

  /**
   * @param options `threads` and `niceness` mean nothing here
   * @throws {SpikingParameterError} for a parameter out of bounds
   * @throws {WebGpuLimitError} when a buffer is larger than the adapter binds
   * @throws {WebGpuDeviceError} when the GPU has too little memory, or its driver fails
   * @throws {WebGpuLostError} when the GPU went away
   */
  async simulate(network: SpikingNetwork, run: SpikingRun, options: RunOptions): Promise<SpikingResult> {
    const { result } = await this.simulateWithState(network, run, options, false);
    return result;
  }

  /** As {@link simulate}, and with the state at the end: what is compared with the reference. */
  async simulateWithState(
    network: SpikingNetwork,
    run: SpikingRun,
    options: RunOptions,
    withState = true,
  ): Promise<{ readonly result: SpikingResult; readonly state?: SpikingState }> {
    const { source, plan } = this.prepare(network, run, options.connectivity);
    this.checkHere();
    options.signal?.throwIfAborted();
    const buildBegin = performance.now();
    const gpu = await this.create(source, plan, options.connectivity);
    try {
      const buildMs = performance.now() - buildBegin;
      const steps = run.warmupSteps + run.iterations;
      await this.loop(gpu, 0, run.warmupSteps, steps, options);
      const loopBegin = performance.now();
      const stepMs = await this.loop(gpu, run.warmupSteps, run.iterations, steps, options);
      const loopMs = performance.now() - loopBegin;
      const counted = await readCounted(gpu, network, run);
      const hashed = await hashState(gpu, source, withState);
      this.checkHere();
      const result: SpikingResult = {
        ...counted,
        ...hashed.result,
        buildMs,
        loopMs,
        stepMs: Float64Array.from(stepMs),
        bytesAllocated: plannedBytes(plan),
        threads: 0,
        adapter: this.adapter,
      };
      return { result, state: hashed.state };
    } catch (error) {
      this.checkHere();
      throw error;
    } finally {
      gpu.destroy();
    }
  }

  /** Gives the device back; runs that are under way fail. */
  close(): void {
    this.device.destroy();
  }

  private checkHere(): void {
    if (this.lost) throw new WebGpuLostError(`the GPU is lost: ${this.lost.message || this.lost.reason}`);
  }

  private prepare(network: SpikingNetwork, run: SpikingRun, connectivity: Connectivity): Prepared {
    checkSimulation(network, run);
    const constants = deriveConstants(network);
    const tables =
      network.plasticity && network.outDegree > 0 ? stdpTables(network.plasticity, network.dtMs) : undefined;
    // Without synapses there is nothing plastic.
    const effective = tables ? network : { ...network, plasticity: undefined };
    const source: UniformSource = {
      network: effective,
      run,
      wiring: wiringOf(network),
      constants,
      scales: currentScales(network, constants),
      tables,
      tableWords: tables && tableWords(tables),
    };
    return { source, plan: planBuffers(effective, run, connectivity, constants, tables, this.device.limits) };
  }

  private async create(source: UniformSource, plan: BufferPlan, connectivity: Connectivity): Promise<GpuRun> {
    try {
      return await GpuRun.create(this.device, source, variantOf(source.network, connectivity), plan);
    } catch (error) {
      this.checkHere();
      throw error;
    }
  }

  /**
   * Two batches are with the device at a time, so that it never waits for the host.
   *
   * @returns wall time of a step in each batch, ms
   */
  private async loop(
    gpu: GpuRun,
    first: number,
    count: number,
    stepCount: number,
    { signal, onProgress }: RunOptions,
  ): Promise<number[]> {
    const stepMs: number[] = [];
    let under: { readonly end: number; readonly steps: number; readonly done: Promise<unknown> } | undefined;
    let behind = performance.now();
    let told = behind;
    let batchSteps = FIRST_BATCH_STEPS;
    const finish = async (batch: NonNullable<typeof under>): Promise<void> => {
      await batch.done;
      this.checkHere();
      const now = performance.now();
      const ms = (now - behind) / batch.steps;
      behind = now;
      stepMs.push(ms);
      const fitting = Math.floor(BATCH_MS / Math.max(ms, 1e-6));
      // No faster than twofold: the first batches are no measure.
      batchSteps = Math.max(1, Math.min(BATCH_STEPS_MAX, 2 * batchSteps, fitting));
      if (now - told < PROGRESS_MS) return;
      told = now;
      onProgress?.(batch.end, stepCount);
    };
    for (let next = 0; next < count;) {
      const steps = Math.min(batchSteps, count - next);
      const done = gpu.steps(first + next, steps);
      // Its failure is met below; until then it is no unhandled one.
      done.catch(() => undefined);
      next += steps;
      const before = under;
      under = { end: first + next, steps, done };
      if (before) await finish(before);
      if (signal?.aborted) break;
    }
    if (under) await finish(under);
    signal?.throwIfAborted();
    return stepMs;
  }
}

async function readCounted(gpu: GpuRun, network: SpikingNetwork, run: SpikingRun) {
  const steps = run.warmupSteps + run.iterations;
  const log = await gpu.words('log');
  const begins = log.subarray(LOG_HEADER);
  // The number of all spikes wraps at 2^32; differences of neighbours do not mind.
  const spikesPerStep = Uint32Array.from(
    { length: steps },
    (_, t) => (t + 1 < steps ? begins[t + 1] : log[0]) - begins[t],
  );
  const tally: RunTally = { neuronsBySpikes: neuronsBySpikes(await gpu.words('counts')), spikesPerStep };
  return { ...summarizeRun(network, run, tally), ...(await readRaster(gpu, network, run)) };
}

async function readRaster(gpu: GpuRun, network: SpikingNetwork, run: SpikingRun) {
  const capacity = rasterCapacity(run.recording.rasterNeurons);
  if (capacity === 0) return { raster: [], rasterTruncated: false };
  const words = await gpu.words('raster');
  const begin = rasterBegin(network.neuronCount);
  const spikes: RasterSpike[] = Array.from({ length: Math.min(words[0], capacity) }, (_, k) => ({
    neuron: words[begin + 2 * k],
    stepIndex: words[begin + 2 * k + 1],
  }));
  spikes.sort((a, b) => a.stepIndex - b.stepIndex || a.neuron - b.neuron);
  return boundedRaster(spikes, RASTER_SPIKES_MAX);
}

/** Hashes the whole state chunk by chunk, and keeps it where it is asked for. */
async function hashState(gpu: GpuRun, source: UniformSource, withState: boolean) {
  const digests: Hash64[] = [];
  const kept: Partial<Record<'potentials' | 'currents' | 'weights', Uint32Array<ArrayBuffer>>> = {};
  const moments = new WeightMoments(source.network.outDegree);
  const names = ['potentials', 'currents', ...(source.tables ? (['weights'] as const) : [])] as const;
  for (const name of names) {
    const hash = new WordHash();
    if (withState) kept[name] = await gpu.words(name);
    await gpu.read(name, (chunk, beginBytes) => {
      hash.words(new Uint32Array(chunk));
      if (name === 'weights') moments.add(new Uint16Array(chunk), beginBytes / 2);
    });
    digests.push(hash.digest());
  }
  const { plasticity } = source.network;
  const truncatedHistories = plasticity ? (await gpu.words('log'))[1] : 0;
  return {
    result: {
      stateHash: `webgpu:${stateHash(digests)}`,
      ...(plasticity && {
        weights: { ...moments.result(plasticity.wMaxMv / WEIGHT_UNITS), truncatedHistories },
      }),
    },
    state: withState ? stateOf(kept, source) : undefined,
  };
}

/** Sums over the weights without the spare half word that ends each row of an odd number. */
class WeightMoments {
  private count = 0;
  private sum = 0;
  private squares = 0n;
  private readonly rowLength: number;

  constructor(private readonly outDegree: number) {
    this.rowLength = 2 * rowWords(outDegree);
  }

  add(weights: Uint16Array, begin: number): void {
    let squares = 0;
    let place = begin % this.rowLength;
    for (let i = 0; i < weights.length; i++) {
      if (place < this.outDegree) {
        const weight = weights[i];
        this.count++;
        this.sum += weight;
        squares += weight * weight;
      }
      if (++place === this.rowLength) place = 0;
    }
    this.squares += BigInt(squares);
  }

  result(unitMv: number): { readonly meanMv: number; readonly sdMv: number } {
    return weightMoments(this.count, this.sum, this.squares, unitMv);
  }
}

function stateOf(
  kept: Partial<Record<'potentials' | 'currents' | 'weights', Uint32Array<ArrayBuffer>>>,
  {
    network,
    constants,
    scales,
  }: { network: SpikingNetwork; constants: ModelConstants; scales: CurrentScales },
): SpikingState {
  const currents = new Int32Array(kept.currents!.buffer);
  const side = (offset: number, scale: number): Float32Array =>
    Float32Array.from({ length: network.neuronCount }, (_, i) => currents[2 * i + offset] / scale);
  const rowLength = 2 * rowWords(network.outDegree);
  const halves = kept.weights && new Uint16Array(kept.weights.buffer);
  return {
    potentials: new Float32Array(kept.potentials!.buffer).map(v => (v < RESTING_BELOW_MV ? -Infinity : v)),
    currentsE: side(0, scales.excitatory),
    currentsI: side(1, scales.inhibitory),
    weights:
      halves &&
      Uint16Array.from({ length: constants.excitatoryCount * network.outDegree }, (_, p) => {
        const row = Math.floor(p / network.outDegree);
        return halves[row * rowLength + (p - row * network.outDegree)];
      }),
  };
}
