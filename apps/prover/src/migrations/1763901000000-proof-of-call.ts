import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A proof names the call that it was made for, so that it is taken back with it also where nobody came to record it. */
export class ProofOfCall1763901000000 implements MigrationInterface {
  readonly name = 'ProofOfCall1763901000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof ADD COLUMN idem_key bytea CHECK (length(idem_key) = 32)`);
    await runner.query(`CREATE INDEX proof_idem_key ON proof (idem_key) WHERE idem_key IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof DROP COLUMN idem_key`);
  }
}
