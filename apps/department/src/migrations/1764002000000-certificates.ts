import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Requirement sets of accounts; audits as they were answered; and the overrides of their rules. Nothing changes an audit or an
 * override afterwards: what people decided stays beside what was found.
 */
export class Certificates1764002000000 implements MigrationInterface {
  readonly name = 'Certificates1764002000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE coi_requirement_set (
        account_id text NOT NULL CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        requirement_set_id text NOT NULL CHECK (requirement_set_id ~ '^[a-z0-9]+(-[a-z0-9]+)*$'
          AND length(requirement_set_id) <= 64),
        requirements json NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (account_id, requirement_set_id)
      )`);
    await runner.query(`
      CREATE TABLE coi_audit (
        audit_seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        audit_id text NOT NULL UNIQUE CHECK (audit_id ~ '^aud_[A-Za-z0-9_-]{22}$'),
        -- Null where no key came along: nobody may override such an audit, and no list has it.
        account_id text CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        -- The insured's name as names are compared; the id of the audit where none was read.
        insured_key text NOT NULL CHECK (length(insured_key) BETWEEN 1 AND 1024),
        insured text,
        expires_at date,
        verdict text NOT NULL CHECK (verdict IN ('COMPLIANT', 'DEFICIENT', 'REVIEW')),
        -- As it was answered, in the order of its members: the evidence in it covers just that.
        answer json NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE INDEX coi_audit_newest ON coi_audit (account_id, insured_key, audit_seq DESC) WHERE account_id IS NOT NULL`);
    await runner.query(`
      CREATE TABLE coi_override (
        override_seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        override_id text NOT NULL UNIQUE CHECK (override_id ~ '^ovr_[A-Za-z0-9_-]{22}$'),
        audit_id text NOT NULL REFERENCES coi_audit (audit_id),
        rule_id text NOT NULL CHECK (length(rule_id) BETWEEN 1 AND 64),
        from_outcome text NOT NULL CHECK (from_outcome IN ('pass', 'fail', 'warn', 'not_determinable')),
        outcome text NOT NULL CHECK (outcome IN ('pass', 'fail')),
        reason text NOT NULL CHECK (length(reason) BETWEEN 3 AND 2000),
        answered_by text NOT NULL CHECK (length(answered_by) BETWEEN 1 AND 128),
        key_id text NOT NULL,
        -- What the audit comes to with this override and those before it.
        verdict text NOT NULL CHECK (verdict IN ('COMPLIANT', 'DEFICIENT', 'REVIEW')),
        at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX coi_override_of ON coi_override (audit_id, override_seq)`);
    await runner.query(`
      CREATE FUNCTION coi_record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'audits of certificates and their overrides are append only' USING ERRCODE = 'restrict_violation';
      END $$`);
    for (const table of ['coi_audit', 'coi_override']) {
      await runner.query(`
        CREATE TRIGGER ${table}_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION coi_record_is_append_only()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['coi_override', 'coi_audit', 'coi_requirement_set'])
      await runner.query(`DROP TABLE ${table}`);
    await runner.query(`DROP FUNCTION coi_record_is_append_only`);
  }
}
