// commit: ./wasm-backend.spec.ts
// watches: libs/kernels/assembly, libs/kernels/src
import './wasm-backend.spec.js';
