import type { KernelExecutor, KernelResult, KernelTask } from '@svc/kernels';

/**
 * An executor that begins no batch once the signal has aborted. What runs is finished: nobody may touch the memory before
 * its kernels have ended.
 */
export function abortableExecutor(executor: KernelExecutor, signal: AbortSignal | undefined): KernelExecutor {
  return signal ? new AbortableExecutor(executor, signal) : executor;
}

class AbortableExecutor implements KernelExecutor {
  readonly arena: KernelExecutor['arena'];
  readonly kernels: KernelExecutor['kernels'];
  readonly concurrency: number;
  readonly wide: KernelExecutor;

  constructor(
    private readonly executor: KernelExecutor,
    private readonly signal: AbortSignal,
  ) {
    this.arena = executor.arena;
    this.kernels = executor.kernels;
    this.concurrency = executor.concurrency;
    this.wide = executor.wide === executor ? this : new AbortableExecutor(executor.wide, signal);
  }

  async run(tasks: readonly KernelTask[]): Promise<KernelResult[]> {
    this.signal.throwIfAborted();
    return this.executor.run(tasks);
  }
}
