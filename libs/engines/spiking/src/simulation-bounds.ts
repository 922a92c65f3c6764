import type { Plasticity, SpikingNetwork, SpikingRun } from './simulation.js';

/** Least and greatest value of a parameter. */
export interface ParameterBound {
  readonly min: number;
  readonly max: number;
  /** Only whole numbers. */
  readonly integer?: boolean;
}

/** What the engine simulates at all; a service may allow less. */
export const SIMULATION_BOUNDS = {
  neuronCount: { min: 1, max: 4_000_000, integer: true },
  /** 0 is a network without synapses: what its neurons alone cost. */
  outDegree: { min: 0, max: 10_000, integer: true },
  dtMs: { min: 0.01, max: 1 },
  delayMs: { min: 0, max: 100 },
  seed: { min: 0, max: 2 ** 32 - 1, integer: true },
  aPlus: { min: 0, max: 1 },
  aMinus: { min: 0, max: 1 },
  tauPlusMs: { min: 1, max: 1_000 },
  tauMinusMs: { min: 1, max: 1_000 },
  wMaxMv: { min: 0.01, max: 100 },
  iterations: { min: 1, max: 100_000, integer: true },
  warmupSteps: { min: 0, max: 100_000, integer: true },
  rasterNeurons: { min: 0, max: 4_000_000, integer: true },
  rateHistogramBins: { min: 1, max: 1_000, integer: true },
  binMs: { min: 0.01, max: 100_000 },
} as const satisfies Record<string, ParameterBound>;

/** Name of a parameter that has a bound. */
export type BoundedParameter = keyof typeof SIMULATION_BOUNDS | 'bytes';

/** A parameter outside of what the engine simulates. */
export class SpikingParameterError extends Error {
  override readonly name = 'SpikingParameterError';
  readonly code = 'SPIKING_PARAMETER';

  constructor(
    readonly parameter: BoundedParameter,
    readonly min: number,
    readonly max: number,
    readonly got: number,
    what = 'a number',
  ) {
    super(`${parameter} must be ${what} from ${min} to ${max}, got ${got}`);
  }
}

function checkBound(parameter: keyof typeof SIMULATION_BOUNDS, got: number): void {
  const bound: ParameterBound = SIMULATION_BOUNDS[parameter];
  // Written so that NaN fails too.
  const inside = got >= bound.min && got <= bound.max && (!bound.integer || Number.isInteger(got));
  if (inside) return;
  throw new SpikingParameterError(
    parameter,
    bound.min,
    bound.max,
    got,
    bound.integer ? 'a whole number' : 'a number',
  );
}

function checkPlasticity(plasticity: Plasticity): void {
  for (const name of ['aPlus', 'aMinus', 'tauPlusMs', 'tauMinusMs', 'wMaxMv'] as const) {
    checkBound(name, plasticity[name]);
  }
}

/**
 * @throws {SpikingParameterError} for the first parameter that is outside of {@link SIMULATION_BOUNDS}
 */
export function checkSimulation(network: SpikingNetwork, run: SpikingRun): void {
  for (const name of ['neuronCount', 'outDegree', 'dtMs', 'delayMs', 'seed'] as const) {
    checkBound(name, network[name]);
  }
  if (network.plasticity) checkPlasticity(network.plasticity);
  for (const name of ['iterations', 'warmupSteps'] as const) checkBound(name, run[name]);
  const { recording } = run;
  for (const name of ['rateHistogramBins', 'binMs'] as const) checkBound(name, recording[name]);
  checkBound('rasterNeurons', recording.rasterNeurons);
  if (recording.rasterNeurons > network.neuronCount) {
    const max = network.neuronCount;
    throw new SpikingParameterError('rasterNeurons', 0, max, recording.rasterNeurons, 'a whole number');
  }
}
