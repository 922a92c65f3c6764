import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { startTemporaryPostgres } from '../src/testing/temporary-postgres.js';
import { createLogger } from '../src/observability/logger.js';
import {
  migrateDatabase,
  openDataSource,
  type PersistenceOptions,
} from '../src/persistence/service-data-source.js';

const logger = createLogger('payments', { level: 'silent' });

class Tables1767225600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE usual (id serial PRIMARY KEY, text text)');
    await runner.query('CREATE TABLE log (id int, text text, at text)');
    await runner.query(`CREATE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the log stays'; END $$`);
    await runner.query(`CREATE TRIGGER log_stays BEFORE UPDATE OF id, text OR DELETE ON log
      FOR EACH ROW EXECUTE FUNCTION stays()`);
    await runner.query(`INSERT INTO log VALUES (1, 'kept')`);
  }
  async down(): Promise<void> {}
}
class More1767225700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE more (id int)');
  }
  async down(): Promise<void> {}
}
const RIGHTS = { log: ['SELECT', 'INSERT', 'UPDATE (at)'] };
const DENIED = { code: '42501' };

async function asRole<T>(url: string, work: (client: InstanceType<typeof Client>) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe("the rights of a service's role", () => {
  let postgres: EmbeddedPostgres;
  beforeAll(async () => {
    postgres = await startTemporaryPostgres();
  });
  afterAll(() => postgres?.stop());
  beforeEach(() =>
    asRole(postgres.migrationUrlFor('payments'), async client => {
      await client.query('DROP TABLE IF EXISTS usual, log, more, migration');
      await client.query('DROP FUNCTION IF EXISTS stays');
    }),
  );

  const options = (more: Partial<PersistenceOptions> = {}): PersistenceOptions => ({
    service: 'payments',
    url: postgres.urlFor('payments'),
    migrations: [Tables1767225600000],
    tableRights: RIGHTS,
    logger,
    ...more,
  });
  const migrate = (more: Partial<PersistenceOptions> = {}) =>
    migrateDatabase({ ...options(more), migrationUrl: postgres.migrationUrlFor('payments') });
  const asService = <T>(work: (client: InstanceType<typeof Client>) => Promise<T>) =>
    asRole(postgres.urlFor('payments'), work);
  const migratorSessions = async () => {
    const { rows } = await asRole(postgres.adminUrl, client =>
      client.query(`SELECT 1 FROM pg_stat_activity WHERE usename = 'payments_migrator'`),
    );
    return rows.length;
  };

  it('are all on rows, of a table that nothing is said of, and those alone that are said of another', async () => {
    await migrate();
    await asService(async client => {
      await client.query(`INSERT INTO usual (text) VALUES ('a')`);
      await client.query(`UPDATE usual SET text = 'b'; DELETE FROM usual`);
      await client.query(`INSERT INTO log VALUES (2, 'x'); UPDATE log SET at = 'now'`);
      await client.query('SELECT * FROM migration');
      // Postgres only warns that nothing was granted.
      await client.query('GRANT DELETE, UPDATE ON log TO payments');
      const refused = [
        'UPDATE log SET text = $$y$$',
        'DELETE FROM log',
        'TRUNCATE log',
        'TRUNCATE usual',
        'ALTER TABLE log DISABLE TRIGGER ALL',
        'ALTER TABLE log DISABLE TRIGGER log_stays',
        'ALTER TABLE usual ADD COLUMN more int',
        'DROP TABLE log',
        'DROP TRIGGER log_stays ON log',
        'CREATE TRIGGER mine BEFORE UPDATE ON usual FOR EACH ROW EXECUTE FUNCTION stays()',
        'CREATE OR REPLACE FUNCTION stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
        'CREATE TABLE mine (id int)',
        'CREATE TEMP TABLE log (id int)',
        'CREATE VIEW mine AS SELECT * FROM log',
        'CREATE INDEX ON usual (text)',
        'DELETE FROM migration',
        `INSERT INTO migration (timestamp, name) VALUES (1, 'x')`,
        'SET ROLE payments_migrator',
        'SET session_replication_role = replica',
        'ALTER DEFAULT PRIVILEGES FOR ROLE payments_migrator GRANT ALL ON TABLES TO payments',
        'REASSIGN OWNED BY payments_migrator TO payments',
      ];
      for (const sql of refused)
        await expect(client.query(sql).then(() => sql)).rejects.toMatchObject(DENIED);
    });
  });

  it('follow what the service says of its tables at its next migration, and reach what is new', async () => {
    await migrate({ tableRights: {} });
    await asService(client => client.query(`UPDATE log SET at = 'x'`));
    await migrate({ migrations: [Tables1767225600000, More1767225700000], tableRights: { log: ['SELECT'] } });
    await asService(async client => {
      await client.query('INSERT INTO more VALUES (1); UPDATE more SET id = 2; DELETE FROM more');
      await client.query('SELECT * FROM log');
      await expect(client.query(`INSERT INTO log VALUES (3, 'x')`)).rejects.toMatchObject(DENIED);
      await expect(client.query(`UPDATE log SET at = 'y'`)).rejects.toMatchObject(DENIED);
    });
    await expect(migrate({ tableRights: { log: ['ALL'] } })).rejects.toThrow('no right of a table: ALL');
    await asService(client => client.query('SELECT * FROM log'));
  });

  it('are waited for with the schema: the pool opens when somebody has migrated, and never does it itself', async () => {
    const reasons: string[] = [];
    const onWaiting = (reason: string) => reasons.push(reason);
    let isOpen = false;
    const opening = openDataSource(options({ onWaiting })).then(database => {
      isOpen = true;
      return database;
    });
    while (reasons.length === 0) await delay(10);
    expect(reasons).toEqual(['the schema payments is not up to date: it lacks Tables1767225600000']);
    await migrate({ migrations: [] });
    const tried = jest.spyOn(DataSource.prototype, 'destroy');
    // The first of two tries may have looked at the schema before it was migrated.
    while (tried.mock.calls.length < 2 && !isOpen) await delay(10);
    tried.mockRestore();
    expect(isOpen).toBe(false);
    await migrate();
    const database = await opening;
    try {
      expect(await database.query('SELECT current_user AS role')).toEqual([{ role: 'payments' }]);
      expect(await migratorSessions()).toBe(0);
    } finally {
      await database.destroy();
    }
    const closing = new AbortController();
    const behind = openDataSource(
      options({
        ...{ migrations: [Tables1767225600000, More1767225700000] },
        ...{ signal: closing.signal, onWaiting },
      }),
    );
    const refused = expect(behind).rejects.toThrow();
    while (reasons.length === 1) await delay(10);
    closing.abort(new Error('shut down'));
    await refused;
  });

  it('are those of the pool also where the process migrates itself, whose connection for it is closed then', async () => {
    const database = await openDataSource(options({ migrationUrl: postgres.migrationUrlFor('payments') }));
    try {
      expect(await migratorSessions()).toBe(0);
      await expect(database.query('DELETE FROM log')).rejects.toMatchObject({ driverError: DENIED });
    } finally {
      await database.destroy();
    }
  });
});

describe('a data folder of an earlier release', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-earlier-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  it('is handed over: what the service owned is its migrator’s, with its rows, and goes on', async () => {
    const first = await startEmbeddedPostgres({ dataDir, logger, fsync: false });
    try {
      await asRole(first.adminUrl, async client => {
        // As roles were: each owned its schema, and there was no other.
        await client.query(`DROP SCHEMA payments; DROP OWNED BY payments_migrator, payments`);
        await client.query(`DROP ROLE payments_migrator`);
        await client.query(`GRANT CONNECT, TEMPORARY ON DATABASE svc TO payments`);
        await client.query(`CREATE SCHEMA payments AUTHORIZATION payments`);
      });
      const url = first.urlFor('payments');
      const database = await openDataSource({
        ...{ service: 'payments', url, migrationUrl: url, migrations: [Tables1767225600000], logger },
      });
      await database.query(`INSERT INTO log VALUES (7, 'of the earlier release')`);
      await database.query('ALTER TABLE log ENABLE TRIGGER log_stays');
      await database.destroy();
    } finally {
      await first.stop();
    }
    const path = join(dataDir, 'secrets.json');
    const { migratorPasswords: _none, ...earlier } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify(earlier));

    const next = await startEmbeddedPostgres({ dataDir, logger, fsync: false });
    try {
      const owned = await asRole(next.adminUrl, client =>
        client.query(
          `SELECT relname AS name FROM pg_class WHERE relowner = 'payments'::regrole
           UNION ALL SELECT proname FROM pg_proc WHERE proowner = 'payments'::regrole
           UNION ALL SELECT nspname FROM pg_namespace WHERE nspowner = 'payments'::regrole`,
        ),
      );
      expect(owned.rows).toEqual([]);
      const database = await openDataSource({
        ...{ service: 'payments', url: next.urlFor('payments'), logger, tableRights: RIGHTS },
        migrationUrl: next.migrationUrlFor('payments'),
        migrations: [Tables1767225600000, More1767225700000],
      });
      try {
        expect(await database.query('SELECT id FROM log ORDER BY id')).toEqual([{ id: 1 }, { id: 7 }]);
        await database.query(`INSERT INTO usual (text) VALUES ('a')`);
        for (const sql of [
          'DELETE FROM log',
          'ALTER TABLE log DISABLE TRIGGER ALL',
          'CREATE TEMP TABLE t (id int)',
        ])
          await expect(database.query(sql)).rejects.toMatchObject({ driverError: DENIED });
      } finally {
        await database.destroy();
      }
    } finally {
      await next.stop();
    }
  });
});
