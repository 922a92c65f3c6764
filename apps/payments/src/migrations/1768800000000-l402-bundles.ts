import type { MigrationInterface, QueryRunner } from 'typeorm';

const kinds = (names: string) => `
  ALTER TABLE account DROP CONSTRAINT account_kind_check,
    ADD CONSTRAINT account_kind_check CHECK (kind IN (${names}))`;

/**
 * Accounts of L402 bundles. Each budget of a bundle is a row of `key_limit`, and a row of `api_key` under whose id calls are booked: its hash
 * is that of the macaroon up to the budget, so that no text is such a key.
 */
export class L402Bundles1768800000000 implements MigrationInterface {
  readonly name = 'L402Bundles1768800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(kinds(`'purchased', 'derived', 'bundle', 'operator'`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE api_key SET state = 'revoked', ends_at = least(ends_at, now())
        WHERE account_id IN (SELECT account_id FROM account WHERE kind = 'bundle') AND limit_id IS NOT NULL`,
    );
    await runner.query(`UPDATE account SET kind = 'derived' WHERE kind = 'bundle'`);
    await runner.query(kinds(`'purchased', 'derived', 'operator'`));
  }
}
