import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Surfaces that accounts have enrolled, and which account has which name for a piece. */
export class Speckle1764800000000 implements MigrationInterface {
  readonly name = 'Speckle1764800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE speckle_slab (
        slab_id text PRIMARY KEY CHECK (slab_id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
        account_id text NOT NULL CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE speckle_enrolment (
        puf_id text PRIMARY KEY CHECK (puf_id ~ '^puf_[A-Za-z0-9_-]{22}$'),
        -- The newest of a slab is the one with the highest.
        number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        -- Null for a piece that is known by its pufId alone.
        slab_id text REFERENCES speckle_slab,
        account_id text NOT NULL CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        -- Null where a task of the account enrolled it.
        key_id text,
        -- The same picture of the same piece, asked again by its owner, is the same enrolment.
        request_digest bytea NOT NULL UNIQUE CHECK (length(request_digest) = 32),
        fingerprint_version text NOT NULL CHECK (length(fingerprint_version) BETWEEN 1 AND 64),
        modality text NOT NULL CHECK (modality IN ('laser_speckle', 'paper_texture', 'surface_texture')),
        bit_count integer NOT NULL CHECK (bit_count BETWEEN 1 AND 8192),
        usable_bits integer NOT NULL CHECK (usable_bits BETWEEN 0 AND bit_count),
        quality jsonb NOT NULL,
        helper_data bytea NOT NULL CHECK (length(helper_data) BETWEEN 1 AND 8192),
        key_commitment bytea NOT NULL CHECK (length(key_commitment) = 32),
        residual_entropy_bits double precision NOT NULL CHECK (residual_entropy_bits >= 128),
        enrolled_at timestamptz NOT NULL,
        -- Bits, mask and what alignment needs of the picture. Whoever read them could make the key of the surface; and they open
        -- beside the columns above alone, as they were written.
        sealed bytea NOT NULL CHECK (length(sealed) BETWEEN 64 AND 262144)
      )`);
    await runner.query(`CREATE INDEX speckle_enrolment_of_slab ON speckle_enrolment (slab_id, number DESC)`);
    await runner.query(`
      CREATE FUNCTION refuse_speckle_change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$`);
    for (const table of ['speckle_slab', 'speckle_enrolment']) {
      await runner.query(`
        CREATE TRIGGER ${table}_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_speckle_change()`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE speckle_enrolment, speckle_slab`);
    await runner.query(`DROP FUNCTION refuse_speckle_change()`);
  }
}
