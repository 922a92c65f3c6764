import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files for calls over MCP. Not logged: a crash of the database empties the table. */
export class Uploads1768900100000 implements MigrationInterface {
  readonly name = 'Uploads1768900100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE upload (
        upload_id text PRIMARY KEY CHECK (upload_id ~ '^upl_[A-Za-z0-9_-]{22}$'),
        caller text NOT NULL,
        file bytea NOT NULL CHECK (length(file) BETWEEN 1 AND 7864320),
        sha256 text NOT NULL CHECK (sha256 ~ '^0x[0-9a-f]{64}$'),
        expires_at timestamptz NOT NULL)`);
    // A file is compressed already, or is not worth the time.
    await runner.query(`ALTER TABLE upload ALTER COLUMN file SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX upload_expires_at ON upload (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE upload`);
  }
}
