import type { MigrationInterface, QueryRunner } from 'typeorm';

const [BEFORE, AFTER] = [
  `'REQUIRES_PAYMENT', 'HELD', 'RELEASED', 'CANCELLED', 'EXPIRED'`,
  `'REQUIRES_PAYMENT', 'HELD', 'RELEASED', 'COLLECTED', 'CANCELLED', 'EXPIRED'`,
];

/**
 * Payees of escrows: one who is no account yet claims it by a link, of which a keyed digest is kept, and each may accept it. RELEASED is
 * another account's money by constraint; what the account that made the escrow has got itself is COLLECTED.
 */
export class EscrowPayees1768600000000 implements MigrationInterface {
  readonly name = 'EscrowPayees1768600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE escrow
        ALTER COLUMN payee_account_id DROP NOT NULL,
        ADD COLUMN claim_digest bytea UNIQUE CHECK (length(claim_digest) = 32),
        ADD COLUMN accepted_at timestamptz,
        DROP CONSTRAINT escrow_state_check,
        DROP CONSTRAINT escrow_check2`);
    await runner.query(
      `UPDATE escrow SET state = 'COLLECTED' WHERE state = 'RELEASED' AND payee_account_id = account_id`,
    );
    await runner.query(`
      ALTER TABLE escrow
        ADD CONSTRAINT escrow_state_check CHECK (state IN (${AFTER})),
        ADD CONSTRAINT escrow_captured CHECK ((state IN ('RELEASED', 'COLLECTED')) = (released_cents > 0)),
        ADD CONSTRAINT escrow_released_to_another
          CHECK (state <> 'RELEASED' OR (payee_account_id IS NOT NULL AND payee_account_id <> account_id)),
        ADD CONSTRAINT escrow_payee_or_link CHECK (payee_account_id IS NOT NULL OR claim_digest IS NOT NULL)`);
    await runner.query(`CREATE INDEX escrow_account ON escrow (account_id, created_at, escrow_id)`);
    await runner.query(`CREATE INDEX escrow_payee ON escrow (payee_account_id, created_at, escrow_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX escrow_payee, escrow_account`);
    await runner.query(`
      ALTER TABLE escrow
        DROP CONSTRAINT escrow_payee_or_link, DROP CONSTRAINT escrow_released_to_another,
        DROP CONSTRAINT escrow_captured, DROP CONSTRAINT escrow_state_check`);
    await runner.query(`UPDATE escrow SET state = 'RELEASED' WHERE state = 'COLLECTED'`);
    await runner.query(`UPDATE escrow SET payee_account_id = account_id WHERE payee_account_id IS NULL`);
    await runner.query(`
      ALTER TABLE escrow
        DROP COLUMN claim_digest, DROP COLUMN accepted_at, ALTER COLUMN payee_account_id SET NOT NULL,
        ADD CONSTRAINT escrow_state_check CHECK (state IN (${BEFORE})),
        ADD CONSTRAINT escrow_check2 CHECK ((state = 'RELEASED') = (released_cents > 0))`);
  }
}
