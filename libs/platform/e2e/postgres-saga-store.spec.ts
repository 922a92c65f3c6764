import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemorySagaStore, type MemoryTx } from '@svc/durability/testing';
import type { DataSource, EntityManager } from 'typeorm';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';
import { createLogger } from '../src/observability/logger.js';
import { openDataSource } from '../src/persistence/service-data-source.js';
import { type KeptSeal, PostgresSagaStore } from '../src/saga/postgres-saga-store.js';
import { birthOf, describeSagaStore, recordsAfter } from '../src/saga/saga-store.contract.js';
import { SagaTables1763900000000 } from '../src/saga/saga-tables.js';

const logger = createLogger('payments', { level: 'silent' });

/** Bound to its saga, as the seal of a service is. */
const SEAL: KeptSeal = {
  seal: (sagaId, plain) => Buffer.concat([Buffer.from(sagaId), plain.map(byte => byte ^ 0x5a)]),
  open: (sagaId, sealed) =>
    sealed.subarray(0, 36).toString() === sagaId ? sealed.subarray(36).map(byte => byte ^ 0x5a) : undefined,
};

let postgres: EmbeddedPostgres;
beforeAll(async () => {
  postgres = await startTemporaryPostgres();
});
afterAll(() => postgres?.stop());

async function openDatabase(poolSize = 10): Promise<DataSource> {
  const database = await openDataSource({
    ...{ service: 'payments', url: postgres.migrationUrlFor('payments'), logger, poolSize },
    migrationUrl: postgres.migrationUrlFor('payments'),
    migrations: [SagaTables1763900000000],
  });
  await database.query('CREATE TABLE IF NOT EXISTS mark (name text PRIMARY KEY)');
  return database;
}
const mark = (tx: EntityManager, name: string): Promise<void> =>
  tx.query('INSERT INTO mark VALUES ($1)', [name]);

describeSagaStore('on Postgres', async () => {
  const database = await openDatabase();
  return {
    store: new PostgresSagaStore(database, { kept: SEAL }),
    mark,
    stands: async name => (await database.query('SELECT 1 FROM mark WHERE name = $1', [name])).length === 1,
    endLeases: () =>
      database.query(
        `UPDATE saga SET lease_until = clock_timestamp() - interval '1 ms' WHERE lease_until IS NOT NULL`,
      ),
    close: () => database.destroy(),
  };
});

describeSagaStore<MemoryTx>('in memory', async () => {
  let nowMs = 0;
  const store = new MemorySagaStore({ now: () => nowMs, leaseMs: 10_000 });
  return {
    store,
    mark: async (tx, name) => {
      if (tx.get(name) !== undefined) throw new Error(`${name} stands already`);
      tx.put(name, true);
    },
    stands: async name => store.table.has(name),
    endLeases: async () => void (nowMs += 3_600_000),
    close: async () => undefined,
  };
});

describe('a step without an effect in the database', () => {
  it('shares the statement that records it with others, and takes no connection for its own work', async () => {
    const database = await openDatabase(1);
    let commits = 0;
    const store = new PostgresSagaStore(database, { kept: SEAL, onRecorded: () => void commits++ });
    try {
      const held = await Promise.all(
        Array.from({ length: 20 }, () => store.begin('a', async () => birthOf())),
      );
      commits = 0;
      let atWork = 0;
      let meet = () => {};
      const met = new Promise<void>(resolve => (meet = resolve));
      await Promise.all(
        held.map(saga =>
          store.advanceWith(saga, async () => {
            // With the one connection that there is taken by the first, the others would never come.
            if (++atWork === held.length) meet();
            await met;
            const step = { step: 'one', attempt: 1, idemKey: null, payload: {} };
            return { state: 'RUNNING', records: recordsAfter(saga, [{ kind: 'STEP_COMMIT', ...step }]) };
          }),
        ),
      );
      expect(commits).toBe(1);
      for (const { sagaId } of held) expect((await store.load(sagaId))!.records).toHaveLength(3);
    } finally {
      await database.destroy();
    }
  });
});
