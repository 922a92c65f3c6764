import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tasks within a quota are looked up by whose quota it is: what they take together is bounded. */
export class CountedTaskRoom1767700000000 implements MigrationInterface {
  readonly name = 'CountedTaskRoom1767700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX task_counted ON task (counted_subject, ended_at DESC) WHERE counted_subject IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX task_counted`);
  }
}
