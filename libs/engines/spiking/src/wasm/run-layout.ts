import { type Wiring, wiringOf } from '../connectivity.js';
import { deriveConstants, type ModelConstants } from '../model-constants.js';
import { rasterNeuronIds } from '../run-summary.js';
import { SpikingParameterError } from '../simulation-bounds.js';
import { type Connectivity, RASTER_SPIKES_MAX, type SpikingNetwork, type SpikingRun } from '../simulation.js';
import { type StdpTables, stdpTables } from '../stdp-tables.js';

/** Bytes of a page of WebAssembly memory. */
export const PAGE_BYTES = 65_536;

/** A WebAssembly memory has 65,536 pages at most. */
export const MEMORY_BYTES_MAX = 65_536 * PAGE_BYTES;

/** What the module itself keeps at the begin of memory. */
const MODULE_BYTES = 16_384;
/** What the module asks for at least (asconfig.json). */
const MODULE_PAGES = 16;
/** Vectors and reads ahead may pass the end of an array by this much. */
const SLACK_BYTES = 64;
/** Neurons whose state lies together. */
const GROUP_NEURONS = 16;
/** Lists of sources and synapses that a thread works on (assembly/sources.ts, assembly/deliver-plastic.ts). */
const SCRATCH_BYTES = 49_152;
/** Room for the weights that a block brings together (assembly/arrivals.ts), where the network has as many. */
const STAGED_BYTES = 8_388_608;
const RULES = { none: 0, 'stdp-nn': 1, 'stdp-all': 2 } as const;

/** An array of the run's memory: first byte and length. */
export interface Region {
  readonly at: number;
  readonly bytes: number;
}

/** Where everything of a run lies in its one memory. */
export interface RunLayout {
  readonly constants: ModelConstants;
  readonly wiring: Wiring;
  readonly tables?: StdpTables;
  readonly regions: Readonly<Record<RegionName, Region>>;
  /** One for each thread; no more threads than sectors, since the others would only wait. */
  readonly scratch: readonly number[];
  readonly stateStride: number;
  readonly ringDepth: number;
  readonly ringCapacity: number;
  /** Spikes that the raster takes: a block may begin below {@link RASTER_SPIKES_MAX} and pass it. */
  readonly rasterCapacity: number;
  /** Sources that a block brings together at most. */
  readonly arrivalCapacity: number;
  /** Entries of the table of how many neurons spiked how often. */
  readonly spikeCountEntries: number;
  /** Pages of the memory. */
  readonly pages: number;
  /** Blocks and parts of blocks after the warm-up: each is timed. */
  readonly segments: number;
  /** Bytes beside the memory: what the threads tell each other, and their clock. */
  readonly controlBytes: number;
}

/** Words by which the threads and the main thread meet. */
export const CONTROL_WORDS = 16;

/** Names of the arrays, in their order in memory. */
const REGIONS = [
  'parameters',
  'blockTables',
  'targetKeys',
  'depression',
  'potentiation',
  'decayPlus',
  'decayMinus',
  'tally',
  'digests',
  'spikeCounts',
  'ringHeads',
  'stepSpikes',
  'rasterBits',
  'raster',
  'ringIds',
  'ringPrevious',
  'ringTraces',
  'counts',
  'states',
  'recent',
  'history',
  'traces',
  'arrivalOffsets',
  'arrivals',
  'staged',
  'weights',
  'targets',
] as const;

/** Name of an array of the run's memory. */
export type RegionName = (typeof REGIONS)[number];

function placeRegions(bytes: Readonly<Record<RegionName, number>>): {
  regions: Record<RegionName, Region>;
  end: number;
} {
  let at = MODULE_BYTES;
  const regions = {} as Record<RegionName, Region>;
  for (const name of REGIONS) {
    regions[name] = { at, bytes: bytes[name] };
    if (bytes[name] > 0) at = Math.ceil((at + bytes[name] + SLACK_BYTES) / 64) * 64;
  }
  return { regions, end: at };
}

/** Steps and spikes that a sector keeps of the past. */
function spikeRing(
  { delaySteps, refractorySteps, blockSteps }: ModelConstants,
  sectorSize: number,
): Pick<RunLayout, 'ringDepth' | 'ringCapacity'> {
  // The oldest spike that a block still delivers, and the newest that it finds; and those that end their rest.
  const ringDepth = Math.max(delaySteps + blockSteps, refractorySteps + 1);
  // A neuron spikes at most once in a refractory time and the step after it.
  return { ringDepth, ringCapacity: sectorSize * Math.ceil(ringDepth / (refractorySteps + 1)) };
}

/** Bytes of the weights of one source that are brought together, and of how many sources there is room for. */
function stagingRoom(
  { sectors, perSector, extraSectors }: Wiring,
  sources: number,
): { stagedRowBytes: number; arrivalCapacity: number } {
  const stagedRowBytes = 2 * sectors.count * (perSector + (extraSectors > 0 ? 1 : 0));
  return {
    stagedRowBytes,
    arrivalCapacity: Math.min(sources, Math.floor(STAGED_BYTES / Math.max(1, stagedRowBytes))),
  };
}

/**
 * Lays out the memory of a run. Nothing is allocated: its size is what an estimate tells.
 * @throws {SpikingParameterError} `bytes` when no memory of WebAssembly is large enough
 */
export function layOutRun(
  network: SpikingNetwork,
  run: SpikingRun,
  connectivity: Connectivity,
  threads: number,
): RunLayout {
  const { neuronCount, outDegree, plasticity } = network;
  const constants = deriveConstants(network);
  const { blockSteps, excitatoryCount } = constants;
  const wiring = wiringOf(network);
  const tables = plasticity && stdpTables(plasticity, network.dtMs);
  const { count, size } = wiring.sectors;
  const stateStride = 12 * GROUP_NEURONS * Math.ceil(size / GROUP_NEURONS);
  const ring = spikeRing(constants, size);
  const ringSpikes = count * ring.ringCapacity;
  const spikeCountEntries = Math.ceil(run.iterations / (constants.refractorySteps + 1)) + 1;
  const { rasterNeurons } = run.recording;
  const rasterCapacity = rasterNeurons > 0 ? RASTER_SPIKES_MAX + rasterNeurons : 0;
  const plastic = plasticity ? 1 : 0;
  const allPairs = plasticity?.rule === 'stdp-all' ? 1 : 0;
  const { stagedRowBytes, arrivalCapacity } = stagingRoom(wiring, plastic * excitatoryCount);
  const { regions, end } = placeRegions({
    parameters: 256,
    blockTables: 5 * 16 * 4,
    targetKeys: 8 * count,
    depression: 4 * ((tables?.minus.values.length ?? 0) + 1),
    potentiation: 4 * ((tables?.plus.values.length ?? 0) + 1),
    decayPlus: tables?.decayPlus.byteLength ?? 0,
    decayMinus: tables?.decayMinus.byteLength ?? 0,
    tally: 8,
    digests: 32 * count,
    spikeCounts: 4 * spikeCountEntries,
    ringHeads: 12 * count * ring.ringDepth,
    stepSpikes: 4 * (run.warmupSteps + run.iterations),
    rasterBits: rasterNeurons > 0 ? 4 * Math.ceil(neuronCount / 32) : 0,
    raster: 8 * rasterCapacity,
    ringIds: 2 * ringSpikes,
    ringPrevious: plastic * 4 * ringSpikes,
    ringTraces: allPairs * 4 * ringSpikes,
    counts: 2 * neuronCount,
    states: stateStride * count,
    recent: plastic * 8 * neuronCount,
    history: plastic * 64 * neuronCount,
    traces: allPairs * 8 * neuronCount,
    arrivalOffsets: plastic * 4 * 17,
    arrivals: 4 * (2 + allPairs) * arrivalCapacity,
    staged: stagedRowBytes * arrivalCapacity,
    weights: plastic * 2 * excitatoryCount * outDegree,
    targets: connectivity === 'stored' ? 2 * neuronCount * outDegree : 0,
  });
  const scratchBytes = Math.ceil(Math.max(SCRATCH_BYTES, 4 * spikeCountEntries) / 64) * 64;
  const bytes = end + scratchBytes * Math.min(threads, count);
  if (bytes > MEMORY_BYTES_MAX) throw new SpikingParameterError('bytes', 0, MEMORY_BYTES_MAX, bytes);
  const stepCount = run.warmupSteps + run.iterations;
  const segments = Math.ceil(stepCount / blockSteps) - Math.floor(run.warmupSteps / blockSteps);
  const scratch = Array.from({ length: Math.min(threads, count) }, (_, k) => end + k * scratchBytes);
  return {
    ...{ constants, wiring, tables, regions, scratch, stateStride },
    ...ring,
    rasterCapacity,
    arrivalCapacity,
    spikeCountEntries,
    pages: Math.max(MODULE_PAGES, Math.ceil(bytes / PAGE_BYTES)),
    segments,
    controlBytes: 4 * CONTROL_WORDS + 8 * (2 + segments),
  };
}

/** Writes what the threads read: parameters in the order of assembly/run.ts, keys, tables, and which neurons a raster keeps. */
export function writeRun(
  memory: ArrayBufferLike,
  layout: RunLayout,
  network: SpikingNetwork,
  run: SpikingRun,
  connectivity: Connectivity,
): void {
  const { constants, wiring, tables, regions } = layout;
  const view = new DataView(memory, regions.parameters.at, regions.parameters.bytes);
  let at = 0;
  const u32 = (...values: number[]): void => {
    for (const value of values) view.setUint32((at += 4) - 4, value, true);
  };
  const f32 = (...values: number[]): void => {
    for (const value of values) view.setFloat32((at += 4) - 4, value, true);
  };
  u32(network.neuronCount, constants.excitatoryCount, network.outDegree);
  u32(wiring.sectors.count, wiring.sectors.size);
  u32(constants.delaySteps, constants.refractorySteps, constants.blockSteps);
  u32(layout.ringDepth, layout.ringCapacity, run.warmupSteps);
  u32(RULES[network.plasticity?.rule ?? 'none'], connectivity === 'stored' ? 1 : 0, constants.initialWeight);
  u32(layout.stateStride, layout.rasterCapacity, layout.spikeCountEntries);
  u32(tables?.minus.values.length ?? 0, tables?.minus.shift ?? 0);
  u32(tables?.plus.values.length ?? 0, tables?.plus.shift ?? 0);
  u32(...wiring.keys.firstExtra, ...wiring.keys.potential, ...wiring.keys.rounding);
  f32(constants.a, constants.rescaleE, constants.rescaleI);
  u32(tables?.decayPlus.length ?? 0, tables?.decayMinus.length ?? 0, layout.arrivalCapacity);
  const { blockTables, targetKeys, states, counts, recent, history, traces } = regions;
  u32(...[blockTables, targetKeys, states, counts, recent, history, traces].map(region => region.at));
  const { ringHeads, ringIds, ringPrevious, ringTraces, weights, targets } = regions;
  u32(...[ringHeads, ringIds, ringPrevious, ringTraces, weights, targets].map(region => region.at));
  const { rasterBits, raster, stepSpikes, digests, spikeCounts, tally } = regions;
  u32(...[rasterBits, raster, stepSpikes, digests, spikeCounts, tally].map(region => region.at));
  const { depression, potentiation, decayPlus, decayMinus } = regions;
  u32(...[depression, potentiation, decayPlus, decayMinus].map(region => region.at));
  u32(...[regions.arrivalOffsets, regions.arrivals, regions.staged].map(region => region.at));
  const blocks = new Float32Array(memory, blockTables.at, 80);
  [constants.be, constants.bi, constants.we, constants.wi, constants.unit].forEach((table, k) =>
    blocks.set(table, 16 * k),
  );
  new Uint32Array(memory, targetKeys.at, wiring.keys.targets.length).set(wiring.keys.targets);
  if (tables) writeTables(memory, regions, tables);
  const bits = new Uint32Array(memory, rasterBits.at, rasterBits.bytes / 4);
  for (const id of rasterNeuronIds(network.neuronCount, run.recording.rasterNeurons))
    bits[id >>> 5] |= 1 << (id & 31);
}

function writeTables(memory: ArrayBufferLike, regions: RunLayout['regions'], tables: StdpTables): void {
  new Int32Array(memory, regions.depression.at, tables.minus.values.length).set(tables.minus.values);
  const plus = new Int32Array(memory, regions.potentiation.at, tables.plus.values.length);
  plus.set(tables.plus.values);
  // A spike comes a step after an arrival at the least: distance 0 stands for one that does not come after it.
  if (tables.plus.shift === 0 && plus.length > 0) plus[0] = 0;
  new Float32Array(memory, regions.decayPlus.at, tables.decayPlus.length).set(tables.decayPlus);
  new Float32Array(memory, regions.decayMinus.at, tables.decayMinus.length).set(tables.decayMinus);
}
