import type { SimulationReply } from '@svc/contracts';
import type { SpikingResult } from '@svc/spiking';
import type { SimulationPlan } from './simulation-plan.js';

/** Bytes of JSON that an answer may have: the bus carries 4 MiB of it, with room for whoever repeats it with its evidence. */
const REPLY_BYTES_MAX = 3_500_000;
/** Of `{"neuron":3999999,"stepIndex":99999},`, and of a number in a list. */
const SPIKE_BYTES = 38;
const NUMBER_BYTES = 20;

/** Where a run was made. */
export interface RunPlace {
  readonly backend: 'wasm' | 'webgpu';
  readonly memoryKind: 'host' | 'gpu';
}

/** A run's pictures. */
export interface RunPictures {
  readonly raster?: string;
  readonly rates: string;
}

/** What a run came to, as the service says it. The raster is cut to what an answer carries. */
export function simulationReply(
  plan: SimulationPlan,
  result: SpikingResult,
  { backend, memoryKind }: RunPlace,
  svg?: RunPictures,
): SimulationReply {
  const { network, run } = plan;
  const { iterations, recording } = run;
  const { activeNeurons, spikeCount, synapticEvents, meanRateHz, rateHistogram, populationRate } = result;
  const spikesMax = spikesThatFit(result, svg);
  return {
    ...{ activeNeurons, spikeCount, synapticEvents, meanRateHz },
    framerateFps: Math.round((1_000 * iterations) / result.loopMs),
    vramConsumedMb: result.bytesAllocated / 1e6,
    rateHistogram: { binHz: rateHistogram.binHz, counts: [...rateHistogram.counts] },
    populationRate: { binMs: populationRate.binMs, ratesHz: [...populationRate.ratesHz] },
    ...(recording.rasterNeurons > 0
      ? {
          raster: result.raster.slice(0, spikesMax).map(({ neuron, stepIndex }) => ({ neuron, stepIndex })),
          rasterTruncated: result.rasterTruncated || result.raster.length > spikesMax,
        }
      : {}),
    ...(svg ? { svg: { ...svg } } : {}),
    ...(result.weights ? { weights: { ...result.weights } } : {}),
    buildMs: milliseconds(result.buildMs),
    stepMs: percentilesOf(result.stepMs),
    realTimeFactor: (iterations * network.dtMs) / result.loopMs,
    ...{ memoryKind, backend, ...(result.adapter === undefined ? {} : { adapter: result.adapter }) },
    connectivity: plan.connectivity,
    threads: result.threads,
    ...{ iterations, neuronCount: network.neuronCount, stateHash: result.stateHash, seed: network.seed },
  };
}

function spikesThatFit({ populationRate, rateHistogram }: SpikingResult, svg?: RunPictures): number {
  // In JSON quotes and line ends of the pictures take two bytes.
  const pictures = 1.1 * ((svg?.raster?.length ?? 0) + (svg?.rates.length ?? 0));
  const numbers = NUMBER_BYTES * (populationRate.ratesHz.length + rateHistogram.counts.length);
  return Math.max(0, Math.floor((REPLY_BYTES_MAX - pictures - numbers) / SPIKE_BYTES));
}

function percentilesOf(stepMs: Float64Array): { p50: number; p95: number } {
  const sorted = Float64Array.from(stepMs).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

const milliseconds = (value: number) => Math.round(value * 1_000) / 1_000;
