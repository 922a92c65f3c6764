import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls that are of no task: what they say is kept until they are made. */
export class OwedCalls1768400000000 implements MigrationInterface {
  readonly name = 'OwedCalls1768400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE task_callback ADD COLUMN body text CHECK (length(body) <= 4096),
        ALTER COLUMN dept_id DROP NOT NULL, DROP CONSTRAINT task_callback_task_id_check,
        ADD CONSTRAINT task_callback_task_id_check
          CHECK (task_id ~ CASE WHEN body IS NULL THEN '^tsk_[A-Za-z0-9_-]{22}$' ELSE '^ntc_[0-9a-f-]{36}$' END),
        ADD CONSTRAINT task_callback_of_task CHECK ((dept_id IS NULL) = (body IS NOT NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM task_callback WHERE body IS NOT NULL`);
    await runner.query(`
      ALTER TABLE task_callback DROP CONSTRAINT task_callback_of_task, DROP CONSTRAINT task_callback_task_id_check,
        ADD CONSTRAINT task_callback_task_id_check CHECK (task_id ~ '^tsk_[A-Za-z0-9_-]{22}$'),
        ALTER COLUMN dept_id SET NOT NULL, DROP COLUMN body`);
  }
}
