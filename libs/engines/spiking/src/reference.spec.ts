import { readFileSync } from 'node:fs';
import { PlainNetwork } from '../testing/plain-network.js';
import { initialPotentialMv, wiringOf } from './connectivity.js';
import { WEIGHT_UNITS } from './model-constants.js';
import { simulateReference } from './reference.js';
import { ReferenceNetwork } from './reference-network.js';
import type { Plasticity, SpikingNetwork } from './simulation.js';

const NETWORK: SpikingNetwork = { neuronCount: 600, outDegree: 60, dtMs: 0.1, delayMs: 1.5, seed: 11 };
// Small amplitudes: no weight reaches a bound, where the order of the changes would count.
const STDP: Plasticity = {
  rule: 'stdp-nn',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
};
// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { abs, max } = Math;
const RESTING = -Infinity;

const RECORDING = { rasterNeurons: 50, rateHistogramBins: 20, binMs: 5 };

function plainOf(network: SpikingNetwork): PlainNetwork {
  const wiring = wiringOf(network);
  return new PlainNetwork(
    network,
    Array.from({ length: network.neuronCount }, (_, i) => initialPotentialMv(wiring, i) - 49),
  );
}

/** Both networks with the reference's spikes; how far apart potentials and thresholds get, mV. */
function sideBySide(network: SpikingNetwork, steps: number) {
  const fast = new ReferenceNetwork(network);
  const plain = plainOf(network);
  let [potentialMv, thresholdMv, spikeCount] = [0, 0, 0];
  for (let step = 0; step < steps; step++) {
    const spikes = fast.step().map(({ source }) => source);
    spikeCount += spikes.length;
    const { reached } = plain.step(spikes);
    const spiked = new Set(spikes);
    for (let j = 0; j < reached.length; j++) {
      // What was decided about a spike, by how much the exact potential disagrees.
      if (spiked.has(j)) thresholdMv = max(thresholdMv, -50 - reached[j]);
      else {
        thresholdMv = max(thresholdMv, reached[j] + 50);
        const resting = fast.potentials[j] === RESTING || reached[j] === RESTING;
        if (!resting) potentialMv = max(potentialMv, abs(fast.potentials[j] - 49 - reached[j]));
      }
    }
  }
  return { fast, plain, potentialMv, thresholdMv, spikeCount };
}

describe('the reference against a plain network in f64', () => {
  it.each([
    ['the default', NETWORK],
    ['two sectors and an odd out-degree', { ...NETWORK, neuronCount: 8_201, outDegree: 21, seed: 5 }],
    ['steps of 1 ms', { ...NETWORK, dtMs: 1, delayMs: 2, seed: 6 }],
    ['steps of 0.05 ms without delay', { ...NETWORK, dtMs: 0.05, delayMs: 0 }],
    ['a delay longer than the refractory time', { ...NETWORK, delayMs: 9.3 }],
  ])('integrates as it does, whatever the blocks and sectors: %s', (_, network) => {
    const { fast, plain, potentialMv, thresholdMv, spikeCount } = sideBySide(
      network,
      network.neuronCount > 1_000 ? 150 : 800,
    );
    expect(spikeCount).toBeGreaterThan(100);
    // Roundings of 2^-22 mV and less, of which the membrane remembers those of some hundred steps.
    expect(potentialMv).toBeLessThan(3e-4);
    expect(thresholdMv).toBeLessThan(1e-4);
    for (let j = 0; j < network.neuronCount; j += 7) {
      const { excitatoryMv, inhibitoryMv } = fast.currentsOf(j);
      expect(excitatoryMv).toBeCloseTo(plain.currentsE[j], 3);
      expect(inhibitoryMv).toBeCloseTo(plain.currentsI[j], 3);
    }
  });

  it.each(['stdp-nn', 'stdp-all'] as const)(
    'ends with the weights of rules that are applied at once: %s',
    rule => {
      const network = { ...NETWORK, outDegree: 40, seed: 3, plasticity: { ...STDP, rule } };
      const { fast, plain, potentialMv, spikeCount } = sideBySide(network, 1_500);
      const { weights, truncatedHistories } = fast.synapses!;
      expect(truncatedHistories).toBe(0);
      expect(spikeCount).toBeGreaterThan(400);
      const unitMv = STDP.wMaxMv / WEIGHT_UNITS;
      const excitatory = plain.rows.slice(0, fast.constants.excitatoryCount).flat();
      let [sum, greatest, moved] = [0, 0, 0];
      excitatory.forEach(({ read }, p) => {
        const differenceUnits = weights[p] - (read - 1.62) / unitMv - fast.constants.initialWeight;
        sum += differenceUnits;
        greatest = Math.max(greatest, Math.abs(differenceUnits));
        if (Math.abs(read - 1.62) > 10 * unitMv) moved++;
      });
      expect(moved).toBeGreaterThan(3_000);
      // Changes of hundreds of units each; what is left is their rounding by one unit, which has no bias.
      expect(greatest).toBeLessThan(8);
      expect(Math.abs(sum / excitatory.length)).toBeLessThan(0.02);
      expect(potentialMv).toBeLessThan(0.01);
    },
  );
});

describe('the reference against Brian 2', () => {
  const vectors = JSON.parse(
    readFileSync(new URL('./brian2-spikes.vectors.json', import.meta.url), 'utf8'),
  ) as {
    network: SpikingNetwork;
    runMs: number;
    steps: number[];
    neurons: number[];
  };
  const steps = Math.round(vectors.runMs / vectors.network.dtMs);
  const brian = vectors.steps.map((step, k) => ({ step, neuron: vectors.neurons[k] }));

  it('is the same network: in f64, every spike of Brian at its very step', () => {
    const plain = plainOf(vectors.network);
    const own = Array.from({ length: steps }, (_, step) =>
      plain.step().spikes.map(neuron => ({ step, neuron })),
    ).flat();
    expect(own).toEqual(brian);
  });

  it('has the spikes of Brian, in f32 too, but for some a step early or late', () => {
    const net = new ReferenceNetwork(vectors.network);
    const own = Array.from({ length: steps }, (_, step) =>
      net.step().map(({ source }) => ({ step, neuron: source })),
    ).flat();
    const far = own.filter(a => !brian.some(b => b.neuron === a.neuron && Math.abs(b.step - a.step) <= 1));
    const moved = own.filter(a => !brian.some(b => b.neuron === a.neuron && b.step === a.step));
    expect(own).toHaveLength(brian.length);
    expect(far).toEqual([]);
    expect(moved.length).toBeLessThan(0.03 * own.length);
  });
});

describe('a run on the reference', () => {
  it('is decided by its seed, and by nothing of what is recorded', () => {
    const run = { iterations: 500, warmupSteps: 100, recording: RECORDING };
    const first = simulateReference(NETWORK, run);
    const again = simulateReference(NETWORK, {
      ...run,
      recording: { rasterNeurons: 0, rateHistogramBins: 1, binMs: 50 },
    });
    const other = simulateReference({ ...NETWORK, seed: 12 }, run);
    expect(again.stateHash).toBe(first.stateHash);
    expect(again.spikeCount).toBe(first.spikeCount);
    expect(other.stateHash).not.toBe(first.stateHash);
  });

  it('ends in the same state whether its steps are warm-up or counted', () => {
    const short = simulateReference(NETWORK, { iterations: 1, warmupSteps: 599, recording: RECORDING });
    const long = simulateReference(NETWORK, { iterations: 600, warmupSteps: 0, recording: RECORDING });
    expect(short.stateHash).toBe(long.stateHash);
    expect(short.spikeCount).toBeLessThan(long.spikeCount);
  });

  it('counts what it records, and events by the spikes that arrived', () => {
    const run = { iterations: 800, warmupSteps: 50, recording: { ...RECORDING, rasterNeurons: 600 } };
    const result = simulateReference(NETWORK, run);
    expect(result.raster).toHaveLength(result.spikeCount);
    expect(new Set(result.raster.map(({ neuron }) => neuron)).size).toBe(result.activeNeurons);
    expect(result.rateHistogram.counts.reduce((a, b) => a + b)).toBe(600);
    const ordered = [...result.raster].sort((a, b) => a.stepIndex - b.stepIndex || a.neuron - b.neuron);
    expect(result.raster).toEqual(ordered);
    const whole = simulateReference(NETWORK, { ...run, iterations: 850, warmupSteps: 0 });
    const sent = whole.raster.filter(({ stepIndex }) => stepIndex >= 50 - 16 && stepIndex < 850 - 16).length;
    expect(result.synapticEvents).toBe(60 * sent);
  });

  // What every backend must come to; a change here is a change of every answer that was given.
  it.each([
    ['static', undefined, '0x82e9664abc228f7e'],
    ['stdp-nn', STDP, '0xe6dcc02be72ceed7'],
    ['stdp-all', { ...STDP, rule: 'stdp-all' as const }, '0xa34faecf8be1d629'],
  ])('has the hash that was recorded: %s', (_, plasticity, hash) => {
    const network = { neuronCount: 9_001, outDegree: 81, dtMs: 0.1, delayMs: 1.5, seed: 2026, plasticity };
    const run = { iterations: 437, warmupSteps: 100, recording: RECORDING };
    expect(simulateReference(network, run).stateHash).toBe(hash);
  });
});
