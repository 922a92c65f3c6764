import { Client } from 'pg';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Logger } from 'pino';

/** How long a connection is waited for, milliseconds. */
export const CONNECT_MS_DEFAULT = 5_000;
/** Table in which typeorm lists what was done. */
export const MIGRATIONS_TABLE = 'migration';

/** What a service's role may do with one of its tables: `SELECT`, `UPDATE (published_at)`. */
export type TableRights = Readonly<Record<string, readonly string[]>>;

/** Rights on a table that nothing is said of. None lets a role define triggers, truncate or refer to it. */
const USUAL_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const RIGHT = /^(SELECT|INSERT|DELETE|UPDATE( \([a-z_]+(, [a-z_]+)*\))?)$/;

/** Of several instances one holds it to migrate; whoever looks whether the schema is up to date, or gives rights on it, waits. */
export const migrationLockOf = (schema: string) => `svc migrations of ${schema}`;

/** Makes a schema that is not there, on a connection of its own. */
export async function ensureSchema(
  url: string,
  schema: string,
  connectMs = CONNECT_MS_DEFAULT,
): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectMs });
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

/**
 * Runs what is pending and gives the service's role what it may do; of several instances one migrates and the others wait,
 * then find nothing to do.
 * @param role of the service, which owns nothing; where there is none, or it is the one that migrates, nothing is given
 */
export async function migrateSchema(
  dataSource: DataSource,
  { schema, role, rights, logger }: { schema: string; role: string; rights: TableRights; logger: Logger },
): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [migrationLockOf(schema)]);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    if (done.length > 0) logger.info({ migrations: done.map(({ name }) => name) }, 'The schema was migrated');
    await grantRights(runner, schema, role, rights);
    await runner.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [migrationLockOf(schema)]);
  } finally {
    // A session that ends in an error gives the lock back by closing.
    await runner.release();
  }
}

/** Names of the migrations that a schema lacks; all of them where it cannot be read yet. */
export async function missingMigrations(dataSource: DataSource, schema: string): Promise<string[]> {
  const expected = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
      migrationLockOf(schema),
    ]);
    const rows: { name: string }[] = await runner.query(`SELECT name FROM ${MIGRATIONS_TABLE}`);
    const done = new Set(rows.map(({ name }) => name));
    return expected.filter(name => !done.has(name));
  } catch (error) {
    const code = (error as { driverError?: { code?: string } }).driverError?.code;
    // No such table or schema, or no right to read it yet.
    if (code === '42P01' || code === '3F000' || code === '42501') return expected;
    throw error;
  } finally {
    await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

/** All at once, so that nobody sees the role without what it needs or with more than it may. */
async function grantRights(
  runner: QueryRunner,
  schema: string,
  role: string,
  rights: TableRights,
): Promise<void> {
  const found: unknown[] = await runner.query(
    'SELECT 1 FROM pg_roles WHERE rolname = $1 AND rolname <> current_user',
    [role],
  );
  if (found.length === 0) return;
  const tables: { name: string }[] = await runner.query(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
    [schema],
  );
  await runner.startTransaction();
  try {
    await runner.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}"`);
    await runner.query(`REVOKE ALL ON ALL TABLES IN SCHEMA "${schema}" FROM "${role}"`);
    for (const { name } of tables) {
      const granted = name === MIGRATIONS_TABLE ? ['SELECT'] : (rights[name] ?? USUAL_RIGHTS);
      for (const right of granted)
        if (!RIGHT.test(right)) throw new RangeError(`no right of a table: ${right}`);
      await runner.query(`GRANT ${granted.join(', ')} ON "${schema}"."${name}" TO "${role}"`);
    }
    await runner.query(`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "${schema}" TO "${role}"`);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}
