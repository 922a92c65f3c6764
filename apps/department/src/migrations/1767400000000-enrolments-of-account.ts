import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Enrolments are counted by account, whose number is bounded: a row has some 100 KB, and none is ever deleted.
 */
export class EnrolmentsOfAccount1767400000000 implements MigrationInterface {
  readonly name = 'EnrolmentsOfAccount1767400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX speckle_enrolment_of_account ON speckle_enrolment (account_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX speckle_enrolment_of_account`);
  }
}
