import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Batches of certificate audits. What becomes of a document is in its task, whose id is made of the batch's. */
export class CoiBatches1764300000000 implements MigrationInterface {
  readonly name = 'CoiBatches1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE coi_batch (
        batch_id text PRIMARY KEY CHECK (batch_id ~ '^cbt_[A-Za-z0-9_-]{22}$'),
        account_id text NOT NULL CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        -- Null where none came: nobody can ask for the same batch again.
        idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        request_digest text NOT NULL CHECK (request_digest ~ '^[0-9a-f]{64}$'),
        document_count integer NOT NULL CHECK (document_count BETWEEN 1 AND 100),
        created_at timestamptz NOT NULL DEFAULT now(),
        cancelled_at timestamptz,
        UNIQUE (account_id, idempotency_key)
      )`);
    await runner.query(`CREATE INDEX coi_batch_created ON coi_batch (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE coi_batch`);
  }
}
