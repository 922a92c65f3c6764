import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows named their caller by a plain digest of an address or an account, by which an address can be found. New ones are keyed; those that
 * were there share one turn.
 */
export class CallerNames1767900000000 implements MigrationInterface {
  readonly name = 'CallerNames1767900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE task SET turn_subject = '' WHERE turn_subject <> ''`);
  }

  /** What was removed cannot be made again, and nothing needs it. */
  async down(): Promise<void> {}
}
