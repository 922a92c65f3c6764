import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { TableRights } from '../persistence/schema-migration.js';

/** The calls of a service's tool, as PostgresToolCalls keeps them. */
export class ToolCallTable1765500000000 implements MigrationInterface {
  readonly name = 'ToolCallTable1765500000000';

  async up(runner: QueryRunner): Promise<void> {
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
    await runner.query(`DROP TABLE tool_call`);
  }
}

/** What a service does with it: the request that a key stands for never changes. */
export const TOOL_CALL_RIGHTS: TableRights = {
  tool_call: ['SELECT', 'INSERT', 'UPDATE (state, reply)', 'DELETE'],
};
