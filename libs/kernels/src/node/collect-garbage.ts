import { setFlagsFromString } from 'node:v8';
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
