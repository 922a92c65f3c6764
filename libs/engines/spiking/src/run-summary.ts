import { deriveConstants } from './model-constants.js';
import type { RasterSpike, SpikingNetwork, SpikingResult, SpikingRun } from './simulation.js';

/** What a backend counts while it runs. */
export interface RunTally {
  /** How many neurons spiked k times in the iterations, by k. */
  readonly neuronsBySpikes: Uint32Array;
  /** Spikes of each step, warm-up included: `warmupSteps + iterations` of them. */
  readonly spikesPerStep: Uint32Array;
}

/** The part of a result that is counted; the same arithmetic for every backend. */
export type RunSummary = Pick<
  SpikingResult,
  'activeNeurons' | 'spikeCount' | 'synapticEvents' | 'meanRateHz' | 'rateHistogram' | 'populationRate'
>;

/** Neurons whose spikes a raster keeps, ascending: evenly spread over all. */
export function rasterNeuronIds(neuronCount: number, rasterNeurons: number): Uint32Array {
  return Uint32Array.from({ length: rasterNeurons }, (_, k) => Math.floor((k * neuronCount) / rasterNeurons));
}

/** How many neurons spiked how often, from the spikes of each. */
export function neuronsBySpikes(counts: Uint32Array | Uint16Array): Uint32Array {
  let greatest = 0;
  // Indexed: `for … of` over a typed array takes some ten times as long.
  for (let i = 0; i < counts.length; i++) if (counts[i] > greatest) greatest = counts[i];
  const neurons = new Uint32Array(greatest + 1);
  for (let i = 0; i < counts.length; i++) neurons[counts[i]]++;
  return neurons;
}

/**
 * A bin is a whole number of spikes wide: rates are whole numbers of spikes by the time, and bins that cut
 * between them would hold more and fewer possible rates in turn.
 */
function rateHistogram(neurons: Uint32Array, bins: number, seconds: number): SpikingResult['rateHistogram'] {
  let greatest = neurons.length - 1;
  while (greatest > 0 && neurons[greatest] === 0) greatest--;
  const spikesPerBin = Math.ceil((greatest + 1) / bins);
  const histogram = new Array<number>(bins).fill(0);
  for (let k = 0; k <= greatest; k++) histogram[Math.floor(k / spikesPerBin)] += neurons[k];
  return { binHz: spikesPerBin / seconds, counts: histogram };
}

function populationRate(
  spikesPerStep: Uint32Array,
  network: SpikingNetwork,
  binMs: number,
): SpikingResult['populationRate'] {
  const { dtMs, neuronCount } = network;
  const stepsPerBin = Math.max(1, Math.round(binMs / dtMs));
  const ratesHz: number[] = [];
  for (let begin = 0; begin < spikesPerStep.length; begin += stepsPerBin) {
    const bin = spikesPerStep.subarray(begin, begin + stepsPerBin);
    const spikes = bin.reduce((sum, count) => sum + count, 0);
    ratesHz.push((spikes * 1000) / (neuronCount * bin.length * dtMs));
  }
  return { binMs: stepsPerBin * dtMs, ratesHz };
}

/** @example summarizeRun(network, run, { neuronsBySpikes: neuronsBySpikes(counts), spikesPerStep }).meanRateHz */
export function summarizeRun(network: SpikingNetwork, run: SpikingRun, tally: RunTally): RunSummary {
  const { spikesPerStep } = tally;
  const { warmupSteps, iterations, recording } = run;
  const { delaySteps } = deriveConstants(network);
  const seconds = (iterations * network.dtMs) / 1000;
  const counted = spikesPerStep.subarray(warmupSteps, warmupSteps + iterations);
  const spikeCount = counted.reduce((sum, count) => sum + count, 0);
  // What arrived in the iterations was sent a delay before.
  const begin = Math.max(0, warmupSteps - delaySteps);
  const end = Math.max(0, warmupSteps + iterations - delaySteps);
  const arrived = spikesPerStep.subarray(begin, end).reduce((sum, count) => sum + count, 0);
  return {
    activeNeurons: network.neuronCount - tally.neuronsBySpikes[0],
    spikeCount,
    synapticEvents: arrived * network.outDegree,
    meanRateHz: spikeCount / network.neuronCount / seconds,
    rateHistogram: rateHistogram(tally.neuronsBySpikes, recording.rateHistogramBins, seconds),
    populationRate: populationRate(counted, network, recording.binMs),
  };
}

/** Mean and standard deviation of plastic weights, mV. */
export function weightStatistics(
  weights: Uint16Array,
  unitMv: number,
): { readonly meanMv: number; readonly sdMv: number } {
  // Sums of whole numbers: exact in doubles up to 2^53, whatever the order.
  let sum = 0;
  let squares = 0n;
  const chunk = 1 << 20;
  for (let begin = 0; begin < weights.length; begin += chunk) {
    const end = Math.min(begin + chunk, weights.length);
    // 2^20 squares below 2^32 stay below 2^53.
    let part = 0;
    for (let i = begin; i < end; i++) {
      sum += weights[i];
      part += weights[i] * weights[i];
    }
    squares += BigInt(part);
  }
  return weightMoments(weights.length, sum, squares, unitMv);
}

/** The same from sums that were taken elsewhere: number of weights, their sum, and their squares' sum, in units. */
export function weightMoments(
  count: number,
  sum: number,
  squares: bigint,
  unitMv: number,
): { readonly meanMv: number; readonly sdMv: number } {
  if (count === 0) return { meanMv: 0, sdMv: 0 };
  // n·Σw² − (Σw)² is exact; in doubles the difference would lose what a narrow distribution is.
  const n = BigInt(count);
  const spread = n * squares - BigInt(sum) * BigInt(sum);
  const sd = Math.sqrt(Number(spread)) / count;
  return { meanMv: (sum / count) * unitMv, sdMv: sd * unitMv };
}

/** @returns spikes of recorded neurons, at most `max`, and whether there were more */
export function boundedRaster(
  spikes: readonly RasterSpike[],
  max: number,
): { readonly raster: readonly RasterSpike[]; readonly rasterTruncated: boolean } {
  return { raster: spikes.slice(0, max), rasterTruncated: spikes.length > max };
}
