import { collectGarbage, KernelPool } from '@svc/kernels/node';
import type { ProverBackend, ProverSession, SessionInput } from '../backend.js';
import { beginSession } from '../wasm/inline-backend.js';
import {
  assertProverMemory,
  type ProverMemoryParameters,
  RETAINED_MEMORY_BYTES_MAX,
  retainsExtension,
} from '../wasm/prover-memory.js';

/** A pool whose memory has grown past this is not kept for the next proof. */
const KEPT_MEMORY_BYTES_MAX = 256_000_000;
const IDLE_MS_DEFAULT = 10_000;
/** Extended trace, in elements, up to which a proof stays on the caller's thread but for its grinding: some milliseconds. */
const SMALL_EXTENSION_ELEMENTS = 2 ** 16;

export interface WasmBackendOptions {
  /** Threads, 1 … 4; by default one a core, at most 4. */
  readonly threads?: number;
  /** How long threads and memory outlive a proof, in wait for the next. Default 10,000. */
  readonly idleMs?: number;
  /** A proof that needs more keeps one coset of its extension at a time: slower, and smaller. Default 896,000,000. */
  readonly retainedBytesMax?: number;
  /** 0 … 19: how readily the threads leave the cores to others, on Linux. Default 0. */
  readonly niceness?: number;
}

/** A prover backend that holds threads and memory while it is in use. */
export interface WasmBackend extends ProverBackend {
  /** The most WebAssembly memory that a proof has needed so far, in bytes. */
  readonly memoryBytesPeak: number;
  /** Ends the threads; a proof in the making rejects. The backend cannot be used afterwards. */
  close(): Promise<void>;
}

/**
 * The prover on WebAssembly kernels and worker threads. One proof at a time, others wait their turn; nothing is started
 * before the first. Memory is given back after a large proof and after an idle period.
 */
export function createWasmBackend(options: WasmBackendOptions = {}): WasmBackend {
  return new ThreadedBackend(options);
}

class ThreadedBackend implements WasmBackend {
  readonly name = 'wasm';
  memoryBytesPeak = 0;
  private pool: KernelPool | undefined;
  /** Resolves when the last proof in the queue has released the pool. */
  private turn: Promise<void> = Promise.resolve();
  private dropping: Promise<void> = Promise.resolve();
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: WasmBackendOptions) {}

  /**
   * @throws ProverMemoryError before anything is allocated; the signal's reason if it is aborted in the queue
   */
  async begin<PublicInputs, Witness>(
    input: SessionInput<PublicInputs, Witness>,
  ): Promise<ProverSession<PublicInputs>> {
    const { air, parameters } = input;
    const { columnCount, constraintDegree, boundaryRowCount } = air;
    const { retainedBytesMax = RETAINED_MEMORY_BYTES_MAX } = this.options;
    const memory = { columnCount, constraintDegree, boundaryRowCount, ...parameters };
    assertProverMemory(memory, retainedBytesMax);
    const isRetained = retainsExtension(memory, retainedBytesMax);
    const release = await this.takeTurn();
    try {
      input.signal?.throwIfAborted();
      const pool = await this.openPool();
      const executor = isSmall(memory) ? pool.narrow : pool;
      return beginSession(executor, input, isRetained, () => this.endTurn(pool, release));
    } catch (error) {
      release();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.dropPool();
  }

  private async takeTurn(): Promise<() => void> {
    const previous = this.turn;
    let release!: () => void;
    this.turn = new Promise(resolve => (release = resolve));
    await previous;
    return release;
  }

  private async openPool(): Promise<KernelPool> {
    if (this.isClosed) throw new Error('the prover backend is closed');
    clearTimeout(this.idleTimer);
    if (this.pool?.isBroken) await this.dropPool();
    this.pool ??= await KernelPool.open(this.options.threads, this.options.niceness);
    return this.pool;
  }

  private endTurn(pool: KernelPool, release: () => void): void {
    // It only grows, so at the end of a proof it is at its largest.
    const { byteLength } = pool.arena.memory.buffer;
    this.memoryBytesPeak = Math.max(this.memoryBytesPeak, byteLength);
    const isTooLarge = byteLength > KEPT_MEMORY_BYTES_MAX;
    if (isTooLarge || pool.isBroken) {
      void this.dropPool().finally(release);
      return;
    }
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => void this.dropPool(), this.options.idleMs ?? IDLE_MS_DEFAULT);
    this.idleTimer.unref();
    release();
  }

  /** Resolves once every thread has ended, also those of a pool that is being dropped already. */
  private dropPool(): Promise<void> {
    clearTimeout(this.idleTimer);
    const pool = this.pool;
    this.pool = undefined;
    if (pool) this.dropping = this.dropping.then(() => closeAndFree(pool));
    return this.dropping;
  }
}

/** Whether every batch of a proof is over before another thread has heard of it. */
function isSmall({ columnCount, traceLength, blowupFactor }: ProverMemoryParameters): boolean {
  return columnCount * traceLength * blowupFactor <= SMALL_EXTENSION_ELEMENTS;
}

/** Ends the threads, then gives the memory back: nothing but this call may refer to the pool any more. */
async function closeAndFree(pool: KernelPool): Promise<void> {
  await pool.close();
  // In a task of its own, when no frame of this one holds the pool.
  setImmediate(collectGarbage);
}
