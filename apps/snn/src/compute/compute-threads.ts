import { SNN_RUN_MS_MAX } from '@svc/contracts';
import { problem, ProblemError, queueTurn } from '@svc/platform';
import { ThreadTasks, ThreadTasksError } from '@svc/spiking/node';
import type { ResourceLimits } from 'node:worker_threads';
import type { ComputeKind, InputOf, OutputOf } from './compute-task.js';
import type { ComputeOrder, ComputeReply } from './compute-thread.js';

/** The built thread, from the sources as from the built package. */
const THREAD = new URL('../../dist/compute/compute-thread.js', import.meta.url);

export interface ComputeThreadsOptions {
  /** No more than the cores there are. */
  readonly threadsMax: number;
  /** Tasks of one caller that may wait for a thread, where no other's do; of all, twice as many. */
  readonly waitingMax: number;
  readonly resourceLimits?: ResourceLimits;
}

/** How a task is followed and ended. */
export interface ComputeOptions {
  /** Ends the task's thread at once. */
  readonly signal?: AbortSignal;
  /** A task that takes longer is ended. */
  readonly timeoutMs: number;
  /** Told of the share that is behind it. */
  readonly onShare?: (share: number) => void;
}

/** Computes in threads of its own what would keep the event loop from everybody else. Callers take turns. */
export class ComputeThreads {
  private readonly tasks: ThreadTasks<ComputeOrder, ComputeReply, number>;

  constructor(private readonly options: ComputeThreadsOptions) {
    this.tasks = new ThreadTasks({
      ...{ thread: THREAD, tasks: 'computations', taskMsMax: SNN_RUN_MS_MAX, turnOf: queueTurn },
      ...options,
    });
  }

  /**
   * @throws ProblemError what is wrong with the input; OVERLOADED where too many wait, or it took too long; SERVICE_UNAVAILABLE
   * where the thread was lost. The signal's reason.
   */
  async run<Kind extends ComputeKind>(
    kind: Kind,
    input: InputOf<Kind>,
    { signal, timeoutMs, onShare }: ComputeOptions,
  ): Promise<OutputOf<Kind>> {
    const reply = await this.tasks
      .run({ kind, input }, { signal, taskMsMax: timeoutMs, onNote: onShare })
      .catch((error: unknown) => {
        throw error instanceof ThreadTasksError ? this.problemOf(error, timeoutMs) : error;
      });
    if ('problem' in reply) throw new ProblemError(reply.problem);
    return reply.output as OutputOf<Kind>;
  }

  /** Ends the threads; what waits or is computed is refused. */
  close(): Promise<void> {
    return this.tasks.close();
  }

  private problemOf(error: ThreadTasksError, timeoutMs: number): ProblemError {
    if (error.code === 'BUSY') {
      const detail = `At most ${this.options.waitingMax} computations wait for a thread`;
      return problem('OVERLOADED', detail, { retryAfterSeconds: 1 });
    }
    if (error.code === 'TIME_LIMIT') {
      const detail = `The computation took longer than ${timeoutMs / 1_000} s, and was ended`;
      return problem('OVERLOADED', detail, { retryAfterSeconds: 5 });
    }
    const detail = 'A computation lost its thread; the next one gets another';
    return problem('SERVICE_UNAVAILABLE', detail, { retryAfterSeconds: 1, cause: error });
  }
}
