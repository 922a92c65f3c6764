import {
  type ClaimHandle,
  departmentTaskContract,
  type StoredResponse,
  type Task,
  TASK_EVENTS_WAIT_MS_MAX,
} from '@svc/contracts';
import { asProblem, type BusClient, problem, type ProblemError } from '@svc/platform';
import { setTimeout as delay } from 'node:timers/promises';
import { taskPathOf } from '../payment/payment-in-flight.js';

/** Waited for the end of a task where its caller does not say how long, seconds. */
export const WAIT_SECONDS_DEFAULT = 2;
/** Waited for at most, seconds. */
export const WAIT_SECONDS_MAX = 25;

const ENDED: readonly Task['status'][] = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

export const hasEnded = ({ status }: Task): boolean => ENDED.includes(status);

/** A task, and the answer that its payment has bought, where it is known. */
export interface TaskAtEnd {
  readonly task: Task;
  readonly answer?: StoredResponse;
}

/** As {@link taskAfterWait}, of a task that has taken a claim over. */
export async function boughtTaskAfterWait(
  bus: BusClient,
  { task, claim }: { task: Task; claim: ClaimHandle },
  waitMs: number,
  signal: AbortSignal,
): Promise<TaskAtEnd> {
  if (waitMs <= 0) return { task };
  const { deptId, taskId } = task;
  const deadline = performance.now() + waitMs;
  try {
    for (;;) {
      const leftMs = Math.max(0, Math.round(deadline - performance.now()));
      const waitMs = Math.min(TASK_EVENTS_WAIT_MS_MAX, leftMs);
      const { claimId, attempt } = claim;
      const asked = { deptId, taskId, claim: { claimId, attempt }, waitMs };
      const reply = await bus.call(departmentTaskContract.taskEnd, asked, { signal });
      if (hasEnded(reply.task) || leftMs === 0) return reply;
    }
  } catch {
    return { task };
  }
}

/**
 * The task once it has ended, or as it is when the wait is over. It goes on where the wait ends early, because its caller is
 * gone or its desk cannot be asked.
 */
export async function taskAfterWait(
  bus: BusClient,
  task: Task,
  waitMs: number,
  signal: AbortSignal,
): Promise<Task> {
  if (waitMs <= 0 || hasEnded(task)) return task;
  const { deptId, taskId } = task;
  const deadline = performance.now() + waitMs;
  let after = 0;
  try {
    for (;;) {
      const leftMs = Math.max(0, Math.round(deadline - performance.now()));
      const waitMs = Math.min(TASK_EVENTS_WAIT_MS_MAX, leftMs);
      const asked = { deptId, taskId, after, waitMs, withTask: true };
      const reply = await bus.call(departmentTaskContract.taskEvents, asked, { signal });
      // A desk of the version before does not tell the task.
      if (reply.ended || leftMs === 0)
        return reply.task ?? (await bus.call(departmentTaskContract.task, { deptId, taskId }));
      const { events } = reply;
      after = events.at(-1)?.seq ?? after;
    }
  } catch {
    return task;
  }
}

/** A desk that cannot be asked is asked again after this, milliseconds, and so often in a row. */
const ASK_AGAIN_MS = 5_000;
const FAILURES_MAX = 12;

/** The task when it has ended; undefined when nobody can say any more whether it has. */
export async function taskEnd(
  bus: Pick<BusClient, 'call'>,
  { deptId, taskId }: Task,
  signal: AbortSignal,
): Promise<Task | undefined> {
  let after = 0;
  for (let failures = 0; failures < FAILURES_MAX && !signal.aborted;) {
    try {
      const asked = { deptId, taskId, after, waitMs: TASK_EVENTS_WAIT_MS_MAX, withTask: true };
      const {
        events,
        ended,
        task: told,
      } = await bus.call(departmentTaskContract.taskEvents, asked, { signal });
      if (ended) return told ?? (await bus.call(departmentTaskContract.task, { deptId, taskId }, { signal }));
      after = events.at(-1)?.seq ?? after;
      failures = 0;
    } catch (error) {
      if (asProblem(error).code === 'NOT_FOUND') return undefined;
      failures++;
      await delay(ASK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Whether a task has been answered, and its payment gone back: it says nothing that is paid for. */
export const isUncharged = ({ status, payment }: Task): boolean =>
  status === 'COMPLETED' && payment === 'returned';

/** Why a task that has ended without an answer has none, naming the task. */
export function endedWithout({ taskId, deptId, status, problem: why }: Task): ProblemError {
  const extensions = { taskId, status, task: taskPathOf(deptId, taskId) };
  if (why) return problem(why.code, why.detail, { errors: why.errors, extensions });
  if (status === 'EXPIRED') {
    return problem('EXPIRED', 'The task came to its deadline before its end', { extensions });
  }
  return problem('CONFLICT', 'The task was cancelled', { extensions });
}
