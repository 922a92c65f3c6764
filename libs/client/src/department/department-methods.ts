import type { Answer, CallOptions } from '../paid-call.js';
import type { DepartmentList, DepartmentTask, DepartmentTaskRequest } from '../api-types.js';
import type { Ask } from '../tool/tool-methods.js';

/** How long an answer to a task that was given is waited for, seconds, at most 25; 0: not at all. Default 2. */
export interface TaskWait {
  readonly waitSeconds?: number;
}

/** The desks, and tasks that they are given. */
export interface DepartmentMethods {
  /** What the desks take, at what price: `GET /departments`, free. */
  departments(options?: CallOptions): Promise<Answer<DepartmentList>>;
  /**
   * Gives a desk a task: `POST /departments/:deptId`, paid as the capability beneath it. Status 200: it has ended; 202: it goes
   * on, and holds the payment until its end. See `task`.
   */
  submitTask(
    deptId: string,
    request: DepartmentTaskRequest,
    options?: CallOptions & TaskWait,
  ): Promise<Answer<DepartmentTask>>;
  /** The state of a task and, once it ended, its answer. Whoever has the id may ask. */
  task(deptId: string, taskId: string, options?: CallOptions): Promise<Answer<DepartmentTask>>;
  /** Cancels a task; its payment goes back. @throws ProblemError CONFLICT where it has ended otherwise */
  cancelTask(deptId: string, taskId: string, options?: CallOptions): Promise<Answer<DepartmentTask>>;
}

const TASK_FIELDS = { taskId: 'string', status: 'string' };

/** @param once an Idempotency-Key of its own for each call that somebody remembers */
export function departmentMethods(
  ask: Ask,
  once: (isTicketed: boolean) => { idempotencyKey?: string },
): DepartmentMethods {
  const onTask = (method: string, deptId: string, taskId: string, options: CallOptions = {}) => {
    const request = { ...options, parameters: { deptId, taskId } };
    return ask<DepartmentTask>(method, '/departments/{deptId}/tasks/{taskId}', request, () => TASK_FIELDS);
  };
  return {
    departments: options => ask('GET', '/departments', { ...options }, () => ({ departments: 'object' })),
    submitTask(deptId, body, { waitSeconds, ...options } = {}) {
      const Prefer = waitSeconds === 0 ? 'respond-async' : `wait=${waitSeconds}`;
      const headers = { ...options.headers, ...(waitSeconds === undefined ? {} : { Prefer }) };
      const request = { ...once(false), ...options, headers, parameters: { deptId }, body };
      return ask('POST', '/departments/{deptId}', request, () => TASK_FIELDS);
    },
    task: (deptId, taskId, options) => onTask('GET', deptId, taskId, options),
    cancelTask: (deptId, taskId, options) => onTask('DELETE', deptId, taskId, options),
  };
}
