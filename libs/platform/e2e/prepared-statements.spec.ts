import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { EmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { createLogger } from '../src/observability/logger.js';
import { prepared } from '../src/persistence/prepared-statements.js';
import { openDataSource } from '../src/persistence/service-data-source.js';
import { byTier } from '../src/testing/by-tier.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';

class Items1767225600000 {
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('CREATE TABLE item (id int PRIMARY KEY, owner int NOT NULL, value int NOT NULL)');
    await runner.query('CREATE INDEX item_owner ON item (owner, id)');
    await runner.query('INSERT INTO item SELECT n, n, n FROM generate_series(1, 10) n');
  }
  async down(): Promise<void> {}
}
const BY_OWNER = prepared('SELECT id, value FROM item WHERE owner = $1 ORDER BY id DESC LIMIT 5');
const RAISE = prepared('UPDATE item SET value = value + 1 WHERE id = $1 RETURNING value');

const ROWS = byTier(100_000, 1_000_000);

let postgres: EmbeddedPostgres;
beforeAll(async () => {
  postgres = await startTemporaryPostgres();
});
afterAll(() => postgres?.stop());

const open = (
  url = postgres.urlFor('payments'),
  logger = createLogger('payments', { level: 'silent' }),
): Promise<DataSource> =>
  openDataSource({
    ...{ service: 'payments', url, migrationUrl: postgres.migrationUrlFor('payments') },
    ...{ migrations: [Items1767225600000], logger, poolSize: 1 },
  });
/** What the one connection of a pool has prepared. */
const preparedOn = (database: DataSource): Promise<{ name: string; statement: string; calls: number }[]> =>
  database.query(
    `SELECT name, statement, (generic_plans + custom_plans)::int AS calls FROM pg_prepared_statements ORDER BY statement`,
  );

it('is parsed once by its connection, and known to Postgres by a name that follows from its text', async () => {
  const database = await open();
  for (let i = 0; i < 3; i++) expect(await database.query(BY_OWNER, [1])).toEqual([{ id: 1, value: 1 }]);
  await database.query('SELECT value FROM item WHERE id = $1', [1]);
  const [[raised]] = await database.query(RAISE, [2]);
  expect(raised.value).toBe(3);
  const known = await preparedOn(database);
  expect(known.map(({ statement, calls }) => [statement, calls])).toEqual([
    [BY_OWNER, 3],
    [RAISE, 1],
  ]);
  for (const { name } of known) expect(name).toMatch(/^svc_[0-9a-f]{24}$/);
  await database.destroy();
  const again = await open();
  await again.query(BY_OWNER, [1]);
  expect((await preparedOn(again))[0].name).toBe(known[0].name);
  await again.destroy();
});

it('keeps to its index from ten rows to very many', async () => {
  const database = await open();
  const owner = await open(postgres.migrationUrlFor('payments'));
  for (let i = 0; i < 10; i++) await database.query(BY_OWNER, [i]);
  const [{ name, generic }] = await database.query(
    `SELECT name, generic_plans::int AS generic FROM pg_prepared_statements WHERE statement = $1`,
    [BY_OWNER],
  );
  // The plan that it keeps was made for ten rows.
  expect(generic).toBeGreaterThan(0);
  // By the same connection: one that is idle for long is closed.
  await database.query('INSERT INTO item SELECT n, n % 1000, n FROM generate_series(11, $1::int) n', [ROWS]);
  await owner.query('ANALYZE payments.item');
  const plan: { 'QUERY PLAN': string }[] = await database.query(
    `EXPLAIN (ANALYZE, BUFFERS) EXECUTE ${name}(7)`,
  );
  const text = plan.map(line => line['QUERY PLAN']).join('\n');
  expect(text).toContain('item_owner');
  expect(text).not.toMatch(/Seq Scan|Sort/);
  // Read by its index: a few pages, of hundreds or thousands.
  expect(Number(/Buffers: shared hit=(\d+)/.exec(text)![1])).toBeLessThan(50);
  expect(await database.query(BY_OWNER, [7])).toHaveLength(5);
  await Promise.all([database.destroy(), owner.destroy()]);
});

it('fails within a transaction as any statement does, and the connection goes on', async () => {
  const database = await open();
  const failing = database.transaction(async manager => {
    await manager.query(RAISE, [3]);
    await manager.query('SELECT 1 / 0');
  });
  await expect(failing).rejects.toMatchObject({ driverError: { code: '22012' } });
  const [[raised]] = await database.query(RAISE, [3]);
  expect(raised.value).toBe(4);
  await database.destroy();
});

it('is sent whole where a connection does not keep it, which is said once', async () => {
  const warned: unknown[] = [];
  const logger = createLogger('payments', { level: 'silent' });
  logger.warn = ((...words: unknown[]) => warned.push(words)) as typeof logger.warn;
  const database = await open(undefined, logger);
  for (let i = 0; i < 3; i++) {
    expect((await database.query(BY_OWNER, [1])).length).toBeGreaterThan(0);
    await database.query('DEALLOCATE ALL');
  }
  expect(await preparedOn(database)).toEqual([]);
  expect(warned).toEqual([[{ reason: expect.stringContaining('does not exist') }, expect.any(String)]]);
  await database.destroy();
});
