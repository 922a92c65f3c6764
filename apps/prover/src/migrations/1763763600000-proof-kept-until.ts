import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each proof says how long it is kept: that of a batch of audits as long as the signature over it holds. What opens the
 * commitments of earlier jobs goes: it is told once and kept nowhere.
 */
export class ProofKeptUntil1763763600000 implements MigrationInterface {
  readonly name = 'ProofKeptUntil1763763600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof ADD COLUMN kept_until timestamptz`);
    await runner.query(`
      UPDATE proof SET kept_until =
        created_at + make_interval(days => CASE WHEN air_id = 'rules/v1' THEN 366 ELSE 30 END)`);
    // The default is for replicas that were started before, and know nothing of it.
    await runner.query(`
      ALTER TABLE proof
        ALTER COLUMN kept_until SET NOT NULL,
        ALTER COLUMN kept_until SET DEFAULT now() + interval '30 days'`);
    await runner.query(`DROP INDEX proof_created_at`);
    await runner.query(`CREATE INDEX proof_kept_until ON proof (kept_until)`);
    await runner.query(`UPDATE proof_job SET result = result - 'opening' WHERE result ? 'opening'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE proof DROP COLUMN kept_until`);
    await runner.query(`CREATE INDEX proof_created_at ON proof (created_at)`);
  }
}
