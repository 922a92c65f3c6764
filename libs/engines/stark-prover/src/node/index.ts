export { createWasmBackend, type WasmBackend, type WasmBackendOptions } from './wasm-backend.js';
