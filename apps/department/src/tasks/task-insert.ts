import type { CountedCall, Task } from '@svc/contracts';
import type { EntityManager } from 'typeorm';
import type { DeptId } from '../desks/capability.js';
import { type Row, TASK_COLUMNS } from './stored-task.js';

/** After how long the claim on the payment of a task is renewed: often within its lease of three minutes, seconds. */
export const RENEW_SECONDS = 45;
/** And for the first time: within the lease that the call has left, whose gateway says nothing of it any more. */
const FIRST_RENEWAL_SECONDS = 3;

/** A task as it comes in. */
export interface NewTask {
  readonly taskId: string;
  readonly deptId: DeptId;
  readonly capability: string;
  readonly priority: Task['priority'];
  readonly claim?: { readonly claimId: string; readonly attempt: number };
  /** Where it was counted, within a quota. */
  readonly counted?: CountedCall;
  readonly receipt: string;
  /** The caller that it counts for, as queues tell callers apart; empty where the caller is not known. */
  readonly turnSubject: string;
  /** Work that has begun goes on to its end. */
  readonly isBinding: boolean;
  readonly sealedOrder: Buffer;
  readonly callbackUrl?: string;
  readonly deadlineMs?: number;
}

const COLUMNS: readonly (readonly [name: string, type: string, valueOf: (task: NewTask) => unknown])[] = [
  ['task_id', 'text', task => task.taskId],
  ['dept_id', 'text', task => task.deptId],
  ['capability', 'text', task => task.capability],
  ['priority', 'text', task => task.priority],
  ['claim_id', 'uuid', task => task.claim?.claimId ?? null],
  ['claim_attempt', 'int', task => task.claim?.attempt ?? null],
  ['counted_subject', 'text', task => task.counted?.subject ?? null],
  ['counted_resets_at', 'timestamptz', task => task.counted?.resetsAt ?? null],
  ['receipt', 'text', task => task.receipt],
  ['turn_subject', 'text', task => task.turnSubject],
  ['is_binding', 'boolean', task => task.isBinding],
  ['sealed_order', 'bytea', task => task.sealedOrder],
  ['callback_url', 'text', task => task.callbackUrl ?? null],
  ['deadline_ms', 'int', task => task.deadlineMs ?? null],
];

/** Records new tasks and their first events, all of them in two statements; gives the rows of those whose id was free. */
export async function insertTasks(tx: EntityManager, tasks: readonly NewTask[]): Promise<Row[]> {
  const names = COLUMNS.map(([name]) => name).join(', ');
  const arrays = COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ');
  const rows: Row[] = await tx.query(
    `INSERT INTO task (task_id, dept_id, capability, priority, claim_id, claim_attempt, counted_subject, counted_resets_at, receipt,
            turn_subject, is_binding, sealed_order, callback_url, deadline_at, state, seq, fence, begins, has_begun, payment, attend_at)
     SELECT task_id, dept_id, capability, priority, claim_id, claim_attempt, counted_subject, counted_resets_at, receipt,
            turn_subject, is_binding, sealed_order, callback_url,
            now() + deadline_ms * interval '1 millisecond', 'QUEUED', 1, 0, 0, false, 'held',
            now() + make_interval(secs => ${FIRST_RENEWAL_SECONDS})
       FROM unnest(${arrays}) AS given (${names})
     ON CONFLICT (task_id) DO NOTHING RETURNING ${TASK_COLUMNS}`,
    COLUMNS.map(([, , valueOf]) => tasks.map(valueOf)),
  );
  await tx.query(
    `INSERT INTO task_event (task_id, seq, status) SELECT task_id, 1, 'QUEUED' FROM unnest($1::text[]) AS given (task_id)`,
    [rows.map(({ task_id }) => task_id)],
  );
  return rows;
}
