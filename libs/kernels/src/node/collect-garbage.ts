import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Runs a full garbage collection. A shared WebAssembly memory is freed when the last object that refers to it is collected,
 * and V8 does not count its pages as a reason to collect: hundreds of megabytes could outlive their proof for hours.
 * A pause of some milliseconds, so for the rare moments when a large memory has just been let go.
 */
export function collectGarbage(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collect();
}

/** So much outside the heap is worth a collection. */
const LARGE_BYTES = 2 ** 24;
/** What lay there after the last collection. */
let keptBytes = 0;
let isCollected = false;

/**
 * Collects garbage where buffers have come to 16 MiB since the last time: for threads, between two tasks. One that waits for the next
 * task collects nothing, and V8 lets it keep 64 MiB of what the last ones unpacked and were handed.
 */
export function collectLargeBuffers(): void {
  const bytes = getHeapStatistics().external_memory;
  // What was collected is counted only some time later.
  keptBytes = isCollected ? bytes : Math.min(keptBytes, bytes);
  isCollected = bytes - keptBytes >= LARGE_BYTES;
  if (isCollected) collectGarbage();
}
