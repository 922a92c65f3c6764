import fc from 'fast-check';
import { deriveConstants, MEMBRANE } from '../../model-constants.js';
import { SIMULATION_BOUNDS } from '../../simulation-bounds.js';
import type { SpikingNetwork, SpikingRun } from '../../simulation.js';
import { stdpTables } from '../../stdp-tables.js';
import { planBuffers, plannedBytes, ringCapacity, tableWords, WebGpuLimitError } from './buffers.js';
import { currentScales } from './fixed-point.js';
import { RESTING_BELOW_MV } from './shaders.js';

const run: SpikingRun = {
  iterations: 1_000,
  warmupSteps: 0,
  recording: { rasterNeurons: 0, rateHistogramBins: 10, binMs: 5 },
};
const million: SpikingNetwork = { neuronCount: 1_000_000, outDegree: 80, dtMs: 0.1, delayMs: 1.5, seed: 1 };
const plasticity = {
  rule: 'stdp-nn',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
} as const;
const large = { maxBufferSize: 2 ** 31, maxStorageBufferBindingSize: 2 ** 31 };

const anyNetwork: fc.Arbitrary<SpikingNetwork> = fc.record({
  neuronCount: fc.integer({ min: 1, max: 4_000_000 }),
  outDegree: fc.integer({ min: 0, max: 10_000 }),
  dtMs: fc.constantFrom(0.01, 0.03, 0.1, 0.25, 1),
  delayMs: fc.double({ min: 0, max: 100, noNaN: true }),
  seed: fc.constant(1),
  plasticity: fc.option(
    fc
      .double({ min: SIMULATION_BOUNDS.wMaxMv.min, max: SIMULATION_BOUNDS.wMaxMv.max, noNaN: true })
      .map(wMaxMv => ({ ...plasticity, wMaxMv })),
    { nil: undefined },
  ),
});

/** The scaled current when `inDegree` sources fire together, each time that they can, for ever. */
function worstCurrent(
  network: SpikingNetwork,
  inDegree: number,
  weightMv: number,
  synapseMs: number,
): number {
  const { refractorySteps, blockSteps } = deriveConstants(network);
  let current = 0;
  for (let spike = 0; spike < 400; spike++) {
    current = current * Math.exp((-(refractorySteps + 1) * network.dtMs) / synapseMs) + inDegree * weightMv;
  }
  return current * Math.exp(((blockSteps - 1) * network.dtMs) / synapseMs);
}

describe('currents in whole numbers', () => {
  it('never leave 31 bits, nor bring a membrane near the mark of rest', () => {
    fc.assert(
      fc.property(anyNetwork, network => {
        const scales = currentScales(network, deriveConstants(network));
        const { excitatoryTimeMs, inhibitoryTimeMs, inhibitoryWeightMv, excitatoryWeightMv } = MEMBRANE;
        // Ten standard deviations above the mean number of synapses that a neuron receives.
        const inDegree = (mean: number): number => mean + 10 * Math.sqrt(mean);
        const weight = Math.max(excitatoryWeightMv, network.plasticity?.wMaxMv ?? 0);
        const e = worstCurrent(network, inDegree(0.8 * network.outDegree), weight, excitatoryTimeMs);
        const i = worstCurrent(
          network,
          inDegree(0.2 * network.outDegree),
          -inhibitoryWeightMv,
          inhibitoryTimeMs,
        );
        expect(e * scales.excitatory).toBeLessThan(2 ** 31);
        expect(i * scales.inhibitory).toBeLessThan(2 ** 31);
        expect(-i - 60).toBeGreaterThan(RESTING_BELOW_MV / 10);
      }),
    );
  });

  it('resolve a hundred-thousandth of a millivolt in the network as it is usually run', () => {
    const { excitatory, inhibitory } = currentScales(million, deriveConstants(million));
    expect(Math.min(excitatory, inhibitory)).toBeGreaterThan(1e5);
    expect(Math.log2(excitatory) % 1).toBe(0);
  });
});

describe('the plan of a run’s buffers', () => {
  it('has room in the ring for each spike that can be under way', () => {
    fc.assert(
      fc.property(anyNetwork, network => {
        const constants = deriveConstants(network);
        const capacity = ringCapacity(network.neuronCount, constants);
        let spikesOfOne = 0;
        for (let step = 0; step < constants.delaySteps; step += constants.refractorySteps + 1) spikesOfOne++;
        expect(capacity).toBeGreaterThanOrEqual(spikesOfOne * network.neuronCount);
        expect(Math.log2(capacity) % 1).toBe(0);
      }),
    );
  });

  it('takes tens of megabytes for a million neurons, and the weights beside with plasticity', () => {
    const bytes = (network: SpikingNetwork): number => {
      const constants = deriveConstants(network);
      const tables = network.plasticity && stdpTables(network.plasticity, network.dtMs);
      return plannedBytes(planBuffers(network, run, 'procedural', constants, tables, large));
    };
    expect(bytes(million) / 1e6).toBeLessThan(40);
    expect(bytes({ ...million, plasticity }) / 1e6).toBeLessThan(450);
    expect(bytes({ ...million, plasticity }) - bytes(million)).toBeGreaterThan(2 * 0.8e6 * 80);
  });

  it('refuses what the adapter does not bind, and names the bound and the size', () => {
    const small = { maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 27 };
    const plan = () => planBuffers(million, run, 'stored', deriveConstants(million), undefined, small);
    expect(plan).toThrow(WebGpuLimitError);
    expect(plan).toThrow(expect.objectContaining({ buffer: 'targets', max: 2 ** 27, got: 320_000_000 }));
  });

  it('lays the tables one after the other', () => {
    const tables = stdpTables({ ...plasticity, rule: 'stdp-all' }, 1);
    const words = tableWords(tables);
    const { plus, minus, decayPlus, decayMinus } = tables;
    expect(words.length).toBe(
      plus.values.length + minus.values.length + decayPlus.length + decayMinus.length,
    );
    const decays = new Float32Array(words.buffer, 4 * (plus.values.length + minus.values.length));
    expect(words[0]).toBe(plus.values[0]);
    expect(words[plus.values.length]).toBe(minus.values[0]);
    expect(decays[1]).toBe(decayPlus[1]);
    expect(decays[decayPlus.length + 1]).toBe(decayMinus[1]);
  });
});
