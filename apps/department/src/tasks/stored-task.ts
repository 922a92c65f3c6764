import type { CountedCall, Task, TaskClaim, TaskEvent as ShownEvent } from '@svc/contracts';
import type { DeptId } from '../desks/capability.js';
import { shownStateOf, type TaskOutcome, type TaskPaymentState, type TaskSnapshot } from './task-state.js';

/** A task as it is recorded. */
export interface StoredTask extends TaskSnapshot {
  readonly taskId: string;
  readonly deptId: DeptId;
  readonly capability: string;
  readonly priority: Task['priority'];
  /** Undefined where an execution ticket pays, or a quota. */
  readonly claim?: Pick<TaskClaim, 'claimId' | 'attempt'>;
  /** Where it was counted, within a quota. */
  readonly counted?: CountedCall;
  readonly receipt: string;
  /** The caller that it counts for, as queues tell callers apart; empty where the caller is not known. */
  readonly turnSubject: string;
  readonly result?: Record<string, unknown>;
  readonly callbackUrl?: string;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly deadlineAt?: Date;
  /** Its worker has been silent for longer than its lease. */
  readonly isLapsed: boolean;
  readonly isLate: boolean;
  /** Until its lease lapses, milliseconds. */
  readonly leaseLeftMs: number;
}

export type Row = Record<string, unknown>;

export const TASK_COLUMNS = `task_id, dept_id, capability, priority, state, outcome, seq, fence, begins, has_begun, is_binding,
  progress, stage, payment, claim_id, claim_attempt, counted_subject, counted_resets_at, receipt, turn_subject, result, problem, callback_url,
  created_at, started_at, ended_at, deadline_at, coalesce(lease_until < now(), true) AS is_lapsed, coalesce(deadline_at <= now(), false) AS is_late,
  extract(epoch FROM coalesce(lease_until, now()) - now()) * 1000 AS lease_left_ms`;

const optional = <Value>(value: unknown): Value | undefined => (value ?? undefined) as Value | undefined;

export function storedTaskOf(row: Row): StoredTask {
  const claimId = optional<string>(row.claim_id);
  const subject = optional<string>(row.counted_subject);
  return {
    taskId: row.task_id as string,
    deptId: row.dept_id as DeptId,
    capability: row.capability as string,
    priority: row.priority as Task['priority'],
    state: row.state as StoredTask['state'],
    outcome: optional<TaskOutcome>(row.outcome),
    seq: row.seq as number,
    fence: row.fence as number,
    begins: row.begins as number,
    hasBegun: row.has_begun as boolean,
    isBinding: row.is_binding as boolean,
    progress: optional<number>(row.progress),
    stage: optional<string>(row.stage),
    payment: row.payment as TaskPaymentState,
    ...(claimId !== undefined && { claim: { claimId, attempt: row.claim_attempt as number } }),
    ...(subject !== undefined && {
      counted: { subject, resetsAt: (row.counted_resets_at as Date).toISOString() },
    }),
    receipt: row.receipt as string,
    turnSubject: row.turn_subject as string,
    result: optional(row.result),
    problem: optional(row.problem),
    callbackUrl: optional<string>(row.callback_url),
    createdAt: row.created_at as Date,
    startedAt: optional<Date>(row.started_at),
    endedAt: optional<Date>(row.ended_at),
    deadlineAt: optional<Date>(row.deadline_at),
    isLapsed: row.is_lapsed as boolean,
    isLate: row.is_late as boolean,
    leaseLeftMs: Math.max(0, Number(row.lease_left_ms)),
  };
}

/** What a stream says of a task at one step. */
export function shownProgressOf(task: TaskSnapshot): Pick<ShownEvent, 'status' | 'progress' | 'stage'> {
  const { status } = shownStateOf(task);
  const stage = task.state === 'SETTLING' ? 'settling' : task.stage;
  return {
    status,
    ...(task.progress === undefined ? {} : { progress: task.progress }),
    ...(stage === undefined ? {} : { stage }),
  };
}

/** A task as whoever has its id sees it. */
export function shownTaskOf(task: StoredTask, callback?: Task['callback']): Task {
  const { taskId, deptId, capability, priority, result, receipt, problem, callbackUrl } = task;
  const { payment } = shownStateOf(task);
  const shownCallback =
    callback ?? (callbackUrl === undefined ? undefined : { url: callbackUrl, state: 'waiting', attempts: 0 });
  const { code, detail, errors } = problem ?? {};
  const isSettled = payment !== 'held';
  return {
    ...{ taskId, deptId, capability },
    ...shownProgressOf(task),
    priority,
    ...(isSettled && result && { result }),
    ...(payment === 'delivered' && receipt !== '' && { receipt }),
    payment,
    ...(isSettled && code && { problem: { code, detail: detail!, ...(errors && { errors }) } }),
    ...(shownCallback && { callback: shownCallback as NonNullable<Task['callback']> }),
    createdAt: task.createdAt.toISOString(),
    ...(task.startedAt && { startedAt: task.startedAt.toISOString() }),
    ...(isSettled && task.endedAt && { endedAt: task.endedAt.toISOString() }),
    ...(task.deadlineAt && { deadlineAt: task.deadlineAt.toISOString() }),
  };
}
