import {
  countsAt,
  digestsAt,
  excitatoryCount,
  rule,
  scratchAt,
  sectorBase,
  outDegree,
  sectorNeurons,
  spikeCountEntries,
  spikeCountsAt,
  stateOffset,
  statesAt,
  stateStride,
  weightsAt,
} from './run';

/** FNV-1a of 64 bits over words of 32. */
const FNV_OFFSET: u64 = 0xcbf29ce484222325;
const FNV_PRIME: u64 = 0x100000001b3;

function digestWords(state: usize, count: u32, start: u64): u64 {
  let h = start;
  for (let k: u32 = 0; k < count; k++) h = (h ^ (<u64>load<u32>(state + stateOffset(k)))) * FNV_PRIME;
  return h;
}

/**
 * What is told of a sector at the end. Thirty-two bytes each: digest of the state, digest of the weights of its neurons,
 * their sum and the sum of their squares.
 */
export function digestSector(sector: u32): void {
  const at = digestsAt + ((<usize>sector) << 5);
  const state = statesAt + <usize>sector * stateStride;
  const count = sectorNeurons(sector);
  let h = digestWords(state, count, FNV_OFFSET);
  h = digestWords(state + 64, count, h);
  store<u64>(at, digestWords(state + 128, count, h));
  if (rule) digestWeights(sector, at);
  tallyCounts(sector);
}

function digestWeights(sector: u32, at: usize): void {
  const base = sectorBase(sector);
  const end = min(base + sectorNeurons(sector), excitatoryCount);
  let h = FNV_OFFSET;
  let sum: u64 = 0;
  let squares: u64 = 0;
  // Rows lie behind one another, each through all sectors.
  let p = weightsAt + ((<usize>base * outDegree) << 1);
  const last = p + (end > base ? ((<usize>(end - base) * outDegree) << 1) : 0);
  for (; p < last; p += 2) {
    const weight = <u64>load<u16>(p);
    h = (h ^ weight) * FNV_PRIME;
    sum += weight;
    squares += weight * weight;
  }
  store<u64>(at, h, 8);
  store<u64>(at, sum, 16);
  store<u64>(at, squares, 24);
}

/** How many neurons spiked how often: counted in the thread's scratch, then added to what all sectors have. */
function tallyCounts(sector: u32): void {
  memory.fill(scratchAt, 0, (<usize>spikeCountEntries) << 2);
  const base = sectorBase(sector);
  const end = base + sectorNeurons(sector);
  for (let j = base; j < end; j++) {
    const at = scratchAt + ((<usize>load<u16>(countsAt + ((<usize>j) << 1))) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  for (let k: usize = 0; k < (<usize>spikeCountEntries) << 2; k += 4) {
    const neurons = load<u32>(scratchAt + k);
    if (neurons) atomic.add<u32>(spikeCountsAt + k, neurons);
  }
}
