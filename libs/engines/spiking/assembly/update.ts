import {
  blockSteps,
  blockTablesAt,
  BLOCK_STEPS_MAX,
  leak,
  refractorySteps,
  rescaleE,
  rescaleI,
  ringCapacity,
  ringHead,
  ringIdsAt,
  sectorNeurons,
  stateOffset,
  statesAt,
  stateStride,
} from './run';
import { beginSpikes, endSpikes, recordSpikes } from './spikes';

/** Bytes of the state of 16 neurons. */
const GROUP: usize = 192;
/** Relative to rest, mV. */
const THRESHOLD: f32 = -1;
const RESET: f32 = -11;
/** Below this a current is none: numbers so small that each operation on them would take a hundred cycles never arise. */
const LEAST_CURRENT: f32 = 1e-20;

/** Four neurons: V·a + (E·be + I·bi), each operation rounded by itself. */
// @ts-ignore: decorator
@inline
function integrate(v: v128, e: v128, i: v128, a: v128, be: v128, bi: v128): v128 {
  return f32x4.add(f32x4.mul(v, a), f32x4.add(f32x4.mul(e, be), f32x4.mul(i, bi)));
}

/** Sixteen bits: which neurons of a group are above the threshold. Out of line: it is called where one of them is. */
function crossed(at: usize): u32 {
  const threshold = f32x4.splat(THRESHOLD);
  return (
    <u32>i32x4.bitmask(f32x4.gt(v128.load(at), threshold)) |
    (<u32>i32x4.bitmask(f32x4.gt(v128.load(at, 16), threshold)) << 4) |
    (<u32>i32x4.bitmask(f32x4.gt(v128.load(at, 32), threshold)) << 8) |
    (<u32>i32x4.bitmask(f32x4.gt(v128.load(at, 48), threshold)) << 12)
  );
}

/** The constants of the step are loaded: what is made of a scalar would be made anew for each group. */
function integrateGroups(begin: usize, end: usize, tables: usize): void {
  const a = f32x4.splat(leak);
  const be = v128.load_splat<f32>(tables);
  const bi = v128.load_splat<f32>(tables, BLOCK_STEPS_MAX << 2);
  const threshold = f32x4.splat(THRESHOLD);
  for (let p = begin; p < end; p += GROUP) {
    const v0 = integrate(v128.load(p), v128.load(p, 64), v128.load(p, 128), a, be, bi);
    v128.store(p, v0);
    const v1 = integrate(v128.load(p, 16), v128.load(p, 80), v128.load(p, 144), a, be, bi);
    v128.store(p, v1, 16);
    const v2 = integrate(v128.load(p, 32), v128.load(p, 96), v128.load(p, 160), a, be, bi);
    v128.store(p, v2, 32);
    const v3 = integrate(v128.load(p, 48), v128.load(p, 112), v128.load(p, 176), a, be, bi);
    v128.store(p, v3, 48);
    // The greatest of the four decides for all of them.
    const greatest = f32x4.pmax(f32x4.pmax(v0, v1), f32x4.pmax(v2, v3));
    if (i32x4.bitmask(f32x4.gt(greatest, threshold))) recordSpikes(p, <u32>(p - begin) / 12, crossed(p));
  }
}

// @ts-ignore: decorator
@inline
function rescaled(current: v128, factor: v128): v128 {
  const next = f32x4.mul(current, factor);
  return v128.andnot(next, f32x4.lt(f32x4.abs(next), f32x4.splat(LEAST_CURRENT)));
}

/** The currents of the next block are told by its own begin. */
function rescaleGroups(begin: usize, end: usize): void {
  const e = f32x4.splat(rescaleE);
  const i = f32x4.splat(rescaleI);
  for (let p = begin; p < end; p += GROUP) {
    v128.store(p, rescaled(v128.load(p, 64), e), 64);
    v128.store(p, rescaled(v128.load(p, 80), e), 80);
    v128.store(p, rescaled(v128.load(p, 96), e), 96);
    v128.store(p, rescaled(v128.load(p, 112), e), 112);
    v128.store(p, rescaled(v128.load(p, 128), i), 128);
    v128.store(p, rescaled(v128.load(p, 144), i), 144);
    v128.store(p, rescaled(v128.load(p, 160), i), 160);
    v128.store(p, rescaled(v128.load(p, 176), i), 176);
  }
}

/** The neurons that spiked in a step may integrate again. */
function release(begin: usize, sector: u32, step: u32): void {
  const head = ringHead(sector, step);
  const ids = ringIdsAt + ((<usize>sector * <usize>ringCapacity) << 1);
  const first = load<u32>(head);
  const count = load<u32>(head, 4);
  for (let k: u32 = 0; k < count; k++) {
    let entry = first + k;
    if (entry >= ringCapacity) entry -= ringCapacity;
    store<f32>(begin + stateOffset(<u32>load<u16>(ids + (<usize>entry << 1))), RESET);
  }
}

/** One step of a sector's neurons, whose input has been delivered. */
export function updateSector(sector: u32, step: u32): void {
  const begin = statesAt + <usize>sector * stateStride;
  const end = begin + (((<usize>sectorNeurons(sector) + 15) >> 4) * GROUP);
  const stepOfBlock = <usize>(step % blockSteps);
  const tables = blockTablesAt + (stepOfBlock << 2);
  beginSpikes(sector, step);
  integrateGroups(begin, end, tables);
  endSpikes(sector, step);
  if (step >= refractorySteps) release(begin, sector, step - refractorySteps);
  if (stepOfBlock + 1 == <usize>blockSteps) rescaleGroups(begin, end);
}
