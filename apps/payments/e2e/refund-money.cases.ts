import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { paymentsContract, refundsContract } from '@svc/contracts';
import { problemOf } from '@svc/platform';
import { randomUUID } from 'node:crypto';
import { customer, Ledger } from '../src/ledger/ledger.js';
import type { LndEmulator } from './lnd-emulator.js';
import { claimParts, type PaymentsFixture } from './payments-fixture.js';
import { foreignInvoice, otherInstance, paidByLightning, PRICE, refundCalls } from './refund-fixture.js';
import type { ScriptedRail } from './scripted-rail.js';

/** What the suite of refunds has. */
interface OfTheSuite {
  readonly paymentsOf: () => PaymentsFixture;
  readonly token: ScriptedRail;
  readonly card: ScriptedRail;
  readonly node: LndEmulator;
  readonly makeDue: (refundId: string) => Promise<unknown>;
  readonly until: (holds: () => Promise<boolean>) => Promise<void>;
}

/** What a wallet of each money has gained, micro-USD of the card and the token, and satoshis. */
type Gains = Record<'card' | 'token' | 'sats', number>;

const SATS = PRICE / 500;
const CHARGED = 500_000;

const sumOf = (amounts: Iterable<number>): number => [...amounts].reduce((sum, each) => sum + each, 0);
const gainOf = ({ taken, refunds }: ScriptedRail): number =>
  sumOf(refunds.moved.values()) - sumOf(taken.values());

/** What comes in in one money goes out in that money, whatever it is worth in another. */
export function describeRefundMoney({ paymentsOf, token, card, node, makeDue, until }: OfTheSuite): void {
  const { claim, bought, refund, find } = refundCalls(paymentsOf);
  const query = (sql: string, values: unknown[] = []) => paymentsOf().database.query(sql, values);
  const creditOf = async (claimId: string): Promise<{ accountId: string; balance: number }> => {
    const [row] = await query(
      `SELECT account_id AS "accountId", balance_micro_usd::int AS balance FROM account
        WHERE account_id = (SELECT credit_account_id FROM payment_claim WHERE claim_id = $1)`,
      [claimId],
    );
    return row;
  };
  const bring = (invoice: string, credential: { scheme: 'L402'; value: string }) =>
    paymentsOf().bus.call(refundsContract.lightning, { invoice, credential });

  /** A call by Lightning that bought nothing: its satoshis are credit. */
  async function leftByLightning() {
    const credential = await paidByLightning(paymentsOf(), node);
    const held = await claim(credential);
    if (held.outcome !== 'claimed') throw new Error(held.outcome);
    const { claimId, attempt } = held;
    await paymentsOf().bus.call(paymentsContract.release, { claimId, attempt, reason: 'a test' });
    return { claimId, credential };
  }

  /** All credit of one payment becomes that of another, as an escrow between two accounts has it. */
  async function pool(from: string, to: string): Promise<void> {
    const [source, target] = [await creditOf(from), await creditOf(to)];
    await paymentsOf().database.transaction(manager =>
      new Ledger().post(manager, {
        kind: 'test',
        legs: [
          { account: customer(source.accountId), amountMicroUsd: -source.balance },
          { account: customer(target.accountId), amountMicroUsd: source.balance },
        ],
      }),
    );
  }

  /** Asks for all that can go back of a claim, in parts, the last of them for whatever is left; how much was granted. */
  async function refundedInParts(claimId: string): Promise<string[]> {
    const granted: string[] = [];
    for (const microUsd of [500, 300_000, 300_000, 1_000, 500, undefined, undefined]) {
      const made = await refund({ claimId, microUsd }).catch(() => undefined);
      if (made) granted.push(made.refundId);
    }
    return granted;
  }

  describe('money', () => {
    const { money } = token;
    afterEach(() => {
      token.money = money;
      token.refunds.reset();
    });

    describe('that was bought in one way and pooled', () => {
      let gains: Gains;
      beforeEach(async () => {
        const before = { card: gainOf(card), token: gainOf(token) };
        const byCard = await bought({ family: 'stripe', chargeMicroUsd: CHARGED });
        const byToken = await bought({ family: 'x402', chargeMicroUsd: CHARGED });
        const byLightning = [await leftByLightning(), await leftByLightning(), await leftByLightning()];
        await pool(byToken, byLightning[0].claimId);
        for (const { claimId } of byLightning.slice(1)) await pool(claimId, byCard);
        for (const claimId of [byToken, byCard]) await refundedInParts(claimId);
        let sats = -SATS * byLightning.length;
        for (const { claimId, credential } of byLightning) {
          await refundedInParts(claimId);
          for (const amount of [SATS, 1, 1, 1_000]) {
            const paid = await bring(foreignInvoice(amount).invoice, credential).catch(() => undefined);
            if (paid?.state === 'done') sats += paid.sats;
          }
        }
        gains = { card: gainOf(card) - before.card, token: gainOf(token) - before.token, sats };
      });

      it('goes out in the money that came in, at most all of it', () => {
        // The token's credit went to a payment by Lightning, of which no more goes back than its own; the credit of two of
        // those went to the card's, which has all of its own.
        expect(gains).toEqual({ card: 0, token: PRICE - CHARGED, sats: SATS - 3 * SATS });
      });
    });

    it('of another chain or token than is taken now goes back as credit alone', async () => {
      const claimId = await bought();
      token.money = 'eip155:8453/erc20:0xusdc';
      const { code, payload } = await problemOf(refund({ claimId }));
      expect([code, payload.errors?.[0].path]).toEqual(['UNPROCESSABLE', 'to']);
      expect(payload.detail).toContain(`the payment came in ${money}, and ${token.money} goes out now`);
      expect(await refund({ claimId, to: 'credit' })).toMatchObject({ state: 'done', microUsd: PRICE });
    });

    it('whose claim does not say which it was goes back as credit alone, unless its receipt names the token', async () => {
      const [silent, named] = [await bought(), await bought()];
      await query(
        `UPDATE payment_claim SET settlement_evidence = settlement_evidence - 'money' WHERE claim_id = ANY($1)`,
        [[silent, named]],
      );
      const chain = { network: 'eip155:84532', asset: '0xUSDC', decimals: 6 };
      await query(
        `UPDATE payment_claim SET receipt = jsonb_set(receipt, '{chain}', $2::jsonb) WHERE claim_id = $1`,
        [named, JSON.stringify(chain)],
      );
      expect((await problemOf(refund({ claimId: silent }))).payload.detail).toContain('does not name');
      expect(await refund({ claimId: named })).toMatchObject({ state: 'done', by: 'x402' });
    });

    it('on its way out is neither sent nor asked about while other money is taken, and goes on after that', async () => {
      const claimId = await bought();
      token.refunds.fault = 'lost-after';
      const { refundId } = await refund({ claimId, microUsd: 600 });
      token.money = 'eip155:8453/erc20:0xusdc';
      token.refunds.reset();
      const { sender, store } = otherInstance(paymentsOf().database, [token, card]);
      const asked: string[] = [];
      const { enquire } = token.refunds;
      token.refunds.enquire = order => (asked.push(order.refundId), enquire.call(token.refunds, order));
      try {
        await sender.enquire((await store.find(refundId))!);
        expect([(await find(refundId)).state, asked.includes(refundId)]).toEqual(['unknown', false]);
      } finally {
        token.refunds.enquire = enquire;
      }
      token.money = money;
      await makeDue(refundId);
      await until(async () => (await find(refundId)).state === 'done');
    });

    it('in doubt is not asked about at another chain, which would say that nothing was taken', async () => {
      token.fault = 'lost-after';
      const nonce = randomUUID();
      expect((await problemOf(claim({ nonce, payer: 'x402:0xabc' }))).code).toBe('SETTLEMENT_UNKNOWN');
      token.fault = 'none';
      const [{ claim_id: claimId }] = await query(
        `SELECT claim_id FROM payment_claim WHERE proof_key = $1 AND state = 'unknown'`,
        [`scripted:${nonce}`],
      );
      const reconciler = claimParts(paymentsOf().database, [token]).reconciler;
      const due = () =>
        query(`UPDATE payment_claim SET lease_until = now() - interval '1 s' WHERE claim_id = $1`, [claimId]);
      token.money = 'eip155:8453/erc20:0xusdc';
      await due();
      expect(await reconciler.ask(claimId)).toBe(false);
      token.money = money;
      await due();
      await until(async () => {
        await reconciler.ask(claimId);
        const [{ state }] = await query(`SELECT state FROM payment_claim WHERE claim_id = $1`, [claimId]);
        return state === 'credited';
      });
    });
  });
}
