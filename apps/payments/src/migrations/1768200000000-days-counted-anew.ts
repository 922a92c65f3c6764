import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COUNT_TREASURY } from './1768000000000-treasury-by-day.js';
import { replacing } from './1766500000000-keyed-digests.js';

/**
 * Adds what was earned since the last time to the sums of its day. With each hour, and where the clock is behind the last time, it makes
 * the sums anew of the days that may still change, which are yesterday and today, by UTC, and of every day since the last time; days
 * before yesterday one at a time. Says whether there is more. What is dated ahead of the clock is read as entries since. What is dated
 * before the oldest transaction that is open has been committed: entries have the time at which their transaction began, and every one
 * that writes them is of this role. One replica at a time; another finds nothing to do.
 */
const COUNT_TREASURY_ANEW = `
CREATE OR REPLACE FUNCTION count_treasury() RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE since timestamptz; until timestamptz; counted timestamptz; first_day date; yesterday date;
BEGIN
  SELECT counted_until INTO since FROM treasury_counted FOR UPDATE SKIP LOCKED;
  IF since IS NULL THEN
    RETURN false;
  END IF;
  SELECT least(clock_timestamp() - interval '1 second', min(xact_start)) INTO until FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL;
  IF until >= since AND date_trunc('hour', until) = date_trunc('hour', since) THEN
    INSERT INTO treasury_day AS known (day, rail, payments, amount_micro_usd)
    SELECT * FROM treasury_between(since, until)
    ON CONFLICT (day, rail) DO UPDATE
      SET payments = known.payments + excluded.payments,
          amount_micro_usd = known.amount_micro_usd + excluded.amount_micro_usd;
    UPDATE treasury_counted SET counted_until = until;
    RETURN false;
  END IF;
  IF since = '-infinity' THEN
    since := least(until, (SELECT min(created_at) FROM ledger_entry WHERE account = 'treasury'),
                   (SELECT min(delivered_at) FROM payment_claim WHERE funding = 'quota' AND state = 'delivered'));
  END IF;
  yesterday := (until AT TIME ZONE 'UTC')::date - 1;
  first_day := least((since AT TIME ZONE 'UTC')::date, yesterday);
  counted := CASE WHEN first_day < yesterday THEN (first_day + 1)::timestamp AT TIME ZONE 'UTC' ELSE until END;
  DELETE FROM treasury_day WHERE day >= first_day;
  INSERT INTO treasury_day (day, rail, payments, amount_micro_usd)
  SELECT * FROM treasury_between(first_day::timestamp AT TIME ZONE 'UTC', counted);
  UPDATE treasury_counted SET counted_until = counted;
  RETURN counted < until;
END $$`;

/** A clock that steps back leaves nothing out of the sums by day for longer than an hour. */
export class DaysCountedAnew1768200000000 implements MigrationInterface {
  readonly name = 'DaysCountedAnew1768200000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COUNT_TREASURY_ANEW);
    // Claims are looked up by their entries, so that what is read grows with the days that are summed up, and not with the ledger.
    await runner.query(`ALTER FUNCTION treasury_between(timestamptz, timestamptz) SET enable_seqscan TO off`);
    // What was left out before is counted, too.
    await runner.query(`UPDATE treasury_counted SET counted_until = '-infinity'`);
    await runner.query(`DELETE FROM treasury_day`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER FUNCTION treasury_between(timestamptz, timestamptz) RESET enable_seqscan`);
    await runner.query(replacing(COUNT_TREASURY));
  }
}
