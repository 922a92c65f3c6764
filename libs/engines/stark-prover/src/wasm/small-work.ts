import { type KernelExecutor, type KernelTask, runKernelTask } from '@svc/kernels';

/** Below this, handing work to threads takes longer than doing it. */
const INLINE_NANOSECONDS_MAX = 100_000;

/**
 * Runs independent tasks on the executor's threads, or, where they are small together, one after the other where the caller
 * stands: waking a thread costs as much as a transform of some thousand elements.
 * @param nanoseconds what the tasks take in all, roughly
 */
export async function runTasks(
  executor: KernelExecutor,
  nanoseconds: number,
  tasks: readonly KernelTask[],
): Promise<void> {
  if (nanoseconds > INLINE_NANOSECONDS_MAX) {
    await executor.run(tasks);
    return;
  }
  for (const task of tasks) runKernelTask(executor.kernels, task);
}
