import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A job says whose turn it takes, so that callers share the places where jobs wait, and their proofs are made in turns. Jobs of
 * earlier releases share one turn.
 */
export class JobTurns1767600000000 implements MigrationInterface {
  readonly name = 'JobTurns1767600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE proof_job
        ADD COLUMN turn_subject text NOT NULL DEFAULT '' CHECK (turn_subject ~ '^[A-Za-z0-9_-]{0,64}$')`);
    await runner.query(`DROP INDEX proof_job_queued`);
    await runner.query(`
      CREATE INDEX proof_job_queued ON proof_job (size_class, turn_subject, created_at)
        WHERE state = 'queued' AND sealed_order IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof_job DROP COLUMN turn_subject`);
    await runner.query(`
      CREATE INDEX proof_job_queued ON proof_job (size_class, created_at)
        WHERE state = 'queued' AND sealed_order IS NOT NULL`);
  }
}
