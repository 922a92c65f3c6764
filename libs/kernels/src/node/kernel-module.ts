import { readFile } from 'node:fs/promises';

const compiled = new Map<string, Promise<WebAssembly.Module>>();

/**
 * The compiled kernels, compiled once a process.
 * @throws Error if `kernels.wasm` has not been built
 */
export function loadKernelModule(): Promise<WebAssembly.Module> {
  return load('kernels.wasm');
}

/**
 * The compiled signal processing kernels, compiled once a process.
 * @throws Error if `dsp.wasm` has not been built
 */
export function loadDspModule(): Promise<WebAssembly.Module> {
  return load('dsp.wasm');
}

function load(name: string): Promise<WebAssembly.Module> {
  const known = compiled.get(name);
  if (known) return known;
  // The same depth below the package from src/node and from dist/node.
  const module = readFile(new URL(`../../wasm/${name}`, import.meta.url)).then(
    bytes => WebAssembly.compile(new Uint8Array(bytes)),
    (cause: unknown) => {
      compiled.delete(name);
      throw new Error(`${name} is missing: build it with \`npx nx run @svc/kernels:wasm\``, { cause });
    },
  );
  compiled.set(name, module);
  return module;
}
