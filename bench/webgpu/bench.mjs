import { ReferenceNetwork, simulateReference } from '@svc/spiking';
import { openWebGpu, WasmSpiking } from '@svc/spiking/node';
import { availableParallelism } from 'node:os';
import { numbersOf, partsOf } from '../../tools/bench/options.mjs';

export const packages = ['webgpu'];

const PLASTICITY = {
  rule: 'stdp-nn',
  aPlus: 0.01,
  aMinus: 0.0105,
  tauPlusMs: 20,
  tauMinusMs: 20,
  wMaxMv: 3.24,
};
const RECORDING = { rasterNeurons: 0, rateHistogramBins: 20, binMs: 5 };

/** As `bench/snn` has them: what a step costs without synapses, then with each kind. */
const KINDS = {
  update: { name: 'update', outDegree: 0, connectivity: 'procedural' },
  procedural: { name: 'procedural', connectivity: 'procedural' },
  stored: { name: 'stored', connectivity: 'stored' },
  stdp: { name: 'stdp', connectivity: 'procedural', plasticity: PLASTICITY },
};

/** `compared` neurons are held against the reference for `checked` steps. */
export const options = {
  ...{ neurons: '100000,1000000,4000000', only: undefined, steps: 2_000, warmup: 2_000, software: false },
  ...{ compared: 4_000, checked: 200 },
};
export const smoke = { neurons: '1000', steps: 10, warmup: 10, software: true, compared: 500, checked: 10 };

/**
 * The spiking network on this machine's GPU beside its cores: agreement with the reference first, then frames a second. For
 * whoever has a GPU; `--software` takes a software adapter too, which says nothing about speed.
 *
 * @param {{ report: import('../../tools/bench/report.mjs').Report; options: typeof options; smoke: boolean }} run
 */
export default async function webgpu({ report, options, smoke }) {
  const { neurons, only, steps, warmup, software } = options;
  const kinds = partsOf(KINDS, only);
  const opening = await openWebGpu({ allowFallback: software });
  if (!opening.available && !smoke) throw new Error(`No GPU: ${opening.reason}.`);
  if (!opening.available) report.leftOut('WebGPU', opening.reason);
  const gpu = opening.available ? opening.spiking : undefined;
  const wasm = await WasmSpiking.open();
  try {
    if (gpu) {
      report.note(`Adapter: ${gpu.adapter}.`);
      await compareWithReference(report, gpu, options);
    }
    const run = { iterations: steps, warmupSteps: warmup, recording: RECORDING };
    for (const kind of kinds) {
      for (const neuronCount of numbersOf(neurons)) {
        await compareSpeed(report, { gpu, wasm }, kind, neuronCount, run);
      }
    }
    report.note(
      `Mean over ${steps} steps after ${warmup} of warm-up, K = 80, dt 0.1 ms, seed 1; the time of the steps alone, without the build.`,
    );
  } finally {
    gpu?.close();
    await wasm.close();
  }
}

/** How far the state has drifted from the reference after so few steps that no spike differs. */
async function compareWithReference(report, gpu, { compared, checked }) {
  report.table(`after ${checked} steps of ${compared.toLocaleString('en-US')} neurons`);
  for (const rule of [undefined, 'stdp-nn', 'stdp-all']) {
    const plasticity = rule && { ...PLASTICITY, rule };
    const network = { neuronCount: compared, outDegree: 80, dtMs: 0.1, delayMs: 1.5, seed: 1, plasticity };
    const run = { iterations: checked, warmupSteps: 0, recording: RECORDING };
    const { result, state } = await gpu.simulateWithState(network, run, {
      connectivity: 'procedural',
      threads: 1,
    });
    const reference = new ReferenceNetwork(network);
    for (let step = 0; step < run.iterations; step++) reference.step();
    report.row(rule ?? 'static', {
      maxPotentialErrorMv: greatestDistance(state.potentials, reference.potentials).toExponential(1),
      weightsApart: reference.synapses ? countApart(state.weights, reference.synapses.weights) : 0,
      spikes: result.spikeCount,
      referenceSpikes: simulateReference(network, run).spikeCount,
    });
  }
}

function greatestDistance(a, b) {
  // Both −∞: a neuron that rests in both.
  return a.reduce(
    (greatest, value, i) => (value === b[i] ? greatest : Math.max(greatest, Math.abs(value - b[i]))),
    0,
  );
}

function countApart(a, b) {
  return a.reduce((count, value, i) => count + (value === b[i] ? 0 : 1), 0);
}

async function compareSpeed(report, { gpu, wasm }, { name: kind, ...shape }, neuronCount, run) {
  const { connectivity, outDegree = 80, plasticity } = shape;
  const network = { neuronCount, outDegree, dtMs: 0.1, delayMs: 1.5, seed: 1, plasticity };
  const options = { connectivity, threads: availableParallelism() };
  report.table(`${kind}, ${neuronCount} neurons`);
  for (const [name, backend] of [
    [`WASM, ${options.threads} threads`, wasm],
    ...(gpu ? [['WebGPU', gpu]] : []),
  ]) {
    try {
      report.row(name, metricsOf(await backend.simulate(network, run, options), run));
    } catch (error) {
      if (!['WEBGPU_LIMIT', 'SPIKING_PARAMETER'].includes(error.code)) throw error;
      report.note(`${kind}, ${neuronCount} neurons, ${name}: left out, ${error.message}.`);
    }
  }
}

function metricsOf(result, { iterations }) {
  return {
    fps: Math.round((1_000 * iterations) / result.loopMs),
    rateHz: Number(result.meanRateHz.toFixed(2)),
    eventsPerS: Math.round((1_000 * result.synapticEvents) / result.loopMs),
    buildMs: Math.round(result.buildMs),
    megabytes: Math.round(result.bytesAllocated / 1e6),
  };
}
