import { z } from 'zod';
import { PublicKeys } from './licences.contract.js';
import { defineRoutes } from './route.js';
import { FieldFault, PROBLEM_CODES } from './problem.js';
import { IdempotencyHeaders, unguessableId } from './wire-format.js';

export const DEPARTMENT_IDS = [
  'proofs',
  'neuro',
  'acoustics',
  'mesh',
  'payments',
  'compliance',
  'valuation',
  'authentication',
  'parcels',
  'licensing',
] as const;
const DeptId = z.enum(DEPARTMENT_IDS);
export const TaskId = unguessableId('tsk').meta({ description: 'Id of a task: 128 random bits' });

/** A task's inputs travel as JSON, its files in base64: what fits into the JSON of one message of the bus, its rest beside it. */
const TASK_BODY_BYTES_MAX = 4_000_000;

/** A desk: what it takes, at what price and how fast. */
export const Department = z
  .object({
    deptId: DeptId,
    name: z.string(),
    description: z.string(),
    capabilities: z.array(z.string()),
    inputSchemas: z.record(z.string(), z.record(z.string(), z.unknown())),
    priceUsd: z.record(z.string(), z.string()).meta({ description: 'Price by capability' }),
    sla: z.object({
      latencyMsP95: z.number().meta({ description: 'Measured from submission to end, of the newest tasks' }),
      samples: z.int().meta({ description: 'Tasks that the figure is of' }),
      reason: z.string().optional().meta({ description: 'Why there is no figure, where it is 0' }),
      queueMax: z.int().meta({
        description: 'Tasks that may wait, of one caller as many as places are free; beyond it: QUEUE_FULL',
      }),
    }),
    status: z.enum(['ONLINE', 'OFFLINE']),
  })
  .meta({ id: 'Department' });

/** Response of `GET /departments`. */
export const DepartmentList = z.object({ departments: z.array(Department) }).meta({ id: 'DepartmentList' });

/** Body of `POST /departments/:deptId`. */
export const TaskRequest = z
  .strictObject({
    capability: z.string().min(1).max(128).optional(),
    task: z.record(z.string().max(128), z.unknown()).meta({ description: 'The inputs of the capability' }),
    priority: z.enum(['low', 'normal', 'high']).default('normal'),
    deadlineMs: z.int().min(100).max(86_400_000).optional().meta({ description: 'Milliseconds from now' }),
    callbackUrl: z
      .url({ protocol: /^https$/ })
      .max(2_048)
      .optional()
      .meta({ description: 'https only; called once the task ends, signed' }),
  })
  .meta({ id: 'TaskRequest' });

export const TASK_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'] as const;
const TaskStatus = z.enum(TASK_STATUSES);
const progressFields = {
  status: TaskStatus,
  progress: z.number().min(0).max(1).optional().meta({ description: 'Share of the work that is done' }),
  stage: z.string().max(64).optional().meta({ description: 'What is being done' }),
};

/** A task and, once it ended, its result. */
export const Task = z
  .object({
    taskId: TaskId,
    deptId: DeptId,
    capability: z.string(),
    ...progressFields,
    priority: z.enum(['low', 'normal', 'high']),
    result: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The answer of the capability, as its own route gives it' }),
    receipt: z.string().optional().meta({ description: '`Payment-Receipt` of its payment' }),
    payment: z.enum(['held', 'delivered', 'returned', 'superseded']).optional().meta({
      description:
        'held until the task ends; delivered with its answer; returned where there is none: to the credential, or as credit',
    }),
    problem: z
      .object({ code: z.enum(PROBLEM_CODES), detail: z.string(), errors: z.array(FieldFault).optional() })
      .optional()
      .meta({ description: 'Why there is no answer' }),
    callback: z
      .object({
        url: z.string(),
        state: z.enum(['waiting', 'delivered', 'given-up']),
        attempts: z.int(),
        lastError: z.string().optional(),
      })
      .optional(),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    deadlineAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Task' });
export type Task = z.infer<typeof Task>;

/** One step of a task, as its stream of events has it; `seq` is the event's id. */
export const TaskEvent = z
  .object({ seq: z.int().min(1), at: z.iso.datetime(), ...progressFields })
  .meta({ id: 'TaskEvent' });
export type TaskEvent = z.infer<typeof TaskEvent>;

/** Headers of a call that may go on as a task. */
export const PreferHeaders = IdempotencyHeaders.extend({
  Prefer: z
    .string()
    .max(128)
    .optional()
    .meta({ description: '`wait=N` seconds, 2 by default and at most 25; `respond-async`' }),
});
const taskParams = z.object({ deptId: DeptId, taskId: TaskId });

export const departmentsRoutes = defineRoutes({
  list: {
    operationId: 'departments.list',
    method: 'GET',
    path: '/departments',
    summary: 'The desks',
    tag: 'Departments',
    access: 'free',
    replies: { 200: { description: 'The desks', schema: DepartmentList } },
  },
  department: {
    operationId: 'departments.get',
    method: 'GET',
    path: '/departments/:deptId',
    summary: 'One desk',
    tag: 'Departments',
    access: 'free',
    params: z.object({ deptId: DeptId }),
    replies: { 200: { description: 'The desk', schema: Department } },
  },
  submit: {
    operationId: 'departments.submit',
    method: 'POST',
    path: '/departments/:deptId',
    summary: 'Give a desk a task',
    description: 'Billed as the capability beneath it, before it is queued.',
    tag: 'Departments',
    access: 'paid',
    params: z.object({ deptId: DeptId }),
    headers: PreferHeaders,
    body: { schema: TaskRequest },
    bodyBytesMax: TASK_BODY_BYTES_MAX,
    replies: {
      200: { description: 'Done within the wait', schema: Task },
      202: { description: 'Queued', schema: Task, headers: { Location: 'The task' } },
    },
    problems: ['NOT_FOUND', 'UNPROCESSABLE'],
  },
  task: {
    operationId: 'departments.get-task',
    method: 'GET',
    path: '/departments/:deptId/tasks/:taskId',
    summary: 'State of a task',
    tag: 'Departments',
    access: 'free',
    params: taskParams,
    headers: z.object({
      'Last-Event-ID': z
        .string()
        .regex(/^[0-9]{1,9}$/)
        .optional()
        .meta({ description: 'Of a stream: the last event that its reader has' }),
    }),
    replies: {
      200: {
        description: 'The task; its progress as a stream by `Accept`',
        schema: Task,
        mediaType: 'application/json, text/event-stream',
      },
      204: { description: 'Of a stream: the task has ended, and there is no event after the last one' },
    },
  },
  cancelTask: {
    operationId: 'departments.cancel-task',
    method: 'DELETE',
    path: '/departments/:deptId/tasks/:taskId',
    summary: 'Cancel a task',
    tag: 'Departments',
    access: 'free',
    params: taskParams,
    replies: { 200: { description: 'The task', schema: Task } },
    problems: ['CONFLICT'],
  },
  callbackKeys: {
    operationId: 'well-known.callback-keys',
    method: 'GET',
    path: '/.well-known/svc-callback-keys.json',
    summary: 'Public keys that callbacks of tasks verify against',
    tag: 'Departments',
    access: 'free',
    replies: { 200: { description: 'The keys', schema: PublicKeys } },
  },
});
