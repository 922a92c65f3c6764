import { readFile } from 'node:fs/promises';

/** The same depth below the package from src/node and from dist/node. */
const MODULE_URL = new URL('../../wasm/spiking.wasm', import.meta.url);

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * The compiled kernels, compiled once a process.
 * @throws Error if `spiking.wasm` has not been built
 */
export function loadSpikingModule(): Promise<WebAssembly.Module> {
  compiled ??= readFile(MODULE_URL).then(
    bytes => WebAssembly.compile(new Uint8Array(bytes)),
    (cause: unknown) => {
      compiled = undefined;
      throw new Error('spiking.wasm is missing: build it with `npx nx run @svc/spiking:wasm`', { cause });
    },
  );
  return compiled;
}
