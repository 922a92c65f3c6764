import type { MigrationInterface, QueryRunner } from 'typeorm';

/** New keys of accounts, made for who proved to have paid: each is on record, and its challenge is good once. */
export class KeyRecoveries1768600100000 implements MigrationInterface {
  readonly name = 'KeyRecoveries1768600100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE key_recovery (
        nonce bytea PRIMARY KEY CHECK (length(nonce) = 16),
        account_id text NOT NULL REFERENCES account (account_id),
        key_id text NOT NULL CHECK (key_id ~ '^[a-z0-9]{16}$'),
        rail_family text NOT NULL CHECK (rail_family IN ('lightning', 'x402')),
        ended_keys text[] NOT NULL,
        made_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX key_recovery_account ON key_recovery (account_id, made_at)`);
    await runner.query(`CREATE INDEX key_recovery_made ON key_recovery (made_at)`);
    // What the payments of one wallet have left: few of them have.
    await runner.query(`
      CREATE INDEX payment_claim_left ON payment_claim (payer)
        WHERE rail_family = 'x402' AND credit_account_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX payment_claim_left`);
    await runner.query(`DROP TABLE key_recovery`);
  }
}
