import type { MigrationInterface, QueryRunner } from 'typeorm';

const check = (payments: readonly string[]) => `
  ALTER TABLE proof_job DROP CONSTRAINT proof_job_payment_check,
    ADD CONSTRAINT proof_job_payment_check CHECK (payment IN (${payments.map(name => `'${name}'`).join()}))`;
const BEFORE = ['held', 'delivery-due', 'return-due', 'delivered', 'returned'];

/** The payment of a job that has ended may be a later request's by then. */
export class SupersededPayment1763770000000 implements MigrationInterface {
  readonly name = 'SupersededPayment1763770000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(check([...BEFORE, 'superseded']));
  }

  async down(runner: QueryRunner): Promise<void> {
    // It was called so before, for want of another word.
    await runner.query(`UPDATE proof_job SET payment = 'returned' WHERE payment = 'superseded'`);
    await runner.query(check(BEFORE));
  }
}
