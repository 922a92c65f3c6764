import type { Connectivity, SpikingNetwork, SpikingRun } from './simulation.js';
import { layOutRun, PAGE_BYTES, type RegionName } from './wasm/run-layout.js';

export { MEMORY_BYTES_MAX } from './wasm/run-layout.js';

/** Bytes that a run takes. */
export interface MemoryEstimate {
  /** What the run will report as `bytesAllocated`, to the byte. */
  readonly totalBytes: number;
  /** Arrays of the run, each in bytes; what is not needed is 0. */
  readonly arrays: Readonly<Record<RegionName, number>>;
}

/**
 * What a run takes on the WASM backend, known before it starts: the layout of its memory, without the memory.
 *
 * @param threads each has some tens of kilobytes of its own
 * @throws {SpikingParameterError} `bytes` when no memory of WebAssembly is large enough
 */
export function estimateMemory(
  network: SpikingNetwork,
  run: SpikingRun,
  connectivity: Connectivity,
  threads = 2,
): MemoryEstimate {
  const { regions, pages, controlBytes } = layOutRun(network, run, connectivity, threads);
  const arrays = Object.fromEntries(Object.entries(regions).map(([name, { bytes }]) => [name, bytes]));
  return { totalBytes: pages * PAGE_BYTES + controlBytes, arrays: arrays as Record<RegionName, number> };
}
