import { hashKey, HASH_DOMAIN } from '../../counter-hash.js';
import { type Wiring } from '../../connectivity.js';
import type { ModelConstants } from '../../model-constants.js';
import { sectorBegin, sectorLength } from '../../sectors.js';
import type { SpikingNetwork, SpikingRun } from '../../simulation.js';
import type { StdpTables } from '../../stdp-tables.js';
import { rasterBegin, rasterCapacity, ringCapacity, rowWords, STEP_STRIDE_BYTES } from './buffers.js';
import type { CurrentScales } from './fixed-point.js';
import { NETWORK_FIELDS, STEP_FIELDS } from './kernel-layout.js';

/** All that a run's uniforms are made of. */
export interface UniformSource {
  readonly network: SpikingNetwork;
  readonly run: SpikingRun;
  readonly wiring: Wiring;
  readonly constants: ModelConstants;
  readonly scales: CurrentScales;
  readonly tables?: StdpTables;
  /** The same as they lie on the device. */
  readonly tableWords?: Int32Array<ArrayBuffer>;
}

/** Groups of the delivery: enough to fill a large GPU, few where there are few spikes. */
export function deliveryGroups({ neuronCount, outDegree }: SpikingNetwork): number {
  return outDegree === 0 ? 1 : Math.min(1_024, Math.ceil(neuronCount / 256));
}

type Values<Fields extends readonly (readonly [string, string])[]> = Record<Fields[number][0], number>;

function writeFields<Fields extends readonly (readonly [string, string])[]>(
  fields: Fields,
  values: Values<Fields>,
  out: DataView,
  beginBytes: number,
): void {
  fields.forEach(([name, type], place) => {
    const value = values[name as Fields[number][0]];
    const at = beginBytes + 4 * place;
    if (type === 'f32') out.setFloat32(at, value, true);
    else if (type === 'i32') out.setInt32(at, value, true);
    else out.setUint32(at, value, true);
  });
}

/** The uniform `network`. */
export function networkUniform(source: UniformSource): ArrayBuffer {
  const { network, run, wiring, constants, tables } = source;
  const { rasterNeurons } = run.recording;
  const plusLength = tables?.plus.values.length ?? 0;
  const minusLength = tables?.minus.values.length ?? 0;
  const decayPlusLength = tables?.decayPlus.length ?? 0;
  const bytes = new ArrayBuffer(4 * NETWORK_FIELDS.length);
  const values: Values<typeof NETWORK_FIELDS> = {
    neuron_count: network.neuronCount,
    excitatory_count: constants.excitatoryCount,
    out_degree: network.outDegree,
    row_words: rowWords(network.outDegree),
    per_sector: wiring.perSector,
    extra_sectors: wiring.extraSectors,
    first_extra_key0: wiring.keys.firstExtra[0],
    first_extra_key1: wiring.keys.firstExtra[1],
    rounding_key1: wiring.keys.rounding[1],
    delay_steps: constants.delaySteps,
    refractory_steps: constants.refractorySteps,
    ring_mask: ringCapacity(network.neuronCount, constants) - 1,
    delivery_groups: deliveryGroups(network),
    warmup_steps: run.warmupSteps,
    raster_begin: rasterBegin(network.neuronCount),
    raster_capacity: rasterCapacity(rasterNeurons),
    a: constants.a,
    rescale_e: constants.rescaleE,
    rescale_i: constants.rescaleI,
    plus_length: plusLength,
    plus_shift: tables?.plus.shift ?? 0,
    minus_begin: plusLength,
    minus_length: minusLength,
    minus_shift: tables?.minus.shift ?? 0,
    decay_plus_begin: plusLength + minusLength,
    decay_plus_length: decayPlusLength,
    decay_minus_begin: plusLength + minusLength + decayPlusLength,
    decay_minus_length: tables?.decayMinus.length ?? 0,
    threshold: constants.thresholdMv,
    reset: constants.resetMv,
  };
  writeFields(NETWORK_FIELDS, values, new DataView(bytes), 0);
  return bytes;
}

/** The uniforms of some steps in a row. */
export function stepUniforms(source: UniformSource, firstStep: number, stepCount: number): ArrayBuffer {
  const { constants, scales, network } = source;
  const bytes = new ArrayBuffer(stepCount * STEP_STRIDE_BYTES);
  const view = new DataView(bytes);
  const roundingKey = hashKey(network.seed, HASH_DOMAIN.rounding, 0);
  for (let k = 0; k < stepCount; k++) {
    const t = firstStep + k;
    const s = t % constants.blockSteps;
    const values: Values<typeof STEP_FIELDS> = {
      index: t,
      ends_block: s === constants.blockSteps - 1 ? 1 : 0,
      rounding_key0: (roundingKey + Math.imul(t, 0x9e3779b1)) >>> 0,
      excitatory_weight: Math.round(constants.we[s] * scales.excitatory),
      inhibitory_weight: Math.round(constants.wi[s] * scales.inhibitory),
      excitatory_gain: constants.be[s] / scales.excitatory,
      inhibitory_gain: constants.bi[s] / scales.inhibitory,
      weight_unit: constants.unit[s] * scales.excitatory,
    };
    writeFields(STEP_FIELDS, values, view, k * STEP_STRIDE_BYTES);
  }
  return bytes;
}

/** The uniform `sectors`: two keys, the first neuron and the number of neurons of each. */
export function sectorUniform({ sectors, keys }: Wiring): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(4 * sectors.count);
  for (let sector = 0; sector < sectors.count; sector++) {
    const [key0, key1] = keys.targets.subarray(2 * sector, 2 * sector + 2);
    words.set([key0, key1, sectorBegin(sectors, sector), sectorLength(sectors, sector)], 4 * sector);
  }
  return words;
}
