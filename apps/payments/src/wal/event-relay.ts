import type { WalRecord } from '@svc/durability';
import {
  type EventStream,
  type LockedSession,
  prepared,
  WAL_RECORD_COLUMNS,
  walRecordOf,
} from '@svc/platform';

/** Advances of one page: sagas of a page are published side by side, the records of each one after the other. */
const PAGE_ADVANCES_MAX = 400;
const SEQ_MAX = 2_147_483_647;

/** An advance that has not left yet, with its records. */
interface PendingAdvance {
  readonly sagaId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: WalRecord[];
}

const PAGE = prepared(
  `WITH page AS MATERIALIZED (
     SELECT saga_id, first_seq, last_seq FROM saga_outbox
      WHERE (saga_id, first_seq) > ($1::uuid, $2::integer)
      ORDER BY saga_id, first_seq LIMIT $3
   )
   SELECT first_seq, last_seq, ${WAL_RECORD_COLUMNS}
     FROM page JOIN saga_wal USING (saga_id)
    WHERE seq BETWEEN first_seq AND last_seq ORDER BY saga_id, seq`,
);

interface OutboxRow {
  readonly saga_id: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly seq: number;
}

/** Where the next page begins. */
type Cursor = Pick<PendingAdvance, 'sagaId' | 'firstSeq'>;

/**
 * Takes records of the log out as events: each at least once, and under its id once; those of a saga in their order,
 * because none is sent before the one before it is known to be stored. An advance leaves the outbox when all its records
 * are stored; then its saga is due for the next checkpoint.
 */
export class EventRelay {
  /** Pages go round the outbox, so that a backlog holds nobody up. */
  private cursor: Cursor | undefined;

  constructor(private readonly stream: EventStream) {}

  /**
   * Publishes one page. To be run by one process of a deployment at a time, as far as that can be known.
   * @returns how many records, and whether more may be waiting
   * @throws the error of the first event that could not be stored; those that were are done nevertheless
   */
  async round(session: LockedSession): Promise<{ records: number; more: boolean }> {
    const page = await this.nextPage(session);
    const outcomes = await Promise.all(bySaga(page).map(advances => this.publishInOrder(advances)));
    const stored = outcomes.flatMap(outcome => outcome.stored);
    if (stored.length > 0) await settle(session, stored);
    const failed = outcomes.find(outcome => outcome.failure !== undefined);
    const more = page.length === PAGE_ADVANCES_MAX;
    const last = page.at(-1);
    this.cursor = undefined;
    if (more && last) {
      // Where the last saga of the page has failed, the rest of it waits for the next time round.
      const firstSeq = stored.includes(last) ? last.firstSeq : SEQ_MAX;
      this.cursor = { sagaId: last.sagaId, firstSeq };
    }
    if (failed) throw failed.failure;
    return { records: stored.reduce((sum, { records }) => sum + records.length, 0), more };
  }

  private async nextPage(session: LockedSession): Promise<PendingAdvance[]> {
    const { sagaId, firstSeq } = this.cursor ?? {
      sagaId: '00000000-0000-0000-0000-000000000000',
      firstSeq: -1,
    };
    const rows = await session.query<OutboxRow & Record<string, unknown>>(PAGE, [
      sagaId,
      firstSeq,
      PAGE_ADVANCES_MAX,
    ]);
    const page: PendingAdvance[] = [];
    for (const row of rows) {
      const last = page.at(-1);
      const record = walRecordOf(row);
      if (last && last.sagaId === row.saga_id && last.firstSeq === row.first_seq) last.records.push(record);
      else
        page.push({
          sagaId: row.saga_id,
          firstSeq: row.first_seq,
          lastSeq: row.last_seq,
          records: [record],
        });
    }
    return page;
  }

  /** Stops at the first record that cannot be stored: what comes after it must not overtake it. */
  private async publishInOrder(
    advances: readonly PendingAdvance[],
  ): Promise<{ stored: PendingAdvance[]; failure?: unknown }> {
    const stored: PendingAdvance[] = [];
    for (const advance of advances) {
      try {
        assertWhole(advance);
        for (const record of advance.records) await this.stream.publish(eventOf(record));
      } catch (failure) {
        return { stored, failure };
      }
      stored.push(advance);
    }
    return { stored };
  }
}

/** Advances of each saga, in their order. */
function bySaga(page: readonly PendingAdvance[]): PendingAdvance[][] {
  const groups: PendingAdvance[][] = [];
  for (const advance of page) {
    const last = groups.at(-1);
    if (last?.[0].sagaId === advance.sagaId) last.push(advance);
    else groups.push([advance]);
  }
  return groups;
}

/** @throws Error where the log has lost what it was to hold for good */
function assertWhole({ sagaId, firstSeq, lastSeq, records }: PendingAdvance): void {
  if (records.length === lastSeq - firstSeq + 1) return;
  throw new Error(`the log of saga ${sagaId} lacks records between ${firstSeq} and ${lastSeq}`);
}

/** A record as the event that it leaves as. */
export function eventOf(record: WalRecord) {
  return {
    subject: `events.saga.${record.sagaId}`,
    id: `${record.sagaId}:${record.seq}`,
    data: Buffer.from(JSON.stringify(record)),
  };
}

async function settle(session: LockedSession, advances: readonly PendingAdvance[]): Promise<void> {
  await session.query(
    `WITH gone AS (
       DELETE FROM saga_outbox USING unnest($1::uuid[], $2::integer[]) AS stored (saga_id, first_seq)
        WHERE saga_outbox.saga_id = stored.saga_id AND saga_outbox.first_seq = stored.first_seq
       RETURNING saga_outbox.saga_id, saga_outbox.last_seq
     )
     INSERT INTO saga_unsealed (saga_id, wal_count)
     SELECT saga_id, max(last_seq) + 1 FROM gone GROUP BY saga_id
     ON CONFLICT (saga_id) DO UPDATE SET wal_count = greatest(saga_unsealed.wal_count, excluded.wal_count)`,
    [advances.map(({ sagaId }) => sagaId), advances.map(({ firstSeq }) => firstSeq)],
  );
}
