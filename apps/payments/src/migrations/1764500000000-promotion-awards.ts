import type { MigrationInterface, QueryRunner } from 'typeorm';

const LEDGER_ACCOUNTS = (more: string) =>
  `'^(lightning-clearing|onchain-clearing|processor-clearing|holds|holds:ticket|holds:saga|${more}treasury|customer:acct_[a-z0-9]{20})$'`;

/** Credit that the house gives away, with what was given on each day. */
export class PromotionAwards1764500000000 implements MigrationInterface {
  readonly name = 'PromotionAwards1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ledger_entry
        DROP CONSTRAINT ledger_entry_account_check,
        ADD CONSTRAINT ledger_entry_account_check CHECK (account ~ ${LEDGER_ACCOUNTS('promotion:arena|')})`);
    await runner.query(`
      CREATE TABLE promotion_day (
        day date PRIMARY KEY,
        awarded_sats bigint NOT NULL DEFAULT 0 CHECK (awarded_sats >= 0)
      )`);
    await runner.query(`
      CREATE TABLE promotion_award (
        challenge_id text PRIMARY KEY CHECK (challenge_id ~ '^arena_[A-Za-z0-9_-]{22}$'),
        account_id text NOT NULL REFERENCES account (account_id),
        asked_sats int NOT NULL CHECK (asked_sats > 0),
        sats int NOT NULL CHECK (sats BETWEEN 0 AND asked_sats),
        reason text NOT NULL CHECK (reason IN ('AWARDED', 'BUDGET', 'SPENT_TOO_LITTLE')),
        day date NOT NULL REFERENCES promotion_day (day),
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK ((reason = 'AWARDED') = (sats > 0))
      )`);
    await runner.query(`CREATE INDEX promotion_award_account ON promotion_award (account_id) INCLUDE (sats)`);
    // What an account has bought is asked for at each award.
    await runner.query(`
      CREATE INDEX checkout_session_account ON checkout_session (account_id) WHERE account_id IS NOT NULL`);
    await runner.query(`CREATE INDEX credit_reversal_account ON credit_reversal (account_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX credit_reversal_account, checkout_session_account`);
    await runner.query(`DROP TABLE promotion_award, promotion_day`);
    await runner.query(`
      ALTER TABLE ledger_entry
        DROP CONSTRAINT ledger_entry_account_check,
        ADD CONSTRAINT ledger_entry_account_check CHECK (account ~ ${LEDGER_ACCOUNTS('')})`);
  }
}
