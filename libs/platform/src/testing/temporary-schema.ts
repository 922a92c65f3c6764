import type { ServiceName } from '@svc/contracts';
import type { DataSource } from 'typeorm';
import { createLogger } from '../observability/logger.js';
import { type MigrationClass, openDataSource } from '../persistence/service-data-source.js';
import type { EmbeddedPostgres } from '../embedded/embedded-postgres.js';

/** Shapes of a schema about one migration, line by line. */
export interface RedoneMigration {
  readonly before: readonly string[];
  readonly done: readonly string[];
  readonly undone: readonly string[];
  readonly redone: readonly string[];
}

/** A service's schema as it stood after each of its migrations: for tests of them. */
export class TemporarySchema {
  private readonly logger;

  constructor(
    private readonly postgres: EmbeddedPostgres,
    private readonly service: ServiceName,
    private readonly migrations: readonly MigrationClass[],
  ) {
    this.logger = createLogger(service, { level: 'silent' });
  }

  /** Brings the schema to where the first `count` migrations leave it, for as long as the work takes; rows stay. */
  async migratedTo<T>(count: number, work: (database: DataSource) => Promise<T>): Promise<T> {
    const database = await openDataSource({
      service: this.service,
      url: this.postgres.migrationUrlFor(this.service),
      migrationUrl: this.postgres.migrationUrlFor(this.service),
      migrations: this.migrations.slice(0, count),
      logger: this.logger,
    });
    try {
      return await work(database);
    } finally {
      await database.destroy();
    }
  }

  /** Does the `count`th migration, undoes it and does it again. */
  async redo(count: number): Promise<RedoneMigration> {
    const before = await this.migratedTo(count - 1, schemaShape);
    return this.migratedTo(count, async database => {
      const done = await schemaShape(database);
      await database.undoLastMigration({ transaction: 'all' });
      const undone = await schemaShape(database);
      await database.runMigrations({ transaction: 'all' });
      return { before, done, undone, redone: await schemaShape(database) };
    });
  }

  /** As before the first migration. The role that owns the schema may make no other, so its own is emptied. */
  empty(): Promise<void> {
    return this.migratedTo(0, async database => {
      await database.query(`
        DO $$ DECLARE name text; BEGIN
          FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
            EXECUTE format('DROP TABLE %I CASCADE', name);
          END LOOP;
          FOR name IN SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace LOOP
            EXECUTE format('DROP FUNCTION %I CASCADE', name);
          END LOOP;
        END $$`);
    });
  }
}

/**
 * Columns, constraints, indexes, triggers and functions of the current schema, each as Postgres says it, but for how a function
 * is spaced.
 */
async function schemaShape(database: DataSource): Promise<string[]> {
  const rows: { line: string }[] = await database.query(`
    SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
      FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT concat_ws(' ', tgname, tgrelid::regclass) FROM pg_trigger
      WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
        AND NOT tgisinternal
    UNION ALL SELECT concat_ws(' ', proname, proconfig, regexp_replace(prosrc, '\\s+', ' ', 'g')) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
    ORDER BY 1`);
  // The first migration of all also makes the list of them, which stays.
  return rows.map(({ line }) => line).filter(line => !line.includes('migrations'));
}
