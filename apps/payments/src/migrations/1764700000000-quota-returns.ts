import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counted calls that were taken back under a key of whoever had them: one is taken back once, however often it is asked. */
export class QuotaReturns1764700000000 implements MigrationInterface {
  readonly name = 'QuotaReturns1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE quota_return (
        call_key text PRIMARY KEY CHECK (length(call_key) BETWEEN 1 AND 64),
        month date NOT NULL CHECK (extract(day FROM month) = 1)
      )`);
    await runner.query(`CREATE INDEX quota_return_month ON quota_return (month)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE quota_return`);
  }
}
