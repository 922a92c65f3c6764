import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@svc/contracts';
import { Client } from 'pg';
import { createLogger } from '../observability/logger.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { migratorOf } from '../embedded/postgres-roles.js';
import { openDatabase, type WorkerServer } from './worker-server.js';

/** Tests hold locks with the role that owns the tables, and look which statements of the service wait for them. */
async function letMigratorsWatch(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const service of SERVICES) {
      const role = client.escapeIdentifier(migratorOf(service));
      await client.query(`GRANT pg_read_all_stats, pg_signal_backend TO ${role} WITH INHERIT TRUE`);
    }
  } finally {
    await client.end();
  }
}

declare global {
  /** Set by the runner of the suites in every worker: JSON of the server that the worker keeps. */
  var workerPostgres: (() => Promise<string>) | undefined;
}

/**
 * A database for one test, with the schemas and roles of every service and no tables. In a suite it lies in the server that the
 * worker keeps for all of its suites; elsewhere (a benchmark, a process of its own) in a server of its own. `stop` removes it.
 * A test that stops or kills the server, or changes a role, takes {@link startOwnPostgres}.
 * @example
 * const postgres = await startTemporaryPostgres();
 * const dataSource = await openDataSource({ service: 'payments', ...postgres.urlsFor('payments'), migrations, logger });
 */
export async function startTemporaryPostgres(): Promise<EmbeddedPostgres> {
  const { workerPostgres } = globalThis;
  return workerPostgres
    ? openDatabase(JSON.parse(await workerPostgres()) as WorkerServer)
    : startOwnPostgres();
}

/** A server for one test, in a folder of its own that is gone after `stop`, without fsync. */
export async function startOwnPostgres(): Promise<EmbeddedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-temporary-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // As root, Postgres runs as its own user: it must pass, else the database would lie elsewhere and stay.
    await chmod(folder, 0o755);
    const logger = createLogger('allinone', { level: 'silent' });
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), logger, fsync: false });
    await letMigratorsWatch(postgres.adminUrl);
    const { stop } = postgres;
    return Object.assign(postgres, { stop: () => stop().then(remove) });
  } catch (error) {
    await remove();
    throw error;
  }
}
