import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MeasurementRegistry, createLogger } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import type { KeyCall, KeySale, SoldAnswer } from '../src/claim/key-claims.js';
import { openAnswer } from '../src/claim/sealed-answer.js';
import { HolderKeys } from '../src/account/holder-keys.js';
import { ClaimDeliveries } from '../src/claim/claim-deliveries.js';
import { paymentKeysOf } from '../src/payments-config.js';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import {
  type AccountsFixture,
  type AccountsInstance,
  callOf,
  startAccounts,
  tally,
} from './account-fixture.js';
import { SECRETS } from './payments-fixture.js';

const PRICE = 1_000;
const CATALOGUE = 'tool.get_product_catalog';
const KEYS = paymentKeysOf({ production: false, secrets: SECRETS });
let fixture: AccountsFixture;
let other: AccountsInstance;

const bytes = (text: string) => new TextEncoder().encode(text);
const answered = (text = `{"answer":"${randomUUID()}"}`): SoldAnswer => ({
  claimId: randomUUID(),
  soldAt: '2026-11-28T12:00:00.000Z',
  response: { status: 200, contentType: 'application/json', body: bytes(text) },
});
const call = (key: string, body?: unknown): KeyCall => callOf(key, body, CATALOGUE);
const sell = (asked: KeyCall, answer = answered(), at: AccountsInstance = fixture): Promise<KeySale> =>
  at.keyClaims.sell(asked, answer);
const rowOf = async (claimId: string) =>
  (await fixture.database.query(`SELECT * FROM payment_claim WHERE claim_id = $1`, [claimId]))[0];
const entriesOf = (claimId: string) =>
  fixture.database.query(
    `SELECT account, amount_micro_usd::int AS amount, kind FROM ledger_entry WHERE claim_id = $1 ORDER BY amount_micro_usd`,
    [claimId],
  );

export function describeAnsweredSales(): void {
  describe('answered sales', () => {
    beforeAll(async () => {
      fixture = await startAccounts();
      other = await fixture.other();
    });
    afterAll(async () => {
      try {
        const logger = createLogger('payments', { level: 'silent' });
        const ledger = new LedgerReconciliation(fixture.database, new MeasurementRegistry(), { logger });
        expect(await ledger.run()).toMatchObject({ findings: [] });
      } finally {
        await fixture?.close();
      }
    });

    describe('an answer that is there', () => {
      it('is debited, earned and kept in one transaction, under the id that it was made with', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const answer = answered('{"a":1}');
        const sale = await sell(call(key), answer);
        expect(sale).toMatchObject({
          outcome: 'sold',
          receipt: { rail: 'svc-key', reference: answer.claimId, amountMicroUsd: PRICE },
          purse: { accountId, balanceMicroUsd: 4_000, quotaCalls: 0 },
        });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
        expect(await entriesOf(answer.claimId)).toEqual([
          { account: `customer:${accountId}`, amount: -PRICE, kind: 'sell' },
          { account: 'treasury', amount: PRICE, kind: 'sell' },
        ]);
        const row = await rowOf(answer.claimId);
        expect(row).toMatchObject({
          ...{ state: 'delivered', funding: 'credit', settlement: 'settled', response_status: 200 },
          ...{ payer: `account:${accountId}`, response_sealed: true },
        });
        expect(openAnswer(KEYS.storedAnswer, answer.claimId, row.response_body)?.toString()).toBe('{"a":1}');
        const events = await fixture.database.query(
          `SELECT event_id FROM event_outbox WHERE event_id LIKE $1`,
          [`payment:${answer.claimId}:%`],
        );
        expect(events).toEqual([{ event_id: `payment:${answer.claimId}:1:delivered` }]);
      });

      it('is counted against a plan whose quota covers it, and says what is left', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000, plan: 'developer' });
        const answer = answered();
        expect(await sell(call(key), answer)).toMatchObject({
          outcome: 'sold',
          receipt: { amountMicroUsd: 0 },
          quota: { used: 1, limit: 50_000 },
          purse: { balanceMicroUsd: 5_000, quotaCalls: 49_999 },
        });
        expect(await entriesOf(answer.claimId)).toEqual([]);
        expect(await fixture.balanceOf(accountId)).toBe(5_000);
      });

      it('is sold alone where it is large', async () => {
        const { key } = await fixture.customer({ microUsd: 5_000 });
        const answer = answered(JSON.stringify('x'.repeat(300_000)));
        expect(await sell(call(key), answer)).toMatchObject({ outcome: 'sold' });
        const { response_body: stored } = await rowOf(answer.claimId);
        expect(openAnswer(KEYS.storedAnswer, answer.claimId, stored)).toHaveLength(300_002);
      });

      it('is not sold to a key that has too little, or is none, and nothing is taken', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: PRICE - 1 });
        await expect(sell(call(key))).rejects.toMatchObject({
          payload: {
            code: 'PAYMENT_INSUFFICIENT',
            extensions: { balanceMicroUsd: PRICE - 1, priceMicroUsd: PRICE },
          },
        });
        for (const none of ['', 'nonsense', `${key}x`, key.replace('test', 'live')])
          await expect(sell(call(none))).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
        expect(await fixture.balanceOf(accountId)).toBe(PRICE - 1);
      });
    });

    describe('of many sales at once', () => {
      it('as many are sold as the credit pays, each answer its own, over two instances', async () => {
        const customers = await Promise.all(
          Array.from({ length: 6 }, (_, i) => fixture.customer({ microUsd: i * PRICE })),
        );
        const asked = customers.flatMap(({ key }) =>
          Array.from({ length: 8 }, () => ({ key, answer: answered() })),
        );
        const sales = asked.map(({ key, answer }, i) => sell(call(key), answer, i % 2 ? fixture : other));
        expect(await tally(sales)).toEqual({ sold: 15, PAYMENT_INSUFFICIENT: 33 });
        for (const [place, sale] of (await Promise.allSettled(sales)).entries()) {
          const { claimId, response } = asked[place].answer;
          const row = await rowOf(claimId);
          const isSold = sale.status === 'fulfilled';
          expect(row && openAnswer(KEYS.storedAnswer, claimId, row.response_body)).toEqual(
            isSold ? Buffer.from(response.body) : undefined,
          );
        }
        for (const { accountId } of customers) expect(await fixture.balanceOf(accountId)).toBe(0);
      });

      it.each(['with an Idempotency-Key', 'without'])(
        'of the same request, %s, one is sold and the others find its answer',
        async how => {
          const { accountId, key } = await fixture.customer({ microUsd: 100 * PRICE });
          const same = { ...call(key, 'the same'), ...(how === 'without' ? {} : { idempotencyKey: 'one' }) };
          const sales = Array.from({ length: 64 }, (_, i) => sell(same, answered(), i % 2 ? fixture : other));
          expect(await tally(sales)).toEqual({ sold: 1, delivered: 63 });
          const ids = new Set(
            (await Promise.all(sales)).map(each => ('claimId' in each ? each.claimId : '')),
          );
          const [{ claim_id: sold }] = await fixture.database.query(
            `SELECT claim_id FROM payment_claim WHERE payer = $1`,
            [`account:${accountId}`],
          );
          expect([...ids].sort()).toEqual(['', sold].sort());
          expect(await fixture.balanceOf(accountId)).toBe(99 * PRICE);
        },
      );

      it('of one that is asked for again before it is heard of, it is sold once, and others with it', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 100 * PRICE });
        const [again, answer] = [call(key, 'again'), answered()];
        const sales = [
          ...Array.from({ length: 5 }, () => sell(again, answer)),
          sell(call(key)),
          sell(call(key)),
        ];
        expect(await tally(sales)).toEqual({ sold: 3, delivered: 4 });
        expect(await fixture.balanceOf(accountId)).toBe(97 * PRICE);
      });

      it('one whose caller waits no more when its turn comes is not sold', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5 * PRICE });
        await sell(call(key));
        const late = await fixture.database.transaction(async manager => {
          await manager.query(`SELECT FROM account WHERE account_id = $1 FOR UPDATE`, [accountId]);
          // The first is at work, and waits for the account; the second waits for its turn.
          const first = sell(call(key));
          await untilWaiting();
          const now = jest.spyOn(Date, 'now');
          const second = sell(call(key)).catch((error: unknown) => error);
          await new Promise(resolve => setImmediate(resolve));
          const real = now.getMockImplementation();
          now.mockImplementation(() => performance.timeOrigin + performance.now() + 5_001);
          return { first, second, restore: () => (real ? now.mockImplementation(real) : now.mockRestore()) };
        });
        expect(await late.first).toMatchObject({ outcome: 'sold' });
        expect(await late.second).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
        late.restore();
        expect(await fixture.balanceOf(accountId)).toBe(3 * PRICE);
      });

      it('and claims, each request is paid for once, and the last credit buys one', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5 * PRICE });
        const buys = Array.from({ length: 12 }, (_, i) => {
          const at = i % 2 ? fixture : other;
          return i % 3 ? sell(call(key), answered(), at) : at.keyClaims.claim(call(key));
        });
        const { claimed = 0, sold = 0, ...rest } = await tally(buys);
        expect([claimed + sold, rest]).toEqual([5, { PAYMENT_INSUFFICIENT: 7 }]);
        expect(await fixture.balanceOf(accountId)).toBe(0);
      });
    });

    describe('a request that was paid for before', () => {
      it('is sold anew after 60 s, and never while an Idempotency-Key stands for it', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const later = (claimId: string) =>
          fixture.database.query(
            `UPDATE payment_claim SET delivered_at = delivered_at - interval '61 s' WHERE claim_id = $1`,
            [claimId],
          );
        const plain = { asked: call(key, 'plain'), answer: answered() };
        const named = { asked: { ...call(key, 'named'), idempotencyKey: 'k-1' }, answer: answered() };
        for (const { asked, answer } of [plain, named]) {
          expect(await sell(asked, answer)).toMatchObject({ outcome: 'sold' });
          expect(await sell(asked)).toEqual({ outcome: 'delivered', claimId: answer.claimId });
          await later(answer.claimId);
        }
        expect(await sell(plain.asked)).toMatchObject({ outcome: 'sold' });
        expect(await sell(named.asked)).toEqual({ outcome: 'delivered', claimId: named.answer.claimId });
        await expect(sell({ ...call(key, 'another'), idempotencyKey: 'k-1' })).rejects.toMatchObject({
          code: 'UNPROCESSABLE',
        });
        expect(await fixture.balanceOf(accountId)).toBe(5_000 - 3 * PRICE);
      });

      it('is in flight while its claim is held, and is to be claimed once that has lapsed', async () => {
        const { accountId, key } = await fixture.customer({ microUsd: 5_000 });
        const asked = call(key, 'held');
        const claim = await fixture.keyClaims.claim(asked);
        if (claim.outcome !== 'claimed') throw new Error(claim.outcome);
        const { claimId } = claim.held;
        await expect(sell(asked)).rejects.toMatchObject({
          payload: { code: 'PAYMENT_IN_FLIGHT', extensions: { claimId, attempt: 1 } },
        });
        await fixture.database.query(`UPDATE payment_claim SET lease_until = now() WHERE claim_id = $1`, [
          claimId,
        ]);
        expect(await sell(asked)).toEqual({ outcome: 'to-be-claimed' });
        expect(await fixture.balanceOf(accountId)).toBe(4_000);
      });
    });

    describe('a key that was revoked', () => {
      it('buys nothing after that, though it is known here, however many calls are under way', async () => {
        const { accountId, keyId, key } = await fixture.customer({ microUsd: 1_000 * PRICE });
        const second = await fixture.database.transaction(manager => fixture.keys.issue(manager, accountId));
        await sell(call(key));
        await sell(call(key), answered(), other);
        const holders = new HolderKeys(fixture.keys, fixture.limits);
        // The account's lock is held while the calls come; who revokes has it first.
        const revocation = fixture.database.transaction(async manager => {
          await holders.revoke(manager, accountId, keyId, { force: false });
          const late = Array.from({ length: 100 }, (_, i) =>
            i % 4 ? sell(call(key), answered(), i % 2 ? fixture : other) : other.keyClaims.claim(call(key)),
          );
          const waiting = Promise.allSettled(late);
          await untilWaiting();
          return { waiting };
        });
        const outcomes = await (await revocation).waiting;
        const refused = outcomes.filter(
          each =>
            each.status === 'rejected' && (each.reason as { code?: string }).code === 'UNKNOWN_CREDENTIAL',
        );
        expect(refused).toHaveLength(100);
        expect(await fixture.balanceOf(accountId)).toBe(998 * PRICE);
        expect(await sell(call(second.key))).toMatchObject({ outcome: 'sold' });
      });

      it('buys until its grace is over', async () => {
        const { accountId, keyId, key } = await fixture.customer({ microUsd: 5_000 });
        await sell(call(key));
        await fixture.database.transaction(manager =>
          fixture.keys.rotate(manager, accountId, keyId, { graceSeconds: 60 }),
        );
        expect(await sell(call(key))).toMatchObject({ outcome: 'sold' });
        await fixture.database.query(`UPDATE api_key SET ends_at = now() WHERE key_id = $1`, [keyId]);
        await expect(sell(call(key))).rejects.toMatchObject({ code: 'UNKNOWN_CREDENTIAL' });
        expect(await fixture.balanceOf(accountId)).toBe(3_000);
      });
    });

    it('waits for the disk with sales, deliveries and claims, but for those that are held lazily', async () => {
      await fixture.owner.query(`CREATE TABLE payments.waits (claim_id uuid, state text, setting text)`);
      await fixture.owner.query(`
        CREATE FUNCTION payments.note_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
          INSERT INTO payments.waits VALUES (NEW.claim_id, NEW.state, current_setting('synchronous_commit'));
          RETURN NULL;
        END $$`);
      await fixture.owner.query(`
        CREATE TRIGGER note_wait AFTER INSERT OR UPDATE ON payments.payment_claim
          FOR EACH ROW EXECUTE FUNCTION payments.note_wait()`);
      const { key } = await fixture.customer({ microUsd: 5_000 });
      const sold = answered();
      await sell(call(key), sold);
      const deliveries = new ClaimDeliveries(fixture.database, KEYS);
      const seen: [string, string][] = [];
      for (const lazily of [false, true]) {
        const claim = await fixture.keyClaims.claim(call(key), lazily);
        if (claim.outcome !== 'claimed') throw new Error(claim.outcome);
        const { claimId, attempt } = claim.held;
        await deliveries.deliver(claimId, attempt, sold.response);
        for (const { state, setting } of await fixture.owner.query(
          `SELECT state, setting FROM payments.waits WHERE claim_id = $1`,
          [claimId],
        ))
          seen.push([state, setting]);
      }
      const ofSale = await fixture.owner.query(`SELECT setting FROM payments.waits WHERE claim_id = $1`, [
        sold.claimId,
      ]);
      // Work that its payer may not give up any more can go on as a job: its hold is on the disk when the claim is told.
      await fixture.database.query(
        `UPDATE payment_claim SET given_up_count = 1
          WHERE payer = (SELECT payer FROM payment_claim WHERE claim_id = $1)`,
        [sold.claimId],
      );
      const kept = await fixture.keyClaims.claim(call(key), true);
      if (kept.outcome !== 'claimed') throw new Error(kept.outcome);
      expect(kept.held.canBeGivenUp).toBe(false);
      const ofKept = await fixture.owner.query(`SELECT setting FROM payments.waits WHERE claim_id = $1`, [
        kept.held.claimId,
      ]);
      expect(ofKept).toEqual([{ setting: 'off' }, { setting: 'on' }]);
      await fixture.owner.query(`DROP TRIGGER note_wait ON payments.payment_claim`);
      expect(ofSale).toEqual([{ setting: 'on' }]);
      expect(seen).toEqual([
        ['claimed', 'on'],
        ['delivered', 'on'],
        ['claimed', 'off'],
        ['delivered', 'on'],
      ]);
      // The connection itself is as it was.
      expect(await fixture.database.query(`SHOW synchronous_commit`)).toEqual([{ synchronous_commit: 'on' }]);
    });
  });
}

/** Until a batch waits for the account. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const waiting = await fixture.database.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%buy_by_key%'`,
    );
    if (waiting.length > 0) return;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
