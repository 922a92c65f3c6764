import { EventOutboxTable } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a job was asked to prove is kept, sealed, until its payment is settled, so that any process can begin it; the
 * number of its run refuses what an earlier one says late. The defaults are for jobs of processes that know nothing of it:
 * nobody takes those over.
 */
export class QueuedJob1764400000000 implements MigrationInterface {
  readonly name = 'QueuedJob1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE proof_job
        ADD COLUMN run integer NOT NULL DEFAULT 0,
        ADD COLUMN begins integer NOT NULL DEFAULT 0,
        ADD COLUMN size_class text,
        ADD COLUMN sealed_order bytea,
        ADD COLUMN added_run integer NOT NULL DEFAULT -1,
        ADD COLUMN added_at timestamptz,
        ADD COLUMN payment_renewed_at timestamptz NOT NULL DEFAULT now(),
        ADD CONSTRAINT proof_job_kept CHECK (sealed_order IS NULL OR payment IN ('held', 'delivery-due')),
        ADD CONSTRAINT proof_job_queue CHECK (sealed_order IS NULL OR size_class IS NOT NULL)`);
    await runner.query(`
      CREATE INDEX proof_job_queued ON proof_job (size_class, created_at)
        WHERE state = 'queued' AND sealed_order IS NOT NULL`);
    await runner.query(
      `CREATE INDEX proof_job_held ON proof_job (payment_renewed_at) WHERE payment = 'held'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX proof_job_held`);
    await runner.query(`DROP INDEX proof_job_queued`);
    await runner.query(`
      ALTER TABLE proof_job
        DROP CONSTRAINT proof_job_kept,
        DROP CONSTRAINT proof_job_queue,
        DROP COLUMN run, DROP COLUMN begins, DROP COLUMN size_class, DROP COLUMN sealed_order,
        DROP COLUMN added_run, DROP COLUMN added_at, DROP COLUMN payment_renewed_at`);
  }
}

/** Events for other services, until they have left: those of jobs, and of proofs that were made. */
export class EventOutbox1764400100000 extends EventOutboxTable {
  readonly name = 'EventOutbox1764400100000';
}
