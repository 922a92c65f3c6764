import { haveExtra4, placeOf, synapsesIn } from './connectivity';
import { hash4, mulhi4 } from './hash';
import { extras, neuronCount, quotient, sectorNeurons, stateOffset, targetKeysAt, targetsAt } from './run';
import { synapseScratchAt } from './sources';

// @ts-ignore: decorator
@inline
function addAt(at: usize, weight: f32): void {
  store<f32>(at, load<f32>(at) + weight);
}

/** Bytes from the begin of a sector's state to four of its neurons. */
// @ts-ignore: decorator
@inline
export function stateOffset4(locals: v128): v128 {
  const groups = v128.andnot(locals, i32x4.splat(15));
  return i32x4.add(i32x4.shl(locals, 2), i32x4.shl(groups, 3));
}

// @ts-ignore: decorator
@inline
function scatter4(currents: usize, offsets: v128, weight: f32): void {
  addAt(currents + <usize>i32x4.extract_lane(offsets, 0), weight);
  addAt(currents + <usize>i32x4.extract_lane(offsets, 1), weight);
  addAt(currents + <usize>i32x4.extract_lane(offsets, 2), weight);
  addAt(currents + <usize>i32x4.extract_lane(offsets, 3), weight);
}

function scatterSome(currents: usize, offsets: v128, lanes: u32, weight: f32): void {
  if (lanes & 1) addAt(currents + <usize>i32x4.extract_lane(offsets, 0), weight);
  if (lanes & 2) addAt(currents + <usize>i32x4.extract_lane(offsets, 1), weight);
  if (lanes & 4) addAt(currents + <usize>i32x4.extract_lane(offsets, 2), weight);
  if (lanes & 8) addAt(currents + <usize>i32x4.extract_lane(offsets, 3), weight);
}

/**
 * Adds one weight to the targets of `n` sources, which are computed on the way: the m-th synapse of four sources at a time.
 * Equal addends: the order cannot matter.
 */
export function deliverProcedural(sector: u32, ids: usize, n: u32, currents: usize, weight: f32): void {
  const keys = targetKeysAt + (<usize>sector << 3);
  const k0 = i32x4.splat(load<u32>(keys));
  const k1 = i32x4.splat(load<u32>(keys, 4));
  const neurons = i32x4.splat(sectorNeurons(sector));
  const factor = i32x4.splat(quotient + 1);
  for (let s: u32 = 0; s < n; s += 4) {
    const sources = v128.load(ids + (<usize>s << 2));
    const lanes: u32 = n - s >= 4 ? 15 : (1 << (n - s)) - 1;
    let counters = i32x4.mul(sources, factor);
    for (let m: u32 = 0; m < quotient; m++) {
      const offsets = stateOffset4(mulhi4(hash4(counters, k0, k1), neurons));
      counters = i32x4.add(counters, i32x4.splat(1));
      if (lanes == 15) scatter4(currents, offsets, weight);
      else scatterSome(currents, offsets, lanes, weight);
    }
    if (!extras) continue;
    const more = lanes & <u32>i32x4.bitmask(haveExtra4(sources, sector));
    if (more) scatterSome(currents, stateOffset4(mulhi4(hash4(counters, k0, k1), neurons)), more, weight);
  }
}

/** Rows whose reads are begun together. */
const ROWS: u32 = 128;

/** First of the stored targets of a source in a sector. */
// @ts-ignore: decorator
@inline
export function targetRow(source: u32, sector: u32): usize {
  return targetsAt + (<usize>placeOf(source, sector, neuronCount) << 1);
}

/** Where the rows of some sources begin and end: eight bytes each, in the thread's scratch. */
function layOutRows(sector: u32, ids: usize, n: u32): void {
  let to = synapseScratchAt();
  for (let k: u32 = 0; k < n; k++, to += 8) {
    const source = load<u32>(ids + (<usize>k << 2));
    const row = targetRow(source, sector);
    store<u32>(to, row);
    store<u32>(to, row + (<usize>synapsesIn(source, sector) << 1), 4);
  }
}

/** What was read ahead goes somewhere, or the reads would be left out. */
export let touched: u32 = 0;

/** Begins the reads of all rows. Nothing else is in the loop, so that dozens of them are under way at a time. */
function touchRows(n: u32): void {
  let sum: u32 = 0;
  let at = synapseScratchAt();
  for (const end = at + (<usize>n << 3); at < end; at += 8) {
    sum += <u32>load<u16>(load<u32>(at)) + <u32>load<u16>(load<u32>(at, 4));
  }
  touched = sum;
}

/** Adds one weight to the stored targets of `n` sources. */
export function deliverStored(sector: u32, ids: usize, n: u32, currents: usize, weight: f32): void {
  for (let s: u32 = 0; s < n; s += ROWS) {
    const rows = min(ROWS, n - s);
    layOutRows(sector, ids + (<usize>s << 2), rows);
    touchRows(rows);
    let at = synapseScratchAt();
    for (const end = at + (<usize>rows << 3); at < end; at += 8) {
      let row = <usize>load<u32>(at);
      const rowEnd = <usize>load<u32>(at, 4);
      for (; row < rowEnd; row += 2) addAt(currents + stateOffset(<u32>load<u16>(row)), weight);
    }
  }
}
