import { setTimeout as delay } from 'node:timers/promises';
import type { CapabilityAnswer } from '../desks/capability-call.js';
import { isTransient, TaskTakenError, WorkerClosingError } from './task-end.js';
import type { StoredTask } from './stored-task.js';

const RETRY_MS = 250;
const RETRY_MS_MAX = 2_000;

/** One run of a task by a worker of this process. */
export class TaskRun {
  private readonly controller = new AbortController();
  private readonly onClosing: () => void;
  /** The run has come to its end, whatever is recorded of it. */
  isOver = false;

  constructor(
    readonly task: StoredTask,
    private readonly closing: AbortSignal,
  ) {
    this.onClosing = () => this.controller.abort(new WorkerClosingError());
    if (closing.aborted) this.onClosing();
    else closing.addEventListener('abort', this.onClosing);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The task has ended, or is another worker's. */
  lose(): void {
    this.controller.abort(new TaskTakenError());
  }

  end(): void {
    this.isOver = true;
    this.closing.removeEventListener('abort', this.onClosing);
  }

  /** Does the work, and does it again while there is no room for it. @throws whatever ends it */
  async patiently(
    work: (signal: AbortSignal) => Promise<CapabilityAnswer>,
    patienceMs: number,
  ): Promise<CapabilityAnswer> {
    const { signal } = this;
    const deadline = performance.now() + patienceMs;
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        signal.throwIfAborted();
        return await work(signal);
      } catch (error) {
        // Whatever was thrown because of it.
        signal.throwIfAborted();
        if (!isTransient(error) || performance.now() + waitMs > deadline) throw error;
      }
      await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
