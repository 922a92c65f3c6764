import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountsFixture, AccountsInstance } from './account-fixture.js';
import { callOf, startAccounts, tally } from './account-fixture.js';

const PRICE = 1_000;
let fixture: AccountsFixture;
let other: AccountsInstance;

const entriesOf = (claimId: string) =>
  fixture.database.query(
    `SELECT account, amount_micro_usd::int AS amount, kind FROM ledger_entry WHERE claim_id = $1 ORDER BY amount_micro_usd`,
    [claimId],
  );
const setClaim = (claimId: string, assignments: string) =>
  fixture.database.query(`UPDATE payment_claim SET ${assignments} WHERE claim_id = $1`, [claimId]);
const DELIVERED = `state = 'delivered', delivered_at = now(), response_status = 200, response_content_type = 'a/b',
  response_body = ''`;
async function claimed(
  instance: AccountsInstance,
  call: Parameters<AccountsInstance['keyClaims']['claim']>[0],
) {
  const claim = await instance.keyClaims.claim(call);
  if (claim.outcome !== 'claimed') throw new Error(`not claimed: ${claim.outcome}`);
  return claim;
}

export function describeKeyClaims(): void {
  describe('key claims', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      other = await fixture.other();
    });
    afterAll(() => fixture?.close());

    describe('a call by key', () => {
      it('debits the credit, holds the price and is claimed, in one transaction', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const { held, quota } = await claimed(fixture, callOf(key));
        expect(quota).toBeUndefined();
        expect(held).toMatchObject({ attempt: 1, canBeGivenUp: true });
        expect(held.receipt).toMatchObject({
          rail: 'svc-key',
          amountMicroUsd: PRICE,
          reference: held.claimId,
        });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
        expect(await entriesOf(held.claimId)).toEqual([
          { account: `customer:${accountId}`, amount: -PRICE, kind: 'claim' },
          { account: 'holds', amount: PRICE, kind: 'claim' },
        ]);
        const [row] = await fixture.database.query(`SELECT * FROM payment_claim WHERE claim_id = $1`, [
          held.claimId,
        ]);
        expect(row).toMatchObject({
          rail_family: 'account',
          state: 'claimed',
          funding: 'credit',
          settlement: 'settled',
          payer: `account:${accountId}`,
          credit_account_id: accountId,
          charged_micro_usd: '1000',
        });
        expect(JSON.stringify(row)).not.toContain(key.slice(-43));
      });

      it('is counted against a paid plan where the quota covers the price, and debits the credit where it does not', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 100_000, plan: 'developer' });
        const { held, quota } = await claimed(fixture, callOf(key));
        expect(quota).toMatchObject({ plan: 'developer', limit: 50_000, used: 1 });
        expect(held.receipt.amountMicroUsd).toBe(0);
        expect(await entriesOf(held.claimId)).toEqual([]);
        const dearer = await claimed(fixture, callOf(key, 1, 'agent.verify-bullion'));
        expect(dearer.quota).toBeUndefined();
        expect(await fixture.balanceOf(accountId)).toBe(50_000);
        expect(await fixture.quotas.state(accountId)).toMatchObject({ used: 1 });
      });

      it('is looked for where there is no room for its work, and costs nothing', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const call = { ...callOf(key), idempotencyKey: 'looked-for' };
        expect(await fixture.keyClaims.find(call)).toBeUndefined();
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
        const { held } = await claimed(fixture, call);
        await expect(fixture.keyClaims.find(call)).rejects.toMatchObject({ code: 'PAYMENT_IN_FLIGHT' });
        await setClaim(held.claimId, DELIVERED);
        const others = [1, 2, 3].map(at => ({ ...callOf(key, at), idempotencyKey: `other-${at}` }));
        const found = await Promise.all(
          [others[0], call, ...others].map(each => fixture.keyClaims.find(each)),
        );
        expect(found).toEqual([
          undefined,
          { outcome: 'delivered', claimId: held.claimId },
          undefined,
          undefined,
          undefined,
        ]);
        const another = { ...callOf(key, 7), idempotencyKey: 'looked-for' };
        await expect(fixture.keyClaims.find(another)).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
      });

      it('goes on with the credit once the quota is used up, and says both when that is gone too', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: PRICE, plan: 'developer' });
        await fixture.database.query(
          `INSERT INTO quota_usage VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), 49999)`,
          [`account:${accountId}`],
        );
        const three = [callOf(key), callOf(key), callOf(key)].map(call => fixture.keyClaims.claim(call));
        expect(await tally(three)).toEqual({ claimed: 2, PAYMENT_INSUFFICIENT: 1 });
        await expect(fixture.keyClaims.claim(callOf(key))).rejects.toMatchObject({
          payload: {
            code: 'PAYMENT_INSUFFICIENT',
            extensions: { balanceMicroUsd: 0, priceMicroUsd: PRICE, quota: { used: 50_000, limit: 50_000 } },
          },
        });
      });

      it.each([
        ["plan_state = 'lapsed'", 'a plan that lapsed'],
        ["plan_until = now() - interval '1 second'", 'a plan that ended'],
      ])('has no quota of %s: the demo covers no price', async assignments => {
        const { accountId, key } = await fixture.customer({ plan: 'pro_agent' });
        await claimed(fixture, callOf(key));
        await fixture.database.query(`UPDATE account SET ${assignments} WHERE account_id = $1`, [accountId]);
        await expect(fixture.keyClaims.claim(callOf(key))).rejects.toMatchObject({
          code: 'PAYMENT_INSUFFICIENT',
        });
        expect(await fixture.keys.authenticate(key)).toMatchObject({ plan: 'demo' });
      });

      it('keeps its quota while a payment of the plan is due', async () => {
        const { accountId, key } = await fixture.customer({ plan: 'pro_agent' });
        await fixture.database.query(`UPDATE account SET plan_state = 'past_due' WHERE account_id = $1`, [
          accountId,
        ]);
        expect(await claimed(fixture, callOf(key))).toMatchObject({ quota: { plan: 'pro_agent' } });
      });

      it('is 401 for keys that are none, and takes nothing for them', async () => {
        const { key } = await fixture.customer({ microUsd: 5_000 });
        for (const text of ['', 'nonsense', key.slice(0, -1), `${key}x`, key.replace('test', 'live')]) {
          await expect(fixture.keyClaims.claim(callOf(text))).rejects.toMatchObject({
            code: 'UNKNOWN_CREDENTIAL',
          });
        }
      });
    });

    describe('of many calls at once', () => {
      it('all run that are different requests and can be paid, with an Idempotency-Key or without', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 100 * PRICE });
        const calls = Array.from({ length: 100 }, (_, i) =>
          fixture.keyClaims.claim({ ...callOf(key), ...(i % 2 ? { idempotencyKey: `purchase-${i}` } : {}) }),
        );
        expect(await tally(calls)).toEqual({ claimed: 100 });
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it('exactly one gets the last credit, on one instance', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: PRICE });
        const calls = Array.from({ length: 100 }, () => fixture.keyClaims.claim(callOf(key)));
        expect(await tally(calls)).toEqual({ claimed: 1, PAYMENT_INSUFFICIENT: 99 });
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it('exactly one gets the last credit, over two instances', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: PRICE });
        const calls = Array.from({ length: 100 }, (_, i) =>
          (i % 2 ? fixture : other).keyClaims.claim(callOf(key)),
        );
        expect(await tally(calls)).toEqual({ claimed: 1, PAYMENT_INSUFFICIENT: 99 });
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it('one runs where all ask the same, over two instances', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 100 * PRICE });
        const calls = Array.from({ length: 100 }, (_, i) =>
          (i % 2 ? fixture : other).keyClaims.claim(callOf(key, 'the same')),
        );
        expect(await tally(calls)).toEqual({ claimed: 1, PAYMENT_IN_FLIGHT: 99 });
        expect(await fixture.balanceOf(accountId)).toBe(99 * PRICE);
      });

      it('as many are claimed as quota and credit pay, of many accounts in each batch, over two instances', async () => {
        const customers = await Promise.all(
          Array.from({ length: 8 }, (_, i) => fixture.customer({ microUsd: i * PRICE })),
        );
        const calls = customers.flatMap(({ key }) =>
          Array.from({ length: 10 }, (_, i) => (i % 2 ? fixture : other).keyClaims.claim(callOf(key))),
        );
        expect(await tally(calls)).toEqual({ claimed: 28, PAYMENT_INSUFFICIENT: 52 });
        for (const { accountId } of customers) expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it('each is decided on its own: a dear one that cannot be paid leaves the cheap ones be', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 3 * PRICE });
        const calls = ['zk.prove', 'agent.coi-verify', 'zk.prove', 'agent.coi-verify', 'zk.prove'].map(
          operation => fixture.keyClaims.claim(callOf(key, undefined, operation)),
        );
        expect(await tally(calls)).toEqual({ claimed: 3, PAYMENT_INSUFFICIENT: 2 });
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });
    });

    describe('a second payment for the same request', () => {
      it('is the first one’s answer within 60 s of its delivery, and a new purchase after', async () => {
        const { key } = await fixture.customer({ microUsd: 5_000 });
        const call = callOf(key, 'again');
        const { held } = await claimed(fixture, call);
        await expect(other.keyClaims.claim(call)).rejects.toMatchObject({
          payload: { code: 'PAYMENT_IN_FLIGHT', extensions: { claimId: held.claimId, attempt: 1 } },
        });
        await setClaim(held.claimId, DELIVERED);
        expect(await other.keyClaims.claim(call)).toEqual({ outcome: 'delivered', claimId: held.claimId });
        await setClaim(held.claimId, `delivered_at = now() - interval '61 s'`);
        expect((await claimed(other, call)).held.claimId).not.toBe(held.claimId);
      });

      it('is the first one’s answer for 24 hours with its Idempotency-Key', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const call = { ...callOf(key, 'again'), idempotencyKey: 'purchase-1' };
        const { held } = await claimed(fixture, call);
        await setClaim(held.claimId, DELIVERED);
        await setClaim(
          held.claimId,
          `claimed_at = now() - interval '23 h', delivered_at = now() - interval '23 h'`,
        );
        expect(await fixture.keyClaims.claim(call)).toEqual({ outcome: 'delivered', claimId: held.claimId });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
        await setClaim(
          held.claimId,
          `claimed_at = now() - interval '25 h', delivered_at = now() - interval '25 h'`,
        );
        await claimed(fixture, call);
      });

      it('is refused with another body under its Idempotency-Key, and nothing is taken', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        await claimed(fixture, { ...callOf(key, 'one'), idempotencyKey: 'purchase-2' });
        const mismatch = fixture.keyClaims.claim({ ...callOf(key, 'two'), idempotencyKey: 'purchase-2' });
        await expect(mismatch).rejects.toMatchObject({ code: 'UNPROCESSABLE', status: 422 });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
        // The same key of another operation, or of another account, is another purchase.
        await claimed(fixture, { ...callOf(key, 'two', 'stark.prove-m31'), idempotencyKey: 'purchase-2' });
        const stranger = await fixture.customer({ microUsd: 5_000 });
        await claimed(fixture, { ...callOf(stranger.key, 'two'), idempotencyKey: 'purchase-2' });
      });

      it('waits while the first is unknown, and is a new one once the first was given back', async () => {
        const { key } = await fixture.customer({ microUsd: 5_000 });
        const call = callOf(key, 'again');
        const { held } = await claimed(fixture, call);
        await setClaim(held.claimId, `state = 'unknown'`);
        await expect(fixture.keyClaims.claim(call)).rejects.toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
        await setClaim(held.claimId, `state = 'credited'`);
        expect((await claimed(fixture, call)).held.claimId).not.toBe(held.claimId);
      });

      it('is decided as well where both came in one batch, by body and by Idempotency-Key', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const one = { ...callOf(key, 'one'), idempotencyKey: 'twins' };
        const calls = [
          one,
          one,
          { ...callOf(key, 'two'), idempotencyKey: 'twins' },
          callOf(key, 'one'),
          callOf(key, 'two'),
        ];
        const results = await Promise.allSettled(calls.map(call => fixture.keyClaims.claim(call)));
        const claimId = (results[0] as PromiseFulfilledResult<{ held: { claimId: string } }>).value.held
          .claimId;
        const twin = {
          reason: { payload: { code: 'PAYMENT_IN_FLIGHT', extensions: { claimId, attempt: 1 } } },
        };
        const others = [twin, { reason: { code: 'UNPROCESSABLE' } }, twin, { value: { outcome: 'claimed' } }];
        expect(results.slice(1)).toMatchObject(others);
        expect(await fixture.balanceOf(accountId)).toBe(3_000);
      });

      it('takes over the claim of a caller that died, once, and pays nothing again', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const call = callOf(key, 'lapsed');
        const { held } = await claimed(fixture, call);
        await setClaim(held.claimId, `lease_until = now() - interval '1 s'`);
        const again = Array.from({ length: 20 }, (_, i) => (i % 2 ? fixture : other).keyClaims.claim(call));
        expect(await tally(again)).toEqual({ claimed: 1, PAYMENT_IN_FLIGHT: 19 });
        const taken = (await Promise.allSettled(again)).find(each => each.status === 'fulfilled');
        expect(taken).toMatchObject({
          value: { held: { claimId: held.claimId, attempt: 2, receipt: held.receipt } },
        });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
      });

      it('cannot be given up any more once an account gave up three times within the hour', async () => {
        const { key } = await fixture.customer({ microUsd: 10_000 });
        for (let time = 1; time <= 3; time++) {
          const { held } = await claimed(fixture, callOf(key));
          expect(held.canBeGivenUp).toBe(true);
          await setClaim(held.claimId, `state = 'credited', given_up_count = 1`);
        }
        expect((await claimed(fixture, callOf(key))).held.canBeGivenUp).toBe(false);
        await fixture.database.query(`UPDATE payment_claim SET claimed_at = now() - interval '61 min'`);
        expect((await claimed(fixture, callOf(key))).held.canBeGivenUp).toBe(true);
      });
    });
  });
}
