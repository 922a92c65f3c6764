import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often the payer gave up work that had begun and had the payment back: from a bound on, it is done to its end. */
export class GivenUpCount1763780400000 implements MigrationInterface {
  readonly name = 'GivenUpCount1763780400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE payment_claim
        ADD COLUMN given_up_count integer NOT NULL DEFAULT 0 CHECK (given_up_count >= 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payment_claim DROP COLUMN given_up_count`);
  }
}
