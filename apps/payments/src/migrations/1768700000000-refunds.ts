import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What operators give back of payments. A row is there, and its amount is held, before a rail is asked: what a rail did of a refund whose
 * answer was lost is asked of it by what `plan` says.
 */
export class Refunds1768700000000 implements MigrationInterface {
  readonly name = 'Refunds1768700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE refund (
        refund_id uuid PRIMARY KEY,
        claim_id uuid NOT NULL REFERENCES payment_claim (claim_id),
        state text NOT NULL CHECK (state IN ('requested', 'sent', 'done', 'refused', 'unknown')),
        destination text NOT NULL CHECK (destination IN ('origin', 'credit')),
        rail_family text NOT NULL CHECK (rail_family IN ('stripe', 'x402', 'lightning', 'account')),
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd > 0),
        asked_micro_usd bigint,
        from_credit_micro_usd bigint NOT NULL DEFAULT 0
          CHECK (from_credit_micro_usd BETWEEN 0 AND amount_micro_usd),
        account_id text REFERENCES account (account_id),
        payment_reference text CHECK (length(payment_reference) <= 256),
        reason text NOT NULL CHECK (length(reason) BETWEEN 3 AND 200),
        requested_by text NOT NULL REFERENCES account (account_id),
        idempotency_key text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        plan jsonb,
        invoice_hash text UNIQUE CHECK (invoice_hash ~ '^[0-9a-f]{64}$'),
        reference text CHECK (length(reference) <= 256),
        detail text CHECK (length(detail) <= 500),
        requested_at timestamptz NOT NULL DEFAULT now(),
        sent_at timestamptz,
        ended_at timestamptz,
        due_at timestamptz,
        UNIQUE (requested_by, idempotency_key),
        CHECK (from_credit_micro_usd = 0 OR account_id IS NOT NULL),
        CHECK ((state IN ('done', 'refused')) = (ended_at IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX refund_claim ON refund (claim_id)`);
    await runner.query(`CREATE INDEX refund_newest ON refund (requested_at, refund_id)`);
    await runner.query(`
      CREATE INDEX refund_payment ON refund (payment_reference) WHERE rail_family = 'stripe'`);
    // What the upkeep looks through.
    await runner.query(`
      CREATE INDEX refund_due ON refund (due_at) WHERE state IN ('requested', 'sent', 'unknown')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE refund`);
  }
}
