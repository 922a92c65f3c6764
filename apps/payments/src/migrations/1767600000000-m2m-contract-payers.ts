import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who paid for the first sale that stands under a contract between machines, as its ticket says it: an account or a wallet. Null where
 * the payment says nothing of its payer, and for the contracts of before, which stay open to all who name their licensee.
 */
export class M2mContractPayers1767600000000 implements MigrationInterface {
  readonly name = 'M2mContractPayers1767600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE m2m_contract ADD COLUMN payer text CHECK (length(payer) BETWEEN 1 AND 128)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE m2m_contract DROP COLUMN payer`);
  }
}
