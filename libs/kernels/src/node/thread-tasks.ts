import { availableParallelism, setPriority } from 'node:os';
import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { collectLargeBuffers } from './collect-garbage.js';
import { FairQueue, NOBODYS_TURN, type Turn, type TurnOf } from './fair-queue.js';

/** How readily threads of tasks leave the cores to event loops, which answer everybody, and to proofs that were paid for. */
const NICENESS = 10;

/**
 * Of a thread, MB: what a task makes is young and soon gone. V8 would let it grow to 48 in each thread, and gives none back.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 12 };
/** A thread that had nothing to do for so long ends, and its memory with it, milliseconds. */
const IDLE_MS = 15_000;

/** A task that was not done, for no fault of its own: BUSY and CLOSED were not begun, the others may have been. */
export class ThreadTasksError extends Error {
  override readonly name = 'ThreadTasksError';

  constructor(
    readonly code: 'BUSY' | 'CLOSED' | 'TIME_LIMIT' | 'FAILED',
    message: string,
  ) {
    super(message);
  }
}

export interface ThreadTasksOptions {
  /** The module that each thread runs, which calls {@link answerTasks}; built, since a thread compiles nothing. */
  readonly thread: URL;
  /** What the tasks are, for messages: `recordings`. */
  readonly tasks: string;
  /** At most so many, and no more than the cores there are. */
  readonly threadsMax: number;
  /** So many tasks of one subject wait beside those that are under way, where no other's do; of all, twice as many. What is paid for
   * is taken without a place too, as `FairQueue.admits` says. */
  readonly waitingMax: number;
  /** A thread that takes longer for one task is ended. */
  readonly taskMsMax: number;
  /** How long a thread is kept that has nothing to do. */
  readonly idleMs?: number;
  /** Of each thread, beside what is set for all. */
  readonly resourceLimits?: ResourceLimits;
  /** Whose turn a task takes that comes now; nobody's where it is not said. */
  readonly turnOf?: TurnOf;
}

/** How a task is handed over, followed and ended. */
export interface TaskOptions<Note = never> {
  /** Buffers of the task that are handed over instead of copied, and lost to the caller once it begins. */
  readonly transfer?: readonly Transferable[];
  /** Once it aborts, the task leaves the queue, or its thread is ended. */
  readonly signal?: AbortSignal;
  /** In place of the bound for all tasks. */
  readonly taskMsMax?: number;
  /** Told of what the thread says of the task before its reply. */
  readonly onNote?: (note: Note) => void;
}

interface Waiting<Task, Reply, Note> {
  readonly task: Task;
  readonly options: TaskOptions<Note>;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** What a thread says: something of its task, or at last the reply. */
type Said<Reply, Note> = { readonly note: Note } | { readonly reply: Reply };

interface Thread<Task, Reply, Note> {
  readonly worker: Worker;
  running: (Waiting<Task, Reply, Note> & { readonly release: () => void }) | undefined;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Does tasks in threads of their own, one at a time in each. Those for whom they are done take turns, and each is served in the
 * order in which its tasks came. Threads start with the first tasks, stay warm for a while, and do not keep the process alive; one
 * that dies or takes too long fails its own task alone and is replaced by the next.
 *
 * @example
 * const threads = new ThreadTasks<Uint8Array, Picture>({ thread, tasks: 'pictures', threadsMax: 2, waitingMax: 32, taskMsMax: 5_000 });
 * const picture = await threads.run(bytes);
 */
export class ThreadTasks<Task, Reply, Note = never> {
  private readonly threads = new Set<Thread<Task, Reply, Note>>();
  private readonly waiting: FairQueue<Waiting<Task, Reply, Note>>;
  private readonly threadsMax: number;
  private closed = false;

  constructor(private readonly options: ThreadTasksOptions) {
    this.threadsMax = Math.min(options.threadsMax, availableParallelism());
    this.waiting = new FairQueue(options.waitingMax);
  }

  /**
   * @param task is copied, and so is its reply
   * @throws ThreadTasksError where it was not done
   * @throws DataCloneError where the task cannot be copied
   * @throws the signal's reason
   */
  run(task: Task, options: TaskOptions<Note> = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      signal?.throwIfAborted();
      const turn = this.admitted();
      const waiting = { task, options, resolve, reject };
      this.waiting.push(waiting, turn);
      signal?.addEventListener('abort', () => this.waiting.remove(waiting) && reject(signal.reason), {
        once: true,
      });
      this.dispatch();
    });
  }

  /**
   * Refuses what a task would be refused for now; for one whose payment is about to be taken a place is kept until it comes.
   * @throws ThreadTasksError
   */
  requireRoom(): void {
    this.waiting.keep(this.admitted());
  }

  private admitted(): Turn {
    if (this.closed) throw this.closedError();
    const { waitingMax, tasks, turnOf } = this.options;
    const turn = turnOf?.() ?? NOBODYS_TURN;
    if (this.waiting.admits(turn)) return turn;
    throw new ThreadTasksError('BUSY', `at most ${waitingMax} ${tasks} wait`);
  }

  /** Ends the threads; what waits or is under way is refused as CLOSED. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.clear()) reject(this.closedError());
    await Promise.all([...this.threads].map(thread => this.end(thread, this.closedError())));
  }

  private dispatch(): void {
    while (this.waiting.size > 0) {
      const idle = [...this.threads].find(({ running }) => !running);
      const thread = idle ?? (this.threads.size < this.threadsMax ? this.start() : undefined);
      if (!thread) return;
      this.give(thread, this.waiting.shift() as Waiting<Task, Reply, Note>);
    }
  }

  private give(thread: Thread<Task, Reply, Note>, next: Waiting<Task, Reply, Note>): void {
    const { transfer = [], signal, taskMsMax = this.options.taskMsMax } = next.options;
    try {
      thread.worker.postMessage(next.task, transfer);
    } catch (error) {
      return next.reject(error);
    }
    clearTimeout(thread.idle);
    const message = `one of the ${this.options.tasks} took longer than ${taskMsMax} ms`;
    const late = () => void this.end(thread, new ThreadTasksError('TIME_LIMIT', message));
    const timer = setTimeout(late, taskMsMax);
    const onAbort = () => void this.end(thread, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    thread.running = { ...next, release };
    thread.worker.ref();
  }

  private start(): Thread<Task, Reply, Note> {
    const { thread: module, tasks } = this.options;
    const resourceLimits = { ...RESOURCE_LIMITS, ...this.options.resourceLimits };
    const worker = new Worker(module, { execArgv: [], resourceLimits });
    const thread: Thread<Task, Reply, Note> = { worker, running: undefined, idle: undefined };
    const failed = (message: string) => void this.end(thread, new ThreadTasksError('FAILED', message));
    worker.on('message', (said: Said<Reply, Note>) =>
      'reply' in said ? this.settle(thread, said.reply) : thread.running?.options.onNote?.(said.note),
    );
    worker.on('messageerror', error => failed(`a reply for ${tasks} could not be read: ${error.message}`));
    worker.on('error', error => failed(`a thread for ${tasks} failed: ${String(error?.message ?? error)}`));
    worker.on('exit', code => failed(`a thread for ${tasks} ended with code ${code}`));
    worker.unref();
    this.threads.add(thread);
    return thread;
  }

  private settle(thread: Thread<Task, Reply, Note>, reply: Reply): void {
    const { running } = thread;
    if (!running) return;
    thread.running = undefined;
    running.release();
    thread.worker.unref();
    running.resolve(reply);
    this.dispatch();
    if (thread.running) return;
    const { idleMs = IDLE_MS } = this.options;
    thread.idle = setTimeout(() => void this.end(thread, this.closedError()), idleMs).unref();
  }

  private async end(thread: Thread<Task, Reply, Note>, error: unknown): Promise<void> {
    if (!this.threads.delete(thread)) return;
    const { running } = thread;
    thread.running = undefined;
    clearTimeout(thread.idle);
    running?.release();
    running?.reject(error);
    this.dispatch();
    await thread.worker.terminate();
  }

  private closedError(): ThreadTasksError {
    return new ThreadTasksError('CLOSED', `the threads for ${this.options.tasks} were closed`);
  }
}

/**
 * The other side, called once by the module of a thread. What `answer` throws fails the task and ends the thread: faults that
 * the caller is to know of belong into the reply.
 *
 * @param answer may say something of its task before it ends, by the function that it is given
 * @param transferOf buffers of a reply that are handed over instead of copied
 */
export function answerTasks<Task, Reply, Note = never>(
  answer: (task: Task, say: (note: Note) => void) => Reply | Promise<Reply>,
  transferOf: (reply: Reply) => readonly Transferable[] = () => [],
): void {
  // Linux alone has a priority for each thread; elsewhere this would slow the whole process.
  if (parentPort && process.platform === 'linux') setPriority(0, NICENESS);
  const say = (note: Note) => parentPort?.postMessage({ note });
  parentPort?.on('message', async (task: Task) => {
    const reply = await answer(task, say);
    parentPort?.postMessage({ reply }, transferOf(reply));
    collectLargeBuffers();
  });
}
