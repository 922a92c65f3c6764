import type { FieldFault, SnnRequest } from '@svc/contracts';
import { problem, ProblemError } from '@svc/platform';
import {
  checkSimulation,
  type Connectivity,
  estimateMemory,
  type Plasticity,
  type SpikingNetwork,
  SpikingParameterError,
  type SpikingRun,
} from '@svc/spiking';
import { randomInt } from 'node:crypto';
import { inputProblemOf } from '../compute/input-problem.js';
import type { SnnLimits } from '../snn-config.js';

/** Everything that a simulation takes, found out before any of its work. */
export interface SimulationPlan {
  readonly network: SpikingNetwork;
  readonly run: SpikingRun;
  readonly connectivity: Connectivity;
  readonly threads: number;
  readonly backend: SnnRequest['backend'];
  readonly svg: boolean;
  /** Bytes of host memory on the backend `wasm`. */
  readonly memoryBytes: number;
  readonly synapses: number;
}

/** Bins of the rate of the population that an answer has. */
const BINS_MAX = 10_000;
const BIN_MS_DEFAULT = 4;
const RATE_BINS_DEFAULT = 50;
/** What plasticity is where a request does not say: the neurons of this service learn. */
const PLASTICITY_DEFAULT: Plasticity = {
  ...{ rule: 'stdp-nn', aPlus: 0.01, aMinus: 0.0105, tauPlusMs: 20, tauMinusMs: 20, wMaxMv: 3.24 },
};

/**
 * Reads a request as the network and the run that it means.
 * @throws ProblemError UNPROCESSABLE with field, bound and estimate: what no network can be, and what this service does not allow
 */
export function planSimulation(request: SnnRequest, limits: SnnLimits): SimulationPlan {
  const { neuronCount, outDegree, dtMs, delayMs, iterations, warmupSteps } = request;
  const { seed = randomInt(2 ** 32), connectivity = 'procedural' } = request;
  const plasticity = plasticityOf(request);
  const network: SpikingNetwork = {
    ...{ neuronCount, outDegree, dtMs, delayMs, seed },
    ...(plasticity ? { plasticity } : {}),
  };
  if (outDegree >= neuronCount) {
    const message = `is less than neuronCount, ${neuronCount}`;
    throw impossible('outDegree', message, neuronCount - 1, outDegree);
  }
  const run: SpikingRun = { iterations, warmupSteps, recording: recordingOf(request) };
  const work = neuronCount * (iterations + warmupSteps) * outDegree;
  if (work > limits.workMax) {
    const message = `neuronCount · (iterations + warmupSteps) · outDegree comes to ${work}, at most ${limits.workMax} is taken`;
    throw impossible('iterations', message, limits.workMax, work);
  }
  const threads = Math.min(request.threads ?? limits.threadsDefault, limits.threadsMax);
  const memoryBytes = memoryOf(network, run, connectivity, threads);
  // Also what no memory of WebAssembly could hold is told by the bound of this service, which is the lesser one.
  if (memoryBytes > limits.memoryBytesMax) {
    throw tooLarge(memoryBytes, limits.memoryBytesMax, connectivity, plasticity !== undefined);
  }
  return {
    ...{ network, run, connectivity, threads, memoryBytes },
    backend: request.backend,
    svg: request.record?.svg ?? false,
    synapses: neuronCount * outDegree,
  };
}

function plasticityOf({ plasticity }: SnnRequest): Plasticity | undefined {
  if (!plasticity) return PLASTICITY_DEFAULT;
  const { rule, ...parameters } = plasticity;
  return rule === 'none' ? undefined : { rule, ...parameters };
}

function recordingOf({ record, neuronCount, iterations, dtMs }: SnnRequest): SpikingRun['recording'] {
  const durationMs = iterations * dtMs;
  if (!record) {
    const binMs = Math.max(BIN_MS_DEFAULT, dtMs, durationMs / BINS_MAX);
    return { rasterNeurons: 0, rateHistogramBins: RATE_BINS_DEFAULT, binMs };
  }
  const { rasterNeurons, rateHistogramBins, binMs } = record;
  if (rasterNeurons > neuronCount) {
    const message = `is at most neuronCount, ${neuronCount}`;
    throw impossible('record.rasterNeurons', message, neuronCount, rasterNeurons);
  }
  if (binMs < dtMs) throw impossible('record.binMs', `is at least a step, ${dtMs} ms`, dtMs, binMs);
  const bins = Math.ceil(durationMs / binMs);
  if (bins > BINS_MAX) {
    const least = durationMs / BINS_MAX;
    const message = `makes ${bins} bins of ${durationMs} ms, at most ${BINS_MAX} are told: at least ${least} ms`;
    throw impossible('record.binMs', message, least, binMs);
  }
  return { rasterNeurons, rateHistogramBins, binMs };
}

function memoryOf(
  network: SpikingNetwork,
  run: SpikingRun,
  connectivity: Connectivity,
  threads: number,
): number {
  try {
    checkSimulation(network, run);
    return estimateMemory(network, run, connectivity, threads).totalBytes;
  } catch (error) {
    if (error instanceof SpikingParameterError && error.parameter === 'bytes') return error.got;
    const payload = inputProblemOf(error);
    throw payload ? new ProblemError(payload) : error;
  }
}

function tooLarge(bytes: number, max: number, connectivity: Connectivity, isPlastic: boolean): ProblemError {
  const less = [
    ...(connectivity === 'stored' ? ["connectivity 'procedural'"] : []),
    ...(isPlastic ? ["plasticity.rule 'none'"] : []),
    'a smaller outDegree',
  ];
  const message = `would take ${megabytes(bytes)} MB of memory, at most ${megabytes(max)} MB are given; ${less.join(', or ')} takes less`;
  return impossible('neuronCount', message, max, bytes);
}

/** A request that fits its schema and that nothing can be done for here. */
export function impossible(path: string, message: string, bound: unknown, got: unknown): ProblemError {
  const fault: FieldFault = { path, message, bound, ...(got === undefined ? {} : { got }) };
  return problem('UNPROCESSABLE', `${path}: ${message}`, { errors: [fault] });
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);
