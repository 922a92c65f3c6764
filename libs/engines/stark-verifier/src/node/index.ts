import { loadKernelModule } from '@svc/kernels/node';
import type { VerifierBackend } from '../backend.js';
import { wasmVerifierBackend } from '../wasm/wasm-verifier-backend.js';

let backend: Promise<VerifierBackend> | undefined;

/** The process's verifier backend on the WebAssembly kernels, made at the first call. Verification runs on the caller's thread. */
export function loadWasmVerifierBackend(): Promise<VerifierBackend> {
  backend ??= loadKernelModule().then(wasmVerifierBackend, (error: unknown) => {
    backend = undefined;
    throw error;
  });
  return backend;
}
