import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HeldSaga } from '@svc/durability';
import type { DataSource } from 'typeorm';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { planInLargeTable } from '../src/testing/query-plan.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';
import { createLogger } from '../src/observability/logger.js';
import { openDataSource } from '../src/persistence/service-data-source.js';
import { PostgresSagaStore } from '../src/saga/postgres-saga-store.js';
import { birthOf } from '../src/saga/saga-store.contract.js';
import { SagaTables1763900000000 } from '../src/saga/saga-tables.js';

const logger = createLogger('payments', { level: 'silent' });
const PLAIN = { seal: (_id: string, plain: Buffer) => plain, open: (_id: string, sealed: Buffer) => sealed };
const HASH = 'ee'.repeat(32);

describe('the tables of sagas', () => {
  let postgres: EmbeddedPostgres;
  /** As the owner of the tables: what it may not do, nobody but a superuser may. */
  let database: DataSource;
  let held: HeldSaga;
  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
    const url = postgres.migrationUrlFor('payments');
    const migrations = [SagaTables1763900000000];
    database = await openDataSource({ service: 'payments', url, migrationUrl: url, migrations, logger });
    held = await new PostgresSagaStore(database, { kept: PLAIN }).begin('a', async () => birthOf());
  });
  afterAll(async () => {
    await database?.destroy();
    await postgres?.stop();
  });

  const refused = (code: string) => ({ driverError: { code } });
  const RESTRICTED = '23001';
  const CHECKED = '23514';

  it.each([
    `UPDATE saga_wal SET payload = '{}'`,
    `UPDATE saga_wal SET seq = seq WHERE false`,
    `DELETE FROM saga_wal`,
    `TRUNCATE saga_wal`,
    `DELETE FROM saga`,
    `TRUNCATE saga`,
    `DELETE FROM wal_checkpoint`,
    `TRUNCATE wal_checkpoint CASCADE`,
    `UPDATE wal_checkpoint_leaf SET wal_count = 2`,
    `DELETE FROM wal_checkpoint_leaf`,
  ])('refuse %s', async statement => {
    await expect(database.query(statement)).rejects.toMatchObject(refused(RESTRICTED));
  });

  /** Moves the saga and inserts a record after its last one, in one statement. */
  const insert = (
    record: Partial<Record<'seq' | 'fence' | 'prev' | 'head' | 'count' | 'kind' | 'at', unknown>>,
  ) => {
    const last = held.records.at(-1)!;
    const full = {
      ...{
        seq: 2,
        fence: 1,
        prev: last.hash,
        head: HASH,
        count: 3,
        kind: 'STEP_FAIL',
        at: '2027-01-01T00:00:00Z',
      },
      ...record,
    };
    return database.transaction(async tx => {
      await tx.query(
        `WITH moved AS (UPDATE saga SET wal_count = $5, head = decode($6, 'hex') WHERE saga_id = $1)
         INSERT INTO saga_wal (saga_id, seq, kind, step, attempt, payload, prev_hash, hash, fence, at)
         VALUES ($1, $2, $8, 'one', 1, '{}', decode($3, 'hex'), decode($7, 'hex'), $4, $9)`,
        [held.sagaId, full.seq, full.prev, full.fence, full.count, full.head, HASH, full.kind, full.at],
      );
      throw new Error('it would have been recorded');
    });
  };

  it('take a record that continues the log', async () => {
    await expect(insert({})).rejects.toThrow('it would have been recorded');
  });

  it.each([
    ['leaves a number out', { seq: 3, count: 4 }],
    ['names another hash before it', { prev: HASH }],
    ['has a lower fence than its saga', { fence: 0 }],
    ['has a higher fence than its saga', { fence: 2 }],
    ['is older than the one before it', { at: '2020-01-01T00:00:00Z' }],
    ['is not the head of its saga', { head: '11'.repeat(32) }],
    ['is not the last that its saga counts', { count: 4 }],
    ['begins a saga that has begun', { kind: 'SAGA_BEGIN' }],
    ['has an unknown kind', { kind: 'STEP_MAYBE' }],
  ])('refuse a record that %s', async (_name, record) => {
    await expect(insert(record)).rejects.toMatchObject(refused(CHECKED));
  });

  it('refuse a record of a saga that there is not', async () => {
    const orphan = database.query(
      `INSERT INTO saga_wal (saga_id, seq, kind, attempt, payload, prev_hash, hash, fence, at)
       VALUES (gen_random_uuid(), 0, 'SAGA_BEGIN', 0, '{}', decode($1, 'hex'), decode($1, 'hex'), 1, now())`,
      [HASH],
    );
    await expect(orphan).rejects.toMatchObject(refused(CHECKED));
  });

  it('let a checkpoint be published once, and change in nothing else', async () => {
    await database.query(
      `INSERT INTO wal_checkpoint (number, root, leaf_count, prev_hash, hash, at, key_id, signature)
       VALUES (0, decode($1, 'hex'), 1, decode($1, 'hex'), decode($1, 'hex'), now(), 'k', decode($1 || $1, 'hex'))`,
      [HASH],
    );
    const set = (what: string) => database.query(`UPDATE wal_checkpoint SET ${what} WHERE number = 0`);
    await expect(set('published_at = now(), leaf_count = 2')).rejects.toMatchObject(refused(RESTRICTED));
    await expect(set('leaf_count = 2')).rejects.toMatchObject(refused(RESTRICTED));
    await set('published_at = now()');
    await expect(set('published_at = now()')).rejects.toMatchObject(refused(RESTRICTED));
    await expect(set('published_at = NULL')).rejects.toMatchObject(refused(RESTRICTED));
  });

  it('find the saga of an advance by its key, however many are open', async () => {
    const plan = await planInLargeTable(
      database,
      `UPDATE saga SET wal_count = 3
        WHERE saga_id = '00000000-0000-4000-8000-000000000000' AND fence = 1 AND wal_count = 2 AND state NOT IN ('COMPLETED', 'COMPENSATED')`,
    );
    const [{ source }]: { source: string }[] = await database.query(
      `SELECT prosrc AS source FROM pg_proc WHERE proname = 'saga_append' AND pronamespace = current_schema()::regnamespace`,
    );
    expect(plan).toContain('saga_pkey');
    // A condition that matches that of an index would let the planner go through all that it holds.
    expect(source).not.toMatch(/ended_at IS (NOT )?NULL/);
  });
});
