import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Calls that run once for their key, and the marks of those that were taken back. What was asked is a keyed digest and the
 * reply is sealed: both may speak of private inputs. A proof says when it was revoked.
 */
export class IdempotentCall1763900000000 implements MigrationInterface {
  readonly name = 'IdempotentCall1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotent_call (
        idem_key bytea PRIMARY KEY CHECK (length(idem_key) = 32),
        kind text NOT NULL CHECK (kind IN ('execution', 'tool')),
        state text NOT NULL CHECK (state IN ('running', 'done', 'revoked')),
        request_digest bytea,
        owner uuid,
        lease_until timestamptz,
        reply bytea,
        proof_id text,
        created_at timestamptz NOT NULL DEFAULT now(),
        changed_at timestamptz NOT NULL DEFAULT now(),
        CHECK (state = 'revoked' OR request_digest IS NOT NULL),
        CHECK ((state = 'running') = (owner IS NOT NULL)),
        CHECK ((state = 'running') = (lease_until IS NOT NULL)),
        CHECK ((state = 'done') = (reply IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX idempotent_call_changed_at ON idempotent_call (changed_at)`);
    await runner.query(`ALTER TABLE proof ADD COLUMN revoked_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof DROP COLUMN revoked_at`);
    await runner.query(`DROP TABLE idempotent_call`);
  }
}
