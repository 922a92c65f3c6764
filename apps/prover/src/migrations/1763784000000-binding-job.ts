import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job whose payment was given back too often is made to its end once it has begun. */
export class BindingJob1763784000000 implements MigrationInterface {
  readonly name = 'BindingJob1763784000000';

  async up(runner: QueryRunner): Promise<void> {
    // The default is also for replicas that were started before, and know nothing of it.
    await runner.query(`ALTER TABLE proof_job ADD COLUMN can_be_given_up boolean NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof_job DROP COLUMN can_be_given_up`);
  }
}
