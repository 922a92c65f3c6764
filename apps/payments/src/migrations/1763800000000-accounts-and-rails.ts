import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts with keys, credit and monthly quotas; claims of every rail; a ledger with the accounts of customers.
 *
 * An account's balance is the `balance_after` of its newest ledger entry, and its entries are numbered without gaps:
 * the balance is held to the ledger by constraint, not by care.
 */
export class AccountsAndRails1763800000000 implements MigrationInterface {
  readonly name = 'AccountsAndRails1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.createAccounts(runner);
    await this.widenClaims(runner);
    await this.widenLedger(runner);
  }

  private async createAccounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account (
        account_id text PRIMARY KEY CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        kind text NOT NULL CHECK (kind IN ('purchased', 'derived', 'operator')),
        plan text NOT NULL DEFAULT 'demo' CHECK (plan IN ('demo', 'developer', 'pro_agent', 'enterprise')),
        plan_state text NOT NULL DEFAULT 'active' CHECK (plan_state IN ('active', 'past_due', 'lapsed')),
        plan_until timestamptz,
        email text CHECK (length(email) <= 254),
        stripe_customer_id text,
        stripe_subscription_id text UNIQUE,
        balance_micro_usd bigint NOT NULL DEFAULT 0 CHECK (balance_micro_usd >= 0),
        ledger_seq bigint NOT NULL DEFAULT 0 CHECK (ledger_seq >= 0),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE api_key (
        key_id text PRIMARY KEY CHECK (key_id ~ '^[a-z0-9]{16}$'),
        account_id text NOT NULL REFERENCES account (account_id),
        key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
        scopes text[] NOT NULL DEFAULT '{}',
        label text CHECK (length(label) <= 100),
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'rotating', 'revoked')),
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        ends_at timestamptz,
        CHECK (state <> 'rotating' OR ends_at IS NOT NULL)
      )`);
    await runner.query(`CREATE INDEX api_key_account ON api_key (account_id)`);
    // The subject is account:<id>, or address:<digest>: no address is kept.
    await runner.query(`
      CREATE TABLE quota_usage (
        subject text NOT NULL CHECK (subject ~ '^(account:acct_[a-z0-9]{20}|address:[0-9a-f]{64})$'),
        month date NOT NULL CHECK (extract(day FROM month) = 1),
        used bigint NOT NULL CHECK (used >= 0),
        PRIMARY KEY (subject, month)
      )`);
  }

  private async widenClaims(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE payment_claim
        DROP CONSTRAINT payment_claim_rail_family_check,
        ADD CONSTRAINT payment_claim_rail_family_check
          CHECK (rail_family IN ('lightning', 'stripe', 'x402', 'account')),
        DROP CONSTRAINT payment_claim_state_check,
        ADD CONSTRAINT payment_claim_state_check
          CHECK (state IN ('claimed', 'settled', 'credited', 'delivered', 'unknown', 'void')),
        ADD COLUMN token_digest text UNIQUE CHECK (token_digest ~ '^[0-9a-f]{64}$'),
        ADD COLUMN payer text CHECK (length(payer) BETWEEN 1 AND 128),
        ADD COLUMN idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        ADD COLUMN funding text NOT NULL DEFAULT 'rail' CHECK (funding IN ('rail', 'credit', 'quota')),
        ADD COLUMN settlement text NOT NULL DEFAULT 'settled'
          CHECK (settlement IN ('none', 'pending', 'settled', 'unknown', 'void')),
        ADD COLUMN settlement_reference text CHECK (length(settlement_reference) <= 256),
        ADD COLUMN settlement_evidence jsonb,
        ADD COLUMN charged_micro_usd bigint CHECK (charged_micro_usd >= 0),
        ADD COLUMN credit_account_id text REFERENCES account (account_id),
        ADD COLUMN response_sealed boolean NOT NULL DEFAULT false`);
    // The second payment of one payer for one request, and the first under one Idempotency-Key.
    await runner.query(`
      CREATE INDEX payment_claim_payer ON payment_claim (payer, request_digest, claimed_at DESC)
        WHERE payer IS NOT NULL`);
    await runner.query(`
      CREATE INDEX payment_claim_idempotency
        ON payment_claim (payer, operation_id, idempotency_key, claimed_at DESC)
        WHERE idempotency_key IS NOT NULL`);
    // An account that gives up work again and again has the next done to its end.
    await runner.query(`
      CREATE INDEX payment_claim_given_up ON payment_claim (payer, claimed_at)
        WHERE payer IS NOT NULL AND given_up_count > 0`);
    // What the sweeper and the reconciler look through.
    await runner.query(`
      CREATE INDEX payment_claim_open ON payment_claim (state, lease_until)
        WHERE state IN ('claimed', 'settled', 'unknown')`);
  }

  private async widenLedger(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ledger_entry
        DROP CONSTRAINT ledger_entry_account_check,
        ADD CONSTRAINT ledger_entry_account_check CHECK (account ~
          '^(lightning-clearing|onchain-clearing|processor-clearing|holds|holds:ticket|treasury|customer:acct_[a-z0-9]{20})$'),
        ALTER COLUMN claim_id DROP NOT NULL,
        ADD COLUMN kind text NOT NULL DEFAULT 'claim' CHECK (kind ~ '^[a-z][a-z-]{1,31}$'),
        ADD COLUMN reference text CHECK (length(reference) <= 256),
        ADD COLUMN account_seq bigint CHECK (account_seq >= 1),
        ADD COLUMN balance_after bigint CHECK (balance_after >= 0),
        ADD CONSTRAINT ledger_entry_customer_is_numbered
          CHECK ((account LIKE 'customer:%') = (account_seq IS NOT NULL)),
        ADD CONSTRAINT ledger_entry_customer_has_balance
          CHECK ((account LIKE 'customer:%') = (balance_after IS NOT NULL))`);
    // The entries of the house are many and alike: only those of customers are looked up.
    await runner.query(`DROP INDEX ledger_entry_account`);
    await runner.query(`
      CREATE UNIQUE INDEX ledger_entry_number ON ledger_entry (account, account_seq) WHERE account_seq IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ledger_entry_number`);
    await runner.query(`CREATE INDEX ledger_entry_account ON ledger_entry (account)`);
    await runner.query(`
      ALTER TABLE ledger_entry
        DROP COLUMN kind, DROP COLUMN reference, DROP COLUMN account_seq, DROP COLUMN balance_after,
        ALTER COLUMN claim_id SET NOT NULL,
        DROP CONSTRAINT ledger_entry_account_check,
        ADD CONSTRAINT ledger_entry_account_check CHECK (account IN ('lightning-clearing', 'holds', 'treasury'))`);
    await runner.query(`DROP INDEX payment_claim_open`);
    await runner.query(`DROP INDEX payment_claim_given_up`);
    await runner.query(`DROP INDEX payment_claim_idempotency`);
    await runner.query(`DROP INDEX payment_claim_payer`);
    await runner.query(`
      ALTER TABLE payment_claim
        DROP COLUMN token_digest, DROP COLUMN payer, DROP COLUMN idempotency_key, DROP COLUMN funding,
        DROP COLUMN settlement, DROP COLUMN settlement_reference, DROP COLUMN settlement_evidence,
        DROP COLUMN charged_micro_usd, DROP COLUMN credit_account_id, DROP COLUMN response_sealed,
        DROP CONSTRAINT payment_claim_state_check,
        ADD CONSTRAINT payment_claim_state_check CHECK (state IN ('claimed', 'settled', 'delivered', 'unknown')),
        DROP CONSTRAINT payment_claim_rail_family_check,
        ADD CONSTRAINT payment_claim_rail_family_check CHECK (rail_family IN ('lightning'))`);
    await runner.query(`DROP TABLE quota_usage`);
    await runner.query(`DROP TABLE api_key`);
    await runner.query(`DROP TABLE account`);
  }
}
