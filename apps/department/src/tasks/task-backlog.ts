import { Inject, Injectable } from '@nestjs/common';
import type { ClaimHandle, Task } from '@svc/contracts';
import { DataSource } from 'typeorm';
import type { DeptId } from '../desks/capability.js';
import { RENEW_SECONDS } from './task-insert.js';
import { type Row, type StoredTask, storedTaskOf, TASK_COLUMNS } from './stored-task.js';
import { TaskSeal } from './task-order.js';
import { TASK_SETTINGS, type TaskSettings } from './task-settings.js';

/** A task on its way to the work queue. */
export interface TaskToEnqueue {
  readonly taskId: string;
  readonly deptId: DeptId;
  readonly priority: Task['priority'];
  /** How often it was put there before. */
  readonly enqueueCount: number;
}

/** Tasks of one caller that wait at a desk. */
export interface WaitingTasks {
  readonly deptId: DeptId;
  readonly subject: string;
  readonly count: number;
}

/** A task that its submitter has not put into the queue for that long is put there by the sweep, seconds. */
const LEFT_SECONDS = 2;
/** A task that waits for longer than a queue remembers its id may be lost to it: it is put there again, seconds. */
const STALE_SECONDS = 600;
/** Tasks that a figure of latency is of. */
const LATENCY_TASKS = 200;

/** What is due of the tasks, by the look of whichever replica asks first. */
@Injectable()
export class TaskBacklog {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seal: TaskSeal,
    @Inject(TASK_SETTINGS) private readonly settings: TaskSettings,
  ) {}

  /** A work queue in memory has forgotten everything: what has not ended is put into it again. */
  async forgetEnqueued(): Promise<void> {
    await this.dataSource.query(
      `UPDATE task SET enqueued_at = NULL WHERE state = 'QUEUED' AND enqueued_at IS NOT NULL`,
    );
  }

  /** Says that a task is not in the queue any more. */
  async dropped(taskId: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE task SET enqueued_at = NULL WHERE task_id = $1 AND state IN ('QUEUED', 'RUNNING')`,
      [taskId],
    );
  }

  /** Tasks that nobody has put into the queue, or that must have been lost from it. */
  async leftOver(limit: number): Promise<TaskToEnqueue[]> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT task_id, dept_id, priority, enqueue_count FROM task
        WHERE (state = 'QUEUED' AND enqueued_at IS NULL AND created_at < now() - make_interval(secs => $2))
           OR (state = 'QUEUED' AND enqueued_at < now() - make_interval(secs => $3))
           OR (state = 'RUNNING' AND lease_until < now() - make_interval(secs => $4)
               AND (enqueued_at IS NULL OR enqueued_at < now() - make_interval(secs => $4)))
        ORDER BY created_at LIMIT $1`,
      [limit, LEFT_SECONDS, STALE_SECONDS, 2 * this.settings.leaseSeconds],
    );
    return rows.map(row => ({
      taskId: row.task_id as string,
      deptId: row.dept_id as DeptId,
      priority: row.priority as Task['priority'],
      enqueueCount: row.enqueue_count as number,
    }));
  }

  async markEnqueued(tasks: readonly TaskToEnqueue[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE task SET enqueued_at = now(), enqueue_count = count + 1
         FROM unnest($1::text[], $2::int[]) AS done (id, count)
        WHERE task_id = id AND enqueue_count = count`,
      [tasks.map(({ taskId }) => taskId), tasks.map(({ enqueueCount }) => enqueueCount)],
    );
  }

  /** Claims on payments that are to be renewed; each is given to one asker. */
  async dueRenewals(limit: number): Promise<(ClaimHandle & { readonly taskId: string })[]> {
    const [rows]: [{ task_id: string; claim_id: string; claim_attempt: number }[], number] =
      await this.dataSource.query(
        `UPDATE task SET attend_at = now() + make_interval(secs => $2)
          WHERE task_id IN (SELECT task_id FROM task
                             WHERE state IN ('QUEUED', 'RUNNING') AND attend_at <= now() AND claim_id IS NOT NULL
                             ORDER BY attend_at LIMIT $1 FOR UPDATE SKIP LOCKED)
          RETURNING task_id, claim_id, claim_attempt`,
        [limit, RENEW_SECONDS],
      );
    return rows.map(row => ({
      taskId: row.task_id,
      claimId: row.claim_id,
      attempt: row.claim_attempt,
    }));
  }

  /** Tasks whose payment is to be settled; each is given to one asker, and to the next one after a lease. */
  async dueSettlements(limit: number): Promise<StoredTask[]> {
    const [rows]: [Row[], number] = await this.dataSource.query(
      `UPDATE task SET attend_at = now() + make_interval(secs => $2)
        WHERE task_id IN (SELECT task_id FROM task WHERE state = 'SETTLING' AND attend_at <= now()
                           ORDER BY attend_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING ${TASK_COLUMNS}`,
      [limit, this.settings.leaseSeconds],
    );
    return rows.map(row => storedTaskOf(this.seal.opened(row)));
  }

  /** Tasks past their deadline that may still be ended. */
  async late(limit: number): Promise<string[]> {
    const rows: { task_id: string }[] = await this.dataSource.query(
      `SELECT task_id FROM task
        WHERE deadline_at <= now() AND (state = 'QUEUED' OR (state = 'RUNNING' AND NOT is_binding))
        ORDER BY deadline_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ task_id }) => task_id);
  }

  /** How many tasks wait, of each caller at each desk. */
  async waiting(): Promise<readonly WaitingTasks[]> {
    return this.dataSource.query(
      `SELECT dept_id AS "deptId", turn_subject AS subject, count(*)::int AS count
         FROM task WHERE state = 'QUEUED' GROUP BY dept_id, turn_subject`,
    );
  }

  /**
   * The task whose turn is next, of those that wait at the desk of a task with its priority: callers go round in the order of their
   * subjects, and of each the oldest task goes first.
   * @param after whose turn was last
   */
  async nextInTurn(
    { deptId, priority }: Pick<StoredTask, 'deptId' | 'priority'>,
    after: string,
  ): Promise<StoredTask | undefined> {
    const oldest = (round: number, which: string) =>
      `(SELECT *, ${round} AS round FROM task
         WHERE state = 'QUEUED' AND dept_id = $1 AND priority = $2 AND turn_subject ${which} $3
         ORDER BY turn_subject, created_at LIMIT 1)`;
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${TASK_COLUMNS} FROM (${oldest(0, '>')} UNION ALL ${oldest(1, '<=')}) AS next ORDER BY round LIMIT 1`,
      [deptId, priority, after],
    );
    return rows[0] && storedTaskOf(this.seal.opened(rows[0]));
  }

  /** What the newest tasks of a desk took from their submission to their result. */
  async latency(deptId: DeptId): Promise<{ readonly p95Ms: number; readonly samples: number }> {
    const [row]: { p95_ms: number | null; samples: number }[] = await this.dataSource.query(
      `SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM ended_at - created_at) * 1000) AS p95_ms,
              count(*)::int AS samples
         FROM (SELECT created_at, ended_at FROM task WHERE dept_id = $1 AND outcome = 'COMPLETED'
                ORDER BY ended_at DESC LIMIT ${LATENCY_TASKS}) newest`,
      [deptId],
    );
    return { p95Ms: Math.round(Number(row.p95_ms ?? 0)), samples: row.samples };
  }
}
