import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sales in other currencies, by the rate of their day; cards that TAG graded, and ungraded ones. */
export class CardCurrencies1767800000000 implements MigrationInterface {
  readonly name = 'CardCurrencies1767800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE card_sale
        DROP CONSTRAINT card_sale_company_check,
        DROP CONSTRAINT card_sale_grade_check,
        DROP CONSTRAINT card_sale_currency_check,
        DROP COLUMN price_usd,
        ADD COLUMN usd_rate numeric(13, 8) NOT NULL DEFAULT 1 CHECK (usd_rate > 0),
        ADD COLUMN rate_day date,
        ADD COLUMN rate_source text CHECK (length(rate_source) BETWEEN 1 AND 64),
        ADD CONSTRAINT card_sale_company_check CHECK (company IN ('PSA', 'BGS', 'SGC', 'CGC', 'TAG', 'RAW')),
        ADD CONSTRAINT card_sale_grade_check CHECK (CASE company WHEN 'RAW' THEN grade = 0 ELSE grade BETWEEN 1 AND 10 END),
        ADD CONSTRAINT card_sale_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
        ADD CONSTRAINT card_sale_rate_check CHECK (
          (currency = 'USD') = (rate_day IS NULL) AND (rate_day IS NULL) = (rate_source IS NULL)
          AND (currency <> 'USD' OR usd_rate = 1))`);
    await runner.query(`
      ALTER TABLE card_sale
        ADD COLUMN price_usd numeric(14, 2) NOT NULL
          GENERATED ALWAYS AS (round((price + fees) * usd_rate, 2)) STORED CHECK (price_usd > 0)`);
  }

  /** Fails where there are sales that the tables of before have no place for. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE card_sale
        DROP CONSTRAINT card_sale_company_check,
        DROP CONSTRAINT card_sale_grade_check,
        DROP CONSTRAINT card_sale_currency_check,
        DROP CONSTRAINT card_sale_rate_check,
        DROP COLUMN price_usd,
        DROP COLUMN usd_rate,
        DROP COLUMN rate_day,
        DROP COLUMN rate_source,
        ADD CONSTRAINT card_sale_company_check CHECK (company IN ('PSA', 'BGS', 'SGC', 'CGC')),
        ADD CONSTRAINT card_sale_grade_check CHECK (grade BETWEEN 1 AND 10),
        ADD CONSTRAINT card_sale_currency_check CHECK (currency = 'USD')`);
    await runner.query(`
      ALTER TABLE card_sale
        ADD COLUMN price_usd numeric(12, 2) NOT NULL GENERATED ALWAYS AS (price + fees) STORED CHECK (price_usd > 0)`);
  }
}
