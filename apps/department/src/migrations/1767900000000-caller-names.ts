import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows named their caller by a plain digest of an address or an account, by which an address can be found. New ones are keyed; those that
 * were there share one turn. What a replica of an earlier release still writes beside goes with its row's time.
 */
export class CallerNames1767900000000 implements MigrationInterface {
  readonly name = 'CallerNames1767900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE task SET turn_subject = '' WHERE turn_subject <> ''`);
    await runner.query(checked(32));
  }

  /** What was removed cannot be made again, and nothing needs it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(checked(64));
  }
}

const checked = (charsMax: number): string => `
  ALTER TABLE task DROP CONSTRAINT task_turn_subject_check,
    ADD CONSTRAINT task_turn_subject_check CHECK (turn_subject ~ '^[A-Za-z0-9_-]{0,${charsMax}}$')`;
