import { z } from 'zod';
import {
  DEPARTMENT_IDS,
  DepartmentList,
  Task,
  TaskEvent,
  TaskId,
  TaskRequest,
} from './departments.contract.js';
import { PublicKeys } from './licences.contract.js';
import { CanBeGivenUp, ClaimHandle, CountedCall, StoredResponse } from './payments.contract.js';
import { Bytes, procedure } from './procedure.js';

const DeptId = z.enum(DEPARTMENT_IDS);

/** The claim on the payment of a task: the task delivers it with its answer, or gives it back. */
export const TaskClaim = ClaimHandle.extend({
  /** `Payment-Receipt`, for the answer. */
  receipt: z.string().max(16_384),
  canBeGivenUp: CanBeGivenUp,
});
export type TaskClaim = z.infer<typeof TaskClaim>;

/**
 * What pays for a task: a claim that it holds until it ends, or, for a capability that runs as a saga, the execution ticket
 * that was bought for it, which gives its amount back by itself where the saga is taken back or never comes; or the quota of a
 * caller, in which it was counted, and from which it is taken back where it ends without an answer, unless it is called off
 * after it has begun.
 */
export const TaskPayment = z.union([
  z.object({ claim: TaskClaim }),
  z.object({ ticket: z.string().max(128), receipt: z.string().max(16_384) }),
  z.object({ counted: CountedCall }),
]);
export type TaskPayment = z.infer<typeof TaskPayment>;

/** What a capability costs, and how it is paid for. */
export const TaskQuote = z.object({
  capability: z.string(),
  operationId: z.string(),
  /** `ticket`: the capability runs as a saga, and is paid with an execution ticket of the tool of this name. */
  paidBy: z.enum(['claim', 'ticket']),
});
export type TaskQuote = z.infer<typeof TaskQuote>;

/** Longest that one question for events waits, milliseconds. */
export const TASK_EVENTS_WAIT_MS_MAX = 10_000;

/** Whose account a task is of, where a key came along: its requirement sets and records are those of the account. */
const accountId = z
  .string()
  .regex(/^acct_[a-z0-9]{20}$/)
  .optional();

const named = z.object({ deptId: DeptId, taskId: TaskId });
const taskReply = { reply: Task, timeoutMs: 5_000 };

export const departmentTaskContract = {
  /** The desks as they stand now. */
  departments: procedure('department', 'departments', {
    isPublic: true,
    request: z.object({}),
    reply: DepartmentList,
    timeoutMs: 5_000,
  }),
  /**
   * What a desk's capability costs, or its default one: the id in the price list of what lies beneath it. VALIDATION_FAILED
   * for a capability that the desk has not.
   */
  quoteTask: procedure('department', 'quote-task', {
    isPublic: true,
    request: z.object({ deptId: DeptId, capability: z.string().min(1).max(128).optional() }),
    reply: TaskQuote,
    timeoutMs: 5_000,
  }),
  /**
   * Whether a desk would take a task now, asked before a payment is asked for, and what it costs: the id in the price list
   * of what lies beneath the capability. VALIDATION_FAILED with paths below `task.`; UNPROCESSABLE, QUEUE_FULL; a
   * callback that cannot be is VALIDATION_FAILED too.
   */
  admitTask: procedure('department', 'admit-task', {
    request: z.object({ deptId: DeptId, request: TaskRequest, accountId }),
    reply: TaskQuote,
    timeoutMs: 5_000,
  }),
  /**
   * Takes a paid task; the same id twice is the same task. Refuses as admission does. Inputs that the service beneath reads may
   * come as the text that they came as, deflated without a header: `task` of the request is empty then.
   */
  submitTask: procedure('department', 'submit-task', {
    request: z.object({
      taskId: TaskId,
      deptId: DeptId,
      request: TaskRequest,
      packedTask: Bytes.optional(),
      payment: TaskPayment,
      /** Origin that the client called. */
      baseUrl: z.url().max(512).optional(),
      accountId,
    }),
    ...taskReply,
  }),
  /**
   * The task of a claim once it has ended, or as it is after `waitMs`; with the answer that its payment has bought, where it has one and
   * that is known here: it is the same as the payment would give again.
   */
  taskEnd: procedure('department', 'task-end', {
    request: named.extend({ claim: ClaimHandle, waitMs: z.int().min(0).max(TASK_EVENTS_WAIT_MS_MAX) }),
    reply: z.object({ task: Task, answer: StoredResponse.optional() }),
    timeoutMs: TASK_EVENTS_WAIT_MS_MAX + 5_000,
  }),
  task: procedure('department', 'task', { isPublic: true, request: named, ...taskReply }),
  /** The task that holds a claim on a payment, where there is one. */
  taskOfClaim: procedure('department', 'task-of-claim', {
    request: ClaimHandle,
    reply: z.object({ taskId: TaskId.optional(), deptId: DeptId.optional() }),
    timeoutMs: 2_000,
  }),
  /** Asks for the end of a task; CONFLICT where it has ended otherwise. */
  cancelTask: procedure('department', 'cancel-task', { isPublic: true, request: named, ...taskReply }),
  /**
   * Owes a call to an address that the holder of an account has named: signed and tried again as the callbacks of tasks are. The same
   * id twice is the same call.
   */
  owe: procedure('department', 'owe', {
    request: z.object({
      callId: z.string().regex(/^ntc_[0-9a-f-]{36}$/),
      url: z.string().max(2_048),
      body: z.string().max(4_096),
    }),
    reply: z.object({}),
    timeoutMs: 5_000,
  }),
  /** The keys that callbacks are signed with, newest first. */
  callbackKeys: procedure('department', 'callback-keys', {
    isPublic: true,
    request: z.object({}),
    reply: PublicKeys,
    timeoutMs: 2_000,
  }),
  /**
   * The events after `after`, at once where there are some, else as soon as there is one, else none after `waitMs`; with the task once it
   * has ended, where that is wanted.
   */
  taskEvents: procedure('department', 'task-events', {
    isPublic: true,
    request: named.extend({
      after: z.int().min(0),
      waitMs: z.int().min(0).max(TASK_EVENTS_WAIT_MS_MAX),
      withTask: z.boolean().optional(),
    }),
    reply: z.object({ events: z.array(TaskEvent), ended: z.boolean(), task: Task.optional() }),
    timeoutMs: TASK_EVENTS_WAIT_MS_MAX + 5_000,
  }),
} as const;
