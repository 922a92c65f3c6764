import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The domain tag that a proof was made under, without which it does not verify. In UTF-8: a tag may hold what
 * text in Postgres may not. Of earlier raw proofs it is not known, and stays null; of a hash chain it was always empty.
 */
export class ProofContext1763776800000 implements MigrationInterface {
  readonly name = 'ProofContext1763776800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof ADD COLUMN context_domain bytea`);
    await runner.query(`
      UPDATE proof SET context_domain = CASE
        WHEN air_id = 'rules/v1' THEN convert_to('svc/audit/v1', 'UTF8')
        WHEN air_id IN ('hash-chain/v1', 'spatial-box/v1') THEN ''::bytea
        ELSE convert_to(public_inputs ->> 'contextDomain', 'UTF8') END`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof DROP COLUMN context_domain`);
  }
}
