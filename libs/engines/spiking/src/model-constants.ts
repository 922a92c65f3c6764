import type { SpikingNetwork } from './simulation.js';

/** Membrane and synapses of each neuron (Brette et al. 2007, benchmark 2: the CUBA network). */
export const MEMBRANE = {
  membraneTimeMs: 20,
  excitatoryTimeMs: 5,
  inhibitoryTimeMs: 10,
  restMv: -49,
  thresholdMv: -50,
  resetMv: -60,
  refractoryMs: 5,
  excitatoryWeightMv: 1.62,
  inhibitoryWeightMv: -9,
} as const;

/** Share of the neurons, the first ones, that are excitatory. */
export const EXCITATORY_SHARE = 0.8;

/** Steps of a block at most: how many steps pass between two barriers of the threads. */
export const BLOCK_STEPS_MAX = 16;

/** A scaled current below this becomes 0 at the end of a block, so that none of them gets denormal. */
export const CURRENT_FLOOR = Math.fround(1e-20);

/** Units of a plastic weight: it is a whole number of `wMaxMv / 65535`. */
export const WEIGHT_UNITS = 65_535;

/**
 * The numbers with which every backend computes: derived in f64, each rounded once to f32.
 *
 * Potentials are kept relative to rest: exact integration is then one product less than it reads in a
 * textbook, and an f32 near the threshold is finer by a factor of 32.
 *
 * Within a block of `blockSteps` steps the currents are kept scaled to its begin (`ge = E·de^s`), so that
 * a step writes the potential alone; the tables, one entry a step of the block, hold what the scale makes
 * of each constant.
 */
export interface ModelConstants {
  /** Share of its potential that a membrane keeps over a step. */
  readonly a: number;
  /** Potential by a unit of scaled excitatory current, a step of the block each. */
  readonly be: Float32Array;
  /** Potential by a unit of scaled inhibitory current. */
  readonly bi: Float32Array;
  /** What a static excitatory spike adds to the scaled current, mV. */
  readonly we: Float32Array;
  /** What an inhibitory spike adds to the scaled current, mV, negative. */
  readonly wi: Float32Array;
  /** What a plastic excitatory spike adds by unit of weight, mV; zeros in a network without plasticity. */
  readonly unit: Float32Array;
  /** Factors that bring the scaled currents from one block to the next. */
  readonly rescaleE: number;
  readonly rescaleI: number;
  /** Threshold and reset as all potentials are kept: relative to rest, mV. */
  readonly thresholdMv: number;
  readonly resetMv: number;
  /** Steps that a neuron rests after the step of its spike. */
  readonly refractorySteps: number;
  /** From the step in which a spike is found to the step before which it reaches its synapses. */
  readonly delaySteps: number;
  /** Steps of a block: no spike of a block acts within it. */
  readonly blockSteps: number;
  /** Neurons below this number are excitatory. */
  readonly excitatoryCount: number;
  /** Weight that each plastic synapse begins with, units; 0 without plasticity. */
  readonly initialWeight: number;
}

/** Integral of one step over a current that decays with `synapseMs`: exact, for both exponentials. */
function currentGain(dtMs: number, synapseMs: number): number {
  const { membraneTimeMs } = MEMBRANE;
  const factor = synapseMs / (synapseMs - membraneTimeMs);
  return factor * (Math.exp(-dtMs / synapseMs) - Math.exp(-dtMs / membraneTimeMs));
}

/**
 * @param driveMv a constant input to every neuron, as the potential that it adds at rest, mV: what
 *   measures a single neuron; 0 in every network that is simulated
 * @example
 * deriveConstants(network).delaySteps // 16 for 1.5 ms in steps of 0.1 ms
 */
export function deriveConstants(network: SpikingNetwork, driveMv = 0): ModelConstants {
  const { dtMs, delayMs, plasticity } = network;
  const m = MEMBRANE;
  const a = Math.exp(-dtMs / m.membraneTimeMs);
  const restMv = m.restMv + driveMv;
  // A spike of a step is at the step's end. With a delay of no step it acts from the next step on.
  const delaySteps = Math.round(delayMs / dtMs) + 1;
  const refractorySteps = Math.round(m.refractoryMs / dtMs);
  const blockSteps = Math.min(delaySteps, refractorySteps, BLOCK_STEPS_MAX);
  const gainE = currentGain(dtMs, m.excitatoryTimeMs);
  const gainI = currentGain(dtMs, m.inhibitoryTimeMs);
  const unitMv = plasticity ? plasticity.wMaxMv / WEIGHT_UNITS : 0;
  const table = (factor: number, exponentMs: number): Float32Array =>
    Float32Array.from({ length: blockSteps }, (_, s) => factor * Math.exp((s * dtMs) / exponentMs));
  return {
    a: Math.fround(a),
    be: table(gainE, -m.excitatoryTimeMs),
    bi: table(gainI, -m.inhibitoryTimeMs),
    we: table(m.excitatoryWeightMv, m.excitatoryTimeMs),
    wi: table(m.inhibitoryWeightMv, m.inhibitoryTimeMs),
    unit: table(unitMv, m.excitatoryTimeMs),
    rescaleE: Math.fround(Math.exp((-blockSteps * dtMs) / m.excitatoryTimeMs)),
    rescaleI: Math.fround(Math.exp((-blockSteps * dtMs) / m.inhibitoryTimeMs)),
    thresholdMv: Math.fround(m.thresholdMv - restMv),
    resetMv: Math.fround(m.resetMv - restMv),
    refractorySteps,
    delaySteps,
    blockSteps,
    excitatoryCount: Math.floor(EXCITATORY_SHARE * network.neuronCount),
    initialWeight: plasticity
      ? Math.min(WEIGHT_UNITS, Math.round((m.excitatoryWeightMv / plasticity.wMaxMv) * WEIGHT_UNITS))
      : 0,
  };
}
