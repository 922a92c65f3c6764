import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Genuine pieces that operators have recorded, products that only those know, and tones that recordings are challenged with. */
export class Bullion1764000000000 implements MigrationInterface {
  readonly name = 'Bullion1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE bullion_product (
        product_id text PRIMARY KEY CHECK (product_id ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(product_id) <= 64),
        name text NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
        metal text NOT NULL CHECK (metal IN ('gold', 'silver', 'platinum', 'palladium')),
        fineness double precision NOT NULL CHECK (fineness > 0 AND fineness <= 1),
        mass_g double precision NOT NULL CHECK (mass_g > 0),
        diameter_mm double precision NOT NULL CHECK (diameter_mm > 0),
        thickness_mm double precision CHECK (thickness_mm > 0),
        created_by_account text NOT NULL,
        created_by_key text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    // What was heard is kept whole: how modes are made of peaks may change, what was recorded does not.
    await runner.query(`
      CREATE TABLE bullion_enrolment (
        enrolment_id text PRIMARY KEY,
        product_id text NOT NULL,
        specimen text NOT NULL CHECK (length(specimen) BETWEEN 1 AND 128),
        mass_g double precision CHECK (mass_g > 0),
        recording_sha256 bytea NOT NULL CHECK (length(recording_sha256) = 32),
        peaks jsonb NOT NULL,
        modes jsonb NOT NULL,
        enrolled_by_account text NOT NULL,
        enrolled_by_key text NOT NULL,
        enrolled_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (product_id, recording_sha256)
      )`);
    await runner.query(`
      CREATE FUNCTION refuse_bullion_change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$`);
    for (const table of ['bullion_product', 'bullion_enrolment']) {
      await runner.query(`
        CREATE TRIGGER ${table}_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_bullion_change()`);
    }
    await runner.query(`
      CREATE TABLE bullion_challenge (
        challenge_id text PRIMARY KEY,
        tones_hz double precision[] NOT NULL CHECK (cardinality(tones_hz) > 0),
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        used_by_digest bytea CHECK (length(used_by_digest) = 32),
        CHECK ((used_at IS NULL) = (used_by_digest IS NULL))
      )`);
    await runner.query(`CREATE INDEX bullion_challenge_expiry ON bullion_challenge (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE bullion_challenge, bullion_enrolment, bullion_product`);
    await runner.query(`DROP FUNCTION refuse_bullion_change()`);
  }
}
