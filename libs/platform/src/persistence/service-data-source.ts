import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  type EntitySchema,
  type Logger as TypeormLogger,
  type MigrationInterface,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import type { ServiceName } from '@svc/contracts';
import { databaseAway, isConnectionLoss, isReleasedByLoss, reportConnectionLoss } from './connection-loss.js';
import { PreparingClient } from './prepared-statements.js';
import {
  CONNECT_MS_DEFAULT,
  ensureSchema,
  migrateSchema,
  MIGRATIONS_TABLE,
  missingMigrations,
  type TableRights,
} from './schema-migration.js';

const QUERY_TIMEOUT_MS = 60_000;
const RETRY_WAIT_MS = 500;
const POOL_SIZE_DEFAULT = 5;

type IsolationLevel = NonNullable<Parameters<QueryRunner['startTransaction']>[0]>;

export type MigrationClass = new () => MigrationInterface;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- entities are classes of any shape
export type EntityClass = (new (...args: any[]) => object) | EntitySchema;

export interface PersistenceOptions {
  readonly service: ServiceName;
  /** `postgres://user:password@host:port/database`, of a role that needs to own nothing. */
  readonly url: string;
  /**
   * Of the role that owns the schema: what is pending is run over it, on a connection that is closed before the pool opens.
   * Without it the schema is waited for.
   */
  readonly migrationUrl?: string;
  /** What the role of the service may do with tables that it may not do everything with. */
  readonly tableRights?: TableRights;
  /** Schema that holds the service's tables and its list of migrations; by default {@link schemaOf} the service. */
  readonly schema?: string;
  /** Classes whose names end in their timestamp, as typeorm wants it: `CreateClaims1767225600000`. */
  readonly migrations: readonly MigrationClass[];
  readonly entities?: readonly EntityClass[];
  /** Connections of one instance, 1 to 50. */
  readonly poolSize?: number;
  /** How long a connection is waited for, milliseconds; 5,000 by default. */
  readonly connectMs?: number;
  readonly logger: Logger;
  /** Ends the wait for a database that is away, or behind. */
  readonly signal?: AbortSignal;
  /** Told why the data source does not open yet. */
  readonly onWaiting?: (reason: string) => void;
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

/** What it takes to bring a schema up to date. */
export type MigrationOptions = Omit<PersistenceOptions, 'url' | 'migrationUrl' | 'poolSize'> & {
  readonly migrationUrl: string;
  /** Role of the service that is given its rights; by default named as the service's schema. */
  readonly role?: string;
};

/**
 * Waits for Postgres however long it takes, and for its schema: with a `migrationUrl` it is brought up to date under an
 * advisory lock (several instances may start at once), without one somebody else has to. Returns the open data source.
 * @throws the database's error when a migration fails; the signal's reason when it aborts
 */
export async function openDataSource(options: PersistenceOptions): Promise<DataSource> {
  const { url, migrationUrl } = options;
  const schema = plainSchemaOf(options);
  if (migrationUrl !== undefined) {
    await migrateDatabase({ ...options, migrationUrl, role: decodeURIComponent(new URL(url).username) });
  }
  return whenPostgresIsThere(options, async () => {
    const dataSource = new ServiceDataSource(typeormOptions(options, schema));
    await dataSource.initialize();
    try {
      const missing = await missingMigrations(dataSource, schema);
      if (missing.length === 0) return dataSource;
      throw new SchemaBehindError(schema, missing);
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
  });
}

/**
 * Brings a schema up to date with the role that owns it, and gives the service's role its rights. Nothing stays open.
 * @throws as {@link openDataSource}
 */
export async function migrateDatabase(options: MigrationOptions): Promise<void> {
  const { migrationUrl, tableRights: rights = {}, logger } = options;
  const schema = plainSchemaOf(options);
  const role = options.role ?? schemaOf(options.service);
  await whenPostgresIsThere(options, async () => {
    await ensureSchema(migrationUrl, schema, options.connectMs);
    const connection = { ...options, url: migrationUrl, entities: [], poolSize: 1 };
    const dataSource = new ServiceDataSource(typeormOptions(connection, schema));
    await dataSource.initialize();
    try {
      await migrateSchema(dataSource, { schema, role, rights, logger });
    } finally {
      await dataSource.destroy();
    }
  });
}

/** The schema lacks migrations that the service counts on. */
class SchemaBehindError extends Error {
  constructor(schema: string, missing: readonly string[]) {
    super(`the schema ${schema} is not up to date: it lacks ${missing.join(', ')}`);
    this.name = 'SchemaBehindError';
  }
}

function plainSchemaOf({ schema, service }: Pick<PersistenceOptions, 'schema' | 'service'>): string {
  const name = schema ?? schemaOf(service);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new RangeError(`schema "${name}" is not a plain name`);
  return name;
}

async function whenPostgresIsThere<T>(
  { signal, logger, onWaiting }: Pick<PersistenceOptions, 'signal' | 'logger' | 'onWaiting'>,
  work: () => Promise<T>,
): Promise<T> {
  let reported = '';
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      const isBehind = error instanceof SchemaBehindError;
      if (!isBehind && !isWorthWaiting(error)) throw error;
      const reason = (error as Error).message;
      if (reason !== reported) {
        const what = isBehind ? 'Waiting for the migrations' : 'Postgres is away; waiting for it';
        logger.warn({ reason }, what);
        onWaiting?.(isBehind ? reason : 'away');
      }
      reported = reason;
      await delay(RETRY_WAIT_MS, undefined, { signal });
    }
  }
}

/** Away, or not set up yet: unknown role or password (28…), unknown database (3D000). */
function isWorthWaiting(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (code === 'SERVICE_UNAVAILABLE' || /^(28|3D)/.test(code))) return true;
  return isConnectionLoss(error);
}

function typeormOptions(
  options: Omit<PersistenceOptions, 'migrationUrl'>,
  schema: string,
): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    schema,
    entities: [...(options.entities ?? [])],
    migrations: [...options.migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    synchronize: false,
    logger: quietLogger(options.logger),
    installExtensions: false,
    poolSize: options.poolSize ?? POOL_SIZE_DEFAULT,
    applicationName: `svc-${options.service}`,
    connectTimeoutMS: options.connectMs ?? CONNECT_MS_DEFAULT,
    poolErrorHandler: (error: Error) =>
      options.logger.warn({ reason: error.message }, 'A connection to Postgres broke'),
    extra: {
      options: `-c search_path=${schema}`,
      query_timeout: QUERY_TIMEOUT_MS,
      Client: PreparingClient,
      onUnprepared: (reason: string) =>
        options.logger.warn(
          { reason },
          'Statements are not kept, as behind a pooler: each is parsed anew from now on',
        ),
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
