import { Inject, Injectable } from '@nestjs/common';
import {
  type SimulationReply,
  SNN_RUN_MS_MAX,
  SNN_SYNC_MS_MAX,
  type SnnAdmission,
  type SnnRequest,
} from '@svc/contracts';
import { isSettledCall, problem, ProblemError, WorkLane } from '@svc/platform';
import type { RunOptions, SpikingResult } from '@svc/spiking';
import { SpikingThreadError, type WebGpuSpiking } from '@svc/spiking/node';
import type { RunProgress } from '../calls/progress-board.js';
import { ComputeThreads } from '../compute/compute-threads.js';
import { inputProblemOf } from '../compute/input-problem.js';
import { QUICK_THREADS } from '../compute/compute.providers.js';
import { SNN_LIMITS, type SnnLimits } from '../snn-config.js';
import { FrameRates } from './frame-rates.js';
import { impossible, planSimulation, type SimulationPlan } from './simulation-plan.js';
import { type RunPictures, type RunPlace, simulationReply } from './simulation-reply.js';
import { SimulationSpeed } from './simulation-speed.js';
import { NICENESS, type RunSize, SpikingEngines } from './spiking-engines.js';

/** How whoever asks waits: on an open connection, or as a task. */
export type WaitMode = 'sync' | 'task';

/** What a caller is told of, and how it ends the run. */
export interface SimulationObserver {
  readonly signal?: AbortSignal;
  readonly note?: RunProgress['note'];
  readonly mode: WaitMode;
}

/** A run that is over, and where it was made. */
export interface SimulatedRun {
  readonly result: SpikingResult;
  readonly place: RunPlace;
}

/** Runs that are expected to take so long, in so little memory, do not wait behind large ones. */
const SMALL = { estimateMs: 500, memoryBytes: 64_000_000 };
const WAITING_MAX: Readonly<Record<RunSize, number>> = { small: 64, large: 4 };
const DRAW_MS_MAX = 10_000;
const TOTAL_MS_MAX: Readonly<Record<WaitMode, number>> = { sync: SNN_SYNC_MS_MAX, task: SNN_RUN_MS_MAX };

const laneOf = (size: RunSize) =>
  new WorkLane({
    name: `${size} simulations`,
    waitingMax: WAITING_MAX[size],
    waitMsMax: SNN_RUN_MS_MAX,
    unitMsFirst: 1,
  });

/** Admits, queues and makes simulations: one large run at a time, which takes every core, and a small one beside it. */
@Injectable()
export class SimulationService {
  private readonly lanes: Readonly<Record<RunSize, WorkLane>> = {
    small: laneOf('small'),
    large: laneOf('large'),
  };
  private readonly speed = new SimulationSpeed();

  constructor(
    private readonly engines: SpikingEngines,
    private readonly rates: FrameRates,
    @Inject(QUICK_THREADS) private readonly threads: ComputeThreads,
    @Inject(SNN_LIMITS) private readonly limits: SnnLimits,
  ) {}

  /** @throws ProblemError UNPROCESSABLE with bound and estimate, QUEUE_FULL: before any work or payment */
  async admit(request: SnnRequest, mode: WaitMode): Promise<SnnAdmission> {
    const plan = this.plan(request);
    const gpu = await this.gpuFor(plan);
    const { estimateMs, waitMs } = this.assertRoom(plan, mode);
    return {
      memoryMb: (gpu ? gpu.bytes : plan.memoryBytes) / 1e6,
      memoryKind: gpu ? 'gpu' : 'host',
      backend: gpu ? 'webgpu' : 'wasm',
      connectivity: plan.connectivity,
      threads: plan.threads,
      synapses: plan.synapses,
      seconds: estimateMs / 1_000,
      waitMs: Math.round(waitMs),
    };
  }

  /** @throws ProblemError as {@link admit}; the signal's reason */
  async solve(request: SnnRequest, observer: SimulationObserver): Promise<SimulationReply> {
    const plan = this.plan(request);
    const { result, place } = await this.simulate(plan, observer);
    const svg = plan.svg ? await this.draw(plan, result, observer) : undefined;
    return simulationReply(plan, result, place, svg);
  }

  /** @throws ProblemError UNPROCESSABLE with bound and estimate */
  plan(request: SnnRequest): SimulationPlan {
    return planSimulation(request, this.limits);
  }

  /**
   * Estimates of a run and of the wait before it.
   * @throws ProblemError UNPROCESSABLE for what would take too long by itself, QUEUE_FULL for what would behind others
   */
  assertRoom(plan: SimulationPlan, mode: WaitMode): { estimateMs: number; waitMs: number } {
    const estimateMs = this.speed.estimateMs(plan);
    const maxMs = TOTAL_MS_MAX[mode];
    if (estimateMs > maxMs) {
      const async =
        mode === 'sync' ? ' on an open connection; a longer run is asked for with Prefer: respond-async' : '';
      const message = `is expected to take ${Math.ceil(estimateMs / 1_000)} s here, at most ${maxMs / 1_000} s are given${async}`;
      throw impossible('iterations', message, maxMs, Math.round(estimateMs));
    }
    const waitMs = this.lanes[this.sizeOf(plan)].assertRoom();
    if (isSettledCall() || waitMs + estimateMs <= maxMs) return { estimateMs, waitMs };
    throw tooManyAhead(waitMs, maxMs);
  }

  /** Makes a run when its turn comes. @throws ProblemError as {@link admit}; the signal's reason */
  async simulate(plan: SimulationPlan, observer: SimulationObserver): Promise<SimulatedRun> {
    const gpu = await this.gpuFor(plan);
    const { estimateMs } = this.assertRoom(plan, observer.mode);
    // Told once: while it waits the service learns, and a lane has one engine, which takes one run.
    const size = this.sizeOf(plan);
    const late = new AbortController();
    const signal = observer.signal ? AbortSignal.any([observer.signal, late.signal]) : late.signal;
    const maxMs = TOTAL_MS_MAX[observer.mode];
    let hasBegun = false;
    const timer = setTimeout(
      () => late.abort(hasBegun ? tookTooLong(maxMs) : tooManyAhead(estimateMs, maxMs)),
      maxMs,
    );
    observer.note?.(0, 'queued');
    try {
      const work = () => {
        hasBegun = true;
        return this.run(plan, size, gpu?.spiking, { ...observer, signal });
      };
      return await this.lanes[size].run(estimateMs, work, { signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : runProblemOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private async run(
    plan: SimulationPlan,
    size: RunSize,
    gpu: WebGpuSpiking | undefined,
    { signal, note }: SimulationObserver,
  ): Promise<SimulatedRun> {
    const { network, run, connectivity, threads } = plan;
    note?.(0, 'simulating');
    const options: RunOptions = {
      ...{ connectivity, threads, niceness: NICENESS[size], signal },
      onProgress: (done, count) => note?.(done / count, 'simulating'),
    };
    const startedAt = performance.now();
    const onGpu = gpu && (await this.runOnGpu(plan, gpu, options));
    const result = onGpu ?? (await this.engines.wasm[size].simulate(network, run, options));
    if (!onGpu) this.speed.learn(plan, result, performance.now() - startedAt);
    this.rates.note(network, run.iterations, result.loopMs);
    return {
      result,
      place: onGpu ? { backend: 'webgpu', memoryKind: 'gpu' } : { backend: 'wasm', memoryKind: 'host' },
    };
  }

  /** A GPU that goes away while it was the service's own choice is no reason not to answer. */
  private async runOnGpu(
    { network, run, backend }: SimulationPlan,
    gpu: WebGpuSpiking,
    options: RunOptions,
  ): Promise<SpikingResult | undefined> {
    try {
      return await gpu.simulate(network, run, options);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (code !== 'WEBGPU_LOST' && code !== 'WEBGPU_DEVICE') throw error;
      if (code === 'WEBGPU_LOST') this.engines.forgetGpu();
      if (backend === 'auto') return undefined;
      const detail = 'The GPU failed during the simulation; the next one may find it again';
      throw problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 5, cause: error });
    }
  }

  /**
   * The GPU that a run is for, and what it takes there; undefined for the backend `wasm`.
   * @throws ProblemError UNPROCESSABLE where it is asked for and not there, or too small
   */
  private async gpuFor(plan: SimulationPlan): Promise<{ spiking: WebGpuSpiking; bytes: number } | undefined> {
    if (plan.backend === 'wasm') return undefined;
    const opening = await this.engines.gpu();
    if (!opening.available) {
      if (plan.backend === 'auto') return undefined;
      const message = `is not to be had here: ${opening.reason}; 'wasm' and 'auto' are`;
      throw impossible('backend', message, ['auto', 'wasm'], 'webgpu');
    }
    const { spiking } = opening;
    try {
      return { spiking, bytes: spiking.estimateBytes(plan.network, plan.run, plan.connectivity) };
    } catch (error) {
      const { code, max, got } = error as { code?: unknown; max?: number; got?: number };
      if (code !== 'WEBGPU_LIMIT') throw error;
      if (plan.backend === 'auto') return undefined;
      throw impossible('backend', `webgpu: ${(error as Error).message}`, max, got);
    }
  }

  private draw(
    plan: SimulationPlan,
    { raster, rasterTruncated, populationRate, rateHistogram, meanRateHz }: SpikingResult,
    { signal, note }: SimulationObserver,
  ): Promise<RunPictures> {
    note?.(1, 'drawing');
    const { network, run } = plan;
    const drawn = {
      ...{ rasterTruncated, populationRate, rateHistogram, meanRateHz },
      spikes: Int32Array.from(raster.flatMap(({ neuron, stepIndex }) => [neuron, stepIndex])),
      rasterNeurons: run.recording.rasterNeurons,
      ...{ neuronCount: network.neuronCount, iterations: run.iterations, dtMs: network.dtMs },
    };
    return this.threads.run('draw', drawn, { signal, timeoutMs: DRAW_MS_MAX });
  }

  private sizeOf(plan: SimulationPlan): RunSize {
    const isSmall = this.speed.estimateMs(plan) <= SMALL.estimateMs && plan.memoryBytes <= SMALL.memoryBytes;
    return isSmall ? 'small' : 'large';
  }
}

const tooManyAhead = (waitMs: number, maxMs: number) =>
  problem(
    'QUEUE_FULL',
    `The simulations ahead take about ${Math.ceil(waitMs / 1_000)} s, and with its own time a run has ${maxMs / 1_000} s`,
    { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) },
  );

const tookTooLong = (maxMs: number) =>
  impossible(
    'iterations',
    `took longer than the ${maxMs / 1_000} s that a run has, and was ended`,
    maxMs,
    undefined,
  );

/** What an engine throws, as the problem that its caller gets. */
function runProblemOf(error: unknown): unknown {
  const payload = inputProblemOf(error);
  if (payload) return new ProblemError(payload);
  if (error instanceof SpikingThreadError) {
    const detail = 'The simulation lost a thread; the next one gets fresh ones';
    return problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof RangeError) {
    const detail = 'The memory for the simulation is not to be had now';
    return problem('OVERLOADED', detail, { retryAfterSeconds: 10, cause: error });
  }
  return error;
}
