import type { ModelConstants } from '../../model-constants.js';
import { sectorsOf } from '../../sectors.js';
import {
  type Connectivity,
  RASTER_SPIKES_MAX,
  type SpikingNetwork,
  type SpikingRun,
} from '../../simulation.js';
import type { StdpTables } from '../../stdp-tables.js';
import {
  type BindingName,
  LOG_HEADER,
  MEMORY_WORDS,
  NETWORK_FIELDS,
  type ShaderVariant,
  spikeWords,
} from './kernel-layout.js';

/** Steps that one command buffer holds at most: writing one down keeps the event loop for milliseconds. */
export const BATCH_STEPS_MAX = 256;

/** Bytes between the uniforms of two steps: the alignment that every adapter takes. */
export const STEP_STRIDE_BYTES = 256;

/** Bytes that are read out of the device, or filled there, at once: what is done with them takes milliseconds. */
export const CHUNK_BYTES = 2 ** 22;

/** The number of a field's name is its place, four bytes each. */
export const UNIFORM_BYTES = 4 * NETWORK_FIELDS.length;

/** A buffer is larger than the adapter binds; no run of this size takes place on it. */
export class WebGpuLimitError extends Error {
  override readonly name = 'WebGpuLimitError';
  readonly code = 'WEBGPU_LIMIT';

  constructor(
    readonly buffer: string,
    readonly max: number,
    readonly got: number,
  ) {
    super(`the GPU binds at most ${max} bytes at once, the run's ${buffer} take ${got}`);
  }
}

/** What the adapter allows. */
export type DeviceLimits = Pick<GPUSupportedLimits, 'maxBufferSize' | 'maxStorageBufferBindingSize'>;

/** Bytes of each buffer of a run; what the variant does not bind is absent. */
export type BufferPlan = Partial<Record<BindingName, number>> & {
  /** Through it all results are read. */
  readonly staging: number;
  /** From it the weights are filled. */
  readonly filling: number;
};

/** Words of the raster's buffer before its spikes: their number, and a bit for each neuron. */
export const rasterBegin = (neuronCount: number): number => 1 + Math.ceil(neuronCount / 32);

/**
 * Spikes that the raster's buffer takes. Within a step the order is chance, so that it takes all of the
 * step in which the raster gets full; after sorting, what is cut off is always the same.
 */
export const rasterCapacity = (rasterNeurons: number): number =>
  rasterNeurons > 0 ? RASTER_SPIKES_MAX + rasterNeurons : 0;

/** Spikes that are under way at once, rounded up to a power of two: a neuron spikes once in its refractory time. */
export function ringCapacity(neuronCount: number, constants: ModelConstants): number {
  const spikes = neuronCount * Math.ceil(constants.delaySteps / (constants.refractorySteps + 1));
  return 2 ** Math.ceil(Math.log2(spikes));
}

/** Words of the weights of one source: two weights a word, and a row begins with one. */
export const rowWords = (outDegree: number): number => Math.ceil(outDegree / 2);

/** Words of the tables, in the order in which they lie. */
export function tableWords(tables: StdpTables): Int32Array<ArrayBuffer> {
  const { plus, minus, decayPlus, decayMinus } = tables;
  const bits = (values: Float32Array): Int32Array => new Int32Array(values.buffer, 0, values.length);
  const parts = [plus.values, minus.values, bits(decayPlus), bits(decayMinus)];
  const words = new Int32Array(
    Math.max(
      1,
      parts.reduce((sum, part) => sum + part.length, 0),
    ),
  );
  let at = 0;
  for (const part of parts) {
    words.set(part, at);
    at += part.length;
  }
  return words;
}

/**
 * @throws {WebGpuLimitError} for the first buffer that the adapter does not bind
 */
export function planBuffers(
  network: SpikingNetwork,
  run: SpikingRun,
  connectivity: Connectivity,
  constants: ModelConstants,
  tables: StdpTables | undefined,
  limits: DeviceLimits,
): BufferPlan {
  const { neuronCount, outDegree, plasticity } = network;
  const rasterWords = rasterBegin(neuronCount) + 2 * rasterCapacity(run.recording.rasterNeurons);
  const ringWords = spikeWords(plasticity?.rule) * ringCapacity(neuronCount, constants);
  const storage: Partial<Record<BindingName, number>> = {
    potentials: 4 * neuronCount,
    currents: 8 * neuronCount,
    log: 4 * (LOG_HEADER + run.warmupSteps + run.iterations),
    ring: 4 * ringWords,
    counts: 4 * neuronCount,
    raster: 4 * rasterWords,
  };
  if (tables) {
    storage.memory = 4 * MEMORY_WORDS * neuronCount;
    storage.weights = Math.max(4, 4 * constants.excitatoryCount * rowWords(outDegree));
    storage.tables = tableWords(tables).byteLength;
  }
  if (connectivity === 'stored' && outDegree > 0) storage.targets = 4 * neuronCount * outDegree;
  const max = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  for (const [name, bytes] of Object.entries(storage)) {
    if (bytes > max) throw new WebGpuLimitError(name, max, bytes);
  }
  const largest = Math.max(...Object.values(storage));
  return {
    network: UNIFORM_BYTES,
    step: STEP_STRIDE_BYTES * BATCH_STEPS_MAX,
    sectors: 16 * sectorsOf(neuronCount).count,
    ...storage,
    staging: Math.min(CHUNK_BYTES, largest),
    filling: Math.min(CHUNK_BYTES, storage.weights ?? 0),
  };
}

/** Bytes of all buffers together. */
export const plannedBytes = (plan: BufferPlan): number =>
  Object.values(plan).reduce((sum, bytes) => sum + bytes, 0);

/** The kernels' variant of a run. A row's lanes are whole subgroups of the usual size. */
export function variantOf(network: SpikingNetwork, connectivity: Connectivity): ShaderVariant {
  const { neuronCount, outDegree, plasticity } = network;
  const items = plasticity ? rowWords(outDegree) : outDegree;
  return {
    rule: plasticity?.rule,
    stored: connectivity === 'stored' && outDegree > 0,
    sectorCount: sectorsOf(neuronCount).count,
    deliveryLanes: Math.min(256, 32 * Math.max(1, Math.ceil(items / 32))),
  };
}
