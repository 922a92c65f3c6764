import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A refund or a dispute may be told of before what its payment bought is known: nobody's credit to take back, yet. */
export class ReversalsBeforePurchases1763804000000 implements MigrationInterface {
  readonly name = 'ReversalsBeforePurchases1763804000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE credit_reversal
        ALTER COLUMN account_id DROP NOT NULL,
        ADD CONSTRAINT credit_reversal_of_nobody CHECK (account_id IS NOT NULL OR taken_micro_usd = 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Those of nobody have taken nothing; the schema before had no place for them.
    await runner.query(`DELETE FROM credit_reversal WHERE account_id IS NULL`);
    await runner.query(`
      ALTER TABLE credit_reversal
        DROP CONSTRAINT credit_reversal_of_nobody, ALTER COLUMN account_id SET NOT NULL`);
  }
}
