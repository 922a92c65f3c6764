import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the telemetry asks the log for lies in indexes of its own, so that it never reads the log itself. */
export class WalTelemetry1763903000000 implements MigrationInterface {
  readonly name = 'WalTelemetry1763903000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX saga_wal_committed ON saga_wal (at, saga_id) INCLUDE (payload) WHERE kind = 'SAGA_COMMIT'`,
    );
    await runner.query(`CREATE INDEX saga_wal_begun ON saga_wal (at) WHERE kind = 'SAGA_BEGIN'`);
    await runner.query(`CREATE INDEX saga_wal_aborted ON saga_wal (at) WHERE kind = 'SAGA_ABORTED'`);
    await runner.query(`CREATE INDEX saga_wal_stuck ON saga_wal (saga_id, seq) WHERE kind = 'SAGA_STUCK'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['committed', 'begun', 'aborted', 'stuck'])
      await runner.query(`DROP INDEX saga_wal_${name}`);
  }
}
