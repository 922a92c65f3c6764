import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@svc/contracts';
import { Client } from 'pg';
import { createLogger } from '../observability/logger.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { migratorOf } from './postgres-roles.js';

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

/**
 * A database for one test run: in a folder of its own that is gone after `stop`, without fsync.
 * @example
 * const postgres = await startTemporaryPostgres();
 * const dataSource = await openDataSource({ service: 'payments', url: postgres.urlFor('payments'), migrationUrl: postgres.migrationUrlFor('payments'), migrations, logger });
 */
export async function startTemporaryPostgres(): Promise<EmbeddedPostgres> {
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
