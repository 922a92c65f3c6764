// What a thread knows of the run it works on: set once by `configure` from the words that src/wasm/layout.ts lays out.
// Addresses are bytes of the run's own memory.

export let neuronCount: u32 = 0;
export let excitatoryCount: u32 = 0;
export let outDegree: u32 = 0;
export let sectorCount: u32 = 0;
export let sectorSize: u32 = 0;
/** Synapses that each source has in each sector, and how many sectors hold one more. */
export let quotient: u32 = 0;
export let extras: u32 = 0;
export let delaySteps: u32 = 0;
export let refractorySteps: u32 = 0;
export let blockSteps: u32 = 0;
/** Steps whose spikes are kept, and spikes that a sector keeps of them. */
export let ringDepth: u32 = 0;
export let ringCapacity: u32 = 0;
export let warmupSteps: u32 = 0;
/** 0: the weights stay, 1: nearest neighbours, 2: all pairs. */
export let rule: u32 = 0;
export let isStored: u32 = 0;
export let firstWeight: u32 = 0;
/** Bytes of the state of a sector. */
export let stateStride: usize = 0;
export let statesAt: usize = 0;
export let countsAt: usize = 0;
/** Of each neuron its newest four times, 16 bits each, and its newest sixteen, 32 bits each: see history.ts. */
export let recentAt: usize = 0;
export let historyAt: usize = 0;
export let tracesAt: usize = 0;
export let ringHeadsAt: usize = 0;
export let ringIdsAt: usize = 0;
export let ringPreviousAt: usize = 0;
export let ringTracesAt: usize = 0;
export let weightsAt: usize = 0;
/** Sources that arrive in a block, and their weights: see arrivals.ts. */
export let arrivalCapacity: u32 = 0;
export let arrivalOffsetsAt: usize = 0;
export let arrivalsAt: usize = 0;
export let stagedAt: usize = 0;
export let targetsAt: usize = 0;
export let rasterBitsAt: usize = 0;
export let rasterAt: usize = 0;
export let rasterCapacity: u32 = 0;
export let stepSpikesAt: usize = 0;
export let digestsAt: usize = 0;
export let spikeCountsAt: usize = 0;
export let spikeCountEntries: u32 = 0;
export let tallyAt: usize = 0;
/** Depression and potentiation: entries, shift from distance to entry, address. */
export let depressionEntries: u32 = 0;
export let depressionShift: u32 = 0;
export let depressionAt: usize = 0;
export let potentiationEntries: u32 = 0;
export let potentiationShift: u32 = 0;
export let potentiationAt: usize = 0;
/** Keys of the hash: two words for each sector's targets; start, potential and rounding. */
export let targetKeysAt: usize = 0;
export let startKey0: u32 = 0;
export let startKey1: u32 = 0;
export let potentialKey0: u32 = 0;
export let potentialKey1: u32 = 0;
export let roundingKey0: u32 = 0;
export let roundingKey1: u32 = 0;
/** For each step of a block, f32: be, bi, we, wi, unit; a table after the other, 16 entries each. */
export let blockTablesAt: usize = 0;
export let leak: f32 = 0;
export let rescaleE: f32 = 0;
export let rescaleI: f32 = 0;
/** Decay of the traces of all pairs by distance: entries, address. */
export let decayPlusEntries: u32 = 0;
export let decayMinusEntries: u32 = 0;
export let decayPlusAt: usize = 0;
export let decayMinusAt: usize = 0;
/** This thread's own. */
export let scratchAt: usize = 0;

export const BLOCK_STEPS_MAX: usize = 16;

/** A neuron that has not spiked: far enough back that every table has ended, and no difference overflows. */
export const NEVER: i32 = -0x40000000;

/** Sources that are delivered at a time; the scratch of a thread holds their ids, previous steps and traces. */
export const CHUNK: u32 = 2048;

/** Reads the words in the order in which they are written. */
export function configure(at: usize, scratch: usize): void {
  scratchAt = scratch;
  neuronCount = load<u32>(at, 0);
  excitatoryCount = load<u32>(at, 4);
  outDegree = load<u32>(at, 8);
  sectorCount = load<u32>(at, 12);
  sectorSize = load<u32>(at, 16);
  quotient = outDegree / sectorCount;
  extras = outDegree % sectorCount;
  delaySteps = load<u32>(at, 20);
  refractorySteps = load<u32>(at, 24);
  blockSteps = load<u32>(at, 28);
  ringDepth = load<u32>(at, 32);
  ringCapacity = load<u32>(at, 36);
  warmupSteps = load<u32>(at, 40);
  rule = load<u32>(at, 44);
  isStored = load<u32>(at, 48);
  firstWeight = load<u32>(at, 52);
  stateStride = load<u32>(at, 56);
  rasterCapacity = load<u32>(at, 60);
  spikeCountEntries = load<u32>(at, 64);
  depressionEntries = load<u32>(at, 68);
  depressionShift = load<u32>(at, 72);
  potentiationEntries = load<u32>(at, 76);
  potentiationShift = load<u32>(at, 80);
  startKey0 = load<u32>(at, 84);
  startKey1 = load<u32>(at, 88);
  potentialKey0 = load<u32>(at, 92);
  potentialKey1 = load<u32>(at, 96);
  roundingKey0 = load<u32>(at, 100);
  roundingKey1 = load<u32>(at, 104);
  leak = load<f32>(at, 108);
  rescaleE = load<f32>(at, 112);
  rescaleI = load<f32>(at, 116);
  decayPlusEntries = load<u32>(at, 120);
  decayMinusEntries = load<u32>(at, 124);
  arrivalCapacity = load<u32>(at, 128);
  configureAddresses(at + 132);
}

function configureAddresses(at: usize): void {
  blockTablesAt = load<u32>(at, 0);
  targetKeysAt = load<u32>(at, 4);
  statesAt = load<u32>(at, 8);
  countsAt = load<u32>(at, 12);
  recentAt = load<u32>(at, 16);
  historyAt = load<u32>(at, 20);
  tracesAt = load<u32>(at, 24);
  ringHeadsAt = load<u32>(at, 28);
  ringIdsAt = load<u32>(at, 32);
  ringPreviousAt = load<u32>(at, 36);
  ringTracesAt = load<u32>(at, 40);
  weightsAt = load<u32>(at, 44);
  targetsAt = load<u32>(at, 48);
  rasterBitsAt = load<u32>(at, 52);
  rasterAt = load<u32>(at, 56);
  stepSpikesAt = load<u32>(at, 60);
  digestsAt = load<u32>(at, 64);
  spikeCountsAt = load<u32>(at, 68);
  tallyAt = load<u32>(at, 72);
  depressionAt = load<u32>(at, 76);
  potentiationAt = load<u32>(at, 80);
  decayPlusAt = load<u32>(at, 84);
  decayMinusAt = load<u32>(at, 88);
  arrivalOffsetsAt = load<u32>(at, 92);
  arrivalsAt = load<u32>(at, 96);
  stagedAt = load<u32>(at, 100);
}

/** First neuron of a sector. */
// @ts-ignore: decorator
@inline
export function sectorBase(sector: u32): u32 {
  return sector * sectorSize;
}

/** Neurons of a sector: the last one may hold fewer. */
// @ts-ignore: decorator
@inline
export function sectorNeurons(sector: u32): u32 {
  return min(sectorSize, neuronCount - sector * sectorSize);
}

/**
 * Bytes from the begin of a sector's state to the potential of a neuron. Sixteen neurons lie together, 64 bytes of
 * potentials, of excitatory and of inhibitory currents: one stream through the cache for three arrays.
 */
// @ts-ignore: decorator
@inline
export function stateOffset(local: u32): usize {
  return <usize>((local << 2) + ((local & ~15) << 3));
}

/** Where a sector's spikes of a step are told: first entry in its ring, entries, those of excitatory neurons. */
// @ts-ignore: decorator
@inline
export function ringHead(sector: u32, step: u32): usize {
  return ringHeadsAt + <usize>((sector * ringDepth + (step % ringDepth)) * 12);
}
