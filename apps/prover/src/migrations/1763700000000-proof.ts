import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Proofs that were delivered, for whoever holds their unguessable id. */
export class Proof1763700000000 implements MigrationInterface {
  readonly name = 'Proof1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE proof (
        proof_id text PRIMARY KEY,
        air_id text NOT NULL,
        public_inputs jsonb NOT NULL,
        proof bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    // A proof is already incompressible; trying costs a millisecond an insert.
    await runner.query(`ALTER TABLE proof ALTER COLUMN proof SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX proof_created_at ON proof (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE proof`);
  }
}
