import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A task says whose turn it takes, so that callers share the places where tasks wait, and their tasks are done in turns. Tasks of
 * earlier releases share one turn.
 */
export class TaskTurns1767600000000 implements MigrationInterface {
  readonly name = 'TaskTurns1767600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE task
        ADD COLUMN turn_subject text NOT NULL DEFAULT '' CHECK (turn_subject ~ '^[A-Za-z0-9_-]{0,64}$')`);
    await runner.query(`DROP INDEX task_waiting`);
    await runner.query(`
      CREATE INDEX task_waiting ON task (dept_id, priority, turn_subject, created_at) WHERE state = 'QUEUED'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE task DROP COLUMN turn_subject`);
    await runner.query(`CREATE INDEX task_waiting ON task (dept_id) WHERE state = 'QUEUED'`);
  }
}
