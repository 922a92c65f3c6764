import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is told apart so that it can be bounded and deleted: escrows that no payment was ever held for, by who opened them; keys of an
 * account by their age; claims for which nothing was taken. A claim that anything was taken for is not deleted, whoever asks.
 */
export class BoundedRows1767500000000 implements MigrationInterface {
  readonly name = 'BoundedRows1767500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE escrow ADD COLUMN opened_by text CHECK (length(opened_by) <= 128), ADD COLUMN held_at timestamptz`);
    // Of those that have ended it was not recorded whether they were held: each that had a payment at the processor may have been.
    await runner.query(`
      UPDATE escrow SET held_at = created_at
       WHERE state IN ('HELD', 'RELEASED') OR (state <> 'REQUIRES_PAYMENT' AND payment_intent_id IS NOT NULL)`);
    await runner.query(`UPDATE escrow SET opened_by = 'account:' || account_id WHERE held_at IS NULL`);
    await runner.query(
      `CREATE INDEX escrow_opened_by ON escrow (opened_by, created_at) WHERE held_at IS NULL`,
    );
    await runner.query(`
      CREATE INDEX escrow_unpaid ON escrow (expires_at)
        WHERE held_at IS NULL AND state IN ('CANCELLED', 'EXPIRED')`);
    await runner.query(`DROP INDEX api_key_account`);
    await runner.query(`CREATE INDEX api_key_account ON api_key (account_id, created_at DESC)`);
    await runner.query(`CREATE INDEX api_key_live ON api_key (account_id, ends_at)`);
    await runner.query(`CREATE INDEX api_key_ended ON api_key (ends_at) WHERE ends_at IS NOT NULL`);
    // What a deletion looks for of the tables that refer to what is deleted.
    await runner.query(
      `CREATE INDEX checkout_session_key ON checkout_session (key_id) WHERE key_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX ledger_entry_claim ON ledger_entry (claim_id) WHERE claim_id IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX payment_claim_void ON payment_claim (lease_until) WHERE state = 'void'`);
    await runner.query(`
      CREATE FUNCTION payment_claim_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'claim % is %: it is kept, so that its payment buys nothing again', OLD.claim_id, OLD.state
          USING ERRCODE = 'restrict_violation';
      END $$`);
    await runner.query(`
      CREATE TRIGGER payment_claim_is_kept BEFORE DELETE ON payment_claim
        FOR EACH ROW WHEN (OLD.state <> 'void') EXECUTE FUNCTION payment_claim_is_kept()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER payment_claim_is_kept ON payment_claim`);
    await runner.query(`DROP FUNCTION payment_claim_is_kept`);
    await runner.query(`DROP INDEX payment_claim_void, ledger_entry_claim, checkout_session_key`);
    await runner.query(`DROP INDEX api_key_ended, api_key_live, api_key_account`);
    await runner.query(`CREATE INDEX api_key_account ON api_key (account_id)`);
    await runner.query(`DROP INDEX escrow_unpaid, escrow_opened_by`);
    await runner.query(`ALTER TABLE escrow DROP COLUMN opened_by, DROP COLUMN held_at`);
  }
}
