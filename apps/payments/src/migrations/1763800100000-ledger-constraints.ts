import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What Postgres itself refuses of the ledger: a transaction that does not sum to zero, a customer's entry that does
 * not go on from the one before, and an account whose balance is not that of its newest entry, whichever of the two
 * was written.
 *
 * Sums and numbers are checked for each statement, not for each row: a statement that writes the legs of fifty claims
 * is checked once. A transaction of the ledger is therefore written whole, by one statement, after its accounts moved.
 */
export class LedgerConstraints1763800100000 implements MigrationInterface {
  readonly name = 'LedgerConstraints1763800100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER ledger_balances ON ledger_entry`);
    await runner.query(`DROP FUNCTION ledger_transaction_balances`);
    await runner.query(`DROP INDEX ledger_entry_transaction`);
    await this.checkStatements(runner);
    await this.checkAccounts(runner);
  }

  private async checkStatements(runner: QueryRunner): Promise<void> {
    // Plans are made when the tables are still small, and kept: they must not scan what grows.
    await runner.query(`
      CREATE FUNCTION ledger_statement_is_whole() RETURNS trigger LANGUAGE plpgsql
        SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
      DECLARE broken text;
      BEGIN
        SELECT format('ledger transaction %s sums to %s, not to zero', transaction_id, sum(amount_micro_usd))
          INTO broken FROM written GROUP BY transaction_id HAVING sum(amount_micro_usd) <> 0 LIMIT 1;
        IF broken IS NOT NULL THEN
          RAISE EXCEPTION '%', broken USING ERRCODE = 'check_violation';
        END IF;
        SELECT format('entry %s of %s does not go on from the one before it', entry.account_seq, entry.account)
          INTO broken
          FROM written entry
          LEFT JOIN LATERAL (SELECT previous.balance_after FROM ledger_entry previous
                              WHERE previous.account = entry.account
                                AND previous.account_seq = entry.account_seq - 1) previous ON true
         WHERE entry.account_seq IS NOT NULL
           AND entry.balance_after IS DISTINCT FROM entry.amount_micro_usd
             + CASE WHEN entry.account_seq = 1 THEN 0 ELSE previous.balance_after END
         LIMIT 1;
        IF broken IS NOT NULL THEN
          RAISE EXCEPTION '%', broken USING ERRCODE = 'check_violation';
        END IF;
        SELECT format('entry %s of %s is not the balance of its account', newest.account_seq, newest.account)
          INTO broken
          FROM (SELECT DISTINCT ON (account) account, account_seq, balance_after FROM written
                 WHERE account_seq IS NOT NULL ORDER BY account, account_seq DESC) newest
          LEFT JOIN account ON account.account_id = substr(newest.account, 10)
         WHERE (account.ledger_seq, account.balance_micro_usd)
               IS DISTINCT FROM (newest.account_seq, newest.balance_after)
         LIMIT 1;
        IF broken IS NOT NULL THEN
          RAISE EXCEPTION '%', broken USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER ledger_balances AFTER INSERT ON ledger_entry
        REFERENCING NEW TABLE AS written
        FOR EACH STATEMENT EXECUTE FUNCTION ledger_statement_is_whole()`);
  }

  private async checkAccounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION account_is_its_newest_entry() RETURNS trigger LANGUAGE plpgsql
        SET search_path FROM CURRENT SET enable_seqscan TO off AS $$
      DECLARE
        id text := coalesce(NEW.account_id, OLD.account_id);
        stands record;
        newest record;
      BEGIN
        SELECT ledger_seq, balance_micro_usd INTO stands FROM account WHERE account_id = id;
        SELECT account_seq, balance_after INTO newest FROM ledger_entry
          WHERE account = 'customer:' || id AND account_seq IS NOT NULL ORDER BY account_seq DESC LIMIT 1;
        IF (coalesce(stands.ledger_seq, 0), coalesce(stands.balance_micro_usd, 0))
           <> (coalesce(newest.account_seq, 0), coalesce(newest.balance_after, 0)) THEN
          RAISE EXCEPTION 'the balance of account % is not that of its newest entry', id
            USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER account_balances
        AFTER INSERT OR DELETE OR UPDATE OF account_id, balance_micro_usd, ledger_seq ON account
        DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION account_is_its_newest_entry()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER account_balances ON account`);
    await runner.query(`DROP FUNCTION account_is_its_newest_entry`);
    await runner.query(`DROP TRIGGER ledger_balances ON ledger_entry`);
    await runner.query(`DROP FUNCTION ledger_statement_is_whole`);
    await runner.query(`CREATE INDEX ledger_entry_transaction ON ledger_entry (transaction_id)`);
    await runner.query(`
      CREATE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE total bigint;
      BEGIN
        EXECUTE format('SELECT sum(amount_micro_usd) FROM %I.%I WHERE transaction_id = $1',
          TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO total USING NEW.transaction_id;
        IF total <> 0 THEN
          RAISE EXCEPTION 'ledger transaction % sums to %, not to zero', NEW.transaction_id, total
            USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER ledger_balances AFTER INSERT ON ledger_entry
        DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ledger_transaction_balances()`);
  }
}
