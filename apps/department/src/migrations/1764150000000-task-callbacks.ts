import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is owed to whoever asked to be called once a task ends: written in the transaction that ends it. */
export class TaskCallbacks1764150000000 implements MigrationInterface {
  readonly name = 'TaskCallbacks1764150000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE task_callback (
        task_id text PRIMARY KEY CHECK (task_id ~ '^tsk_[A-Za-z0-9_-]{22}$'),
        dept_id text NOT NULL CHECK (length(dept_id) BETWEEN 1 AND 64),
        url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
        state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'given-up')),
        attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
        -- When it is tried next; a replica that takes it puts this off, so that no other one tries at the same time.
        next_at timestamptz NOT NULL DEFAULT now(),
        last_error text CHECK (length(last_error) <= 512),
        created_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        CHECK ((state = 'waiting') = (ended_at IS NULL))
      )`);
    await runner.query(`CREATE INDEX task_callback_due ON task_callback (next_at) WHERE state = 'waiting'`);
    await runner.query(
      `CREATE INDEX task_callback_ended ON task_callback (ended_at) WHERE state <> 'waiting'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE task_callback`);
  }
}
