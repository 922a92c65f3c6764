import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the treasury has earned in a span of time, by the day and the rail of the payment: `key` is credit, `plan` the answers within
 * plans, which were paid for with them, and what is no claim's is named by what it is. A payment is an answer that was delivered, a
 * saga that was captured, or a plan. A ticket within a plan is no answer yet. Credit that was granted is no loss of the treasury's
 * here: it was never earned.
 */
export const TREASURY_BETWEEN = `
CREATE FUNCTION treasury_between(since timestamptz, until timestamptz)
RETURNS TABLE (day date, rail text, payments bigint, amount_micro_usd bigint)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT (entry.created_at AT TIME ZONE 'UTC')::date,
         CASE claim.funding WHEN 'rail' THEN claim.receipt->>'rail' WHEN 'credit' THEN 'key' ELSE entry.kind END,
         count(*) FILTER (WHERE entry.kind IN ('deliver', 'sell', 'capture', 'subscription'))
           - count(*) FILTER (WHERE entry.kind = 'uncapture'),
         sum(entry.amount_micro_usd)::bigint
    FROM ledger_entry entry LEFT JOIN payment_claim claim USING (claim_id)
   WHERE entry.account = 'treasury' AND entry.kind <> 'grant' AND entry.created_at >= since AND entry.created_at < until
   GROUP BY 1, 2
  UNION ALL
  SELECT (delivered_at AT TIME ZONE 'UTC')::date, 'plan', count(*), 0
    FROM payment_claim claim
   WHERE funding = 'quota' AND state = 'delivered' AND delivered_at >= since AND delivered_at < until
     AND NOT EXISTS (SELECT FROM execution_ticket ticket WHERE ticket.claim_id = claim.claim_id)
   GROUP BY 1
$$`;

/**
 * Adds what was earned since the last time to the sums of its days, a day at a time; says whether there is more. What is dated before
 * the oldest transaction that is open has been committed: entries have the time at which their transaction began, and every one
 * that writes them is of this role. One replica at a time; another finds nothing to do.
 */
export const COUNT_TREASURY = `
CREATE FUNCTION count_treasury() RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE since timestamptz; until timestamptz; counted timestamptz;
BEGIN
  SELECT counted_until INTO since FROM treasury_counted FOR UPDATE SKIP LOCKED;
  IF since IS NULL THEN
    RETURN false;
  END IF;
  SELECT least(clock_timestamp() - interval '1 second', min(xact_start)) INTO until FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL;
  IF since = '-infinity' THEN
    SELECT coalesce(min(created_at), until) INTO since FROM ledger_entry WHERE account = 'treasury';
    since := least(since, (SELECT min(delivered_at) FROM payment_claim WHERE funding = 'quota' AND state = 'delivered'));
  END IF;
  counted := least(until, since + interval '1 day');
  IF since >= counted THEN
    RETURN false;
  END IF;
  INSERT INTO treasury_day AS known (day, rail, payments, amount_micro_usd)
  SELECT * FROM treasury_between(since, counted)
  ON CONFLICT (day, rail) DO UPDATE
    SET payments = known.payments + excluded.payments,
        amount_micro_usd = known.amount_micro_usd + excluded.amount_micro_usd;
  UPDATE treasury_counted SET counted_until = counted;
  RETURN counted < until;
END $$`;

/** What the treasury has earned is summed up by day, so that it can be said at any time without reading the ledger from its begin. */
export class TreasuryByDay1768000000000 implements MigrationInterface {
  readonly name = 'TreasuryByDay1768000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX ledger_entry_treasury ON ledger_entry (created_at) WHERE account = 'treasury'`,
    );
    await runner.query(`
      CREATE INDEX payment_claim_in_plan ON payment_claim (delivered_at)
        WHERE funding = 'quota' AND state = 'delivered'`);
    await runner.query(`
      CREATE TABLE treasury_day (
        day date NOT NULL,
        rail text NOT NULL,
        payments bigint NOT NULL,
        amount_micro_usd bigint NOT NULL,
        PRIMARY KEY (day, rail)
      )`);
    await runner.query(`
      CREATE TABLE treasury_counted (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        counted_until timestamptz NOT NULL
      )`);
    await runner.query(`INSERT INTO treasury_counted (counted_until) VALUES ('-infinity')`);
    await runner.query(TREASURY_BETWEEN);
    await runner.query(COUNT_TREASURY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION count_treasury()`);
    await runner.query(`DROP FUNCTION treasury_between(timestamptz, timestamptz)`);
    await runner.query(`DROP TABLE treasury_counted, treasury_day`);
    await runner.query(`DROP INDEX payment_claim_in_plan, ledger_entry_treasury`);
  }
}
