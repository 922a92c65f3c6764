import { synapsesBefore, synapsesIn } from './connectivity';
import {
  arrivalCapacity,
  arrivalOffsetsAt,
  arrivalsAt,
  delaySteps,
  excitatoryCount,
  extras,
  outDegree,
  quotient,
  ringCapacity,
  ringHead,
  ringIdsAt,
  ringPreviousAt,
  ringTracesAt,
  rule,
  sectorBase,
  sectorCount,
  stagedAt,
  weightsAt,
} from './run';

// The weights of a source lie in one row, through all sectors, since a row is what the source owns. But a sector that is
// carried through a block visits a few weights of each of thousands of rows, in as many pages. So the rows of all sources
// that arrive in a block are brought together before it, cut by sectors: what a sector visits then is one stream. After the
// block they are put back. A source arrives once in a block at most: it rests for longer than a block lasts.

/** Rows whose reads are begun together. */
const ROWS: u32 = 24;
const LINE: usize = 64;

/** Sources that arrive in the block, in the order of steps and ids; none where they are more than there is room for. */
export let staged: u32 = 0;
/** What was read ahead goes somewhere, or the reads would be left out. */
export let touched: u32 = 0;

// @ts-ignore: decorator
@inline
export function arrivingIdsAt(): usize {
  return arrivalsAt;
}
/** When the source arrived before. */
// @ts-ignore: decorator
@inline
export function arrivedBeforeAt(): usize {
  return arrivalsAt + (<usize>arrivalCapacity << 2);
}
/** Trace of the source then; of all pairs alone. */
// @ts-ignore: decorator
@inline
export function arrivedTracesAt(): usize {
  return arrivalsAt + (<usize>arrivalCapacity << 3);
}

/** First of the sources that arrive in a step of the block, counted from 0; the one after the last step ends the list. */
// @ts-ignore: decorator
@inline
export function firstArrival(stepOfBlock: u32): u32 {
  return load<u32>(arrivalOffsetsAt + (<usize>stepOfBlock << 2));
}

/** Weights of a source in a sector that are brought together: as many for all, so that they are found by number. */
// @ts-ignore: decorator
@inline
function stagedWeights(): u32 {
  return quotient + <u32>(extras != 0);
}

/** Where the weights of an arriving source in a sector are while they are brought together. */
// @ts-ignore: decorator
@inline
export function stagedRow(sector: u32, arrival: u32): usize {
  return stagedAt + (<usize>((sector * arrivalCapacity + arrival) * stagedWeights()) << 1);
}

/** Where the weights of a source in a sector are otherwise. */
// @ts-ignore: decorator
@inline
export function weightRow(source: u32, sector: u32): usize {
  return weightsAt + ((<usize>source * outDegree + synapsesBefore(source, sector)) << 1);
}

/** Copies so many 16-bit numbers and not a byte more: what lies behind them is another thread's. */
// @ts-ignore: decorator
@inline
function copyWeights(from: usize, to: usize, count: u32): void {
  let left = count;
  for (; left >= 8; left -= 8, from += 16, to += 16) v128.store(to, v128.load(from));
  if (left >= 4) {
    store<u64>(to, load<u64>(from));
    left -= 4;
    from += 8;
    to += 8;
  }
  for (; left; left--, from += 2, to += 2) store<u16>(to, load<u16>(from));
}

function touchRows(first: u32, end: u32): void {
  let sum: u32 = 0;
  const bytes = <usize>outDegree << 1;
  for (let k = first; k < end; k++) {
    const row = weightsAt + <usize>load<u32>(arrivingIdsAt() + (<usize>k << 2)) * bytes;
    for (let at: usize = 0; at < bytes; at += LINE) sum += <u32>load<u16>(row + at);
    sum += <u32>load<u16>(row + bytes - 2);
  }
  touched = sum;
}

function copyRows(first: u32, end: u32, isBack: bool): void {
  for (let k = first; k < end; k += ROWS) {
    const last = min(k + ROWS, end);
    touchRows(k, last);
    for (let arrival = k; arrival < last; arrival++) {
      const source = load<u32>(arrivingIdsAt() + (<usize>arrival << 2));
      let row = weightsAt + ((<usize>source * outDegree) << 1);
      for (let sector: u32 = 0; sector < sectorCount; sector++) {
        const count = synapsesIn(source, sector);
        const piece = stagedRow(sector, arrival);
        if (isBack) copyWeights(piece, row, count);
        else copyWeights(row, piece, count);
        row += <usize>count << 1;
      }
    }
  }
}

/** Lists the excitatory spikes of a step of the past as arrivals, from a place of the list on. */
function listArrivals(sent: u32, from: u32): void {
  let to = from;
  for (let sector: u32 = 0; sector < sectorCount; sector++) {
    const head = ringHead(sector, sent);
    const base = sectorBase(sector);
    let entry = load<u32>(head);
    for (let left = load<u32>(head, 8); left; left--, to++, entry++) {
      if (entry >= ringCapacity) entry -= ringCapacity;
      const place = <usize>(sector * ringCapacity + entry);
      const at = <usize>to << 2;
      store<u32>(arrivingIdsAt() + at, base + <u32>load<u16>(ringIdsAt + (place << 1)));
      store<u32>(arrivedBeforeAt() + at, load<u32>(ringPreviousAt + (place << 2)));
      if (rule == 2) store<u32>(arrivedTracesAt() + at, load<u32>(ringTracesAt + (place << 2)));
    }
  }
}

/** Excitatory spikes of all sectors in a step of the past. */
function spikesSent(sent: u32): u32 {
  let count: u32 = 0;
  for (let sector: u32 = 0; sector < sectorCount; sector++) count += load<u32>(ringHead(sector, sent), 8);
  return count;
}

/** This thread's share of bringing together what arrives in the steps `from` … `to` − 1. */
export function stageRows(from: u32, to: u32, thread: u32, threads: u32): void {
  staged = 0;
  if (!excitatoryCount || !outDegree) return;
  let count: u32 = 0;
  for (let step = from; step < to; step++) {
    // All threads write the same.
    store<u32>(arrivalOffsetsAt + (<usize>(step - from) << 2), count);
    if (step >= delaySteps) count += spikesSent(step - delaySteps);
  }
  store<u32>(arrivalOffsetsAt + (<usize>(to - from) << 2), count);
  if (count > arrivalCapacity) return;
  staged = count;
  for (let step = from + thread; step < to; step += threads) {
    if (step < delaySteps) continue;
    const first = firstArrival(step - from);
    listArrivals(step - delaySteps, first);
    copyRows(first, firstArrival(step - from + 1), false);
  }
}

/** This thread's share of putting them back. */
export function unstageRows(from: u32, to: u32, thread: u32, threads: u32): void {
  if (!staged) return;
  for (let step = from + thread; step < to; step += threads) {
    copyRows(firstArrival(step - from), firstArrival(step - from + 1), true);
  }
}
