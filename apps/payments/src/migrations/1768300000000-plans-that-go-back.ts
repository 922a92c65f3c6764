import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which checkout began the subscription of an invoice: an account whose plan's price went back has not spent it. */
export class PlansThatGoBack1768300000000 implements MigrationInterface {
  readonly name = 'PlansThatGoBack1768300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE subscription_payment
        ADD COLUMN checkout_id text CHECK (length(checkout_id) BETWEEN 1 AND 255)`);
    await runner.query(`
      CREATE INDEX subscription_payment_checkout ON subscription_payment (checkout_id) WHERE checkout_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE subscription_payment DROP COLUMN checkout_id`);
  }
}
