import { targetRow } from './deliver-static';
import { forgetSpikes } from './history';
import { hash, hash4, mulhi, mulhi4 } from './hash';
import { synapsesIn } from './connectivity';
import {
  excitatoryCount,
  extras,
  firstWeight,
  isStored,
  neuronCount,
  outDegree,
  potentialKey0,
  potentialKey1,
  quotient,
  rule,
  sectorBase,
  sectorCount,
  sectorNeurons,
  stateOffset,
  statesAt,
  stateStride,
  targetKeysAt,
  weightsAt,
} from './run';

/** Uniform between reset and threshold, relative to rest. */
function firstPotential(neuron: u32): f32 {
  const share = <f32>(hash(neuron, potentialKey0, potentialKey1) >> 8) * <f32>(1.0 / 16777216.0);
  return <f32>-11 + <f32>10 * share;
}

/** First state, no spikes yet, and the synapses of the neurons of a sector. */
export function buildSector(sector: u32): void {
  const state = statesAt + <usize>sector * stateStride;
  const base = sectorBase(sector);
  const count = sectorNeurons(sector);
  const end = base + count;
  for (let k: u32 = 0; k < count; k++) store<f32>(state + stateOffset(k), firstPotential(base + k));
  // Neurons that are not there stay silent for ever.
  for (let k = count; k & 15; k++) store<f32>(state + stateOffset(k), -Infinity);
  if (rule) {
    for (let j = base; j < end; j++) forgetSpikes(j);
    fillWeights(sector);
  }
  if (isStored) storeTargets(sector);
}

/** Each task fills its share of all weights. */
function fillWeights(sector: u32): void {
  const bytes = (<u64>(excitatoryCount * outDegree)) << 1;
  let at = weightsAt + ((<usize>((bytes * sector) / sectorCount)) & ~15);
  const end =
    weightsAt +
    (sector + 1 == sectorCount ? <usize>bytes : (<usize>((bytes * (sector + 1)) / sectorCount)) & ~15);
  const weights = i16x8.splat(<i16>firstWeight);
  for (; at + 16 <= end; at += 16) v128.store(at, weights);
  for (; at < end; at += 2) store<u16>(at, <u16>firstWeight);
}

/** The targets of all neurons in a sector. */
function storeTargets(sector: u32): void {
  const keys = targetKeysAt + ((<usize>sector) << 3);
  const k0 = load<u32>(keys);
  const k1 = load<u32>(keys, 4);
  const neurons = sectorNeurons(sector);
  let source: u32 = 0;
  if (!extras) {
    // Four at a time; what is too much falls on the next row, which is yet to be written, so not for the last ones.
    const last = neuronCount > 4 ? neuronCount - 4 : 0;
    for (; source < last; source++) {
      let row = targetRow(source, sector);
      let counters = i32x4.add(i32x4.splat(source * (quotient + 1)), i32x4(0, 1, 2, 3));
      for (let m: u32 = 0; m < quotient; m += 4, row += 8) {
        const targets = mulhi4(hash4(counters, i32x4.splat(k0), i32x4.splat(k1)), i32x4.splat(neurons));
        v128.store64_lane(row, i16x8.narrow_i32x4_u(targets, targets), 0);
        counters = i32x4.add(counters, i32x4.splat(4));
      }
    }
  }
  for (; source < neuronCount; source++) {
    let row = targetRow(source, sector);
    const first = source * (quotient + 1);
    const count = synapsesIn(source, sector);
    for (let m: u32 = 0; m < count; m++, row += 2)
      store<u16>(row, <u16>mulhi(hash(first + m, k0, k1), neurons));
  }
}
