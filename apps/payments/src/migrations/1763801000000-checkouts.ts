import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Checkouts at the card processor, the subscriptions and escrows that come of them, what was taken back of a payment,
 * and which of the processor's events had their effect.
 */
export class Checkouts1763801000000 implements MigrationInterface {
  readonly name = 'Checkouts1763801000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_event (
        event_id text PRIMARY KEY CHECK (length(event_id) BETWEEN 1 AND 255),
        type text NOT NULL CHECK (length(type) <= 128),
        outcome text NOT NULL CHECK (outcome IN ('done', 'ignored')),
        event_created_at timestamptz NOT NULL,
        received_at timestamptz NOT NULL DEFAULT now()
      )`);
    await this.createCheckouts(runner);
    await this.createEscrows(runner);
  }

  private async createCheckouts(runner: QueryRunner): Promise<void> {
    // The row is there before the session: a crash between the two leaves a checkout that nobody was sent to.
    await runner.query(`
      CREATE TABLE checkout_session (
        checkout_id text PRIMARY KEY CHECK (checkout_id ~ '^chk_[A-Za-z0-9_-]{22}$'),
        kind text NOT NULL CHECK (kind IN ('pack', 'subscription')),
        product text NOT NULL CHECK (length(product) <= 64),
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd > 0),
        email text CHECK (length(email) <= 254),
        top_up_account_id text REFERENCES account (account_id),
        idempotency_scope text CHECK (length(idempotency_scope) <= 128),
        idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        request_digest text NOT NULL CHECK (request_digest ~ '^[0-9a-f]{64}$'),
        session_id text UNIQUE CHECK (length(session_id) <= 255),
        session_url text,
        payment_intent_id text UNIQUE CHECK (length(payment_intent_id) <= 255),
        account_id text REFERENCES account (account_id),
        licence_id text,
        key_id text REFERENCES api_key (key_id),
        key_shown_at timestamptz,
        fulfilled_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (idempotency_scope, idempotency_key),
        CHECK ((fulfilled_at IS NULL) = (account_id IS NULL)),
        CHECK ((key_id IS NULL) = (key_shown_at IS NULL)),
        CHECK (key_id IS NULL OR fulfilled_at IS NOT NULL)
      )`);
    await runner.query(`
      CREATE TABLE subscription (
        subscription_id text PRIMARY KEY CHECK (length(subscription_id) <= 255),
        account_id text NOT NULL UNIQUE REFERENCES account (account_id),
        tier text NOT NULL CHECK (tier IN ('developer_sdk', 'enterprise_sam', 'bullion_pro_trader')),
        state text NOT NULL CHECK (state IN ('active', 'past_due', 'lapsed')),
        period_ends_at timestamptz NOT NULL,
        asked_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE INDEX subscription_period ON subscription (period_ends_at) WHERE state <> 'lapsed'`,
    );
    // A refund of a charge, or a dispute: how much of it is asked back, and how much there was to take.
    await runner.query(`
      CREATE TABLE credit_reversal (
        reversal_id text PRIMARY KEY CHECK (length(reversal_id) <= 255),
        kind text NOT NULL CHECK (kind IN ('refund', 'dispute')),
        payment_intent_id text NOT NULL CHECK (length(payment_intent_id) <= 255),
        account_id text NOT NULL REFERENCES account (account_id),
        asked_micro_usd bigint NOT NULL CHECK (asked_micro_usd >= 0),
        taken_micro_usd bigint NOT NULL CHECK (taken_micro_usd BETWEEN 0 AND asked_micro_usd),
        closed_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX credit_reversal_payment ON credit_reversal (payment_intent_id)`);
  }

  private async createEscrows(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE escrow (
        escrow_id text PRIMARY KEY CHECK (escrow_id ~ '^esc_[A-Za-z0-9_-]{22}$'),
        account_id text NOT NULL REFERENCES account (account_id),
        payee_account_id text NOT NULL REFERENCES account (account_id),
        payee text CHECK (length(payee) <= 128),
        state text NOT NULL
          CHECK (state IN ('REQUIRES_PAYMENT', 'HELD', 'RELEASED', 'CANCELLED', 'EXPIRED')),
        amount_cents bigint NOT NULL CHECK (amount_cents BETWEEN 50 AND 99999999),
        released_cents bigint NOT NULL DEFAULT 0 CHECK (released_cents BETWEEN 0 AND amount_cents),
        description text CHECK (length(description) <= 500),
        metadata jsonb,
        payment_intent_id text UNIQUE CHECK (length(payment_intent_id) <= 255),
        client_secret text,
        idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        request_digest text NOT NULL CHECK (request_digest ~ '^[0-9a-f]{64}$'),
        action text CHECK (action IN ('release', 'cancel', 'expire')),
        action_cents bigint CHECK (action_cents BETWEEN 1 AND amount_cents),
        action_key text CHECK (length(action_key) BETWEEN 1 AND 255),
        action_at timestamptz,
        action_done boolean NOT NULL DEFAULT false,
        action_attempt integer NOT NULL DEFAULT 0,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (account_id, idempotency_key),
        CHECK ((state = 'RELEASED') = (released_cents > 0)),
        CHECK ((action = 'release') = (action_cents IS NOT NULL) OR action IS NULL),
        CHECK ((action IS NULL) = (action_at IS NULL)),
        CHECK (client_secret IS NULL OR state = 'REQUIRES_PAYMENT')
      )`);
    await runner.query(`
      CREATE INDEX escrow_open ON escrow (expires_at) WHERE state IN ('REQUIRES_PAYMENT', 'HELD')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['escrow', 'credit_reversal', 'subscription', 'checkout_session', 'webhook_event']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}
