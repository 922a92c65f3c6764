import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Leads; spot prices as they were set; credit that an operator granted; and the record of what operators did, which
 * nothing changes afterwards.
 */
export class LeadsAndAdmin1763803000000 implements MigrationInterface {
  readonly name = 'LeadsAndAdmin1763803000000';

  async up(runner: QueryRunner): Promise<void> {
    await this.createLeads(runner);
    await this.createAudit(runner);
    await runner.query(`
      CREATE TABLE credit_grant (
        grant_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id text NOT NULL REFERENCES account (account_id),
        amount_micro_usd bigint NOT NULL CHECK (amount_micro_usd > 0),
        reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
        granted_by text NOT NULL,
        idempotency_key text CHECK (length(idempotency_key) BETWEEN 1 AND 255),
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (granted_by, idempotency_key)
      )`);
    // How operators look for accounts.
    await runner.query(`CREATE INDEX account_newest ON account (created_at DESC, account_id DESC)`);
    await runner.query(`CREATE INDEX account_email ON account (lower(email))`);
    // Every price that was ever set is kept: the newest as_of of a metal and currency is the one in force.
    await runner.query(`
      CREATE TABLE spot_price (
        spot_price_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        metal text NOT NULL CHECK (metal IN ('XAU', 'XAG', 'XPT', 'XPD')),
        currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
        price numeric(20, 8) NOT NULL CHECK (price > 0),
        as_of timestamptz NOT NULL,
        source text NOT NULL CHECK (length(source) BETWEEN 1 AND 64),
        set_by text NOT NULL,
        set_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE INDEX spot_price_newest ON spot_price (metal, currency, as_of DESC, spot_price_id DESC)`,
    );
  }

  private async createLeads(runner: QueryRunner): Promise<void> {
    // One lead for each address and source, however often it comes: free routes record leads too.
    await runner.query(`
      CREATE TABLE lead (
        lead_seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        lead_id text NOT NULL UNIQUE CHECK (lead_id ~ '^lead_[A-Za-z0-9_-]{22}$'),
        status text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'contacted', 'won', 'lost')),
        source text NOT NULL CHECK (source IN ('checkout', 'purchase-link')),
        email text NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
        email_domain text NOT NULL GENERATED ALWAYS AS (lower(substring(email FROM '@([^@]*)$'))) STORED,
        account_id text REFERENCES account (account_id),
        detail jsonb NOT NULL DEFAULT '{}' CHECK (length(detail::text) <= 2048),
        seen_count integer NOT NULL DEFAULT 1 CHECK (seen_count >= 1),
        created_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE UNIQUE INDEX lead_address ON lead (lower(email), source)`);
    await runner.query(`CREATE INDEX lead_status ON lead (status, lead_seq DESC)`);
  }

  private async createAudit(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE admin_audit (
        audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        account_id text NOT NULL,
        key_id text NOT NULL,
        action text NOT NULL CHECK (action ~ '^[a-z][a-z.-]{1,63}$'),
        target text CHECK (length(target) <= 128),
        arguments_digest text NOT NULL CHECK (arguments_digest ~ '^[0-9a-f]{64}$'),
        outcome text NOT NULL CHECK (outcome ~ '^[A-Z_]{2,32}$'),
        at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE FUNCTION admin_audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the record of what operators did is append only' USING ERRCODE = 'restrict_violation';
      END $$`);
    await runner.query(`
      CREATE TRIGGER admin_audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON admin_audit
        FOR EACH STATEMENT EXECUTE FUNCTION admin_audit_is_append_only()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX account_email`);
    await runner.query(`DROP INDEX account_newest`);
    await runner.query(`DROP TABLE spot_price`);
    await runner.query(`DROP TABLE credit_grant`);
    await runner.query(`DROP TABLE admin_audit`);
    await runner.query(`DROP FUNCTION admin_audit_is_append_only`);
    await runner.query(`DROP TABLE lead`);
  }
}
