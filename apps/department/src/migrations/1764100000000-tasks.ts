import { EventOutboxTable } from '@svc/platform';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks of the desks, and their steps. What a task was given is sealed, and goes as it comes to its outcome. */
export class Tasks1764100000000 implements MigrationInterface {
  readonly name = 'Tasks1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE task (
        task_id text PRIMARY KEY CHECK (task_id ~ '^tsk_[A-Za-z0-9_-]{22}$'),
        dept_id text NOT NULL CHECK (length(dept_id) <= 64),
        capability text NOT NULL CHECK (length(capability) <= 128),
        priority text NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
        state text NOT NULL
          CHECK (state IN ('QUEUED', 'RUNNING', 'SETTLING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
        outcome text CHECK (outcome IN ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
        seq integer NOT NULL CHECK (seq >= 1),
        fence integer NOT NULL CHECK (fence >= 0),
        begins integer NOT NULL CHECK (begins >= 0),
        has_begun boolean NOT NULL,
        is_binding boolean NOT NULL,
        progress real CHECK (progress BETWEEN 0 AND 1),
        stage text CHECK (length(stage) <= 64),
        payment text NOT NULL
          CHECK (payment IN ('held', 'delivery-due', 'return-due', 'delivered', 'returned', 'superseded')),
        -- Null where an execution ticket pays.
        claim_id uuid,
        claim_attempt integer,
        receipt text NOT NULL,
        -- What is asked, and with what: null once the task has an outcome.
        sealed_order bytea,
        -- What opens the commitment of a proof: until the payment has been delivered with it.
        sealed_opening bytea,
        result json,
        problem json,
        callback_url text CHECK (length(callback_url) <= 2048),
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        ended_at timestamptz,
        deadline_at timestamptz,
        -- Null while the task is not known to be in the work queue; each time that it is put there has a number.
        enqueued_at timestamptz,
        enqueue_count integer NOT NULL DEFAULT 0,
        lease_until timestamptz,
        -- When the claim is to be renewed, or the payment to be settled, by whoever looks.
        attend_at timestamptz NOT NULL,
        CHECK ((state IN ('QUEUED', 'RUNNING')) = (outcome IS NULL)),
        CHECK ((state IN ('QUEUED', 'RUNNING')) = (payment = 'held')),
        CHECK ((state = 'SETTLING') = (payment IN ('delivery-due', 'return-due'))),
        CHECK (state = 'SETTLING' OR outcome IS NULL OR state = outcome),
        CHECK (outcome IS NULL OR sealed_order IS NULL)
      )`);
    for (const index of [
      `task_attended ON task (attend_at) WHERE state IN ('QUEUED', 'RUNNING', 'SETTLING')`,
      `task_waiting ON task (dept_id) WHERE state = 'QUEUED'`,
      `task_not_enqueued ON task (created_at) WHERE enqueued_at IS NULL AND state = 'QUEUED'`,
      `task_enqueued ON task (enqueued_at) WHERE state IN ('QUEUED', 'RUNNING')`,
      `task_late ON task (deadline_at) WHERE state IN ('QUEUED', 'RUNNING') AND deadline_at IS NOT NULL`,
      `task_of_claim ON task (claim_id) WHERE state IN ('QUEUED', 'RUNNING', 'SETTLING')`,
      `task_newest ON task (dept_id, ended_at DESC) WHERE outcome = 'COMPLETED'`,
      `task_age ON task (created_at)`,
    ])
      await runner.query(`CREATE INDEX ${index}`);
    await runner.query(`
      CREATE TABLE task_event (
        task_id text NOT NULL REFERENCES task (task_id) ON DELETE CASCADE,
        seq integer NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        status text NOT NULL,
        progress real,
        stage text,
        PRIMARY KEY (task_id, seq)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE task_event');
    await runner.query('DROP TABLE task');
  }
}

/** The events of the tasks that have not left yet. */
export class EventOutbox1764101000000 extends EventOutboxTable {
  readonly name = 'EventOutbox1764101000000';
}
