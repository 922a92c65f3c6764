import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  type EntitySchema,
  type Logger as TypeormLogger,
  MigrationExecutor,
  type MigrationInterface,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import type { ServiceName } from '@svc/contracts';
import { databaseAway, isConnectionLoss, isReleasedByLoss, reportConnectionLoss } from './connection-loss.js';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 60_000;
const RETRY_WAIT_MS = 500;
const POOL_SIZE_DEFAULT = 5;

type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

export type MigrationClass = new () => MigrationInterface;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- entities are classes of any shape
export type EntityClass = (new (...args: any[]) => object) | EntitySchema;

export interface PersistenceOptions {
  readonly service: ServiceName;
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** Schema that holds the service's tables and its list of migrations; by default {@link schemaOf} the service. */
  readonly schema?: string;
  /** Classes whose names end in their timestamp, as typeorm wants it: `CreateClaims1767225600000`. */
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  /** Connections of one instance, 1 to 50. */
  readonly poolSize?: number;
  readonly logger: Logger;
  /** Ends the wait for a database that is away. */
  readonly signal?: AbortSignal;
}

/** A service's schema: its name with `_` for `-`. */
export const schemaOf = (service: ServiceName): string => service.replaceAll('-', '_');

/** A typeorm DataSource whose queries say SERVICE_UNAVAILABLE while Postgres is away. */
export class ServiceDataSource extends DataSource {
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    return reportConnectionLoss(super.createQueryRunner(mode));
  }

  override async transaction<T>(
    isolationOrWork: IsolationLevel | ((manager: EntityManager) => Promise<T>),
    work?: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      return typeof isolationOrWork === 'string'
        ? await super.transaction(isolationOrWork, work!)
        : await super.transaction(isolationOrWork);
    } catch (error) {
      throw isReleasedByLoss(error) ? databaseAway(error) : error;
    }
  }
}

/**
 * Waits for Postgres however long it takes, brings the schema up to date under an advisory lock
 * (several instances may start at once), and returns the open data source.
 * @throws the database's error when a migration fails; the signal's reason when it aborts
 */
export async function openDataSource(options: PersistenceOptions): Promise<DataSource> {
  const schema = options.schema ?? schemaOf(options.service);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new RangeError(`schema "${schema}" is not a plain name`);
  let reported = '';
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      await ensureSchema(options.url, schema);
      return await openAndMigrate(options, schema);
    } catch (error) {
      if (!isWorthWaiting(error)) throw error;
      const reason = (error as Error).message;
      if (reason !== reported) options.logger.warn({ reason }, 'Postgres is away; waiting for it');
      reported = reason;
      await delay(RETRY_WAIT_MS, undefined, { signal: options.signal });
    }
  }
}

/** Away, or not set up yet: unknown role or password (28…), unknown database (3D000). */
function isWorthWaiting(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (code === 'SERVICE_UNAVAILABLE' || /^(28|3D)/.test(code))) return true;
  return isConnectionLoss(error);
}

async function ensureSchema(url: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    // A role that owns its schema needs no right to create others.
    if (found.rowCount === 0)
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function openAndMigrate(options: PersistenceOptions, schema: string): Promise<DataSource> {
  const dataSource = new ServiceDataSource(typeormOptions(options, schema));
  await dataSource.initialize();
  try {
    await migrate(dataSource, schema, options.logger);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

function typeormOptions(options: PersistenceOptions, schema: string): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    schema,
    entities: [...(options.entities ?? [])],
    migrations: [...options.migrations],
    migrationsTableName: 'migration',
    synchronize: false,
    logger: quietLogger(options.logger),
    installExtensions: false,
    poolSize: options.poolSize ?? POOL_SIZE_DEFAULT,
    applicationName: `svc-${options.service}`,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolErrorHandler: (error: Error) =>
      options.logger.warn({ reason: error.message }, 'A connection to Postgres broke'),
    extra: {
      options: `-c search_path=${schema}`,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    },
  };
}

/** Typeorm's messages are debug: what it complains of, it also throws. Queries are not logged. */
function quietLogger(logger: Logger): TypeormLogger {
  const debug = (message: unknown) => logger.debug({ typeorm: message }, 'typeorm');
  return {
    logQuery: () => undefined,
    logQueryError: () => undefined,
    logQuerySlow: () => undefined,
    logSchemaBuild: debug,
    logMigration: debug,
    log: (_level, message) => debug(message),
  };
}

/** Runs what is pending; of several instances one migrates and the others wait, then find nothing to do. */
async function migrate(dataSource: DataSource, schema: string, logger: Logger): Promise<void> {
  const runner = dataSource.createQueryRunner();
  const lock = `svc migrations of ${schema}`;
  try {
    await runner.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [lock]);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    if (done.length > 0) logger.info({ migrations: done.map(({ name }) => name) }, 'The schema was migrated');
    await runner.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lock]);
  } finally {
    // A session that ends in an error gives the lock back by closing.
    await runner.release();
  }
}
