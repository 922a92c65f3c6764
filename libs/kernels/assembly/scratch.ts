// Each instance (one a worker) works in a scratch area of its own within the shared memory.

let area: usize = 0;

/** Sets this instance's scratch area: 16-byte aligned, scratchBytes() long, its own. */
export function setScratch(address: usize): void {
  area = address;
}

// @ts-ignore: decorator
@inline
export function scratchArea(): usize {
  return area;
}

/** First address after the module's static data, from which the host may allocate. */
export function heapBase(): usize {
  return __heap_base;
}
