import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimReply, paymentsContract, x402Contract } from '@svc/contracts';
import { createLogger, MeasurementRegistry } from '@svc/platform';
import { planInLargeTable } from '@svc/platform/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { accountSecretsOf } from '../src/account/account-secrets.js';
import { Accounts, type PlanId } from '../src/account/accounts.js';
import { ApiKeys } from '../src/account/api-keys.js';
import { customer, Ledger } from '../src/ledger/ledger.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { TreasuryFigures } from '../src/telemetry/treasury-figures.js';
import { payChallenge, type PaymentsFixture, SECRETS, startPayments } from './payments-fixture.js';
import { scripted, ScriptedRail } from './scripted-rail.js';
import { until } from './wal-fixture.js';

/** Of `zk.prove`, micro-USD. */
const PRICE = 1_000;
const GRANT = 1_000_000;
const RESPONSE = { status: 200, contentType: 'application/json', body: new TextEncoder().encode('{}') };

export function describeTreasuryFigures(): void {
  describe('what the treasury has earned', () => {
    let payments: PaymentsFixture;
    let figures: TreasuryFigures;
    beforeAll(async () => {
      const moreRails = [new ScriptedRail('x402'), new ScriptedRail('stripe')];
      payments = await startPayments({ moreRails });
      figures = new TreasuryFigures(payments.database);
    });
    afterAll(() => payments?.close());

    const keyOf = (plan?: PlanId) =>
      payments.database.transaction(async manager => {
        const keys = new ApiKeys(
          payments.database,
          accountSecretsOf({ production: false, secrets: SECRETS }),
        );
        const accountId = await new Accounts().create(manager, { kind: 'purchased', plan });
        const legs = [
          { account: 'treasury' as const, amountMicroUsd: -GRANT },
          { account: customer(accountId), amountMicroUsd: GRANT },
        ];
        if (!plan) await new Ledger().post(manager, { kind: 'grant', legs });
        return (await keys.issue(manager, accountId)).key;
      });
    type Payment = Omit<
      Parameters<typeof payments.bus.call<typeof paymentsContract.claim>>[1],
      'operationId' | 'requestDigest'
    >;
    const claimed = async (payment: Payment) => {
      const asked = { operationId: 'zk.prove', requestDigest: randomBytes(32).toString('hex') };
      const reply: ClaimReply = await payments.bus.call(paymentsContract.claim, { ...asked, ...payment });
      if (reply.outcome !== 'claimed') throw new Error(`it was ${reply.outcome}`);
      return { claimId: reply.claimId, attempt: reply.attempt };
    };
    const sold = async (payment: Payment) =>
      payments.bus.call(paymentsContract.deliver, { ...(await claimed(payment)), response: RESPONSE });
    const byScript = (family: 'x402' | 'stripe', chargeMicroUsd?: number): Payment => ({
      credential: scripted({ nonce: randomBytes(8).toString('hex'), family, chargeMicroUsd }),
    });
    const findings = async () => {
      const logger = createLogger('payments', { level: 'silent' });
      const ledger = new LedgerReconciliation(payments.database, new MeasurementRegistry(), { logger });
      return (await ledger.run()).findings;
    };
    /** A plan that was bought, as it would have been so long ago. */
    const boughtAgo = (ago: string, microUsd: number) =>
      payments.database.query(
        `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, reference, created_at)
         SELECT $1::uuid, account, sign * $2::bigint, 'subscription', 'in_' || $1::text, now() - $3::interval
           FROM (VALUES ('processor-clearing', -1), ('treasury', 1)) AS leg (account, sign)`,
        [randomUUID(), microUsd, ago],
      );

    it('is what was delivered, on every rail and by key, and within the plans; no grant and nothing that came back', async () => {
      const [credit, plan] = [await keyOf(), await keyOf('pro_agent')];
      const { l402, charge } = await payChallenge(payments.bus);
      await sold({ credential: l402 });
      await sold({ credential: (await payChallenge(payments.bus)).charge });
      await sold(byScript('x402'));
      // The rest of a card's charge is credit of who paid, and not earned.
      for (let i = 0; i < 2; i++) await sold(byScript('stripe', 500_000));
      for (let i = 0; i < 3; i++) await sold({ accountKey: credit });
      for (let i = 0; i < 4; i++) await sold({ accountKey: plan });
      for (const payment of [{ accountKey: credit }, byScript('x402')]) {
        const claim = await claimed(payment);
        await payments.bus.call(paymentsContract.release, { ...claim, reason: 'upstream' });
      }
      expect(charge).toBeDefined();
      const { telemetry } = await payments.bus.call(x402Contract.telemetry, {});
      const rails = Object.entries(telemetry.rails).map(([rail, { payments: count, amountUsd }]) => [
        rail,
        count,
        Math.round(Number(amountUsd) * 1e6),
      ]);
      expect(rails).toEqual([
        ['key', 3, 3 * PRICE],
        ['l402', 1, PRICE],
        ['mpp-lightning', 1, PRICE],
        ['plan', 4, 0],
        ['stripe', 2, 2 * PRICE],
        ['x402', 1, PRICE],
      ]);
      expect(telemetry).toMatchObject({ transactionsExecuted: 12, treasuryClearedUsd: '0.008' });
    });

    it('is the same whether it lies in the sums of days or was earned since, and is counted once by all replicas', async () => {
      // As if nothing had been summed up for two months.
      await payments.database.query(`UPDATE treasury_counted SET counted_until = now() - interval '60 days'`);
      for (const ago of ['40 days', '1 day', '2 minutes', '10 seconds']) await boughtAgo(ago, 7_000_000);
      const before = [...(await figures.byRail())];
      expect(before).toContainEqual(['subscription', { payments: 4, amountMicroUsd: 28_000_000 }]);
      await Promise.all(Array.from({ length: 8 }, () => figures.count()));
      expect([...(await figures.byRail())]).toEqual(before);
      const [{ days, sum }] = await payments.database.query(
        `SELECT count(*)::int AS days, sum(amount_micro_usd)::int AS sum FROM treasury_day`,
      );
      expect(days).toBeGreaterThanOrEqual(3);
      expect(sum).toBeGreaterThanOrEqual(28_000_000);
      expect(await findings()).toEqual([]);
    });

    it('is not summed up while a transaction is open that began before it', async () => {
      const runner = payments.database.createQueryRunner();
      await runner.startTransaction();
      await runner.query('SELECT now()');
      const watermark = async () => {
        const [row] = await payments.database.query(`SELECT counted_until::text AS at FROM treasury_counted`);
        return row.at as string;
      };
      const [{ began }] = await runner.query(`SELECT now()::text AS began`);
      await boughtAgo('0 seconds', 3_000);
      // What begins meanwhile is later than the open transaction, and so is what is summed up to.
      await until(async () => {
        await figures.count();
        return (await watermark()) === began;
      });
      await runner.query(
        `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind)
         SELECT $1::uuid, account, amount, 'subscription'
           FROM (VALUES ('processor-clearing', -4000), ('treasury', 4000)) AS leg (account, amount)`,
        [randomUUID()],
      );
      await runner.commitTransaction();
      await runner.release();
      const before = [...(await figures.byRail())];
      await figures.count();
      expect([...(await figures.byRail())]).toEqual(before);
      expect(await findings()).toEqual([]);
    });

    /** As if it had been summed up an hour ago for the last time. */
    const hourHasPassed = () =>
      payments.database.query(
        `UPDATE treasury_counted SET counted_until = counted_until - interval '1 hour'`,
      );
    /** Of the rails, from the entries alone. */
    const booked = async () => {
      const rows = await payments.database.query(
        `SELECT rail, sum(payments)::int AS payments, sum(amount_micro_usd)::int AS "amountMicroUsd"
           FROM treasury_between('-infinity', 'infinity') GROUP BY rail ORDER BY rail`,
      );
      return rows.map(({ rail, ...figures }: { rail: string }) => [rail, figures]);
    };

    it('is whole within the hour after the clock of the database stepped back by a little, and with the next count where by days', async () => {
      await figures.count();
      expect([...(await figures.byRail())]).toEqual(await booked());
      // Booked by a clock that has come a minute, and half a day, behind what was summed up.
      for (const ago of ['1 minute', '12 hours']) await boughtAgo(ago, 5_000);
      expect([...(await figures.byRail())]).not.toEqual(await booked());
      expect((await findings()).map(({ kind }) => kind)).toContain('treasury-days');
      await hourHasPassed();
      await figures.count();
      expect([...(await figures.byRail())]).toEqual(await booked());
      expect(await findings()).toEqual([]);
      // Summed up by a clock that was three days ahead, and is no more.
      await boughtAgo('-70 hours', 6_000);
      await payments.database.query(
        `WITH counted AS (UPDATE treasury_counted SET counted_until = now() + interval '72 hours' RETURNING counted_until)
         INSERT INTO treasury_day
         SELECT ahead.* FROM counted, treasury_between(now(), counted_until) ahead`,
      );
      await boughtAgo('0 seconds', 7_000);
      expect([...(await figures.byRail())]).not.toEqual(await booked());
      await figures.count();
      expect([...(await figures.byRail())]).toEqual(await booked());
      expect(await findings()).toEqual([]);
    });

    it('is found out by the reconciliation where a day has other entries than its sum', async () => {
      await boughtAgo('3 days', 1_000);
      await boughtAgo('30 days', 2_000);
      const off = (await findings()).map(({ kind, offMicroUsd }) => [kind, offMicroUsd]);
      expect(off).toEqual([
        ['treasury-days', -2_000],
        ['treasury-days', -1_000],
      ]);
    });

    it.each([
      ['other payments', `UPDATE treasury_day SET payments = payments + 1`],
      ['another rail', `UPDATE treasury_day SET rail = 'x402' || rail`],
    ])('is found out by the reconciliation where a day has %s than its entries', async (_, spoil) => {
      await payments.database.query(`UPDATE treasury_counted SET counted_until = now() - interval '60 days'`);
      await figures.count();
      expect(await findings()).toEqual([]);
      const day = `day = (now() AT TIME ZONE 'UTC')::date - 3`;
      await payments.database.query(`${spoil} WHERE ${day} AND rail = 'subscription'`);
      const found = await findings();
      expect(found.length).toBeGreaterThan(0);
      for (const { kind, id } of found)
        expect([kind, id]).toEqual([
          'treasury-days',
          expect.stringMatching(/^\d{4}-\d\d-\d\d (x402)?subscription$/),
        ]);
      await payments.database.query(`DELETE FROM treasury_day WHERE ${day}`);
    });

    it('is summed up by reading the entries of the days that may still change, and no others', async () => {
      await figures.count();
      const runner = payments.database.createQueryRunner();
      await runner.startTransaction();
      const rowsRead = (): Promise<{ whole: number; found: number }[]> =>
        runner.query(
          `SELECT seq_tup_read::int AS whole, idx_tup_fetch::int AS found FROM pg_stat_xact_user_tables
            WHERE relname IN ('ledger_entry', 'payment_claim') ORDER BY relname`,
        );
      // As with many entries, for which to read all claims seems cheaper than to look each one up.
      await runner.query('SET LOCAL random_page_cost TO 10000');
      await runner.query('DISCARD PLANS');
      await runner.query(`UPDATE treasury_counted SET counted_until = counted_until - interval '1 hour'`);
      const before = await rowsRead();
      await runner.query(`SELECT count_treasury()`);
      const after = await rowsRead();
      await runner.rollbackTransaction();
      await runner.release();
      const [{ recent, older }] = await payments.database.query(
        `SELECT count(*) FILTER (WHERE created_at >= yesterday)::int AS recent,
                count(*) FILTER (WHERE created_at < yesterday)::int AS older
           FROM ledger_entry, (SELECT date_trunc('day', now(), 'UTC') - interval '1 day' AS yesterday) days
          WHERE account = 'treasury'`,
      );
      expect(older).toBeGreaterThan(0);
      expect(after.map(({ whole }, i) => whole - before[i].whole)).toEqual([0, 0]);
      const found = after[0].found - before[0].found;
      expect(found).toBeGreaterThan(0);
      expect(found).toBeLessThanOrEqual(recent);
    });

    it('is read from an index of what is the treasury’s alone', async () => {
      const plan = await planInLargeTable(
        payments.database,
        `SELECT sum(amount_micro_usd) FROM ledger_entry
          WHERE account = 'treasury' AND kind <> 'grant' AND created_at >= now() - interval '1 minute'`,
      );
      expect(plan).toMatch(/ledger_entry_treasury/);
    });
  });
}
