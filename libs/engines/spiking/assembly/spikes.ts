import { rememberSpike, touchSpike } from './history';
import {
  countsAt,
  excitatoryCount,
  rasterAt,
  rasterBitsAt,
  rasterCapacity,
  ringCapacity,
  ringHead,
  ringIdsAt,
  rule,
  sectorBase,
  stateStride,
  statesAt,
  stepSpikesAt,
  tallyAt,
  warmupSteps,
} from './run';

// The step that this thread is in.
let base: u32 = 0;
let excitatory: u32 = 0;
let now: u32 = 0;
let stateAt: usize = 0;
let ringBegin: u32 = 0;
let entry: u32 = 0;
let count: u32 = 0;
let excitatorySpikes: u32 = 0;
let isCounted: bool = false;
let isRastered: bool = false;

/** Set for the block: whether the raster still takes spikes. All threads decide alike. */
export function openRaster(isOpen: bool): void {
  isRastered = isOpen;
}

/** The spikes of a step follow those of the step before in the sector's ring. */
export function beginSpikes(sector: u32, step: u32): void {
  base = sectorBase(sector);
  excitatory = excitatoryCount > base ? excitatoryCount - base : 0;
  now = step;
  stateAt = statesAt + <usize>sector * stateStride;
  ringBegin = sector * ringCapacity;
  entry = 0;
  if (step > 0) {
    const before = ringHead(sector, step - 1);
    entry = load<u32>(before) + load<u32>(before, 4);
    if (entry >= ringCapacity) entry -= ringCapacity;
  }
  store<u32>(ringHead(sector, step), entry);
  count = 0;
  excitatorySpikes = 0;
  isCounted = step >= warmupSteps;
}

export function endSpikes(sector: u32, step: u32): void {
  const head = ringHead(sector, step);
  tellSpikes(load<u32>(head));
  store<u32>(head, count, 4);
  store<u32>(head, excitatorySpikes, 8);
  atomic.add<u32>(stepSpikesAt + ((<usize>step) << 2), count);
}

/** Sixteen neurons of which `bits` are above the threshold; `first` is the local id of the first one. */
export function recordSpikes(at: usize, first: u32, bits: u32): void {
  for (; bits; bits &= bits - 1) {
    const lane = <u32>ctz(bits);
    store<f32>(at + ((<usize>lane) << 2), -Infinity);
    recordSpike(first + lane);
  }
}

function recordSpike(local: u32): void {
  store<u16>(ringIdsAt + ((<usize>(ringBegin + entry)) << 1), <u16>local);
  if (++entry == ringCapacity) entry = 0;
  count++;
}

/** What was read ahead goes somewhere, or the reads would be left out. */
export let touched: u32 = 0;

/** Begins the reads of what the spikes of the step change, all together: one by one each would be waited for. */
function touchSpikes(first: u32): void {
  let sum: u32 = 0;
  let at = first;
  for (let k: u32 = 0; k < count; k++) {
    const neuron = <usize>(base + <u32>load<u16>(ringIdsAt + ((<usize>(ringBegin + at)) << 1)));
    sum += <u32>load<u16>(countsAt + (neuron << 1));
    if (rule) sum += touchSpike(neuron);
    if (++at == ringCapacity) at = 0;
  }
  touched = sum;
}

/** Tells of the spikes of the step, which lie in the ring from an entry on. */
function tellSpikes(first: u32): void {
  touchSpikes(first);
  let at = first;
  for (let k: u32 = 0; k < count; k++) {
    const place = <usize>(ringBegin + at);
    const local = <u32>load<u16>(ringIdsAt + (place << 1));
    const neuron = <usize>(base + local);
    if (rule) rememberSpike(neuron, place, now);
    if (isCounted) {
      const counter = countsAt + (neuron << 1);
      store<u16>(counter, load<u16>(counter) + 1);
      if (isRastered) rasterSpike(<u32>neuron);
    }
    if (local < excitatory) excitatorySpikes++;
    if (++at == ringCapacity) at = 0;
  }
}

function rasterSpike(neuron: u32): void {
  if (!((load<u32>(rasterBitsAt + (((<usize>neuron) >> 5) << 2)) >> (neuron & 31)) & 1)) return;
  const index = atomic.add<u32>(tallyAt, 1);
  if (index >= rasterCapacity) return;
  const at = rasterAt + ((<usize>index) << 3);
  store<u32>(at, now - warmupSteps);
  store<u32>(at, neuron, 4);
}
