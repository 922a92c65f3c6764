import { Injectable } from '@nestjs/common';
import type { AdminSaga, SagasQuery } from '@svc/contracts';
import { problem } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';
import { SagaHost } from './saga-host.js';

type Row = Record<string, unknown>;

/** When it began, to the microsecond that Postgres keeps, and its id: the order of the list. */
const POSITION = /^([0-9]{4}(?:-[0-9]{2}){2}T[0-9:]{8}\.[0-9]{6}Z) ([0-9a-f-]{36})$/;

/** States of what has ended; the others are found among what is open, which is little however many sagas there were. */
const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'COMPENSATED']);

/** How long a resumed saga is waited for, milliseconds. */
const RESUMED_WAIT_MS = 20_000;

/** The reason is that of the newest record that gives one: of an end, of being stuck, of a step that failed. */
const SAGAS = `
  SELECT saga_id, name, state, wal_count, head, begun_at, ended_at,
         to_char(begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS begun_text,
         (SELECT coalesce(payload ->> 'reason', payload ->> 'code', 'step ' || (payload ->> 'step')) FROM saga_wal
           WHERE saga_wal.saga_id = saga.saga_id AND kind IN ('STEP_FAIL', 'SAGA_STUCK', 'SAGA_ABORTED')
           ORDER BY seq DESC LIMIT 1) AS reason
    FROM saga`;

/** The sagas as operators look for them. */
@Injectable()
export class SagaRegister {
  constructor(
    private readonly dataSource: DataSource,
    private readonly host: SagaHost,
  ) {}

  /** Those of a state, the newest first. */
  async list(manager: EntityManager, { limit, cursor, state }: SagasQuery) {
    const page = { list: 'sagas', filters: { state } };
    const position = decodeCursor(page, cursor, POSITION);
    const [, beforeTime, beforeId] = (position && POSITION.exec(position)) || [];
    const rows: Row[] = await manager.query(
      `${SAGAS} WHERE state = $1 AND ($2::timestamptz IS NULL OR (begun_at, saga_id) < ($2::timestamptz, $3::uuid))
        ${ENDS.has(state) ? '' : 'AND ended_at IS NULL'}
        ORDER BY begun_at DESC, saga_id DESC LIMIT $4`,
      [state, beforeTime ?? null, beforeId ?? null, limit + 1],
    );
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit).map(adminSagaOf),
      nextCursor: last ? encodeCursor(page, `${last.begun_text as string} ${last.saga_id as string}`) : null,
    };
  }

  /** @throws ProblemError NOT_FOUND; CONFLICT for a saga that is not stuck */
  async requireStuck(manager: EntityManager, sagaId: string): Promise<void> {
    const { state } = await this.find(sagaId, manager);
    if (state !== 'STUCK') throw notStuck(state);
  }

  /**
   * Has the compensations of a stuck saga tried anew, and waits for what comes of it.
   * @throws ProblemError NOT_FOUND; CONFLICT where somebody else was faster
   */
  async resume(sagaId: string): Promise<AdminSaga> {
    const resumed = await this.host.resume(sagaId);
    if (!resumed) throw notStuck((await this.find(sagaId)).state);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, RESUMED_WAIT_MS)));
    await Promise.race([resumed.ended.catch(() => undefined), late]);
    clearTimeout(timer);
    return this.find(sagaId);
  }

  private async find(sagaId: string, manager: EntityManager = this.dataSource.manager): Promise<AdminSaga> {
    const rows: Row[] = await manager.query(`${SAGAS} WHERE saga_id = $1`, [sagaId]);
    if (!rows[0]) throw problem('NOT_FOUND', `There is no saga ${sagaId}`);
    return adminSagaOf(rows[0]);
  }
}

const notStuck = (state: AdminSaga['state']) =>
  problem('CONFLICT', `The saga is ${state}: only one that is stuck can be resumed`);

function adminSagaOf(row: Row): AdminSaga {
  const endedAt = row.ended_at as Date | null;
  const reason = row.reason as string | null;
  return {
    sagaId: row.saga_id as string,
    sagaName: row.name as string,
    state: row.state as AdminSaga['state'],
    walCount: row.wal_count as number,
    walHash: `0x${(row.head as Buffer).toString('hex')}`,
    begunAt: (row.begun_at as Date).toISOString(),
    ...(endedAt === null ? {} : { endedAt: endedAt.toISOString() }),
    ...(reason === null ? {} : { reason }),
  };
}
