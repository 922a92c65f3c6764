import { readFile } from 'node:fs/promises';

/** The same depth below the package from src/node and from dist/node. */
const KERNELS_URL = new URL('../../wasm/kernels.wasm', import.meta.url);

let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * The compiled kernels, compiled once a process.
 * @throws Error if `kernels.wasm` has not been built
 */
export function loadKernelModule(): Promise<WebAssembly.Module> {
  compiled ??= readFile(KERNELS_URL).then(
    bytes => WebAssembly.compile(new Uint8Array(bytes)),
    (cause: unknown) => {
      compiled = undefined;
      throw new Error('kernels.wasm is missing: build it with `npx nx run @svc/kernels:wasm`', { cause });
    },
  );
  return compiled;
}
