import { asProblem, ProblemError } from '@svc/platform';
import type { TaskEvent } from './task-state.js';

/** The task has an outcome, or another worker has it: nobody wants what is being done here. */
export class TaskTakenError extends Error {
  constructor() {
    super('the task has ended, or is another worker’s');
    this.name = 'TaskTakenError';
  }
}

/** The service closes: the task is done by another worker. */
export class WorkerClosingError extends Error {
  constructor() {
    super('the worker is closing');
    this.name = 'WorkerClosingError';
  }
}

/** How a run ends that was ended by an error; undefined where it has no say in the task any more. */
export function endOf(error: unknown, fence: number): TaskEvent | undefined {
  if (error instanceof TaskTakenError) return undefined;
  if (error instanceof WorkerClosingError) return { type: 'given-back', fence };
  const { retryAfterSeconds: _, ...problem } = asProblem(error).payload;
  return { type: 'failed', fence, problem };
}

const TRANSIENT = new Set(['QUEUE_FULL', 'OVERLOADED', 'SERVICE_UNAVAILABLE']);

/** Whether the same work may be done a little later: there is no room now, or a run under its key goes on elsewhere. */
export function isTransient(error: unknown): error is ProblemError {
  if (!(error instanceof ProblemError)) return false;
  const { code, retryAfterSeconds } = error.payload;
  return TRANSIENT.has(code) || (code === 'CONFLICT' && retryAfterSeconds !== undefined);
}
