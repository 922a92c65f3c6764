import { ReferenceNetwork } from './reference-network.js';
import {
  boundedRaster,
  neuronsBySpikes,
  rasterNeuronIds,
  summarizeRun,
  weightStatistics,
} from './run-summary.js';
import { WEIGHT_UNITS } from './model-constants.js';
import { checkSimulation } from './simulation-bounds.js';
import { RASTER_SPIKES_MAX, type RasterSpike } from './simulation.js';
import type { SpikingNetwork, SpikingResult, SpikingRun } from './simulation.js';

/**
 * A run on the readable reference: one thread, targets computed at each spike. For networks of some
 * thousand neurons; its result is the result of the WASM backend, but for times and bytes.
 *
 * @throws {SpikingParameterError} for a parameter out of bounds
 * @example simulateReference(network, run).stateHash
 */
export function simulateReference(network: SpikingNetwork, run: SpikingRun): SpikingResult {
  checkSimulation(network, run);
  const { warmupSteps, iterations, recording } = run;
  const buildBegin = performance.now();
  const net = new ReferenceNetwork(network);
  const counts = new Uint32Array(network.neuronCount);
  const spikesPerStep = new Uint32Array(warmupSteps + iterations);
  const recorded = new Set(rasterNeuronIds(network.neuronCount, recording.rasterNeurons));
  const raster: RasterSpike[] = [];
  const stepMs: number[] = [];
  const loopBegin = performance.now();
  let iterationsBegin = loopBegin;
  let blockBegin = loopBegin;
  for (let step = 0; step < spikesPerStep.length; step++) {
    if (step === warmupSteps) iterationsBegin = blockBegin = performance.now();
    const spikes = net.step();
    spikesPerStep[step] = spikes.length;
    if (step < warmupSteps) continue;
    const stepIndex = step - warmupSteps;
    for (const { source } of spikes) {
      counts[source]++;
      if (recorded.has(source) && raster.length <= RASTER_SPIKES_MAX)
        raster.push({ neuron: source, stepIndex });
    }
    if ((stepIndex + 1) % net.constants.blockSteps === 0 || stepIndex === iterations - 1) {
      const now = performance.now();
      stepMs.push((now - blockBegin) / ((stepIndex % net.constants.blockSteps) + 1));
      blockBegin = now;
    }
  }
  const loopMs = performance.now() - iterationsBegin;
  const { synapses } = net;
  return {
    ...summarizeRun(network, run, { neuronsBySpikes: neuronsBySpikes(counts), spikesPerStep }),
    ...boundedRaster(raster, RASTER_SPIKES_MAX),
    stateHash: net.hash(),
    ...(synapses && {
      weights: {
        ...weightStatistics(synapses.weights, network.plasticity!.wMaxMv / WEIGHT_UNITS),
        truncatedHistories: synapses.truncatedHistories,
      },
    }),
    buildMs: loopBegin - buildBegin,
    loopMs,
    stepMs: Float64Array.from(stepMs),
    bytesAllocated: net.bytes + counts.byteLength + spikesPerStep.byteLength,
    threads: 1,
  };
}
