import { FairQueue, problem, ProblemError, queueTurn } from '@svc/platform';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { ComputeKind, InputOf, OutputOf } from './compute-task.js';
import type { ComputeOrder, ComputeReport } from './compute-thread.js';

/** The built thread, from the sources as from the built package. */
const THREAD = new URL('../../dist/compute/compute-thread.js', import.meta.url);

export interface ComputeThreadsOptions {
  readonly threads: number;
  /** Tasks of one caller that may wait for a thread, where no other's do; of all, twice as many. */
  readonly waitingMax: number;
  readonly resourceLimits?: ResourceLimits;
}

/** How a task is followed and ended. */
export interface TaskOptions {
  /** Ends the task's thread at once. */
  readonly signal?: AbortSignal;
  /** A task that takes longer is ended. */
  readonly timeoutMs: number;
  /** Told of the share that is behind it. */
  readonly onShare?: (share: number) => void;
}

interface Waiting {
  readonly order: ComputeOrder;
  readonly options: TaskOptions;
  readonly resolve: (output: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  running: (Waiting & { readonly release: () => void }) | undefined;
}

/**
 * Computes in threads of its own what would keep the event loop from everybody else. They start with the first tasks, stay
 * warm, and do not keep the process alive; one whose task is given up is ended and replaced. Callers take turns.
 */
export class ComputeThreads {
  private readonly threads = new Set<Thread>();
  private readonly waiting: FairQueue<Waiting>;
  private closed = false;

  constructor(private readonly options: ComputeThreadsOptions) {
    this.waiting = new FairQueue(options.waitingMax);
  }

  /**
   * @throws ProblemError what is wrong with the input; OVERLOADED where too many wait, or it took too long; SERVICE_UNAVAILABLE
   * where the thread was lost. The signal's reason.
   */
  run<Kind extends ComputeKind>(
    kind: Kind,
    input: InputOf<Kind>,
    options: TaskOptions,
  ): Promise<OutputOf<Kind>> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      if (this.closed) throw lost('the service closes');
      const turn = queueTurn();
      if (!this.waiting.hasRoomFor(turn.subject)) {
        const detail = `At most ${this.options.waitingMax} computations wait for a thread`;
        throw problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
      }
      const waiting: Waiting = { order: { kind, input }, options, resolve, reject };
      this.waiting.push(waiting, turn);
      // Where it still waits when it is given up, it leaves.
      options.signal?.addEventListener('abort', () => this.leave(waiting), { once: true });
      this.dispatch();
    });
  }

  /** Ends the threads; what waits or is computed is refused. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.clear()) reject(lost('the service closes'));
    await Promise.all([...this.threads].map(thread => this.end(thread, lost('the service closes'))));
  }

  private leave(waiting: Waiting): void {
    if (this.waiting.remove(waiting)) waiting.reject(waiting.options.signal!.reason);
  }

  private dispatch(): void {
    while (this.waiting.size > 0 && !this.closed) {
      const idle = [...this.threads].find(({ running }) => !running);
      const thread = idle ?? (this.threads.size < this.options.threads ? this.start() : undefined);
      if (!thread) return;
      this.give(thread, this.waiting.shift()!);
    }
  }

  private give(thread: Thread, waiting: Waiting): void {
    const { signal, timeoutMs } = waiting.options;
    const late = problem(
      'OVERLOADED',
      `The computation took longer than ${timeoutMs / 1_000} s, and was ended`,
      { retryAfterSeconds: 5 },
    );
    const timer = setTimeout(() => void this.end(thread, late), timeoutMs);
    const onAbort = () => void this.end(thread, signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    thread.running = { ...waiting, release };
    thread.worker.ref();
    thread.worker.postMessage(waiting.order);
  }

  private start(): Thread {
    const { resourceLimits } = this.options;
    const worker = new Worker(THREAD, { execArgv: [], ...(resourceLimits ? { resourceLimits } : {}) });
    const thread: Thread = { worker, running: undefined };
    const failed = (message: string) => void this.end(thread, lost(message));
    worker.on('message', (report: ComputeReport) => this.take(thread, report));
    worker.on('error', error => failed(error.message));
    worker.on('exit', code => failed(`it ended with code ${code}`));
    worker.unref();
    this.threads.add(thread);
    return thread;
  }

  private take(thread: Thread, report: ComputeReport): void {
    const { running } = thread;
    if (!running) return;
    if ('share' in report) return running.options.onShare?.(report.share);
    thread.running = undefined;
    running.release();
    thread.worker.unref();
    if ('output' in report) running.resolve(report.output as never);
    else running.reject(new ProblemError(report.problem));
    this.dispatch();
  }

  private async end(thread: Thread, error: unknown): Promise<void> {
    if (!this.threads.delete(thread)) return;
    const { running } = thread;
    thread.running = undefined;
    running?.release();
    running?.reject(error);
    this.dispatch();
    await thread.worker.terminate();
  }
}

const lost = (reason: string) =>
  problem('SERVICE_UNAVAILABLE', 'A computation lost its thread; the next one gets another', {
    retryAfterSeconds: 1,
    cause: new Error(reason),
  });
