import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Proof jobs and their events, and the calls that were cancelled. What a job was asked to prove is not
 * recorded: it may be private, and dies with the process that proves it.
 */
export class ProofJob1763760000000 implements MigrationInterface {
  readonly name = 'ProofJob1763760000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE proof_job (
        job_id text PRIMARY KEY,
        operation_id text NOT NULL,
        state text NOT NULL CHECK (state IN
          ('queued', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled')),
        seq integer NOT NULL CHECK (seq >= 1),
        stages_begun integer NOT NULL,
        stage text,
        payment text NOT NULL CHECK (payment IN
          ('held', 'delivery-due', 'return-due', 'delivered', 'returned')),
        claim_id uuid NOT NULL,
        claim_attempt integer NOT NULL,
        receipt text NOT NULL,
        proof_id text,
        result jsonb,
        problem jsonb,
        lease_until timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        ended_at timestamptz,
        CHECK ((state IN ('succeeded', 'failed', 'cancelled')) = (ended_at IS NOT NULL)),
        CHECK ((state = 'succeeded') = (proof_id IS NOT NULL)),
        CHECK ((state = 'succeeded') = (result IS NOT NULL)),
        CHECK ((payment = 'held') = (ended_at IS NULL))
      )`);
    await runner.query(`
      CREATE INDEX proof_job_open ON proof_job (lease_until)
        WHERE payment IN ('held', 'delivery-due', 'return-due')`);
    await runner.query(`CREATE INDEX proof_job_created_at ON proof_job (created_at)`);
    await runner.query(`
      CREATE TABLE proof_job_event (
        job_id text NOT NULL REFERENCES proof_job (job_id) ON DELETE CASCADE,
        seq integer NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        event jsonb NOT NULL,
        PRIMARY KEY (job_id, seq)
      )`);
    await runner.query(`
      CREATE TABLE proof_cancellation (
        call_id text PRIMARY KEY,
        requested_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE proof_cancellation`);
    await runner.query(`DROP TABLE proof_job_event`);
    await runner.query(`DROP TABLE proof_job`);
  }
}
