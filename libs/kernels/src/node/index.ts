export { collectGarbage, collectLargeBuffers } from './collect-garbage.js';
export { FairQueue, NOBODYS_TURN, type Turn, type TurnOf } from './fair-queue.js';
export { loadDspModule, loadKernelModule } from './kernel-module.js';
export { KERNEL_THREADS_MAX, KernelPool, KernelPoolError } from './kernel-pool.js';
export {
  answerTasks,
  type TaskOptions,
  ThreadTasks,
  ThreadTasksError,
  type ThreadTasksOptions,
} from './thread-tasks.js';
