import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { accountContract, adminContract, refundsContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { customer, Ledger } from '../src/ledger/ledger.js';
import { LndLightning } from '../src/lightning/lnd-lightning.js';
import { RefundRequests } from '../src/refund/refund-requests.js';
import { RefundableClaims } from '../src/refund/refundable-claim.js';
import { LndEmulator, MACAROON_HEX, TLS_CERTIFICATE } from './lnd-emulator.js';
import { describeLightningRefunds } from './lightning-refunds.cases.js';
import { claimParts, type PaymentsFixture, startPayments } from './payments-fixture.js';
import { ADMIN_KEY, otherInstance, PRICE, refundCalls } from './refund-fixture.js';
import { describeRefundMoney } from './refund-money.cases.js';
import { ScriptedRail } from './scripted-rail.js';

const rail = new ScriptedRail();
const card = new ScriptedRail('stripe');
const node = new LndEmulator();
let payments: PaymentsFixture;
const { claim, bought, refund, find } = refundCalls(() => payments);
const query = (sql: string, values: unknown[] = []) => payments.database.query(sql, values);

const REMAINDER = { chargeMicroUsd: 500_000 };
const netOf = async (claimId: string): Promise<Record<string, number>> => {
  const rows: { account: string; net: number }[] = await query(
    `SELECT split_part(account, ':', 1) AS account, sum(amount_micro_usd)::int AS net FROM ledger_entry
      WHERE claim_id = $1 GROUP BY 1 HAVING sum(amount_micro_usd) <> 0`,
    [claimId],
  );
  return Object.fromEntries(rows.map(({ account, net }) => [account, net]));
};
const creditAccountOf = async (claimId: string): Promise<string> =>
  (await query(`SELECT credit_account_id AS id FROM payment_claim WHERE claim_id = $1`, [claimId]))[0].id;
const balanceOf = async (accountId: string): Promise<number> =>
  Number((await query(`SELECT balance_micro_usd AS b FROM account WHERE account_id = $1`, [accountId]))[0].b);
const makeDue = (refundId: string) =>
  query(`UPDATE refund SET due_at = now() - interval '1 s' WHERE refund_id = $1`, [refundId]);
const findings = async () =>
  (await payments.bus.call(adminContract.reconcile, { accountKey: ADMIN_KEY })).findings;

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, 10));
}

/** What came of many that ran at once: those that were done, and the codes of the others. */
async function raced<T>(works: readonly Promise<T>[]): Promise<{ done: T[]; codes: string[] }> {
  const settled = await Promise.allSettled(works);
  return {
    done: settled.flatMap(each => (each.status === 'fulfilled' ? [each.value] : [])),
    codes: settled.flatMap(each =>
      each.status === 'rejected' ? [(each.reason as { code: string }).code] : [],
    ),
  };
}

function describeBookkeeping(): void {
  describe('a refund', () => {
    it('to credit is done at once, shows on the statement and on the answer, and is one under its key', async () => {
      const nonce = randomUUID();
      const claimId = await bought({ nonce });
      const key = randomUUID();
      const first = await refund({ claimId, to: 'credit' }, key);
      expect(first).toMatchObject({
        ...{ state: 'done', to: 'credit', by: 'account', microUsd: PRICE, fromCreditMicroUsd: 0, claimId },
      });
      expect(await refund({ claimId, to: 'credit' }, key)).toEqual(first);
      expect(await find(first.refundId)).toEqual(first);
      expect(await balanceOf(first.accountId!)).toBe(PRICE);
      expect(await netOf(claimId)).toEqual({ 'onchain-clearing': -PRICE, customer: PRICE });
      const replayed = await claim({ nonce, payer: 'x402:0xabc' });
      expect(replayed).toMatchObject({
        ...{ outcome: 'replayed', receipt: { headers: { 'SVC-Refund': 'refunded=1000, charged=1000' } } },
      });
      const by = { accountId: first.accountId!, keyId: 'a'.repeat(16), plan: 'demo' as const, scopes: [] };
      const { items } = await payments.bus.call(accountContract.ledger, { by, limit: 10 });
      expect(items).toMatchObject([
        { kind: 'refund-credit', amountMicroUsd: PRICE, claimId, operationId: 'zk.prove' },
      ]);
      const [record] = await query(`SELECT action, outcome FROM admin_audit WHERE target = $1`, [claimId]);
      expect(record).toEqual({ action: 'refund.create', outcome: 'DONE' });
    });

    it('under a key that came with another is 422, whichever of the two is asked', async () => {
      const [claimId, other] = [await bought(), await bought()];
      const key = randomUUID();
      await refund({ claimId, microUsd: 100 }, key);
      for (const asked of [
        { claimId, microUsd: 200 },
        { claimId, microUsd: 100, to: 'credit' as const },
        { claimId, microUsd: 100, reason: 'another one' },
        { claimId: other, microUsd: 100 },
      ]) {
        const { code, payload } = await problemOf(refund(asked, key));
        expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'Idempotency-Key']);
      }
    });

    it('in parts gives back what was settled and no more; what is asked beyond says how much is left', async () => {
      const claimId = await bought();
      expect(await refund({ claimId, microUsd: 400 })).toMatchObject({ state: 'done', microUsd: 400 });
      const { code, payload } = await problemOf(refund({ claimId, microUsd: 601 }));
      expect([code, payload.errors]).toEqual([
        'UNPROCESSABLE',
        [expect.objectContaining({ path: 'microUsd', bound: 600, got: 601 })],
      ]);
      expect((await problemOf(refund({ claimId, microUsd: 601, to: 'credit' }))).code).toBe('UNPROCESSABLE');
      expect(await refund({ claimId, to: 'credit', microUsd: 250 })).toMatchObject({ state: 'done' });
      expect(await refund({ claimId })).toMatchObject({ state: 'done', microUsd: 350 });
      const nothing = await problemOf(refund({ claimId }));
      expect(nothing.payload.errors).toEqual([expect.objectContaining({ path: 'microUsd', bound: 0 })]);
      expect(await netOf(claimId)).toEqual({ 'onchain-clearing': -250, customer: 250 });
    });

    it('takes what the call earned first, then the credit that the payment left, and none that was spent', async () => {
      const claimId = await bought(REMAINDER);
      const accountId = await creditAccountOf(claimId);
      expect(await refund({ claimId, microUsd: 101_000 })).toMatchObject({ fromCreditMicroUsd: 100_000 });
      expect(await balanceOf(accountId)).toBe(399_000);
      // Nothing of it is the house's any more.
      expect((await problemOf(refund({ claimId, to: 'credit' }))).code).toBe('UNPROCESSABLE');
      const { accountId: elsewhere } = await payments.bus.call(adminContract.createAccount, {
        accountKey: ADMIN_KEY,
        kind: 'purchased',
        plan: 'demo',
      });
      await spend(accountId, elsewhere, 300_000);
      const { payload } = await problemOf(refund({ claimId, microUsd: 99_001 }));
      expect(payload.errors?.[0]).toMatchObject({ path: 'microUsd', bound: 99_000, got: 99_001 });
      expect(await refund({ claimId })).toMatchObject({ microUsd: 99_000, fromCreditMicroUsd: 99_000 });
      expect(await balanceOf(accountId)).toBe(0);
    });

    it('of a call that was given back takes the credit that it became', async () => {
      const claimId = await bought({}, false);
      expect((await problemOf(refund({ claimId, to: 'credit' }))).code).toBe('UNPROCESSABLE');
      expect(await refund({ claimId })).toMatchObject({ state: 'done', fromCreditMicroUsd: PRICE });
      expect(await balanceOf(await creditAccountOf(claimId))).toBe(0);
      expect(await netOf(claimId)).toEqual({});
    });

    it('is less by what the processor took back in a dispute', async () => {
      const claimId = await bought({ family: 'stripe', ...REMAINDER });
      await query(
        `INSERT INTO credit_reversal (reversal_id, kind, payment_intent_id, account_id, asked_micro_usd, taken_micro_usd)
         VALUES ($1, 'dispute', $2, $3, 499500, 499000)`,
        [`du_${claimId}`, `tx_${claimId}`, await creditAccountOf(claimId)],
      );
      const { payload } = await problemOf(refund({ claimId, microUsd: 501 }));
      expect(payload.errors?.[0]).toMatchObject({ bound: 500, got: 501 });
    });

    it('of what is not over is 409, of what took nothing 422, of nothing 404; a key without the scope gets 403', async () => {
      const running = await claim({ nonce: randomUUID(), payer: 'x402:0xabc' });
      if (running.outcome !== 'claimed') throw new Error(running.outcome);
      expect((await problemOf(refund({ claimId: running.claimId }))).code).toBe('CONFLICT');
      rail.fault = 'refuse';
      const nonce = randomUUID();
      await claim({ nonce, payer: 'x402:0xabc' }).catch(() => undefined);
      rail.fault = 'none';
      const [{ claim_id: empty }] = await query(
        `SELECT claim_id FROM payment_claim WHERE state = 'void' ORDER BY claimed_at DESC LIMIT 1`,
      );
      const { code, payload } = await problemOf(refund({ claimId: empty }));
      expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'claimId']);
      expect((await problemOf(refund({ claimId: randomUUID() }))).code).toBe('NOT_FOUND');
      const { accountId } = await payments.bus.call(adminContract.createAccount, {
        ...{ accountKey: ADMIN_KEY, kind: 'operator', plan: 'demo' },
      });
      const { key } = await payments.bus.call(adminContract.issueKey, {
        ...{ accountKey: ADMIN_KEY, accountId, scopes: ['admin:ledger'] },
      });
      const claimId = await bought();
      expect((await problemOf(refund({ claimId }, randomUUID(), key))).code).toBe('FORBIDDEN');
    });
  });
}

/** Has an account pay another, as calls would pay the house. */
async function spend(from: string, to: string, microUsd: number): Promise<void> {
  await payments.database.transaction(manager =>
    new Ledger().post(manager, {
      kind: 'test',
      legs: [
        { account: customer(from), amountMicroUsd: -microUsd },
        { account: customer(to), amountMicroUsd: microUsd },
      ],
    }),
  );
}

function describeRaces(): void {
  describe('refunds of one claim at once', () => {
    it('are one under one key, sent once', async () => {
      const claimId = await bought();
      const key = randomUUID();
      const { done, codes } = await raced(
        Array.from({ length: 50 }, () => refund({ claimId, microUsd: 700 }, key)),
      );
      expect([new Set(done.map(({ refundId }) => refundId)).size, codes]).toEqual([1, []]);
      const [{ refundId }] = done;
      expect(rail.refunds.sent.filter(id => id === refundId)).toHaveLength(1);
      expect(rail.refunds.moved.get(refundId)).toBe(700);
    });

    it('under different keys never give back more than was settled', async () => {
      const claimId = await bought();
      const ways = ['origin', 'credit'] as const;
      const { done, codes } = await raced(
        Array.from({ length: 50 }, (_, i) => refund({ claimId, microUsd: 100, to: ways[i % 2] })),
      );
      expect([done.length, new Set(codes)]).toEqual([10, new Set(['UNPROCESSABLE'])]);
      const [{ sum }] = await query(
        `SELECT sum(amount_micro_usd)::int AS sum FROM refund WHERE claim_id = $1`,
        [claimId],
      );
      expect(sum).toBe(PRICE);
    });

    it('of different claims stay within the limit of a day', async () => {
      const [{ today }] = await query(
        `SELECT coalesce(sum(amount_micro_usd), 0)::int AS today FROM refund
          WHERE rail_family = 'x402' AND state <> 'refused'`,
      );
      const claims = await Promise.all(Array.from({ length: 12 }, () => bought()));
      rail.refunds.dailyLimitMicroUsd = today + 5 * PRICE + 1;
      const { done, codes } = await raced(claims.map(claimId => refund({ claimId })));
      expect([done.length, new Set(codes)]).toEqual([5, new Set(['UNPROCESSABLE'])]);
      const { payload } = await problemOf(refund({ claimId: await bought() }));
      expect(payload.errors?.[0]).toMatchObject({ path: 'microUsd', bound: 1, got: PRICE });
      expect(await refund({ claimId: await bought(), to: 'credit' })).toMatchObject({ state: 'done' });
    });
  });
}

function describeDoubt(): void {
  describe('a refund whose rail', () => {
    it('refuses it has moved nothing: the amount is where it was, and can be refunded', async () => {
      const claimId = await bought(REMAINDER);
      const before = await netOf(claimId);
      rail.refunds.fault = 'refuse';
      expect(await refund({ claimId })).toMatchObject({ state: 'refused', detail: 'the purse is empty' });
      expect(await netOf(claimId)).toEqual(before);
      rail.refunds.reset();
      expect(await refund({ claimId })).toMatchObject({ state: 'done', microUsd: 500_000 });
    });

    it.each([
      ['lost-after', 'done'],
      ['lost-before', 'refused'],
    ] as const)(
      'has lost its answer (%s) is asked what became of it, and never sent again',
      async (fault, end) => {
        const claimId = await bought();
        const key = randomUUID();
        rail.refunds.fault = fault;
        rail.refunds.isAway = true;
        const lost = await refund({ claimId }, key);
        expect(lost.state).toBe('unknown');
        rail.refunds.fault = 'none';
        expect((await refund({ claimId }, key)).refundId).toBe(lost.refundId);
        // Its amount stays held: it may be with the payer.
        expect((await problemOf(refund({ claimId, microUsd: 1 }))).code).toBe('UNPROCESSABLE');
        rail.refunds.isAway = false;
        await makeDue(lost.refundId);
        await until(async () => (await find(lost.refundId)).state === end);
        expect(rail.refunds.sent.filter(id => id === lost.refundId)).toHaveLength(1);
      },
    );

    it('is at work when its service dies: another instance asks, and what the dead one hears counts no more', async () => {
      const dead = otherInstance(payments.database, [rail]);
      const claimId = await bought();
      const refundId = await requestedBy(claimId);
      let answer = () => {};
      rail.refunds.gate = new Promise(resolve => (answer = resolve));
      const dying = dead.sender.send((await dead.store.find(refundId))!);
      await until(() => rail.refunds.moved.has(refundId));
      await makeDue(refundId);
      await until(async () => (await find(refundId)).state === 'done');
      answer();
      await dying;
      rail.refunds.reset();
      expect(rail.refunds.sent.filter(id => id === refundId)).toHaveLength(1);
      expect(await netOf(claimId)).toEqual({});
    });

    it('is not handed it by a process that stood still for a minute after it said so: another asks, and it is where it was', async () => {
      const claimId = await bought();
      const { sender, store } = otherInstance(payments.database, [rail]);
      for (const [ageMs, end, times] of [
        [59_000, 'done', 1],
        [60_000, 'sent', 0],
      ] as const) {
        const refundId = await requestedBy(claimId, PRICE / 2);
        const mine = (await store.markSent(refundId, { nonce: refundId }))!;
        const { state } = await sender.sendMarked(mine, performance.now() - ageMs);
        expect([state, rail.refunds.sent.filter(id => id === refundId).length]).toEqual([end, times]);
        if (end === 'done') continue;
        await makeDue(refundId);
        await until(async () => (await find(refundId)).state === 'refused');
      }
      expect(await refund({ claimId })).toMatchObject({ state: 'done', microUsd: PRICE / 2 });
    });

    it('has not heard of it when its service dies is sent it once, by whichever instances are left', async () => {
      const claimId = await bought();
      const refundId = await requestedBy(claimId);
      await makeDue(refundId);
      const instances = Array.from({ length: 4 }, () => otherInstance(payments.database, [rail]));
      await Promise.all(
        instances.map(async ({ sender, store }) => {
          await sender.round();
          await sender.send((await store.find(refundId))!);
        }),
      );
      await until(async () => (await find(refundId)).state === 'done');
      expect(rail.refunds.sent.filter(id => id === refundId)).toHaveLength(1);
    });
  });
}

/** A refund that is on record, and whose service died before it sent it. */
async function requestedBy(claimId: string, microUsd?: number): Promise<string> {
  const { derived } = claimParts(payments.database);
  const { store } = otherInstance(payments.database, [rail]);
  const ledger = new Ledger();
  const requests = new RefundRequests(store, new RefundableClaims(), ledger, derived, [rail]);
  const [{ account_id: accountId }] = await query(
    `SELECT account_id FROM account WHERE kind = 'operator' LIMIT 1`,
  );
  const by = { accountId, keyId: 'a'.repeat(16), plan: 'demo' as const, scopes: [] };
  const asked = { claimId, microUsd, to: 'origin' as const, reason: 'a test', idempotencyKey: randomUUID() };
  const { refundId } = await payments.database.transaction(manager => requests.request(manager, by, asked));
  return refundId;
}

export function describeRefunds(): void {
  describe('refunds', () => {
    beforeAll(async () => {
      const lightning = new LndLightning({
        ...{ url: await node.listen(), macaroonHex: MACAROON_HEX },
        ...{ tlsCertificate: TLS_CERTIFICATE, network: 'regtest' },
      });
      payments = await startPayments({ lightning, moreRails: [rail, card] });
    });
    afterAll(async () => {
      await payments?.close();
      await node.close();
    });
    afterEach(() => rail.refunds.reset());

    describeBookkeeping();
    describeRaces();
    describeDoubt();
    describeLightningRefunds({ paymentsOf: () => payments, node, makeDue, raced });
    describeRefundMoney({ paymentsOf: () => payments, token: rail, card, node, makeDue, until });

    it('are listed by claim and state, the newest first, page by page', async () => {
      const claimId = await bought();
      const ids: string[] = [];
      for (const microUsd of [1, 2, 3]) ids.unshift((await refund({ claimId, microUsd })).refundId);
      const list = (more: object) =>
        payments.bus.call(refundsContract.refunds, { accountKey: ADMIN_KEY, claimId, limit: 2, ...more });
      const first = await list({});
      const second = await list({ cursor: first.nextCursor });
      expect([...first.items, ...second.items].map(({ refundId }) => refundId)).toEqual(ids);
      expect([second.nextCursor, (await list({ state: 'refused' })).items]).toEqual([null, []]);
      expect((await problemOf(list({ cursor: first.nextCursor, state: 'done' }))).code).toBe(
        'VALIDATION_FAILED',
      );
    });

    it('and the ledger agree', async () => {
      const open = `SELECT count(*)::int AS open FROM refund WHERE state IN ('sent', 'unknown')`;
      await until(async () => (await query(open))[0].open === 0);
      expect(await findings()).toEqual([]);
      // The check bites: a row that says more than its entries.
      await query(`UPDATE refund SET amount_micro_usd = amount_micro_usd + 1
                    WHERE refund_id = (SELECT refund_id FROM refund WHERE state = 'done' LIMIT 1)`);
      expect(await findings()).toMatchObject([{ kind: 'refund-entries', offMicroUsd: 1 }]);
    });
  });
}
