import type { ProblemPayload, Task } from '@svc/contracts';

/** How a task ends. */
export type TaskOutcome = 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED';

/** `SETTLING`: it has come to its outcome, and what becomes of its payment is not recorded yet. */
export type TaskState = 'QUEUED' | 'RUNNING' | 'SETTLING' | TaskOutcome;

/** What became of a payment: ours, its credential's again, or a later request's. */
export type SettledPayment = 'delivered' | 'returned' | 'superseded';
export type TaskPaymentState = 'held' | 'delivery-due' | 'return-due' | SettledPayment;

/** Times that a task is begun before it is given up: whatever begins it seems to die of it. */
export const BEGINS_MAX = 5;

/** A task as its replicas agree on it. */
export interface TaskSnapshot {
  readonly state: TaskState;
  /** Number of the last event; a later one has a greater number. */
  readonly seq: number;
  /** Of the worker that has it: one more with each that takes it. What an earlier one says is not heard. */
  readonly fence: number;
  /** Times that it was begun and not given back. */
  readonly begins: number;
  readonly hasBegun: boolean;
  readonly outcome?: TaskOutcome;
  readonly payment: TaskPaymentState;
  /** Where it is, work that has begun goes on to its end: it is bought. */
  readonly isBinding: boolean;
  readonly progress?: number;
  readonly stage?: string;
  readonly problem?: ProblemPayload;
}

/** What can happen to a task. */
export type TaskEvent =
  /** A worker takes it: from the queue, or from one whose lease has lapsed. */
  | { readonly type: 'begun'; readonly isLapsed: boolean }
  | {
      readonly type: 'progressed';
      readonly fence: number;
      readonly stage: string;
      readonly progress?: number;
    }
  /** Its worker closes; it is done by another. */
  | { readonly type: 'given-back'; readonly fence: number }
  | { readonly type: 'succeeded'; readonly fence: number; readonly charged: boolean }
  | { readonly type: 'failed'; readonly fence: number; readonly problem: ProblemPayload }
  /** It was begun too often. */
  | { readonly type: 'exhausted'; readonly isLapsed: boolean }
  | { readonly type: 'cancel-requested' }
  | { readonly type: 'deadline-passed' }
  /** The claim on its payment is another's by now. */
  | { readonly type: 'payment-lost' }
  | { readonly type: 'settled'; readonly payment: SettledPayment };

export const queuedTask = (isBinding: boolean): TaskSnapshot => ({
  ...{ state: 'QUEUED', seq: 1, fence: 0, begins: 0, hasBegun: false, payment: 'held' },
  isBinding,
});

const ENDED: readonly TaskState[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];
export const isEnded = ({ state }: Pick<TaskSnapshot, 'state'>): boolean => ENDED.includes(state);

const EXHAUSTED: ProblemPayload = {
  code: 'INTERNAL',
  detail: `The task was begun ${BEGINS_MAX} times, and whoever worked on it ended before it did`,
};
const PAYMENT_LOST: ProblemPayload = {
  code: 'CONFLICT',
  detail: 'The payment was given back, or a later request with the same credential has it',
};
const DEADLINE_PASSED: ProblemPayload = {
  code: 'EXPIRED',
  detail: 'The task was not done by its deadline',
};

/**
 * The task after an event, or undefined where the event changes nothing in the state that the task is in. An outcome is
 * final: whichever is recorded first stands, and with it what is owed for it. The task is `SETTLING` until that is done:
 * whoever sees it ended may count on its payment.
 */
export function transition(task: TaskSnapshot, event: TaskEvent): TaskSnapshot | undefined {
  const next = { ...task, seq: task.seq + 1 };
  if (event.type === 'settled') {
    return task.state === 'SETTLING'
      ? { ...next, state: task.outcome!, payment: event.payment, stage: undefined }
      : undefined;
  }
  if (task.state !== 'QUEUED' && task.state !== 'RUNNING') return undefined;
  const isFree = task.state === 'QUEUED';
  const ended = (
    outcome: TaskOutcome,
    problem?: ProblemPayload,
    payment: TaskPaymentState = 'return-due',
  ) => ({
    ...next,
    ...{ state: 'SETTLING' as const, outcome, payment, stage: undefined },
    ...(problem && { problem }),
  });
  switch (event.type) {
    case 'begun':
      if ((!isFree && !event.isLapsed) || task.begins >= BEGINS_MAX) return undefined;
      return {
        ...next,
        ...{ state: 'RUNNING', fence: task.fence + 1, begins: task.begins + 1, hasBegun: true },
        ...{ progress: 0, stage: undefined },
      };
    case 'exhausted':
      if ((!isFree && !event.isLapsed) || task.begins < BEGINS_MAX) return undefined;
      return ended('FAILED', EXHAUSTED);
    case 'cancel-requested':
      return isFree || !task.isBinding ? ended('CANCELLED') : undefined;
    case 'deadline-passed':
      return isFree || !task.isBinding ? ended('EXPIRED', DEADLINE_PASSED) : undefined;
    case 'payment-lost':
      return ended('FAILED', PAYMENT_LOST);
    default:
      return isFree || event.fence !== task.fence ? undefined : byWorker(event);
  }

  function byWorker(said: Extract<TaskEvent, { fence: number }>): TaskSnapshot | undefined {
    switch (said.type) {
      case 'progressed': {
        const progress = Math.max(task.progress ?? 0, Math.min(1, said.progress ?? 0));
        return { ...next, stage: said.stage, progress };
      }
      case 'given-back':
        return { ...next, state: 'QUEUED', begins: task.begins - 1, stage: undefined, progress: undefined };
      case 'succeeded':
        return {
          ...ended('COMPLETED', undefined, said.charged ? 'delivery-due' : 'return-due'),
          progress: 1,
        };
      case 'failed':
        return ended('FAILED', said.problem);
    }
  }
}

/** As whoever has its id sees it: a task whose payment is not settled is not at its end yet. */
export function shownStateOf({
  state,
  payment,
}: Pick<TaskSnapshot, 'state' | 'payment'>): Pick<Task, 'status' | 'payment'> {
  const isDue = payment === 'delivery-due' || payment === 'return-due';
  return { status: state === 'SETTLING' ? 'RUNNING' : state, payment: isDue ? 'held' : payment };
}
