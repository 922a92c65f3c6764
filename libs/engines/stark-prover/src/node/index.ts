export {
  estimateProverMemoryBytes,
  PROVER_MEMORY_BYTES_MAX,
  ProverMemoryError,
  type ProverMemoryParameters,
} from '../wasm/prover-memory.js';
export { createWasmBackend, type WasmBackend, type WasmBackendOptions } from './wasm-backend.js';
export { type OwnReading, OwnThreads, type OwnThreadsOptions } from './own-threads.js';
