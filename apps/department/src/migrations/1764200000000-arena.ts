import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Challenges of the arena with their gradings, and the calls by which each was set and graded. */
export class Arena1764200000000 implements MigrationInterface {
  readonly name = 'Arena1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    // A call that was revoked stays here as a tombstone, also one that never came.
    await runner.query(`
      CREATE TABLE arena_call (
        idem_key bytea PRIMARY KEY CHECK (length(idem_key) = 32),
        request_digest bytea CHECK (length(request_digest) = 32),
        state text NOT NULL CHECK (state IN ('running', 'done', 'revoked')),
        begun_at timestamptz NOT NULL DEFAULT now(),
        CHECK (request_digest IS NOT NULL OR state = 'revoked')
      )`);
    await runner.query(`CREATE INDEX arena_call_begun ON arena_call (begun_at)`);
    // json, not jsonb: an answer given again has to be the same bytes.
    await runner.query(`
      CREATE TABLE arena_challenge (
        challenge_id text PRIMARY KEY CHECK (challenge_id ~ '^arena_[A-Za-z0-9_-]{22}$'),
        issued_by bytea NOT NULL UNIQUE CHECK (length(issued_by) = 32),
        account_id text CHECK (account_id ~ '^acct_[a-z0-9]{20}$'),
        family text NOT NULL CHECK (family IN ('shortest-path', 'max-cut', 'sat', 'modular-algebra')),
        level int NOT NULL CHECK (level BETWEEN 1 AND 10),
        seed bytea NOT NULL CHECK (length(seed) = 32),
        problem json NOT NULL,
        optimum double precision NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL CHECK (expires_at > issued_at),
        graded_by bytea UNIQUE CHECK (length(graded_by) = 32),
        graded_at timestamptz,
        graded_account_id text CHECK (graded_account_id ~ '^acct_[a-z0-9]{20}$'),
        agent_id text CHECK (length(agent_id) BETWEEN 1 AND 128),
        score int CHECK (score BETWEEN 0 AND 100),
        correctness int CHECK (correctness IN (0, 1)),
        grading json,
        earned_sats int CHECK (earned_sats >= 0),
        award_sats int CHECK (award_sats >= 0),
        award_reason text,
        CHECK (num_nonnulls(graded_by, graded_at, score, correctness, grading, earned_sats, award_sats, award_reason)
               IN (0, 8))
      )`);
    await runner.query(`
      CREATE INDEX arena_challenge_board
        ON arena_challenge (graded_account_id, graded_at)
        INCLUDE (agent_id, family, level, score, correctness) WHERE graded_by IS NOT NULL`);
    await runner.query(`
      CREATE INDEX arena_challenge_award ON arena_challenge (graded_at) WHERE award_reason = 'PENDING'`);
    await runner.query(`
      CREATE INDEX arena_challenge_unanswered ON arena_challenge (expires_at) WHERE graded_by IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE arena_challenge, arena_call`);
  }
}
