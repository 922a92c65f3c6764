import type { EntityManager } from 'typeorm';

/** How long a task can be asked for; and one within a quota, which has not paid for the room that it takes. */
const [RETENTION_DAYS, COUNTED_RETENTION_DAYS] = [30, 1];
/** What a task takes beside its result, with its events, bytes. */
const TASK_BYTES = 1_024;
const IS_ENDED = `state IN ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')`;

/** For whom a task is sought that may be gone. */
export const keptFor = (countedBytesMax: number): string =>
  `tasks are kept for ${RETENTION_DAYS} days, those within a quota for ${COUNTED_RETENTION_DAYS}, of which a caller has ${Math.floor(countedBytesMax / 1_048_576)} MiB at most`;

/** Deletes tasks that have ended and are older than they are kept, with their events; returns how many. */
export async function purgeTasks(database: Pick<EntityManager, 'query'>): Promise<number> {
  const [, count]: [unknown, number] = await database.query(
    `DELETE FROM task WHERE ${IS_ENDED}
        AND created_at < now() - make_interval(days => CASE WHEN counted_subject IS NULL THEN $1::int ELSE $2::int END)`,
    [RETENTION_DAYS, COUNTED_RETENTION_DAYS],
  );
  return count;
}

/** Deletes the oldest ended tasks of a caller within a quota, beyond the bytes that they may take together. */
export async function dropOldest(tx: EntityManager, subject: string, bytesMax: number): Promise<void> {
  await tx.query(
    `DELETE FROM task USING (
       SELECT task_id, sum(coalesce(pg_column_size(result), 0) + $3::int) OVER (ORDER BY ended_at DESC, task_id) AS bytes
         FROM task WHERE counted_subject = $1 AND ${IS_ENDED}) AS kept
      WHERE task.task_id = kept.task_id AND bytes > $2`,
    [subject, bytesMax, TASK_BYTES],
  );
}
