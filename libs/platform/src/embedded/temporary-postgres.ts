import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../observability/logger.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';

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
    const { stop } = postgres;
    return Object.assign(postgres, { stop: () => stop().then(remove) });
  } catch (error) {
    await remove();
    throw error;
  }
}
