// For threads that compute beside this engine's own.
export { answerTasks, ThreadTasks, ThreadTasksError } from '@svc/kernels/node';
export { SpikingThreadError } from './spiking-threads.js';
export { SPIKING_THREADS_MAX, WasmSpiking } from './wasm-spiking.js';
export { WebGpuLimitError } from './webgpu/buffers.js';
export { WebGpuDeviceError, WebGpuLostError } from './webgpu/gpu-run.js';
export {
  openWebGpu,
  type WebGpuModule,
  type WebGpuOpening,
  type WebGpuOptions,
} from './webgpu/open-webgpu.js';
export { type SpikingState, WebGpuSpiking } from './webgpu/webgpu-spiking.js';
