import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TREASURY_BETWEEN } from './1768000000000-treasury-by-day.js';
import { replaced, replacing } from './1766500000000-keyed-digests.js';

/**
 * Which payments have paid the invoices of subscriptions: a refund or a dispute names a payment and no invoice. What is given back of
 * one is booked under a kind of its own and is of the rail of what was earned.
 */
export class SubscriptionPayments1768100000000 implements MigrationInterface {
  readonly name = 'SubscriptionPayments1768100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE subscription_payment (
        payment_intent_id text PRIMARY KEY CHECK (length(payment_intent_id) BETWEEN 1 AND 255),
        invoice_id text NOT NULL CHECK (length(invoice_id) BETWEEN 1 AND 255),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    const rail = `ELSE regexp_replace(entry.kind, '^subscription-.*', 'subscription') END`;
    await runner.query(replacing(replaced(TREASURY_BETWEEN, 'ELSE entry.kind END', rail)));
    // They found no purchase, of a subscription or of anything else. Sent again, each is looked at anew.
    await runner.query(
      `DELETE FROM webhook_event
        WHERE outcome = 'ignored' AND type IN ('charge.refunded', 'charge.dispute.created', 'charge.dispute.closed')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(replacing(TREASURY_BETWEEN));
    await runner.query(`DROP TABLE subscription_payment`);
  }
}
