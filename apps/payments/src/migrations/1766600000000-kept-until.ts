import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By whom a checkout was opened, so that nobody opens many; and when a count was taken back, so that it is forgotten. */
export class KeptUntil1766600000000 implements MigrationInterface {
  readonly name = 'KeptUntil1766600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE checkout_session ADD COLUMN opened_by text CHECK (length(opened_by) <= 128)`,
    );
    await runner.query(
      `CREATE INDEX checkout_unpaid ON checkout_session (created_at) WHERE fulfilled_at IS NULL`,
    );
    await runner.query(
      `CREATE INDEX checkout_opened_by ON checkout_session (opened_by, created_at) WHERE fulfilled_at IS NULL`,
    );
    await runner.query(`ALTER TABLE quota_return ADD COLUMN returned_at timestamptz NOT NULL DEFAULT now()`);
    await runner.query(`DROP INDEX quota_return_month`);
    await runner.query(`CREATE INDEX quota_return_at ON quota_return (returned_at)`);
    await runner.query(`CREATE INDEX lead_last_seen ON lead (last_seen_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX lead_last_seen`);
    await runner.query(`DROP INDEX quota_return_at`);
    await runner.query(`CREATE INDEX quota_return_month ON quota_return (month)`);
    await runner.query(`ALTER TABLE quota_return DROP COLUMN returned_at`);
    await runner.query(`DROP INDEX checkout_opened_by`);
    await runner.query(`DROP INDEX checkout_unpaid`);
    await runner.query(`ALTER TABLE checkout_session DROP COLUMN opened_by`);
  }
}
