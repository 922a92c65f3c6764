export { collectGarbage } from './collect-garbage.js';
export { loadKernelModule } from './kernel-module.js';
export { KERNEL_THREADS_MAX, KernelPool, KernelPoolError } from './kernel-pool.js';
