import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Challenges with the pairings that answered them, emitters with the sounds that wait for them, and calls of the tool. */
export class Acoustic1764900000000 implements MigrationInterface {
  readonly name = 'Acoustic1764900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE beacon (
        beacon_key text PRIMARY KEY CHECK (beacon_key ~ '^bcn_[A-Za-z0-9_-]{22}$'),
        account_id text NOT NULL CHECK (length(account_id) BETWEEN 1 AND 64),
        enrolled_by_key text NOT NULL CHECK (length(enrolled_by_key) BETWEEN 1 AND 64),
        name text NOT NULL CHECK (length(name) BETWEEN 1 AND 128),
        secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32),
        enrolled_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX beacon_account ON beacon (account_id, enrolled_at)`);
    // The nonce is not here: whoever reads this cannot answer a challenge with it.
    await runner.query(`
      CREATE TABLE pairing_challenge (
        nonce_hash bytea PRIMARY KEY CHECK (length(nonce_hash) = 32),
        device_id text NOT NULL CHECK (length(device_id) BETWEEN 1 AND 128),
        frequency_band text NOT NULL CHECK (frequency_band IN ('ultrasonic_19khz', 'audible_fsk')),
        key_id text NOT NULL CHECK (length(key_id) BETWEEN 1 AND 64),
        assurance text NOT NULL CHECK (assurance IN ('beacon', 'recording_submitted')),
        issued_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL CHECK (expires_at > issued_at),
        tries int NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 16),
        used_at timestamptz,
        used_by_recording bytea CHECK (length(used_by_recording) = 32),
        used_by_call bytea CHECK (length(used_by_call) = 32),
        token_until timestamptz,
        pairing jsonb,
        CHECK (num_nonnulls(used_at, used_by_recording, token_until, pairing) IN (0, 4)),
        CHECK (used_by_call IS NULL OR used_at IS NOT NULL)
      )`);
    await runner.query(`CREATE INDEX pairing_challenge_expiry ON pairing_challenge (expires_at)`);
    await runner.query(`
      CREATE INDEX pairing_challenge_call ON pairing_challenge (used_by_call) WHERE used_by_call IS NOT NULL`);
    // What the sound carries is sealed: it is all that answers the challenge.
    await runner.query(`
      CREATE TABLE beacon_sound (
        nonce_hash bytea PRIMARY KEY CHECK (length(nonce_hash) = 32),
        beacon_key text NOT NULL REFERENCES beacon ON DELETE CASCADE,
        frequency_band text NOT NULL CHECK (frequency_band IN ('ultrasonic_19khz', 'audible_fsk')),
        payload bytea NOT NULL,
        issued_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX beacon_sound_next ON beacon_sound (beacon_key, issued_at)`);
    await runner.query(`CREATE INDEX beacon_sound_expiry ON beacon_sound (expires_at)`);
    // A call that was revoked stays here as a tombstone, also one that never came.
    await runner.query(`
      CREATE TABLE tool_call (
        idem_key bytea PRIMARY KEY CHECK (length(idem_key) = 32),
        request_digest bytea CHECK (length(request_digest) = 32),
        state text NOT NULL CHECK (state IN ('running', 'done', 'revoked')),
        reply bytea,
        begun_at timestamptz NOT NULL DEFAULT now(),
        CHECK (request_digest IS NOT NULL OR state = 'revoked'),
        CHECK ((reply IS NOT NULL) = (state = 'done'))
      )`);
    await runner.query(`CREATE INDEX tool_call_begun ON tool_call (begun_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE tool_call, beacon_sound, pairing_challenge, beacon`);
  }
}
