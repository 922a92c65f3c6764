import { CHUNK, ringCapacity, ringIdsAt, ringPreviousAt, ringTracesAt, rule, scratchAt, sectorBase } from './run';

// A chunk of sources in the thread's scratch: ids, times of their arrivals before, traces. Vectors may write past its end.
const ROOM: usize = ((<usize>CHUNK + 16) << 2);

// @ts-ignore: decorator
@inline
export function excitatoryIdsAt(): usize {
  return scratchAt;
}
// @ts-ignore: decorator
@inline
export function previousAt(): usize {
  return scratchAt + ROOM;
}
// @ts-ignore: decorator
@inline
export function tracesOfSourcesAt(): usize {
  return scratchAt + 2 * ROOM;
}
// @ts-ignore: decorator
@inline
export function inhibitoryIdsAt(): usize {
  return scratchAt + 3 * ROOM;
}
/** Scratch behind the sources. */
// @ts-ignore: decorator
@inline
export function synapseScratchAt(): usize {
  return scratchAt + 4 * ROOM;
}

/** Global ids of ring entries that lie together, 16 bits each in their sector. */
function widen(from: usize, n: u32, base: u32, to: usize): void {
  const offset = i32x4.splat(base);
  for (let k: u32 = 0; k < n; k += 4) {
    v128.store(to, i32x4.add(v128.load16x4_u(from), offset));
    from += 8;
    to += 16;
  }
}

/** Appends `n` spikes of a sector, from an entry of its ring on, to the `have` sources of a list. */
export function appendSources(
  sector: u32,
  first: u32,
  n: u32,
  ids: usize,
  have: u32,
  isPlastic: bool,
): void {
  let from = first;
  let left = n;
  let to = have;
  while (left) {
    if (from >= ringCapacity) from -= ringCapacity;
    const run = min(left, ringCapacity - from);
    const place = <usize>(sector * ringCapacity + from);
    widen(ringIdsAt + (place << 1), run, sectorBase(sector), ids + (<usize>to << 2));
    if (isPlastic) {
      const bytes = <usize>run << 2;
      memory.copy(previousAt() + (<usize>to << 2), ringPreviousAt + (place << 2), bytes);
      if (rule == 2) memory.copy(tracesOfSourcesAt() + (<usize>to << 2), ringTracesAt + (place << 2), bytes);
    }
    from += run;
    to += run;
    left -= run;
  }
}
