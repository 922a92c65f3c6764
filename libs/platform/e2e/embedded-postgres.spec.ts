import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { chmod, mkdtemp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../src/observability/logger.js';
import { EmbeddedPostgresError } from '../src/embedded/data-folder.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded/embedded-postgres.js';
import { byTier } from '../src/testing/by-tier.js';

const logger = createLogger('allinone', { level: 'silent' });
/** Databases that are damaged, exchanged or lie elsewhere: each case starts two servers. */
const DAMAGED = byTier(false, true);
const asRoot = process.getuid?.() === 0;

async function inFolder(work: (dataDir: string, parent: string) => Promise<void>): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  await chmod(parent, 0o755);
  try {
    await work(join(parent, 'data'), parent);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

async function withServer<T>(dataDir: string, work: (server: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDir, logger, fsync: false });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as Error,
  );

describe('embedded Postgres', () => {
  it('gives every service a role that owns its schema and reads nothing of another', async () => {
    await inFolder(dataDir =>
      withServer(dataDir, async server => {
        await query(server.migrationUrlFor('payments'), 'CREATE TABLE claim (id int)');
        await query(server.urlFor('payments'), 'INSERT INTO claim VALUES (7)');
        expect(await query(server.urlFor('payments'), 'SELECT id FROM payments.claim')).toEqual([{ id: 7 }]);
        await expect(query(server.urlFor('prover'), 'SELECT id FROM payments.claim')).rejects.toMatchObject({
          code: '42501',
        });
        await expect(
          query(server.urlFor('prover'), 'CREATE TABLE payments.x (id int)'),
        ).rejects.toMatchObject({ code: '42501' });
        await expect(query(server.urlFor('prover'), 'CREATE TABLE public.x (id int)')).rejects.toMatchObject({
          code: '42501',
        });
        await expect(query(server.urlFor('prover'), 'CREATE SCHEMA mine')).rejects.toMatchObject({
          code: '42501',
        });
        await expect(
          query(server.urlFor('prover').replace(/svc$/, 'postgres'), 'SELECT 1'),
        ).rejects.toMatchObject({ code: '42501' });
        await expect(
          query(server.urlFor('prover').replace(/:[0-9a-f]{64}@/, ':wrong@'), 'SELECT 1'),
        ).rejects.toMatchObject({ code: '28P01' });
      }),
    );
  });

  it('is durable, listens on loopback alone and keeps its secrets from other users', async () => {
    await inFolder(async dataDir => {
      const server = await startEmbeddedPostgres({ dataDir, logger });
      try {
        const [row] = await query(
          server.adminUrl,
          `SELECT current_setting('fsync') fsync, current_setting('full_page_writes') pages,
                  current_setting('listen_addresses') addresses, current_setting('password_encryption') passwords,
                  (SELECT count(*)::int FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256') open`,
        );
        expect(row).toEqual({
          fsync: 'on',
          pages: 'on',
          addresses: '127.0.0.1',
          passwords: 'scram-sha-256',
          open: 0,
        });
        expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
        const commandLine = await readFile(`/proc/${server.pid}/cmdline`, 'utf8').catch(() => '');
        const { postgresPassword } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
        expect(commandLine).not.toContain(postgresPassword);
      } finally {
        await server.stop();
      }
    });
  });

  it('keeps what was written over a stop and leaves no process behind', async () => {
    await inFolder(async dataDir => {
      const pid = await withServer(dataDir, async server => {
        await query(
          server.migrationUrlFor('prover'),
          'CREATE TABLE kept (id int); INSERT INTO kept VALUES (1)',
        );
        return server.pid;
      });
      expect(isAlive(pid)).toBe(false);
      await withServer(dataDir, async server => {
        expect(await query(server.urlFor('prover'), 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
      });
    });
  });

  it('refuses a second instance on the same folder while the first runs', async () => {
    await inFolder(dataDir =>
      withServer(dataDir, async () => {
        const error = await refusal(startEmbeddedPostgres({ dataDir, logger, fsync: false }));
        expect(error).toBeInstanceOf(EmbeddedPostgresError);
        expect(error!.message).toMatch(
          new RegExp(`in use by another running instance \\(process ${process.pid}\\)`),
        );
      }),
    );
  });

  it.each([
    [
      'a file in place of the data folder',
      (dataDir: string) => writeFile(dataDir, ''),
      /is a file, not a folder\.$/,
    ],
    [
      'a folder that is no database',
      async (dataDir: string) => {
        await mkdir(join(dataDir, 'postgres'), { recursive: true });
        await writeFile(join(dataDir, 'postgres', 'holiday.jpg'), '');
      },
      /is not a Postgres database \(it has no PG_VERSION\)\.$/,
    ],
    [
      'a database of another major version',
      async (dataDir: string) => {
        await mkdir(join(dataDir, 'postgres'), { recursive: true });
        await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
      },
      /was made by Postgres 14, this release runs Postgres 18\.$/,
    ],
    [
      'broken secrets',
      async (dataDir: string) => {
        await mkdir(dataDir);
        await writeFile(join(dataDir, 'secrets.json'), '{"postgresPassword": "short"}');
      },
      /secrets\.json is broken at postgresPassword/,
    ],
  ])('refuses %s with one sentence', async (_name, prepare, sentence) => {
    await inFolder(async dataDir => {
      await prepare(dataDir);
      const error = await refusal(startEmbeddedPostgres({ dataDir, logger }));
      expect(error).toBeInstanceOf(EmbeddedPostgresError);
      expect(error!.message).toMatch(sentence);
      expect(error!.message).not.toContain('\n');
    });
  });

  it('refuses a folder that cannot be made with one sentence', async () => {
    const unmakeable = await refusal(startEmbeddedPostgres({ dataDir: '/proc/svc-data', logger }));
    expect(unmakeable).toBeInstanceOf(EmbeddedPostgresError);
    expect(unmakeable!.message).toMatch(/^The data folder \/proc\/svc-data cannot be written \(\w+\)\.$/);
  });

  it('ends the server that a killed run left behind, and recovers its data', async () => {
    await inFolder(async dataDir => {
      const orphan = await startEmbeddedPostgres({ dataDir, logger, fsync: false, supervised: false });
      await query(
        orphan.migrationUrlFor('prover'),
        'CREATE TABLE kept (id int); INSERT INTO kept VALUES (2)',
      );
      // As after SIGKILL of its owner: the server runs on, and the lock names a process that is gone.
      await writeFile(join(dataDir, 'instance.lock'), JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1' }));
      await withServer(dataDir, async server => {
        expect(server.pid).not.toBe(orphan.pid);
        expect(isAlive(orphan.pid)).toBe(false);
        expect(await query(server.urlFor('prover'), 'SELECT id FROM kept')).toEqual([{ id: 2 }]);
      });
      await orphan.stop();
    });
  });

  it('waits for what a killed server was at', async () => {
    await inFolder(async dataDir => {
      const killed = await startEmbeddedPostgres({ dataDir, logger, fsync: false, supervised: false });
      // Its process looks at nothing else until it has counted.
      const counting = query(killed.adminUrl, 'SELECT count(*) FROM generate_series(1, 8000000)');
      counting.catch(() => undefined);
      const isCounting = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series(1, 8%' AND pid <> pg_backend_pid()`;
      while ((await query(killed.adminUrl, isCounting)).length === 0);
      process.kill(killed.pid, 'SIGKILL');
      await killed.stop();
      await withServer(dataDir, async server => {
        expect(await query(server.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      });
    });
  });

  if (!DAMAGED) return;

  it('does not touch a stranger whose process number a stale postmaster.pid names', async () => {
    await inFolder(async dataDir => {
      const databaseDir = await withServer(dataDir, async server => server.databaseDir);
      await writeFile(join(databaseDir, 'postmaster.pid'), `${process.pid}\n${databaseDir}\n`);
      await withServer(dataDir, async server => {
        expect(await query(server.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      });
    });
  });

  it('refuses a damaged database with one sentence', async () => {
    await inFolder(async dataDir => {
      const databaseDir = await withServer(dataDir, async server => server.databaseDir);
      await writeFile(join(databaseDir, 'global', 'pg_control'), 'damaged');
      const damaged = await refusal(startEmbeddedPostgres({ dataDir, logger }));
      expect(damaged).toBeInstanceOf(EmbeddedPostgresError);
      expect(damaged!.message).toMatch(/^Postgres does not start in .*\.$/);
      expect(damaged!.message).not.toContain('\n');
    });
  });

  it('says that secrets.json was exchanged when its password does not open the database', async () => {
    await inFolder(async dataDir => {
      await withServer(dataDir, async () => undefined);
      await rm(join(dataDir, 'secrets.json'));
      const error = await refusal(startEmbeddedPostgres({ dataDir, logger, fsync: false }));
      expect(error).toBeInstanceOf(EmbeddedPostgresError);
      expect(error!.message).toMatch(/does not open the database beside it/);
    });
  });

  it('places database elsewhere when the user postgres cannot pass a 0700 folder', async () => {
    if (!asRoot) return console.log('SKIPPED: needs root');
    await inFolder(async (dataDir, parent) => {
      const systemHome = join(parent, 'home');
      const shut = join(parent, 'shut');
      await mkdir(shut, { mode: 0o700 });
      const options = { dataDir: join(shut, 'data'), logger, fsync: false, systemHome };
      const first = await startEmbeddedPostgres(options);
      expect(first.databaseDir).toMatch(new RegExp(`^${systemHome}/[0-9a-f]{16}/postgres$`));
      await query(first.migrationUrlFor('prover'), 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (3)');
      await first.stop();
      const second = await startEmbeddedPostgres(options);
      expect(await query(second.urlFor('prover'), 'SELECT id FROM kept')).toEqual([{ id: 3 }]);
      await second.stop();
      expect(dataDir).not.toContain('shut');
    });
  });
});
