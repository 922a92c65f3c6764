import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Arena, createKernelMemory } from '../wasm/arena.js';
import {
  instantiateKernels,
  type KernelExports,
  type KernelResult,
  type KernelTask,
  runKernelTask,
} from '../wasm/kernel-exports.js';
import { SCRATCH_BYTES, type KernelExecutor } from '../wasm/kernel-executor.js';
import { loadKernelModule } from './kernel-module.js';

const WORKER_URL = new URL('../../worker/kernel-worker.mjs', import.meta.url);

/** More threads than this gain nothing at the sizes the prover admits. */
export const KERNEL_THREADS_MAX = 4;

/** A kernel trapped, or a thread ended before its work did; the job's memory is not to be trusted. */
export class KernelPoolError extends Error {
  readonly code = 'KERNEL_POOL_FAILED';

  constructor(message: string) {
    super(message);
    this.name = 'KernelPoolError';
  }
}

interface WorkerReply {
  readonly results?: readonly (readonly [index: number, result: KernelResult])[];
  readonly error?: string;
}

interface Batch {
  readonly results: KernelResult[];
  readonly settle: (error?: KernelPoolError) => void;
  unfinished: number;
  error?: KernelPoolError;
}

/**
 * Threads that share one kernel memory. It lives for one or more jobs and is then closed as a whole, which is what gives
 * the memory back. One batch runs at a time. Idle threads do not keep the process alive.
 */
export class KernelPool implements KernelExecutor {
  readonly arena: Arena;
  readonly kernels: KernelExports;
  readonly concurrency: number;
  readonly wide = this;
  /** Runs tasks on the caller's own thread: for proofs whose every batch is shorter than its way to another one. */
  readonly narrow: KernelExecutor;
  /** Atomic index of the next task of the batch. */
  private readonly cursor = new Int32Array(new SharedArrayBuffer(4));
  private readonly workers: Worker[];
  private batch: Batch | undefined;
  private failure: KernelPoolError | undefined;

  private constructor(
    module: WebAssembly.Module,
    threads: number,
    private readonly niceness: number,
  ) {
    const memory = createKernelMemory();
    this.kernels = instantiateKernels(module, memory);
    this.arena = new Arena(memory, this.kernels.heapBase());
    this.kernels.setScratch(this.arena.allocate(SCRATCH_BYTES));
    this.concurrency = threads;
    this.narrow = {
      arena: this.arena,
      kernels: this.kernels,
      concurrency: 1,
      wide: this,
      run: async tasks => tasks.map(task => runKernelTask(this.kernels, task)),
    };
    this.workers = Array.from({ length: threads }, () => this.startWorker(module, memory));
  }

  /**
   * Starts the threads.
   * @param threads 1 … 4; by default the cores there are, at most 4
   * @param niceness 0 … 19: how readily the threads leave the cores to others, on Linux; elsewhere they do not
   * @throws RangeError for another number
   */
  static async open(
    threads = Math.min(availableParallelism(), KERNEL_THREADS_MAX),
    niceness = 0,
  ): Promise<KernelPool> {
    if (!Number.isInteger(threads) || threads < 1 || threads > KERNEL_THREADS_MAX) {
      throw new RangeError(`threads must be an integer in 1…${KERNEL_THREADS_MAX}, got ${threads}`);
    }
    return new KernelPool(await loadKernelModule(), threads, niceness);
  }

  /** Whether a thread was lost or the pool closed; a new one is then needed. */
  get isBroken(): boolean {
    return this.failure !== undefined;
  }

  /** @throws KernelPoolError if a kernel traps or a thread ends */
  run(tasks: readonly KernelTask[]): Promise<KernelResult[]> {
    if (this.failure) return Promise.reject(this.failure);
    if (this.batch) return Promise.reject(new KernelPoolError('a batch is already running'));
    if (tasks.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const batch: Batch = {
        results: new Array<KernelResult>(tasks.length).fill(undefined),
        unfinished: this.workers.length,
        settle: error => {
          this.batch = undefined;
          for (const worker of this.workers) worker.unref();
          if (error) reject(error);
          else resolve(batch.results);
        },
      };
      this.batch = batch;
      Atomics.store(this.cursor, 0, 0);
      for (const worker of this.workers) {
        worker.ref();
        worker.postMessage(tasks);
      }
    });
  }

  /**
   * Ends the threads and rejects what is running. The memory goes when nothing refers to the pool any more; see
   * collectGarbage for when that matters.
   */
  async close(): Promise<void> {
    this.fail(new KernelPoolError('the pool was closed'));
    await Promise.all(this.workers.map(worker => worker.terminate()));
  }

  private startWorker(module: WebAssembly.Module, memory: WebAssembly.Memory): Worker {
    const scratch = this.arena.allocate(SCRATCH_BYTES);
    const { cursor, niceness } = this;
    const worker = new Worker(WORKER_URL, { workerData: { module, memory, scratch, cursor, niceness } });
    worker.on('message', (reply: WorkerReply) => this.onReply(reply));
    worker.on('error', error => this.fail(new KernelPoolError(`a kernel thread failed: ${error.message}`)));
    worker.on('exit', code => this.fail(new KernelPoolError(`a kernel thread ended with code ${code}`)));
    worker.unref();
    return worker;
  }

  private onReply(reply: WorkerReply): void {
    const batch = this.batch;
    if (!batch) return;
    if (reply.error !== undefined) batch.error ??= new KernelPoolError(`a kernel trapped: ${reply.error}`);
    for (const [index, result] of reply.results ?? []) batch.results[index] = result;
    // All threads must have stopped before the caller may touch the memory again.
    if (--batch.unfinished === 0) batch.settle(batch.error);
  }

  private fail(error: KernelPoolError): void {
    if (this.failure) return;
    this.failure = error;
    this.batch?.settle(error);
    for (const worker of this.workers) void worker.terminate();
  }
}
