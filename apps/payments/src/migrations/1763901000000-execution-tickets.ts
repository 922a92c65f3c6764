import type { MigrationInterface, QueryRunner } from 'typeorm';

const LEDGER_ACCOUNTS = (more: string) =>
  `'^(lightning-clearing|onchain-clearing|processor-clearing|holds|holds:ticket|${more}treasury|customer:acct_[a-z0-9]{20})$'`;

/** The verdict on a standing claim, with what it says of a delivery. */
const standingClaimByKey = (spentAt: {
  declare: string;
  select: string;
  into: string;
  delivered: string;
}) => `
  CREATE OR REPLACE FUNCTION standing_claim_by_key(of_payer text, operation text, idempotency text, digest text,
    OUT claim_id uuid, OUT state text, OUT attempt integer, OUT lease_until timestamptz, OUT given_up_count integer,
    OUT funding text, OUT verdict text)
  LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
  DECLARE found_digest text; delivered timestamptz; ${spentAt.declare}kept interval := interval '24 hours';
  BEGIN
    IF idempotency IS NOT NULL THEN
      SELECT c.claim_id, c.state, c.attempt, c.lease_until, c.given_up_count, c.funding, c.request_digest,
             c.delivered_at
        INTO claim_id, state, attempt, lease_until, given_up_count, funding, found_digest, delivered
        FROM payment_claim c
       WHERE c.payer = of_payer AND c.operation_id = operation AND c.idempotency_key = idempotency
         AND c.claimed_at > now() - interval '24 hours'
       ORDER BY c.claimed_at DESC LIMIT 1;
      IF found_digest <> digest THEN
        verdict := 'mismatch';
        RETURN;
      END IF;
    END IF;
    IF found_digest IS NULL THEN
      kept := interval '60 seconds';
      SELECT c.claim_id, c.state, c.attempt, c.lease_until, c.given_up_count, c.funding, c.request_digest,
             c.delivered_at${spentAt.select}
        INTO claim_id, state, attempt, lease_until, given_up_count, funding, found_digest, delivered${spentAt.into}
        FROM payment_claim c
       WHERE c.payer = of_payer AND c.request_digest = digest
       ORDER BY c.claimed_at DESC LIMIT 1;
    END IF;
    verdict := CASE
      WHEN state = 'claimed' AND lease_until > clock_timestamp() THEN 'in-flight'
      WHEN state = 'claimed' THEN 'lapsed'
      WHEN state = 'unknown' THEN 'unknown'
      WHEN state = 'delivered' AND delivered > now() - kept${spentAt.delivered} THEN 'delivered'
      ELSE 'none' END;
  END $$`;

/** The verdict since then: what the delivered answer gave may be used up. */
export const STANDING_CLAIM_BY_KEY = standingClaimByKey({
  declare: 'spent timestamptz; ',
  select: ', c.spent_at',
  into: ', spent',
  delivered: ' AND spent IS NULL',
});

/**
 * Execution tickets: what a payment has bought at `POST /v1/x402/verify`, and a saga consumes. A ticket says where its
 * amount lies, in the transaction that moves it; the ledger is held to that.
 */
export class ExecutionTickets1763901000000 implements MigrationInterface {
  readonly name = 'ExecutionTickets1763901000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ledger_entry
        DROP CONSTRAINT ledger_entry_account_check,
        ADD CONSTRAINT ledger_entry_account_check CHECK (account ~ ${LEDGER_ACCOUNTS('holds:saga|')})`);
    // What the delivered answer gave is used up: a further payment for the same request buys anew.
    await runner.query(`ALTER TABLE payment_claim ADD COLUMN spent_at timestamptz`);
    await runner.query(STANDING_CLAIM_BY_KEY);
    // Of the ticket itself there is its digest alone. What was used is never unused again, and nothing is used twice.
    await runner.query(`
      CREATE TABLE execution_ticket (
        ticket_id uuid PRIMARY KEY,
        ticket_hash bytea NOT NULL UNIQUE CHECK (length(ticket_hash) = 32),
        tool text NOT NULL CHECK (tool ~ '^[a-z0-9_]{1,59}$'),
        claim_id uuid NOT NULL UNIQUE REFERENCES payment_claim (claim_id),
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd > 0),
        funding text NOT NULL CHECK (funding IN ('rail', 'credit', 'quota')),
        rail text NOT NULL CHECK (length(rail) BETWEEN 1 AND 64),
        payer text CHECK (length(payer) BETWEEN 1 AND 128),
        credit_account_id text CHECK (credit_account_id ~ '^acct_[a-z0-9]{20}$'),
        agent_id text CHECK (length(agent_id) BETWEEN 1 AND 128),
        capability text CHECK (length(capability) BETWEEN 1 AND 128),
        receipt jsonb NOT NULL,
        inline boolean NOT NULL,
        state text NOT NULL DEFAULT 'unused' CHECK (state IN ('unused', 'used', 'expired')),
        place text NOT NULL DEFAULT 'ticket' CHECK (place IN ('ticket', 'saga', 'treasury', 'credit')),
        issued_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        saga_id uuid UNIQUE,
        execution_scope text CHECK (length(execution_scope) BETWEEN 1 AND 128),
        idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        request_digest text CHECK (request_digest ~ '^[0-9a-f]{64}$'),
        answer bytea,
        answered_at timestamptz,
        CHECK ((state = 'used') = (saga_id IS NOT NULL)),
        CHECK ((state = 'used') = (used_at IS NOT NULL)),
        CHECK ((state = 'used') = (request_digest IS NOT NULL)),
        CHECK (idempotency_key IS NULL OR (execution_scope IS NOT NULL AND state = 'used')),
        CHECK (state <> 'unused' OR place = 'ticket'),
        CHECK (state <> 'expired' OR place = 'credit'),
        CHECK (answer IS NULL OR answered_at IS NOT NULL)
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX execution_ticket_idempotency ON execution_ticket (execution_scope, idempotency_key)
        WHERE idempotency_key IS NOT NULL`);
    await runner.query(`
      CREATE INDEX execution_ticket_unused ON execution_ticket (expires_at) WHERE state = 'unused'`);
    await runner.query(`
      CREATE INDEX execution_ticket_answered ON execution_ticket (answered_at) WHERE answer IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE execution_ticket`);
    await runner.query(standingClaimByKey({ declare: '', select: '', into: '', delivered: '' }));
    await runner.query(`ALTER TABLE payment_claim DROP COLUMN spent_at`);
    await runner.query(`
      ALTER TABLE ledger_entry
        DROP CONSTRAINT ledger_entry_account_check,
        ADD CONSTRAINT ledger_entry_account_check CHECK (account ~ ${LEDGER_ACCOUNTS('')})`);
  }
}
