import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job whose work has ended is `settling` until its payment is delivered or returned, and only then ends. */
export class SettlingJob1763773200000 implements MigrationInterface {
  readonly name = 'SettlingJob1763773200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE proof_job
        DROP CONSTRAINT proof_job_state_check,
        DROP CONSTRAINT proof_job_check1,
        DROP CONSTRAINT proof_job_check2,
        DROP CONSTRAINT proof_job_check3`);
    await runner.query(`
      UPDATE proof_job SET state = 'settling', ended_at = NULL WHERE payment IN ('delivery-due', 'return-due')`);
    await runner.query(`
      ALTER TABLE proof_job
        ADD CONSTRAINT proof_job_state_check CHECK (state IN
          ('queued', 'running', 'cancelling', 'settling', 'succeeded', 'failed', 'cancelled')),
        ADD CONSTRAINT proof_job_held CHECK ((payment = 'held') = (state IN ('queued', 'running', 'cancelling'))),
        ADD CONSTRAINT proof_job_due CHECK ((payment IN ('delivery-due', 'return-due')) = (state = 'settling')),
        ADD CONSTRAINT proof_job_proof CHECK
          ((state = 'succeeded' OR payment = 'delivery-due') = (proof_id IS NOT NULL)),
        ADD CONSTRAINT proof_job_result CHECK ((proof_id IS NOT NULL) = (result IS NOT NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE proof_job
        DROP CONSTRAINT proof_job_state_check,
        DROP CONSTRAINT proof_job_held,
        DROP CONSTRAINT proof_job_due,
        DROP CONSTRAINT proof_job_proof,
        DROP CONSTRAINT proof_job_result`);
    await runner.query(`
      UPDATE proof_job SET ended_at = now(), state =
        CASE WHEN proof_id IS NOT NULL THEN 'succeeded' WHEN problem IS NOT NULL THEN 'failed' ELSE 'cancelled' END
       WHERE state = 'settling'`);
    await runner.query(`
      ALTER TABLE proof_job
        ADD CONSTRAINT proof_job_state_check CHECK (state IN
          ('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')),
        ADD CONSTRAINT proof_job_check1 CHECK ((state = 'succeeded') = (proof_id IS NOT NULL)),
        ADD CONSTRAINT proof_job_check2 CHECK ((state = 'succeeded') = (result IS NOT NULL)),
        ADD CONSTRAINT proof_job_check3 CHECK ((payment = 'held') = (ended_at IS NULL))`);
  }
}
