import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks that are within the quota of their caller: where they were counted, and are taken back from without an answer. */
export class CountedTasks1764700000000 implements MigrationInterface {
  readonly name = 'CountedTasks1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE task
        ADD COLUMN counted_subject text CHECK (length(counted_subject) BETWEEN 1 AND 128),
        ADD COLUMN counted_resets_at timestamptz,
        ADD CONSTRAINT task_counted_check CHECK ((counted_subject IS NULL) = (counted_resets_at IS NULL)),
        ADD CONSTRAINT task_counted_or_claimed_check CHECK (counted_subject IS NULL OR claim_id IS NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE task DROP COLUMN counted_subject, DROP COLUMN counted_resets_at`);
  }
}
