import {
  type Advance,
  type HeldSaga,
  type JsonObject,
  LeaseLostError,
  type SagaBirth,
  type SagaState,
  type SagaStore,
  type StoredSaga,
  type WalRecord,
} from '@svc/durability';
import type { Logger } from 'pino';
import type { DataSource, EntityManager } from 'typeorm';
import { Batch } from '../persistence/batch.js';
import { inDeferredTransaction } from '../persistence/in-transaction.js';
import { prepared } from '../persistence/prepared-statements.js';
import { recordColumns, WAL_RECORD_COLUMNS, walRecordOf } from './wal-rows.js';

const LEASE_MS_DEFAULT = 10_000;
/** Advances of one statement. */
const SHARED_MAX = 128;
const APPEND = prepared(
  `SELECT saga_append($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20) AS saga_id`,
);
const BEGIN = prepared(
  `SELECT saga_begin($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)`,
);
const SAGA_COLUMNS = 'saga_id, name, version, state, wal_count, fence, kept';

/** How what a saga keeps lies in the database; the saga's id is to be authenticated with it. */
export interface KeptSeal {
  seal(sagaId: string, plain: Buffer): Uint8Array;
  /** Undefined where it was sealed under another key, for another saga, or altered. */
  open(sagaId: string, sealed: Buffer): Uint8Array | undefined;
}

export interface SagaStoreOptions {
  readonly kept: KeptSeal;
  /** 10 s by default. */
  readonly leaseMs?: number;
  /** After each commit that appended records: what waits for events need not wait for its next round. */
  readonly onRecorded?: () => void;
  readonly logger?: Logger;
}

type Lease = Pick<HeldSaga, 'sagaId' | 'fence'>;
type Row = Record<string, unknown>;
type Outcome = 'recorded' | { readonly error: unknown };

/** The records do not go on from the end of the saga's log; nothing of them was recorded. */
export class LogNotContinuedError extends Error {
  readonly code = 'LOG_NOT_CONTINUED';
  constructor(readonly sagaId: string) {
    super(`the records do not continue the log of saga ${sagaId}`);
    this.name = 'LogNotContinuedError';
  }
}

/**
 * Sagas in the tables of {@link SagaTables1763900000000}, their leases by the clock of the database. Advances without an
 * effect in the database that come together are one statement, so one flush of the disk, however many sagas they are of.
 *
 * @example
 * const store = new PostgresSagaStore(dataSource, { kept: { seal, open } });
 * const runner = new SagaRunner(store, { owner: instanceId });
 */
export class PostgresSagaStore implements SagaStore<EntityManager> {
  private readonly leaseMs: number;
  private readonly advances = new Batch<{ held: Lease; advance: Advance }, Outcome>(
    items => this.advanceAll(items),
    { sizeMax: SHARED_MAX },
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: SagaStoreOptions,
  ) {
    this.leaseMs = options.leaseMs ?? LEASE_MS_DEFAULT;
    if (!Number.isSafeInteger(this.leaseMs) || this.leaseMs < 100 || this.leaseMs > 3_600_000)
      throw new RangeError(`a lease is 100 to 3600000 ms, not ${this.leaseMs}`);
  }

  async begin(owner: string, work: (tx: EntityManager) => Promise<SagaBirth>): Promise<HeldSaga> {
    const insert = (at: Pick<EntityManager, 'query'>, { sagaId, name, version, records, kept }: SagaBirth) =>
      at.query(BEGIN, [
        ...[
          sagaId,
          name,
          version,
          'RUNNING',
          records[0].fence,
          owner,
          this.leaseMs,
          this.sealed(sagaId, kept),
        ],
        ...recordColumns(records),
      ]);
    const { birth, isBegun } = await inDeferredTransaction(this.dataSource, async (tx, hasEffect) => {
      const birth = await work(tx);
      const isBegun = hasEffect();
      if (isBegun) await insert(tx, birth);
      return { birth, isBegun };
    });
    if (!isBegun) await insert(this.dataSource, birth);
    this.options.onRecorded?.();
    const { sagaId, name, version, records, kept } = birth;
    return { sagaId, name, version, state: 'RUNNING', records, kept, fence: records[0].fence, owner };
  }

  async advance(held: Lease, advance: Advance): Promise<void> {
    const outcome = await this.advances.add({ held, advance });
    if (outcome !== 'recorded') throw outcome.error;
  }

  /** A work that asks nothing of the database has no effect there: its records share a statement with others. */
  async advanceWith(held: Lease, work: (tx: EntityManager) => Promise<Advance>): Promise<Advance> {
    const { advance, isRecorded } = await inDeferredTransaction(this.dataSource, async (tx, hasEffect) => {
      const advance = await work(tx);
      const isRecorded = hasEffect();
      if (isRecorded && !(await this.append(tx, [{ held, advance }])).has(held.sagaId))
        throw await this.refusal(tx, held);
      return { advance, isRecorded };
    });
    if (isRecorded) this.options.onRecorded?.();
    else await this.advance(held, advance);
    return advance;
  }

  async renew(held: readonly Lease[]): Promise<string[]> {
    if (held.length === 0) return [];
    // A row that is locked is just being advanced, which renews it, or taken, which the next advance is told.
    const rows: Row[] = await this.dataSource.query(
      `WITH wanted AS (
         SELECT * FROM unnest($1::uuid[], $2::bigint[]) AS wanted (saga_id, fence)
       ), free AS (
         SELECT saga.saga_id FROM saga JOIN wanted USING (saga_id, fence)
          WHERE saga.state IN ('RUNNING', 'COMPENSATING') ORDER BY saga_id FOR UPDATE OF saga SKIP LOCKED
       ), renewed AS (
         UPDATE saga SET lease_until = clock_timestamp() + $3 * interval '1 ms'
           FROM free WHERE saga.saga_id = free.saga_id
       )
       SELECT saga_id FROM saga JOIN wanted USING (saga_id, fence)`,
      [held.map(({ sagaId }) => sagaId), held.map(({ fence }) => fence), this.leaseMs],
    );
    return rows.map(row => row.saga_id as string);
  }

  async release({ sagaId, fence }: Lease, afterMs: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE saga SET lease_until = clock_timestamp() + $3 * interval '1 ms', owner = NULL
        WHERE saga_id = $1 AND fence = $2 AND state IN ('RUNNING', 'COMPENSATING')`,
      [sagaId, fence, afterMs],
    );
  }

  async takeLapsed(
    owner: string,
    limit: number,
    known?: readonly { readonly name: string; readonly version: number }[],
  ): Promise<HeldSaga[]> {
    const rows = await this.take(
      `ended_at IS NULL AND state IN ('RUNNING', 'COMPENSATING') AND lease_until <= clock_timestamp()
         AND ($4::text[] IS NULL OR (name, version) IN (SELECT * FROM unnest($4::text[], $5::integer[])))
       ORDER BY begun_at LIMIT $2`,
      [owner, limit, this.leaseMs, known?.map(({ name }) => name), known?.map(({ version }) => version)],
    );
    const records = await this.recordsOf(rows);
    const taken = rows.map(row => {
      try {
        return { ...this.sagaOf(row, records), owner };
      } catch (error) {
        // It stays under this lease, and is tried again after it: the others must not wait for it.
        this.options.logger?.error(
          { sagaId: row.saga_id, reason: (error as Error).message },
          'A saga cannot be read',
        );
        return undefined;
      }
    });
    return taken.filter(saga => saga !== undefined);
  }

  async takeStuck(owner: string, sagaId: string): Promise<HeldSaga | undefined> {
    const rows = await this.take(`saga_id = $2 AND state = 'STUCK'`, [owner, sagaId, this.leaseMs]);
    if (rows.length === 0) return undefined;
    return { ...this.sagaOf(rows[0], await this.recordsOf(rows)), owner };
  }

  async load(sagaId: string): Promise<StoredSaga | undefined> {
    const rows: Row[] = await this.dataSource.query(`SELECT ${SAGA_COLUMNS} FROM saga WHERE saga_id = $1`, [
      sagaId,
    ]);
    if (rows.length === 0) return undefined;
    return this.sagaOf(rows[0], await this.recordsOf(rows));
  }

  /** Deletes what sagas kept whose end lies 24 hours back, `limit` at most; says how many. Their logs stay. */
  async purgeKept(limit = 1_000): Promise<number> {
    const [, count] = (await this.dataSource.query(
      `UPDATE saga SET kept = NULL WHERE saga_id IN (
         SELECT saga_id FROM saga
          WHERE ended_at < clock_timestamp() - interval '24 hours' AND ended_at IS NOT NULL AND kept IS NOT NULL
          ORDER BY ended_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [limit],
    )) as [unknown, number];
    return count;
  }

  private async advanceAll(items: readonly { held: Lease; advance: Advance }[]): Promise<Outcome[]> {
    let recorded: Set<string>;
    try {
      // Two advances of one saga cannot be of one statement: the second goes on from the first.
      if (new Set(items.map(({ held }) => held.sagaId)).size < items.length)
        return await this.eachAlone(items);
      recorded = await this.appendRepeated(items);
    } catch (error) {
      // What the database refused it has not recorded; of what was lost on the way nobody knows, and it is not repeated.
      if (items.length === 1 || !isRefusal(error)) return items.map(() => ({ error }));
      return this.eachAlone(items);
    }
    if (recorded.size > 0) this.options.onRecorded?.();
    return Promise.all(
      items.map(async ({ held }) =>
        recorded.has(held.sagaId)
          ? 'recorded'
          : { error: await this.refusal(this.dataSource, held).catch((error: unknown) => error) },
      ),
    );
  }

  private async eachAlone(items: readonly { held: Lease; advance: Advance }[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const item of items) outcomes.push((await this.advanceAll([item]))[0]);
    return outcomes;
  }

  /** One statement commits by itself: no round trip but its own. */
  private async appendRepeated(items: readonly { held: Lease; advance: Advance }[]): Promise<Set<string>> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.append(this.dataSource, items);
      } catch (error) {
        const sqlState = sqlStateOf(error);
        if (attempt >= 5 || (sqlState !== '40001' && sqlState !== '40P01')) throw error;
      }
    }
  }

  /** Ids of the sagas that were advanced: those that are still the holder's and whose log the records continue. */
  private async append(
    at: Pick<EntityManager, 'query'>,
    advances: readonly { held: Lease; advance: Advance }[],
  ): Promise<Set<string>> {
    // In one order, so that two replicas never wait for each other.
    const items = [...advances].sort((one, other) => (one.held.sagaId < other.held.sagaId ? -1 : 1));
    const rows: Row[] = await at.query(APPEND, [
      this.leaseMs,
      items.map(({ held }) => held.sagaId),
      items.map(({ held }) => held.fence),
      items.map(({ advance }) => advance.state),
      items.map(({ advance }) => advance.records[0].seq),
      items.map(({ advance }) => advance.records.at(-1)!.seq),
      items.map(({ advance }) => advance.records[0].prevHash),
      items.map(({ advance }) => advance.records.at(-1)!.hash),
      items.map(({ held, advance }) => advance.kept && this.sealed(held.sagaId, advance.kept)),
      ...recordColumns(items.flatMap(({ advance }) => advance.records)),
    ]);
    return new Set(rows.map(row => row.saga_id as string));
  }

  /** Waits for what is just being done to the saga: after the answer nothing of an earlier holder is on its way. */
  private async refusal(at: Pick<EntityManager, 'query'>, { sagaId, fence }: Lease): Promise<Error> {
    const rows: Row[] = await at.query(`SELECT fence FROM saga WHERE saga_id = $1 FOR UPDATE`, [sagaId]);
    const isHeld = rows.length === 1 && Number(rows[0].fence) === fence;
    return isHeld ? new LogNotContinuedError(sagaId) : new LeaseLostError(sagaId);
  }

  private async take(condition: string, parameters: unknown[]): Promise<Row[]> {
    const [rows] = (await this.dataSource.query(
      `UPDATE saga
          SET fence = fence + 1, owner = $1,
              lease_until = CASE WHEN state <> 'STUCK' THEN clock_timestamp() + $3 * interval '1 ms' END
        WHERE saga_id = ANY (ARRAY (SELECT saga_id FROM saga WHERE ${condition} FOR UPDATE SKIP LOCKED))
        RETURNING begun_at, ${SAGA_COLUMNS}`,
      parameters,
    )) as [Row[], number];
    return rows.sort((one, other) => (one.begun_at as Date).getTime() - (other.begun_at as Date).getTime());
  }

  /** Those up to the count of each row: what is appended meanwhile belongs to a later state of its saga. */
  private async recordsOf(sagas: readonly Row[]): Promise<Map<string, WalRecord[]>> {
    const found = new Map<string, WalRecord[]>();
    if (sagas.length === 0) return found;
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${WAL_RECORD_COLUMNS} FROM saga_wal
         JOIN unnest($1::uuid[], $2::integer[]) AS wanted (saga_id, wal_count) USING (saga_id)
        WHERE seq < wal_count ORDER BY saga_id, seq`,
      [sagas.map(row => row.saga_id), sagas.map(row => row.wal_count)],
    );
    for (const record of rows.map(walRecordOf)) {
      const log = found.get(record.sagaId);
      if (log) log.push(record);
      else found.set(record.sagaId, [record]);
    }
    return found;
  }

  private sagaOf(row: Row, records: ReadonlyMap<string, WalRecord[]>): StoredSaga {
    const sagaId = row.saga_id as string;
    return {
      ...{ sagaId, name: row.name as string, version: row.version as number, state: row.state as SagaState },
      records: records.get(sagaId) ?? [],
      kept: this.opened(sagaId, row.kept as Buffer | null),
      fence: Number(row.fence),
    };
  }

  private sealed(sagaId: string, kept: JsonObject): Uint8Array {
    return this.options.kept.seal(sagaId, Buffer.from(JSON.stringify(kept)));
  }

  private opened(sagaId: string, sealed: Buffer | null): JsonObject {
    if (sealed === null) return {};
    const plain = this.options.kept.open(sagaId, sealed);
    if (plain === undefined) throw new Error(`what saga ${sagaId} keeps cannot be opened with this key`);
    return JSON.parse(Buffer.from(plain).toString()) as JsonObject;
  }
}

const sqlStateOf = (error: unknown): string | undefined =>
  (error as { driverError?: { code?: string } }).driverError?.code;

/** Whether the database answered, with an error: nothing of the statement is recorded then. */
const isRefusal = (error: unknown): boolean => /^[0-9A-Z]{5}$/.test(sqlStateOf(error) ?? '');
