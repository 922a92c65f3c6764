// commit: ./wasm-spiking.spec.ts
import './wasm-spiking.spec.js';
