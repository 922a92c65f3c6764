import type { Task } from '@svc/contracts';
import type { EntityManager } from 'typeorm';

export type CallbackState = NonNullable<Task['callback']>;

/** Whom to call once a task has ended. */
export interface OwedCallback {
  readonly taskId: string;
  readonly deptId: string;
  readonly url: string;
}

/** A call that is of no task. */
export interface OwedCall {
  readonly callId: string;
  readonly url: string;
  /** JSON, sent as it is. */
  readonly body: string;
}

/** A callback that is due, taken for one try. */
export interface DueCallback {
  /** Of a call that is of no task, its own id. */
  readonly taskId: string;
  readonly url: string;
  /** What the call is about: a task, as it stands when the call is made, or the bytes that were handed in. */
  readonly of: { readonly deptId: string } | { readonly body: string };
  /** Tries before this one. */
  readonly attempts: number;
}

/** Owes a callback: to be called in the transaction that ends the task. Again, it does nothing. */
export async function addTaskCallback(
  manager: EntityManager,
  { taskId, deptId, url }: OwedCallback,
): Promise<void> {
  await manager.query(
    `INSERT INTO task_callback (task_id, dept_id, url) VALUES ($1, $2, $3) ON CONFLICT (task_id) DO NOTHING`,
    [taskId, deptId, url],
  );
}

/** Owes a call that is of no task. Again, it does nothing. */
export async function addOwedCall(manager: EntityManager, { callId, url, body }: OwedCall): Promise<void> {
  await manager.query(
    `INSERT INTO task_callback (task_id, url, body) VALUES ($1, $2, $3) ON CONFLICT (task_id) DO NOTHING`,
    [callId, url, body],
  );
}

interface CallbackRow {
  readonly task_id: string;
  readonly dept_id: string;
  readonly body: string | null;
  readonly url: string;
  readonly state: CallbackState['state'];
  readonly attempts: number;
  readonly last_error: string | null;
}

/** How the callbacks of ended tasks fare, by the id of the task. */
export async function callbacksOf(
  manager: EntityManager,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, CallbackState>> {
  const rows: CallbackRow[] = await manager.query(
    `SELECT task_id, url, state, attempts, last_error FROM task_callback WHERE task_id = ANY ($1)`,
    [taskIds],
  );
  return new Map(
    rows.map(({ task_id, url, state, attempts, last_error }) => [
      task_id,
      { url, state, attempts, ...(last_error === null ? {} : { lastError: last_error }) },
    ]),
  );
}

/**
 * Takes callbacks that are due, the longest due first: until `leaseMs` from now nobody else takes them, and then anybody,
 * should this one have died.
 */
export async function takeDueCallbacks(
  manager: EntityManager,
  max: number,
  leaseMs: number,
): Promise<DueCallback[]> {
  const [rows]: [CallbackRow[], number] = await manager.query(
    `UPDATE task_callback SET attempts = attempts + 1, next_at = now() + $2 * interval '1 millisecond'
      WHERE task_id IN (SELECT task_id FROM task_callback WHERE state = 'waiting' AND next_at <= now()
                         ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING task_id, dept_id, url, body, attempts`,
    [max, leaseMs],
  );
  return rows.map(row => ({
    taskId: row.task_id,
    url: row.url,
    of: row.body === null ? { deptId: row.dept_id } : { body: row.body },
    attempts: row.attempts - 1,
  }));
}

/** What became of one try: `next` says in how many milliseconds there is another one, or that there is none. */
export type CallbackOutcome =
  | { readonly state: 'delivered' }
  | { readonly state: 'given-up'; readonly error: string }
  | { readonly state: 'waiting'; readonly error: string; readonly nextMs: number };

const ERROR_CHARS_MAX = 512;

/** Records what became of a try; of a try that another one has followed, nothing. */
export async function recordCallback(
  manager: EntityManager,
  { taskId, attempts }: DueCallback,
  outcome: CallbackOutcome,
): Promise<void> {
  const error = outcome.state === 'delivered' ? null : outcome.error.slice(0, ERROR_CHARS_MAX);
  const nextMs = outcome.state === 'waiting' ? outcome.nextMs : 0;
  await manager.query(
    `UPDATE task_callback SET state = $3, last_error = $4, next_at = now() + $5 * interval '1 millisecond',
            ended_at = CASE WHEN $3 = 'waiting' THEN NULL ELSE now() END
      WHERE task_id = $1 AND attempts = $2 AND state = 'waiting'`,
    [taskId, attempts + 1, outcome.state, error, nextMs],
  );
}

/** Deletes callbacks that ended so long ago. @returns how many */
export async function purgeCallbacks(manager: EntityManager, keptMs: number): Promise<number> {
  const [, count]: [unknown, number] = await manager.query(
    `DELETE FROM task_callback WHERE state <> 'waiting' AND ended_at < now() - $1 * interval '1 millisecond'`,
    [keptMs],
  );
  return count;
}
