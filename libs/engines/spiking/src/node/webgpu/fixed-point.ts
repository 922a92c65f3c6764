import { EXCITATORY_SHARE, MEMBRANE, type ModelConstants } from '../../model-constants.js';
import type { SpikingNetwork } from '../../simulation.js';

/**
 * Units of a millivolt in which the GPU keeps the scaled currents as whole numbers. Sums of whole numbers
 * do not depend on their order, so that atomic additions in any order come to the same: a run repeats bit
 * by bit on one adapter.
 */
export interface CurrentScales {
  readonly excitatory: number;
  readonly inhibitory: number;
}

/** Finer than an f32 resolves the currents of a running network. */
const SCALE_MAX = 2 ** 22;

/**
 * More synapses than any neuron receives: targets are drawn evenly, so the number is binomial, and twelve
 * standard deviations and forty beyond its mean are never seen.
 */
function inDegreeBound(mean: number): number {
  return mean + 12 * Math.sqrt(mean) + 40;
}

/**
 * The greatest power of two with which no current can leave 31 bits, even if every source of a neuron
 * fires each time its refractory time is over.
 */
function scaleOf(inDegree: number, weightMv: number, synapseMs: number, periodMs: number, blockMs: number) {
  const train = 1 / (1 - Math.exp(-periodMs / synapseMs));
  const peakMv = inDegreeBound(inDegree) * weightMv * train * Math.exp(blockMs / synapseMs);
  return Math.min(SCALE_MAX, 2 ** Math.floor(Math.log2(2 ** 31 / peakMv)));
}

/** @example currentScales(network, deriveConstants(network)).excitatory // 2 ** 21 for K = 80 */
export function currentScales(network: SpikingNetwork, constants: ModelConstants): CurrentScales {
  const { dtMs, outDegree, plasticity } = network;
  const periodMs = (constants.refractorySteps + 1) * dtMs;
  const blockMs = constants.blockSteps * dtMs;
  const excitatoryMv = Math.max(MEMBRANE.excitatoryWeightMv, plasticity?.wMaxMv ?? 0);
  const { excitatoryTimeMs, inhibitoryTimeMs, inhibitoryWeightMv } = MEMBRANE;
  const excitatoryInDegree = outDegree * EXCITATORY_SHARE;
  const inhibitoryInDegree = outDegree - excitatoryInDegree;
  return {
    excitatory: scaleOf(excitatoryInDegree, excitatoryMv, excitatoryTimeMs, periodMs, blockMs),
    inhibitory: scaleOf(inhibitoryInDegree, -inhibitoryWeightMv, inhibitoryTimeMs, periodMs, blockMs),
  };
}
