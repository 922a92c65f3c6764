import { Arena, createKernelMemory } from './arena.js';
import {
  instantiateKernels,
  type KernelExports,
  type KernelResult,
  type KernelTask,
  runKernelTask,
} from './kernel-exports.js';

/** Scratch area of one kernel instance. */
export const SCRATCH_BYTES = 262_144;

/** Runs kernels over one arena. */
export interface KernelExecutor {
  readonly arena: Arena;
  /** The caller's own instance on the same memory, for calls too small to be worth sending away. */
  readonly kernels: KernelExports;
  /** How many tasks can run at the same time. */
  readonly concurrency: number;
  /** Where work goes that is worth every thread, also if this executor does all else where the caller stands. */
  readonly wide: KernelExecutor;
  /** Runs independent tasks in any order; resolves when all of them have ended, results in the tasks' order. */
  run(tasks: readonly KernelTask[]): Promise<KernelResult[]>;
}

/** One instance that runs tasks where it stands: for browsers, and for checks too small for threads. */
export class InlineKernelExecutor implements KernelExecutor {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  readonly concurrency = 1;
  readonly wide = this;

  constructor(module: WebAssembly.Module) {
    const memory = createKernelMemory();
    this.kernels = instantiateKernels(module, memory);
    this.arena = new Arena(memory, this.kernels.heapBase());
    this.kernels.setScratch(this.arena.allocate(SCRATCH_BYTES));
  }

  run(tasks: readonly KernelTask[]): Promise<KernelResult[]> {
    return Promise.resolve(tasks.map(task => runKernelTask(this.kernels, task)));
  }
}
