import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountSubject, monthBefore, quotaState } from '../src/quota/quotas.js';
import { addressSubject } from '../src/quota/client-subject.js';
import {
  type AccountsFixture,
  type AccountsInstance,
  callOf,
  startAccounts,
  tally,
} from './account-fixture.js';

let fixture: AccountsFixture;
let other: AccountsInstance;

const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;
const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
const setUsed = (subject: string, used: number) =>
  query(
    `INSERT INTO quota_usage VALUES ($1, ${MONTH}, $2) ON CONFLICT (subject, month) DO UPDATE SET used = $2`,
    [subject, used],
  );
const usedBy = async (subject: string) => {
  const [row] = await query(`SELECT used::int FROM quota_usage WHERE subject = $1 AND month = ${MONTH}`, [
    subject,
  ]);
  return row?.used as number | undefined;
};

export function describeQuotas(): void {
  describe('quotas', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      other = await fixture.other();
    });
    afterAll(() => fixture?.close());

    describe('requests of a month', () => {
      it('are counted exactly up to the limit by 400 calls at once over two instances', async () => {
        const { accountId } = await fixture.customer();
        const subject = accountSubject(accountId);
        await setUsed(subject, 850);
        const calls = Array.from({ length: 400 }, (_, i) =>
          (i % 2 ? fixture : other).quotas.count(subject, 'demo'),
        );
        expect(await tally(calls)).toEqual({ counted: 150, over: 250 });
        const used = (await Promise.all(calls))
          .filter(each => each.outcome === 'counted')
          .map(each => each.quota.used);
        expect(used.sort((a, b) => a - b)).toEqual(Array.from({ length: 150 }, (_, i) => 851 + i));
        expect(await usedBy(subject)).toBe(1_000);
      });

      it('are counted exactly where claims by key and counted calls share the quota', async () => {
        const { accountId, key } = await fixture.customer({ plan: 'developer' });
        const subject = accountSubject(accountId);
        await setUsed(subject, 49_940);
        const calls = Array.from({ length: 120 }, (_, i) => {
          const instance = i % 2 ? fixture : other;
          return i % 4 < 2
            ? instance.keyClaims.claim(callOf(key))
            : instance.quotas.count(subject, 'developer');
        });
        const { claimed = 0, counted = 0, over = 0, PAYMENT_INSUFFICIENT = 0 } = await tally(calls);
        expect(claimed + counted).toBe(60);
        expect(over + PAYMENT_INSUFFICIENT).toBe(60);
        expect(await usedBy(subject)).toBe(50_000);
      });

      it('of many subjects and plans in one run are told apart', async () => {
        const subjects = ['10.0.0.1', '10.0.0.2'].map(address =>
          addressSubject(fixture.secrets.address, address),
        );
        await setUsed(subjects[0], 1_000);
        const [first, second, third] = await Promise.all([
          fixture.quotas.count(subjects[0], 'demo'),
          fixture.quotas.count(subjects[1], 'demo'),
          fixture.quotas.count(subjects[1], 'enterprise'),
        ]);
        expect(first).toMatchObject({ outcome: 'over', quota: { plan: 'demo', limit: 1_000, used: 1_000 } });
        expect(second).toMatchObject({ outcome: 'counted', quota: { plan: 'demo', limit: 1_000 } });
        expect(third).toMatchObject({ outcome: 'counted', quota: { plan: 'enterprise', limit: null } });
        expect(await usedBy(subjects[1])).toBe(2);
      });

      it('are there after a restart, begin anew with the month, and are taken back from the month they were counted in', async () => {
        const { accountId } = await fixture.customer();
        const subject = accountSubject(accountId);
        const { quota } = await fixture.quotas.count(subject, 'demo');
        const restarted = await fixture.other();
        expect(await restarted.quotas.state(accountId)).toEqual({ ...quota, used: 1 });
        await query(
          `UPDATE quota_usage SET used = 1000, month = month - interval '1 month' WHERE subject = $1`,
          [subject],
        );
        expect(await restarted.quotas.count(subject, 'demo')).toMatchObject({
          outcome: 'counted',
          quota: { used: 1 },
        });
        const lastMonth = monthBefore(`${monthBefore(quota.resetsAt)}T00:00:00.000Z`);
        await fixture.quotas.uncount(fixture.database.manager, subject, lastMonth);
        const rows = await query(`SELECT used::int FROM quota_usage WHERE subject = $1 ORDER BY month`, [
          subject,
        ]);
        expect(rows).toEqual([{ used: 999 }, { used: 1 }]);
        for (let time = 0; time < 3; time++)
          await fixture.quotas.uncount(fixture.database.manager, subject, monthBefore(quota.resetsAt));
        expect(await usedBy(subject)).toBe(0);
      });

      it('are taken back once for each key, by however many calls at once over two instances, and from their month', async () => {
        const { accountId } = await fixture.customer();
        const subject = accountSubject(accountId);
        const { quota } = await fixture.quotas.count(subject, 'demo');
        await setUsed(subject, 10);
        const month = monthBefore(quota.resetsAt);
        const calls = Array.from({ length: 40 }, (_, i) =>
          (i % 2 ? fixture : other).quotas.uncountOnce(`task-${i % 4}`, subject, month),
        );
        await Promise.all(calls);
        expect(await usedBy(subject)).toBe(6);
        // Asked for with another month, the key is still known.
        await fixture.quotas.uncountOnce('task-0', subject, monthBefore(`${month}T00:00:00.000Z`));
        expect(await usedBy(subject)).toBe(6);
      });

      it('leave a row where they are taken back under a key alone', async () => {
        const { accountId } = await fixture.customer();
        const subject = accountSubject(accountId);
        await setUsed(subject, 500);
        const month = monthBefore((await fixture.quotas.count(subject, 'demo')).quota.resetsAt);
        const rows = async () =>
          (await query(`SELECT count(*)::int AS count FROM quota_return`))[0].count as number;
        const before = await rows();
        for (let call = 0; call < 100; call++)
          await fixture.quotas.uncount(fixture.database.manager, subject, month);
        expect([await usedBy(subject), await rows()]).toEqual([401, before]);
        await fixture.quotas.uncountOnce('task-of-row', subject, month);
        expect([await usedBy(subject), await rows()]).toEqual([400, before + 1]);
      });

      it('are kept for a year and dropped after it', async () => {
        const subject = accountSubject((await fixture.customer()).accountId);
        for (const months of [0, 12, 13, 30])
          await query(`INSERT INTO quota_usage VALUES ($1, ${MONTH} - make_interval(months => $2), 1)`, [
            subject,
            months,
          ]);
        expect(await fixture.quotas.purge()).toBe(2);
        expect(await fixture.quotas.purge()).toBe(0);
      });

      it('say when the next month begins, also over the end of the year', () => {
        expect(quotaState('developer', 7, '2026-12-01')).toEqual({
          ...{ plan: 'developer', limit: 50_000, used: 7, resetsAt: '2027-01-01T00:00:00.000Z' },
        });
        expect(monthBefore('2027-01-01T00:00:00.000Z')).toBe('2026-12-01');
      });
    });
  });
}
