import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CheckoutStore, UNPAID_CHECKOUTS_MAX } from '../src/checkout/checkout-store.js';
import { packProduct } from '../src/checkout/products.js';
import { Leads } from '../src/lead/leads.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { type AccountsFixture, startAccounts, tally } from './account-fixture.js';
import { SECRETS } from './payments-fixture.js';

export function describeRetention(): void {
  describe('what is kept without a payment', () => {
    let fixture: AccountsFixture;
    let checkouts: CheckoutStore;
    beforeAll(async () => {
      fixture = await startAccounts();
      checkouts = new CheckoutStore(fixture.database, paymentKeysOf({ production: false, secrets: SECRETS }));
    });
    afterAll(() => fixture?.close());

    const query = (sql: string, parameters: unknown[] = []) => fixture.database.query(sql, parameters);
    const begin = (openedBy: string, key?: string) =>
      checkouts.begin({
        ...{ product: packProduct('pack_10'), requestDigest: 'ab'.repeat(32), openedBy },
        ...(key === undefined ? {} : { idempotency: { scope: openedBy, key } }),
      });
    const outcome = (openedBy: string, key?: string) =>
      begin(openedBy, key).then(() => ({ outcome: 'begun' }));
    const age = (checkoutId: string, hours: number) =>
      query(
        `UPDATE checkout_session SET created_at = now() - make_interval(hours => $2) WHERE checkout_id = $1`,
        [checkoutId, hours],
      );
    const idsOf = async (openedBy: string) =>
      (await query(`SELECT checkout_id AS id FROM checkout_session WHERE opened_by = $1`, [openedBy])).map(
        ({ id }: { id: string }) => id,
      ) as string[];

    it('is as many unpaid checkouts of one address as may wait, also of many at once', async () => {
      const [mallory, alice] = ['address:mallory', 'address:alice'];
      const calls = Array.from({ length: UNPAID_CHECKOUTS_MAX + 10 }, () => outcome(mallory));
      expect(await tally(calls)).toEqual({ begun: UNPAID_CHECKOUTS_MAX, RATE_LIMITED: 10 });
      await expect(begin(mallory)).rejects.toMatchObject({
        message: expect.stringContaining(`at most ${UNPAID_CHECKOUTS_MAX} may`),
        payload: { retryAfterSeconds: expect.any(Number) },
      });
      await begin(alice);
      // Paid, or past its page, it makes room.
      const [paid, ended] = await idsOf(mallory);
      const { accountId } = await fixture.customer();
      await query(
        `UPDATE checkout_session SET fulfilled_at = now(), account_id = $2 WHERE checkout_id = $1`,
        [...[paid, accountId]],
      );
      await age(ended, 25);
      expect(await tally([outcome(mallory), outcome(mallory), outcome(mallory)])).toEqual({
        ...{ begun: 2, RATE_LIMITED: 1 },
      });
    });

    it('is the same checkout for whoever repeats its Idempotency-Key, also where there is no room', async () => {
      const bob = 'address:bob';
      const { checkoutId } = await begin(bob, 'first');
      for (let turn = 1; turn < UNPAID_CHECKOUTS_MAX; turn++) await begin(bob);
      expect((await begin(bob, 'first')).checkoutId).toBe(checkoutId);
      await expect(begin(bob, 'second')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    });

    it('goes a week after the page has ended, and what was paid stays', async () => {
      const carol = 'account:carol';
      for (let turn = 0; turn < 3; turn++) await begin(carol);
      const [old, young, paid] = await idsOf(carol);
      const { accountId } = await fixture.customer();
      await query(
        `UPDATE checkout_session SET fulfilled_at = now(), account_id = $2 WHERE checkout_id = $1`,
        [...[paid, accountId]],
      );
      await age(old, 24 * 8 + 1);
      await age(young, 24 * 8 - 1);
      await age(paid, 24 * 800);
      expect(await checkouts.purge()).toBe(1);
      expect((await idsOf(carol)).sort()).toEqual([paid, young].sort());
    });

    it('is a lead for 90 days after it was last seen, and one that has paid for two years', async () => {
      const leads = new Leads();
      const { manager } = fixture.database;
      const seen = async (email: string, days: number, detail = {}) => {
        await leads.record(manager, { source: 'checkout', email, detail });
        await query(`UPDATE lead SET last_seen_at = now() - make_interval(days => $2) WHERE email = $1`, [
          ...[email, days],
        ]);
      };
      await seen('new@example.com', 89);
      await seen('old@example.com', 91);
      await seen('paid@example.com', 729, { paid: true });
      await seen('paid-long-ago@example.com', 731, { paid: true });
      expect(await leads.purge(manager)).toBe(2);
      const left = await query(`SELECT email FROM lead ORDER BY email`);
      expect(left.map(({ email }: { email: string }) => email)).toEqual([
        'new@example.com',
        'paid@example.com',
      ]);
    });

    it('is that a count was taken back, for two days', async () => {
      const month = `date_trunc('month', now())::date`;
      await query(
        `INSERT INTO quota_return VALUES ('young', ${month}, now() - interval '47 hours'), ('old', ${month}, now() - interval '49 hours')`,
      );
      await fixture.quotas.purge();
      expect(await query(`SELECT call_key FROM quota_return`)).toEqual([{ call_key: 'young' }]);
    });
  });
}
