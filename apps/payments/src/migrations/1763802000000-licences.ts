import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The licences that were issued. What was revoked stays revoked: the table sees to it. */
export class Licences1763802000000 implements MigrationInterface {
  readonly name = 'Licences1763802000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE licence (
        licence_id text PRIMARY KEY CHECK (licence_id ~ '^lic_[A-Za-z0-9_-]{22}$'),
        account_id text NOT NULL REFERENCES account (account_id),
        tier text NOT NULL CHECK (tier ~ '^[a-z0-9_]{1,32}$'),
        features text[] NOT NULL CHECK (cardinality(features) <= 32),
        seats integer NOT NULL CHECK (seats BETWEEN 1 AND 1000000),
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL CHECK (expires_at >= issued_at),
        kid text NOT NULL CHECK (kid ~ '^[A-Za-z0-9_-]{1,64}$'),
        state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'revoked')),
        state_changed_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX licence_account ON licence (account_id, issued_at DESC)`);
    await runner.query(`
      CREATE FUNCTION licence_stays_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'licence % was revoked', OLD.licence_id USING ERRCODE = 'restrict_violation';
      END $$`);
    await runner.query(`
      CREATE TRIGGER licence_revocation_is_final BEFORE UPDATE OF state ON licence
        FOR EACH ROW WHEN (OLD.state = 'revoked' AND NEW.state <> 'revoked')
        EXECUTE FUNCTION licence_stays_revoked()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE licence`);
    await runner.query(`DROP FUNCTION licence_stays_revoked`);
  }
}
