import { Inject, Injectable } from '@nestjs/common';
import type { ClaimHandle, TaskEvent as ShownEvent } from '@svc/contracts';
import { Batch, EventOutbox, inTransaction, problem, TopicWaiters, type Wait } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { addTaskCallback } from '../callbacks/task-callbacks.js';
import type { DeptId } from '../desks/capability.js';
import { type Row, shownProgressOf, type StoredTask, storedTaskOf, TASK_COLUMNS } from './stored-task.js';
import { insertTasks, type NewTask } from './task-insert.js';
import { outgoingOf } from './task-outgoing.js';
import { dropOldest, keptFor } from './task-retention.js';
import { isEnded, type TaskEvent, type TaskSnapshot, transition } from './task-state.js';
import { TaskSeal } from './task-order.js';
import { TASK_SETTINGS, type TaskSettings } from './task-settings.js';

/** Rows of one insert. */
const INSERTED_AT_ONCE = 128;
/** Questions for events that are held open here: more than those that ask have streams and sockets for. */
const QUESTIONS = { topic: 'task', topicMax: 16_384, countMax: 16_384 };

/** What an event leaves beside the state. */
export interface TaskLeaves {
  readonly result?: Record<string, unknown>;
  readonly sealedOpening?: Buffer;
}

export interface BegunTask {
  readonly task: StoredTask;
  /** Null once it has an outcome. */
  readonly sealedOrder: Buffer | null;
}

/**
 * The tasks in Postgres, where every replica sees them. A change is made only on the state that it was decided on, in one
 * transaction with the event that tells of it: of two replicas that change a task at once, one looks again.
 */
@Injectable()
export class TaskStore {
  private readonly inserts: Batch<NewTask, StoredTask | undefined>;
  private readonly changes = new TopicWaiters(QUESTIONS);

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: EventOutbox,
    private readonly seal: TaskSeal,
    @Inject(TASK_SETTINGS) private readonly settings: TaskSettings,
  ) {
    this.inserts = new Batch(tasks => this.insertAll(tasks), { sizeMax: INSERTED_AT_ONCE });
  }

  /** Records a new task; undefined where the id is taken. Many at once are one transaction. */
  create(task: NewTask): Promise<StoredTask | undefined> {
    return this.inserts.add(task);
  }

  /**
   * Waits from now on for a change of a task that is made in this process; what happens in another one is found by looking.
   * @throws ProblemError OVERLOADED
   */
  expectChange(taskId: string): Wait {
    return this.changes.expect(taskId);
  }

  /** @throws ProblemError NOT_FOUND */
  async find(taskId: string, deptId?: DeptId): Promise<StoredTask> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${TASK_COLUMNS} FROM task WHERE task_id = $1 AND ($2::text IS NULL OR dept_id = $2)`,
      [taskId, deptId ?? null],
    );
    if (rows[0]) return this.taskOf(rows[0]);
    throw problem('NOT_FOUND', `No task has this id at this desk; ${keptFor(this.settings.countedBytesMax)}`);
  }

  /** The task that holds a claim, where one does. */
  async ofClaim({ claimId, attempt }: ClaimHandle): Promise<{ taskId?: string; deptId?: DeptId }> {
    const rows: { task_id: string; dept_id: DeptId }[] = await this.dataSource.query(
      `SELECT task_id, dept_id FROM task
        WHERE state IN ('QUEUED', 'RUNNING', 'SETTLING') AND claim_id = $1 AND claim_attempt = $2`,
      [claimId, attempt],
    );
    return rows[0] ? { taskId: rows[0].task_id, deptId: rows[0].dept_id } : {};
  }

  /**
   * Applies an event to a task as it stands, and records it. Returns the task after it, or undefined where the event changes
   * nothing any more.
   * @param seen the task as it was seen last; where it has changed since, it is looked at again
   * @throws ProblemError NOT_FOUND, SERVICE_UNAVAILABLE
   */
  async apply(
    taskId: string,
    event: TaskEvent,
    leaves: TaskLeaves = {},
    seen?: StoredTask,
  ): Promise<StoredTask | undefined> {
    return (await this.change(taskId, event, leaves, seen))?.task;
  }

  /** Takes a task for a worker: undefined where it is not to be had. */
  begin(seen: StoredTask): Promise<BegunTask | undefined> {
    const isLapsed = seen.state === 'RUNNING';
    return this.change(seen.taskId, { type: 'begun', isLapsed }, {}, seen);
  }

  private async change(
    taskId: string,
    event: TaskEvent,
    leaves: TaskLeaves,
    seen: StoredTask | undefined,
  ): Promise<BegunTask | undefined> {
    for (let before = seen; ; before = undefined) {
      const task = before ?? (await this.find(taskId));
      const next = transition(task, event);
      // What was seen before may have changed: only what is there now says that there is nothing to do.
      if (!next && before) continue;
      if (!next) return undefined;
      const after = await inTransaction(this.dataSource, tx => this.record(tx, task, next, event, leaves));
      if (!after) continue;
      this.outbox.wake();
      this.changes.wake(taskId);
      return after;
    }
  }

  /** What opens the commitment of its proof, where the payment has not been settled yet. */
  async sealedOpening(taskId: string): Promise<Buffer | undefined> {
    const rows: { sealed_opening: Buffer | null }[] = await this.dataSource.query(
      `SELECT sealed_opening FROM task WHERE task_id = $1`,
      [taskId],
    );
    return rows[0]?.sealed_opening ?? undefined;
  }

  /** Says that workers of this process are at tasks, and returns those that they still have: `<taskId> <fence>`. */
  async renewLeases(held: readonly Pick<StoredTask, 'taskId' | 'fence'>[]): Promise<ReadonlySet<string>> {
    const [rows]: [{ task_id: string; fence: number }[], number] = await this.dataSource.query(
      `UPDATE task SET lease_until = now() + make_interval(secs => $3)
         FROM unnest($1::text[], $2::int[]) AS held (id, of)
        WHERE task_id = held.id AND fence = held.of AND state = 'RUNNING' RETURNING task_id, fence`,
      [held.map(({ taskId }) => taskId), held.map(({ fence }) => fence), this.settings.leaseSeconds],
    );
    return new Set(rows.map(({ task_id, fence }) => `${task_id} ${fence}`));
  }

  /** The events after `after`, in order. */
  async eventsAfter(taskId: string, after: number): Promise<ShownEvent[]> {
    const rows: Row[] = await this.dataSource.query(
      'SELECT seq, at, status, progress, stage FROM task_event WHERE task_id = $1 AND seq > $2 ORDER BY seq',
      [taskId, after],
    );
    return rows.map(({ seq, at, status, progress, stage }) => ({
      seq: seq as number,
      at: (at as Date).toISOString(),
      status: status as ShownEvent['status'],
      ...(progress === null ? {} : { progress: progress as number }),
      ...(stage === null ? {} : { stage: stage as string }),
    }));
  }

  /** Seals results that an earlier release has left as they are; returns how many. */
  async sealPlainResults(): Promise<number> {
    for (let count = 0; ;) {
      const rows: Row[] = await this.dataSource.query(
        `SELECT task_id, result FROM task WHERE result IS NOT NULL AND result ->> '$sealed' IS NULL LIMIT $1`,
        [INSERTED_AT_ONCE],
      );
      for (const { task_id: taskId, result } of rows)
        await this.dataSource.query(
          `UPDATE task SET result = $2 WHERE task_id = $1 AND result ->> '$sealed' IS NULL`,
          [taskId, this.seal.sealResult(result as Record<string, unknown>, taskId as string)],
        );
      count += rows.length;
      if (rows.length < INSERTED_AT_ONCE) return count;
    }
  }

  private taskOf(row: Row): StoredTask {
    return storedTaskOf(this.seal.opened(row));
  }

  private async insertAll(tasks: readonly NewTask[]): Promise<readonly (StoredTask | undefined)[]> {
    const inserted = await inTransaction(this.dataSource, async tx => {
      const stored = (await insertTasks(tx, tasks)).map(row => this.taskOf(row));
      await this.outbox.add(tx, stored.map(outgoingOf));
      return new Map(stored.map(task => [task.taskId, task]));
    });
    this.outbox.wake();
    return tasks.map(({ taskId }) => {
      const task = inserted.get(taskId);
      // The same id twice in one run is one task, and the first of the two has made it.
      inserted.delete(taskId);
      return task;
    });
  }

  private async record(
    tx: EntityManager,
    before: StoredTask,
    next: TaskSnapshot,
    event: TaskEvent,
    { result, sealedOpening }: TaskLeaves,
  ): Promise<BegunTask | undefined> {
    const { status, progress, stage } = shownProgressOf(next);
    const isTaken = 'isLapsed' in event && event.isLapsed && before.state === 'RUNNING';
    const rows: Row[] = await tx.query(
      `WITH changed AS (
        UPDATE task
          SET state = $3, outcome = $4, seq = $5, fence = $6, begins = $7, has_begun = $8, progress = $9, stage = $10,
              payment = $11, problem = $12, result = coalesce($13, result),
              sealed_opening = CASE WHEN $14 THEN NULL ELSE coalesce($15, sealed_opening) END,
              sealed_order = CASE WHEN $4::text IS NULL THEN sealed_order END,
              started_at = CASE WHEN $8 THEN coalesce(started_at, now()) END,
              ended_at = CASE WHEN $4::text IS NOT NULL THEN coalesce(ended_at, now()) END,
              lease_until = CASE WHEN $3 = 'RUNNING' AND $16 THEN now() + make_interval(secs => $17)
                                 WHEN $3 = 'RUNNING' THEN lease_until END,
              attend_at = CASE WHEN $3 = 'SETTLING' THEN now() + make_interval(secs => $17) ELSE attend_at END
        WHERE task_id = $1 AND seq = $2 AND (NOT $18::boolean OR lease_until < now())
        RETURNING *
       ), told AS (
         INSERT INTO task_event (task_id, seq, status, progress, stage) SELECT task_id, seq, $19, $20, $21 FROM changed
       )
       SELECT ${TASK_COLUMNS}, sealed_order, CASE WHEN $22::boolean THEN set_config('synchronous_commit', 'off', true) END FROM changed`,
      [
        ...[before.taskId, before.seq, next.state, next.outcome ?? null, next.seq, next.fence, next.begins],
        ...[next.hasBegun, next.progress ?? null, next.stage ?? null, next.payment],
        next.problem ? JSON.stringify(next.problem) : null,
        result ? this.seal.sealResult(result, before.taskId) : null,
        ...[isEnded(next), sealedOpening ?? null, event.type === 'begun', this.settings.leaseSeconds],
        // A lease may be renewed between the look at it and now, which changes nothing else of the row.
        ...[isTaken, status, progress ?? null, stage ?? null],
        isMadeAgain(before, event),
      ],
    );
    if (!rows[0]) return undefined;
    const after = this.taskOf(rows[0]);
    await this.outbox.add(tx, [outgoingOf(after)]);
    if (isEnded(after) && after.counted)
      await dropOldest(tx, after.counted.subject, this.settings.countedBytesMax);
    if (isEnded(after) && after.callbackUrl !== undefined) {
      const { taskId, deptId, callbackUrl: url } = after;
      await addTaskCallback(tx, { taskId, deptId, url });
    }
    return { task: after, sealedOrder: rows[0].sealed_order as Buffer | null };
  }
}

const BY_WORKER: ReadonlySet<TaskEvent['type']> = new Set(['begun', 'progressed', 'succeeded']);

/**
 * Whether a change need not be on the disk before it is told of: where a crash of the database takes it back, it is made again. What a
 * worker says is, as where the worker dies: the task is queued, or its lease ends. An end is where a claim was settled before it,
 * which payments have on the disk and know again. A failure is not: its payment goes back, and a second run might have an answer then.
 */
function isMadeAgain(before: StoredTask, { type }: TaskEvent): boolean {
  return BY_WORKER.has(type) || (type === 'settled' && before.claim !== undefined);
}
