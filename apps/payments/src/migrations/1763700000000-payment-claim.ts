import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Claims: one row for each payment that was ever presented, kept for good, so that no proof buys
 * twice. The ledger: double entry, append only, each transaction sums to zero.
 */
export class PaymentClaim1763700000000 implements MigrationInterface {
  readonly name = 'PaymentClaim1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payment_claim (
        claim_id uuid PRIMARY KEY,
        rail_family text NOT NULL CHECK (rail_family IN ('lightning')),
        proof_key text NOT NULL CHECK (length(proof_key) BETWEEN 1 AND 256),
        operation_id text NOT NULL,
        request_digest text NOT NULL CHECK (request_digest ~ '^[0-9a-f]{64}$'),
        credential_digest text NOT NULL CHECK (credential_digest ~ '^[0-9a-f]{64}$'),
        state text NOT NULL CHECK (state IN ('claimed', 'settled', 'delivered', 'unknown')),
        attempt integer NOT NULL CHECK (attempt >= 1),
        lease_until timestamptz NOT NULL,
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd > 0),
        amount_sats bigint NOT NULL CHECK (amount_sats > 0),
        receipt jsonb NOT NULL,
        response_status smallint,
        response_content_type text,
        response_body bytea,
        release_reason text,
        claimed_at timestamptz NOT NULL DEFAULT now(),
        delivered_at timestamptz,
        purged_at timestamptz,
        UNIQUE (rail_family, proof_key),
        CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
        CHECK ((state = 'delivered' AND purged_at IS NULL) = (response_body IS NOT NULL))
      )`);
    await runner.query(`
      CREATE INDEX payment_claim_kept ON payment_claim (delivered_at)
        WHERE state = 'delivered' AND purged_at IS NULL`);
    // Answers are proofs, mostly: already incompressible.
    await runner.query(`ALTER TABLE payment_claim ALTER COLUMN response_body SET STORAGE EXTERNAL`);
    await this.createLedger(runner);
  }

  private async createLedger(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ledger_entry (
        entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        transaction_id uuid NOT NULL,
        account text NOT NULL CHECK (account IN ('lightning-clearing', 'holds', 'treasury')),
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd <> 0),
        claim_id uuid NOT NULL REFERENCES payment_claim (claim_id),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX ledger_entry_transaction ON ledger_entry (transaction_id)`);
    await runner.query(`CREATE INDEX ledger_entry_account ON ledger_entry (account)`);
    await runner.query(`
      CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the ledger is append only' USING ERRCODE = 'restrict_violation';
      END $$`);
    await runner.query(`
      CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
        FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only()`);
    await runner.query(`
      CREATE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE total bigint;
      BEGIN
        EXECUTE format('SELECT sum(amount_micro_usd) FROM %I.%I WHERE transaction_id = $1',
          TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO total USING NEW.transaction_id;
        IF total <> 0 THEN
          RAISE EXCEPTION 'ledger transaction % sums to %, not to zero', NEW.transaction_id, total
            USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER ledger_balances AFTER INSERT ON ledger_entry
        DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ledger_transaction_balances()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ledger_entry`);
    await runner.query(`DROP FUNCTION ledger_transaction_balances`);
    await runner.query(`DROP FUNCTION ledger_is_append_only`);
    await runner.query(`DROP TABLE payment_claim`);
  }
}
