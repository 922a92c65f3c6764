import { Inject, Injectable } from '@nestjs/common';
import { type SnnRequest, SnnRequest as SnnRequestSchema } from '@svc/contracts';
import { parseOrProblem, problem } from '@svc/platform';
import type { DeterminedRatio } from '@svc/inference';
import type { RunProgress } from '../calls/progress-board.js';
import { QUICK_THREADS } from '../compute/compute.providers.js';
import { ComputeThreads } from '../compute/compute-threads.js';
import type { SimulationPlan } from '../simulation/simulation-plan.js';
import type { RunPlace } from '../simulation/simulation-reply.js';
import { SimulationService } from '../simulation/simulation.service.js';

/**
 * Neurons that are simulated at most: ten seconds of more would take minutes. The number is the same on every machine, with a GPU
 * too, so that answers can be compared; the ratio is that of the dynamics, and not of the size.
 */
export const ATTRACTOR_NEURONS_MAX = 100_000;
const DT_MS = 0.1;
/** Before it the network still feels the potentials that it began with. */
const WARMUP_MS = 1_000;
const DURATION_MS = 10_000;
const BIN_MS = 4;
const ESTIMATE_MS_MAX = 20_000;
/** Share of the work that the simulation is. */
const SIMULATION_SHARE = 0.95;

/** What the tool answers. */
export interface AttractorAnswer {
  readonly activeSpikes: number;
  readonly branchingRatioSigma: number;
  readonly neuronCount: number;
  readonly durationMs: number;
  readonly warmupMs: number;
  readonly meanRateHz: number;
  readonly sigmaInterval: readonly [number, number];
  readonly amplitude: number;
  readonly fitError: number;
  readonly naiveRatio: number;
  readonly timeConstantMs: number;
  /** Where a disturbance does not die away at once but swings: the ratio is that of its envelope then. */
  readonly oscillationHz?: number;
  readonly binMs: number;
  readonly seed: number;
  /** Where the network was simulated, and on which GPU. */
  readonly backend: RunPlace['backend'];
  readonly adapter?: string;
  readonly stateHash: string;
}

/**
 * The branching ratio of the service's network: ten seconds of it, then multistep regression over the spikes of all neurons in
 * bins of 4 ms. A GPU simulates it where one is, and the answer says so. Weights stay as they are: with plasticity they drift, and
 * the estimate asks for a stationary network.
 */
@Injectable()
export class Attractor {
  constructor(
    private readonly simulations: SimulationService,
    @Inject(QUICK_THREADS) private readonly threads: ComputeThreads,
  ) {}

  /** @throws ProblemError QUEUE_FULL and the like, before any work or payment */
  admit(neuronCount: number): void {
    this.simulations.assertRoom(this.plan(neuronCount, 0), 'sync');
  }

  /** @throws ProblemError UNPROCESSABLE where no ratio can be told; as simulations do; the signal's reason */
  async measure(
    neuronCount: number,
    seed: number,
    { signal, note }: { signal: AbortSignal; note: RunProgress['note'] },
  ): Promise<AttractorAnswer> {
    const plan = this.plan(neuronCount, seed);
    const { result, place } = await this.simulations.simulate(plan, {
      signal,
      note: (share, stage) => note(SIMULATION_SHARE * share, stage),
      mode: 'sync',
    });
    note(SIMULATION_SHARE, 'estimating');
    const { populationRate, spikeCount, meanRateHz, stateHash, adapter } = result;
    const simulated = plan.network.neuronCount;
    // Rates are counts by neurons and width: whole numbers again.
    const spikes = Float64Array.from(populationRate.ratesHz, rateHz =>
      Math.round((rateHz * simulated * BIN_MS) / 1_000),
    );
    const task = { spikes, binMs: BIN_MS, seed };
    const ratio = await this.threads.run('branchingRatio', task, { signal, timeoutMs: ESTIMATE_MS_MAX });
    if (!ratio.determined) {
      const { reason, message, bins } = ratio;
      throw problem('UNPROCESSABLE', `The branching ratio cannot be told: ${message}`, {
        extensions: { reason, bins, neuronCount: simulated, durationMs: DURATION_MS, meanRateHz },
      });
    }
    const run = { activeSpikes: spikeCount, neuronCount: simulated, meanRateHz, seed, stateHash };
    return answerOf(ratio, {
      ...{ ...run, backend: place.backend },
      ...(adapter === undefined ? {} : { adapter }),
    });
  }

  private plan(neuronCount: number, seed: number): SimulationPlan {
    const request: SnnRequest = parseOrProblem(SnnRequestSchema, {
      neuronCount: Math.min(neuronCount, ATTRACTOR_NEURONS_MAX),
      iterations: Math.round(DURATION_MS / DT_MS),
      warmupSteps: Math.round(WARMUP_MS / DT_MS),
      dtMs: DT_MS,
      seed,
      // No neuron of the smallest network has more synapses than there are others.
      outDegree: Math.min(80, neuronCount - 1),
      plasticity: { rule: 'none' },
      backend: 'auto',
      record: { binMs: BIN_MS },
    });
    return this.simulations.plan(request);
  }
}

function answerOf(
  { sigma, interval, b, fitError, naive, timeConstantMs, oscillationHz, binMs }: DeterminedRatio,
  {
    activeSpikes,
    neuronCount,
    meanRateHz,
    ...identity
  }: Pick<
    AttractorAnswer,
    'activeSpikes' | 'neuronCount' | 'meanRateHz' | 'seed' | 'backend' | 'adapter' | 'stateHash'
  >,
): AttractorAnswer {
  return {
    activeSpikes,
    branchingRatioSigma: sigma,
    ...{ neuronCount, durationMs: DURATION_MS, warmupMs: WARMUP_MS, meanRateHz },
    sigmaInterval: [interval[0], interval[1]],
    ...{ amplitude: b, fitError, naiveRatio: naive, timeConstantMs, binMs, ...identity },
    ...(oscillationHz === undefined ? {} : { oscillationHz }),
  };
}
