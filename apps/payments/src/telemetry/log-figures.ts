import type { EntityManager } from 'typeorm';

const HOUR_MS = 3_600_000;

/** What the log says of a span of time. */
export interface LogFigures {
  begun: number;
  aborted: number;
  committed: number;
  /** Of those that committed: within a plan, for no money of their own. */
  inPlan: number;
  starkRoots: number;
}

/** What the log says as a whole, beside the figures of its spans. */
export interface LogState {
  /** By the hour that they are of, Unix milliseconds of its begin. */
  readonly hours: ReadonlyMap<number, LogFigures>;
  /** Sagas whose last record says that they are stuck. */
  readonly stuck: number;
  readonly newestStarkRoot: string | undefined;
  /** Of the first SAGA_BEGIN; undefined while the log is empty. */
  readonly sinceMs: number | undefined;
  /** Of the database's clock. */
  readonly nowMs: number;
}

export const NO_FIGURES: LogFigures = { begun: 0, aborted: 0, committed: 0, inPlan: 0, starkRoots: 0 };

/** The sum of two spans. */
export const sumOf = (a: LogFigures, b: LogFigures): LogFigures => ({
  begun: a.begun + b.begun,
  aborted: a.aborted + b.aborted,
  committed: a.committed + b.committed,
  inPlan: a.inPlan + b.inPlan,
  starkRoots: a.starkRoots + b.starkRoots,
});

interface StateRow {
  readonly committed: { hour: number; count: number; free: number; roots: number }[] | null;
  readonly begun: { hour: number; count: number }[] | null;
  readonly aborted: { hour: number; count: number }[] | null;
  readonly stuck: string;
  readonly root: string | null;
  readonly since: Date | null;
  readonly now: Date;
}

const HOUR = `floor(extract(epoch FROM at) / 3600)::bigint`;
const counts = (kind: string) => `(
  SELECT json_agg(row) FROM (SELECT ${HOUR} AS hour, count(*) AS count FROM saga_wal
    WHERE kind = '${kind}' AND at >= $1 AND at < $2 GROUP BY 1) row)`;

/**
 * Asks the log, in one statement and so at one moment, for the records of a span of time and for what it says as a whole.
 */
export async function readLog(manager: EntityManager, fromMs: number, untilMs?: number): Promise<LogState> {
  const span = [
    new Date(fromMs).toISOString(),
    untilMs === undefined ? 'infinity' : new Date(untilMs).toISOString(),
  ];
  const [row]: StateRow[] = await manager.query(
    `SELECT
       (SELECT json_agg(row) FROM (
          SELECT ${HOUR} AS hour, count(*) AS count, count(payload->>'starkRoot') AS roots,
                 count(*) FILTER (WHERE (payload->>'amountMicroUsd')::bigint = 0) AS free
            FROM saga_wal WHERE kind = 'SAGA_COMMIT' AND at >= $1 AND at < $2 GROUP BY 1) row) AS committed,
       ${counts('SAGA_BEGIN')} AS begun,
       ${counts('SAGA_ABORTED')} AS aborted,
       (SELECT count(*) FROM saga_wal stuck WHERE kind = 'SAGA_STUCK' AND NOT EXISTS (
          SELECT FROM saga_wal later WHERE later.saga_id = stuck.saga_id AND later.seq = stuck.seq + 1)) AS stuck,
       (SELECT payload->>'starkRoot' FROM saga_wal
         WHERE kind = 'SAGA_COMMIT' AND payload->>'starkRoot' IS NOT NULL
         ORDER BY at DESC, saga_id DESC LIMIT 1) AS root,
       (SELECT min(at) FROM saga_wal WHERE kind = 'SAGA_BEGIN') AS since,
       now() AS now`,
    span,
  );
  return {
    hours: hoursOf(row),
    stuck: Number(row.stuck),
    newestStarkRoot: row.root ?? undefined,
    sinceMs: row.since?.getTime(),
    nowMs: row.now.getTime(),
  };
}

function hoursOf({ committed, begun, aborted }: StateRow): Map<number, LogFigures> {
  const hours = new Map<number, LogFigures>();
  const add = (hour: number, figures: Partial<LogFigures>) => {
    const startMs = hour * HOUR_MS;
    hours.set(startMs, sumOf(hours.get(startMs) ?? NO_FIGURES, { ...NO_FIGURES, ...figures }));
  };
  for (const { hour, count, free, roots } of committed ?? [])
    add(hour, { committed: count, inPlan: free, starkRoots: roots });
  for (const { hour, count } of begun ?? []) add(hour, { begun: count });
  for (const { hour, count } of aborted ?? []) add(hour, { aborted: count });
  return hours;
}
