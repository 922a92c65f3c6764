import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@svc/platform';
import { keyReceipt, priceOf } from '@svc/protocols';
import { randomBytes, randomUUID } from 'node:crypto';
import { LedgerReconciliation } from '../src/reconcile/ledger-reconciliation.js';
import { claimParts, type PaymentsFixture, startPayments } from './payments-fixture.js';
import { MONEY, ScriptedRail } from './scripted-rail.js';

const PRICE = 1_000;
const CHARGED = 500_000;
const hex = () => randomBytes(32).toString('hex');

/** Settlements of cards that are recorded at once: in one statement, but for those that something was done about meanwhile. */
export function describeSettledTogether(): void {
  describe('settlements that come together', () => {
    let payments: PaymentsFixture;
    let parts: ReturnType<typeof claimParts>;
    beforeAll(async () => {
      payments = await startPayments();
      parts = claimParts(payments.database, [new ScriptedRail('stripe')]);
    });
    afterAll(() => payments.close());

    async function pending(family: 'stripe' | 'x402' = 'stripe') {
      const claimId = randomUUID();
      const receipt = keyReceipt(claimId, priceOf('zk.prove'), new Date().toISOString());
      const claim = await parts.store.claimPending({
        ...{ claimId, family, proofKey: `scripted:${claimId}`, operationId: 'zk.prove' },
        ...{ requestDigest: hex(), credentialDigest: hex() },
        ...{ amountMicroUsd: PRICE, amountSats: 2, evidence: {}, paidIn: MONEY[family], receipt },
      });
      if (!claim || 'repeats' in claim) throw new Error('it is no first claim');
      return claim.held;
    }
    type Pending = Awaited<ReturnType<typeof pending>>;
    const settle = (claim: Pending, chargedMicroUsd = CHARGED, lazily = false) => {
      const reference = `pi_${claim.claimId}`;
      const receipt = { ...claim.receipt, reference };
      const settlement = { outcome: 'settled' as const, reference, chargedMicroUsd };
      return parts.settlements.settled(claim, settlement, receipt, lazily);
    };
    const entriesOf = async (claimId: string) => {
      const rows: { account: string; amount: number }[] = await payments.database.query(
        `SELECT split_part(account, ':', 1) AS account, amount_micro_usd::float8 AS amount FROM ledger_entry
          WHERE claim_id = $1 AND kind = 'settle' ORDER BY amount_micro_usd`,
        [claimId],
      );
      return rows.map(({ account, amount }) => [account, amount]);
    };
    const findings = async () => {
      const logger = createLogger('payments', { level: 'silent' });
      const ledger = new LedgerReconciliation(payments.database, parts.measurements, { logger });
      return (await ledger.run()).findings;
    };
    const WHOLE = [
      ['processor-clearing', -CHARGED],
      ['holds', PRICE],
      ['customer', CHARGED - PRICE],
    ];
    /** How many claims each execution of the statement of settlements has settled. */
    async function runsOf(work: () => Promise<unknown>): Promise<number[]> {
      const runs: number[] = [];
      const { query } = payments.database;
      const { database } = payments;
      const spied = Object.assign(Object.create(database), {
        query: async (sql: string, values: unknown[]) => {
          const rows = (await query.call(database, sql, values)) as unknown[];
          if (sql.includes('settle_held')) runs.push(rows.length);
          return rows;
        },
      });
      parts = claimParts(spied, [new ScriptedRail('stripe')]);
      await work();
      parts = claimParts(database, [new ScriptedRail('stripe')]);
      return runs;
    }

    it('are one statement, each booked by itself, with the credit that its payment has left', async () => {
      const claims = await Promise.all(Array.from({ length: 12 }, () => pending()));
      let settled: Awaited<ReturnType<typeof settle>>[] = [];
      const runs = await runsOf(async () => {
        settled = await Promise.all(claims.map((claim, i) => settle(claim, i === 0 ? PRICE : CHARGED)));
      });
      expect(runs).toEqual([12]);
      for (const [i, claim] of claims.entries()) {
        const { claimId, proofKey } = claim;
        const isExact = i === 0;
        const { key } = parts.derived.keyOf('stripe', proofKey);
        const credit = { key, balanceMicroUsd: CHARGED - PRICE };
        expect(settled[i]).toEqual({
          ...{
            claimId,
            attempt: 1,
            canBeGivenUp: true,
            receipt: { ...claim.receipt, reference: `pi_${claimId}` },
          },
          ...(isExact ? {} : { credit }),
        });
        expect(await entriesOf(claimId)).toEqual(
          isExact
            ? [
                ['processor-clearing', -PRICE],
                ['holds', PRICE],
              ]
            : WHOLE,
        );
        expect(await parts.derived.of('stripe', proofKey)).toEqual(isExact ? undefined : credit);
        const standing = (await parts.store.findById(claimId))!;
        expect(standing).toMatchObject({ state: 'claimed', settlement: 'settled', attempt: 1 });
        expect(standing.leaseSecondsLeft).toBeGreaterThan(5);
      }
      expect(await findings()).toEqual([]);
    });

    it('leave alone, of a batch, a claim that is not as it was left, and one whose money was asked back', async () => {
      const [plain, refused, doubted, again, short, asked, last] = await Promise.all(
        Array.from({ length: 7 }, () => pending()),
      );
      await parts.settlements.refused(refused.claimId, 'held to be void');
      await parts.settlements.unknown(doubted.claimId, 60);
      await settle(again);
      await payments.database.query(
        `INSERT INTO credit_reversal (reversal_id, kind, payment_intent_id, asked_micro_usd, taken_micro_usd)
         VALUES ($1, 'refund', $2, 100000, 0)`,
        [`ch_${asked.claimId}`, `pi_${asked.claimId}`],
      );
      const outcomes = await Promise.allSettled(
        [plain, refused, doubted, again, short, asked, last].map(claim =>
          settle(claim, claim === short ? PRICE - 1 : CHARGED),
        ),
      );
      const [ofPlain, ofRefused, ofDoubted, ofAgain, ofShort, ofAsked, ofLast] = outcomes;
      const held = { status: 'fulfilled', value: expect.objectContaining({ attempt: 1 }) };
      for (const each of [ofPlain, ofDoubted, ofAsked, ofLast]) expect(each).toMatchObject(held);
      for (const each of [ofRefused, ofAgain])
        expect(each).toEqual({ status: 'fulfilled', value: undefined });
      expect(ofShort).toMatchObject({ status: 'rejected', reason: { name: 'RangeError' } });

      // What came although it was held to be void is the payer's; nothing was booked twice, or of less than the price.
      expect(await parts.derived.of('stripe', refused.proofKey)).toMatchObject({ balanceMicroUsd: CHARGED });
      for (const { claimId } of [plain, doubted, again, asked, last])
        expect(await entriesOf(claimId)).toEqual(WHOLE);
      expect(await entriesOf(short.claimId)).toEqual([]);
      const left = { balanceMicroUsd: CHARGED - PRICE - 100_000 };
      expect(await parts.derived.of('stripe', asked.proofKey)).toMatchObject(left);
      expect(ofAsked).toMatchObject({ value: { credit: left } });
      expect(await findings()).toEqual([]);
    });

    it('of work that may go on are recorded by themselves, where the others need not wait for the disk', async () => {
      const [plain, givenUp] = [await pending(), await pending()];
      await payments.database.query(`UPDATE payment_claim SET given_up_count = 3 WHERE claim_id = $1`, [
        givenUp.claimId,
      ]);
      let settled: Awaited<ReturnType<typeof settle>>[] = [];
      const together = await runsOf(async () => {
        settled = await Promise.all([settle(plain, CHARGED, true), settle(givenUp, CHARGED, true)]);
      });
      expect(together).toEqual([1]);
      expect(settled).toMatchObject([
        { canBeGivenUp: true },
        { canBeGivenUp: false, credit: { balanceMicroUsd: CHARGED - PRICE } },
      ]);
    });

    it('book one that is told of twice at once, once', async () => {
      for (const charged of [PRICE, CHARGED]) {
        const claim = await pending();
        const settled = await Promise.all([settle(claim, charged), settle(claim, charged)]);
        expect(settled.filter(each => each !== undefined)).toHaveLength(1);
        expect(await entriesOf(claim.claimId)).toHaveLength(charged === PRICE ? 2 : 3);
      }
      expect(await findings()).toEqual([]);
    });
  });
}
