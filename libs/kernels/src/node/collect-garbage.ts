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
/** What the first collection finds may be freed by the second only, and is counted some time later: so often, and after so long, ms. */
const [TRIES_MAX, AGAIN_MS] = [3, 100];
/** What lies there although it was collected. */
let keptBytes = 0;
let tries = 0;

/**
 * Collects garbage where buffers have come to 16 MiB more than are in use: for threads, behind each task. One that waits for the next
 * task collects nothing, and V8 lets it keep 64 MiB of what the last ones unpacked and were handed.
 */
export function collectLargeBuffers(): void {
  const bytes = getHeapStatistics().external_memory;
  keptBytes = Math.min(keptBytes, bytes);
  if (bytes - keptBytes < LARGE_BYTES) {
    tries = 0;
  } else if (tries === TRIES_MAX) {
    [keptBytes, tries] = [bytes, 0];
  } else {
    tries++;
    collectGarbage();
    setTimeout(collectLargeBuffers, AGAIN_MS).unref();
  }
}
