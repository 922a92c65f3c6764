import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { byTier } from '@svc/platform/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { receiptOf } from '../src/claim/claim-receipt.js';
import type { HeldClaim, PendingClaim } from '../src/claim/standing-claim.js';
import { claimParts, type PaymentsFixture, startPayments } from './payments-fixture.js';
import { MONEY, ScriptedRail } from './scripted-rail.js';

const RUNS = byTier(25, 400);
const REQUEST = { operationId: 'zk.prove', requestDigest: 'ab'.repeat(32) };
const PRICE_MICRO_USD = 1_000;

/** What may happen to the claim of one payment, in any order. */
const STEPS = [
  'claim',
  'settled',
  'refused',
  'unknown',
  'deliver',
  'release',
  'lapse',
  'sweep',
  'reconcile',
  'again',
] as const;
type Step = (typeof STEPS)[number];

const rail = new ScriptedRail();
let payments: PaymentsFixture;

/**
 * One payment, and everybody who may do something about its claim: callers that were told they hold it, those that come
 * late, the sweeper, the reconciler. The rail is the truth of what was taken.
 */
class Purchase {
  readonly parts = claimParts(payments.database, [rail]);
  readonly proofKey = `machine:${randomUUID()}`;
  /** Every handle that anybody was ever given: late ones are used too. */
  readonly handles: HeldClaim[] = [];
  /** Claims that a settlement is under way for: their callers know of no answer yet. */
  readonly settling: PendingClaim[] = [];
  readonly claimIds: string[] = [];
  readonly delivered: { claimId: string; attempt: number; at: number }[] = [];

  constructor(private readonly chargeMicroUsd: number) {}

  async step(step: Step, pick: number): Promise<void> {
    await this.steps[step](pick);
  }

  private readonly steps: Record<Step, (pick: number) => Promise<void>> = {
    claim: async () => {
      const claimId = randomUUID();
      const pending = await this.parts.store.claimPending({
        ...REQUEST,
        ...this.identity,
        claimId,
        credentialDigest: 'cd'.repeat(32),
        amountMicroUsd: PRICE_MICRO_USD,
        amountSats: 2,
        evidence: {},
        paidIn: MONEY.x402,
        receipt: this.receipt('pending'),
      });
      if (!pending || 'repeats' in pending) return;
      this.claimIds.push(claimId);
      this.settling.push(pending.held);
    },
    settled: async pick => {
      const claim = this.answered(pick);
      if (!claim) return;
      rail.taken.set(claim.claimId, rail.taken.get(claim.claimId) ?? this.chargeMicroUsd);
      const settlement = {
        outcome: 'settled' as const,
        reference: `tx_${claim.claimId}`,
        chargedMicroUsd: this.chargeMicroUsd,
      };
      const held = await this.parts.settlements.settled(
        claim,
        settlement,
        this.receipt(settlement.reference),
      );
      if (held) this.handles.push(held);
    },
    refused: async pick => {
      const claim = this.answered(pick);
      if (!claim) return;
      await this.parts.settlements.refused(claim.claimId, 'PAYMENT_INVALID: declined');
    },
    unknown: async pick => {
      const claim = this.answered(pick);
      if (!claim) return;
      // Of two answers that were lost one had taken the money; the other can take nothing any more.
      if (pick % 2 === 0 && !rail.declined.has(claim.claimId))
        rail.taken.set(claim.claimId, this.chargeMicroUsd);
      await this.parts.settlements.unknown(claim.claimId, 0);
    },
    deliver: async pick => {
      const handle = this.handles[pick % this.handles.length];
      if (!handle) return;
      const response = { status: 200, contentType: 'text/plain', body: Buffer.from(`${handle.attempt}`) };
      const { claimId, attempt } = handle;
      const delivered = await this.parts.deliveries.deliver(claimId, attempt, response);
      if (delivered) this.delivered.push({ claimId, attempt, at: delivered.deliveredAt.getTime() });
    },
    release: async pick => {
      const handle = this.handles[pick % this.handles.length];
      if (handle) await this.parts.releases.release(handle.claimId, handle.attempt, 'failed', pick % 3 === 0);
    },
    lapse: async () => {
      await payments.database.query(
        `UPDATE payment_claim SET lease_until = now() - interval '1 hour'
          WHERE claim_id = ANY($1) AND state IN ('claimed', 'unknown')`,
        [this.claimIds],
      );
    },
    sweep: async () => void (await this.parts.sweeper.sweep()),
    reconcile: async pick => {
      // Also while a settlement is under way whose money has not come: what comes late is not lost.
      const claimId = this.claimIds[pick % this.claimIds.length];
      if (claimId) await this.parts.reconciler.ask(claimId);
    },
    again: async () => {
      const standing = await this.parts.store.find('x402', this.proofKey);
      const held = standing && (await this.parts.store.claimAgain(standing, REQUEST));
      if (held) this.handles.push(held);
    },
  };

  /** What must hold whatever has happened. */
  async check(): Promise<void> {
    const accounts: { claim_id: string; account: string; net: number }[] = await payments.database.query(
      `SELECT claim_id, split_part(account, ':', 1) AS account, sum(amount_micro_usd)::int AS net
         FROM ledger_entry WHERE claim_id = ANY($1) GROUP BY 1, 2`,
      [this.claimIds],
    );
    const claims: { claim_id: string; state: string; settlement: string }[] = await payments.database.query(
      `SELECT claim_id, state, settlement FROM payment_claim WHERE claim_id = ANY($1)`,
      [this.claimIds],
    );
    const netOf = (claimId: string, account: string) =>
      accounts.find(each => each.claim_id === claimId && each.account === account)?.net ?? 0;
    for (const { claim_id: claimId, state, settlement } of claims) {
      const [holds, treasury, customer, clearing] = ['holds', 'treasury', 'customer', 'onchain-clearing'].map(
        account => netOf(claimId, account),
      );
      expect(holds + treasury + customer + clearing).toBe(0);
      const isBooked = settlement === 'settled';
      expect([claimId, clearing]).toEqual([claimId, isBooked ? -this.chargeMicroUsd : 0]);
      expect([state, holds]).toEqual([state, isBooked && state === 'claimed' ? PRICE_MICRO_USD : 0]);
      expect([state, treasury]).toEqual([state, state === 'delivered' ? PRICE_MICRO_USD : 0]);
      if (isBooked && state === 'void') throw new Error('a void claim has money');
    }
    // One delivery for each claim, however many attempts thought that they held it; and one live claim for the proof.
    const byClaim = new Map(this.delivered.map(({ claimId, attempt, at }) => [claimId, `${attempt} ${at}`]));
    for (const { claimId, attempt, at } of this.delivered)
      expect(byClaim.get(claimId)).toBe(`${attempt} ${at}`);
    expect(claims.filter(({ state }) => state === 'delivered')).toHaveLength(byClaim.size);
    expect(byClaim.size).toBeLessThanOrEqual(1);
  }

  /** Everybody ends what they have begun: then the payer has a delivery or the credit for all that was taken. */
  async settleDown(): Promise<void> {
    while (this.settling.length > 0) await this.step('unknown', 0);
    for (let round = 0; round < 2; round++) {
      await this.step('lapse', 0);
      await this.step('sweep', 0);
      await this.step('lapse', 0);
      for (let index = 0; index < this.claimIds.length; index++) await this.step('reconcile', index);
    }
    await this.check();
    const open: unknown[] = await payments.database.query(
      `SELECT 1 FROM payment_claim WHERE claim_id = ANY($1) AND state IN ('claimed', 'unknown', 'settled')`,
      [this.claimIds],
    );
    expect(open).toEqual([]);
    const [{ owned }] = await payments.database.query(
      `SELECT coalesce(sum(amount_micro_usd), 0)::int AS owned FROM ledger_entry
        WHERE claim_id = ANY($1) AND (account = 'treasury' OR account LIKE 'customer:%')`,
      [this.claimIds],
    );
    const taken = this.claimIds.reduce((total, claimId) => total + (rail.taken.get(claimId) ?? 0), 0);
    expect(owned).toBe(taken);
  }

  /** One of the settlements that are under way has its answer, and only one. */
  private answered(pick: number): PendingClaim | undefined {
    return this.settling.splice(pick % Math.max(1, this.settling.length), 1)[0];
  }

  private get identity() {
    return { family: 'x402' as const, proofKey: this.proofKey };
  }

  private receipt(reference: string) {
    const payment = { rail: 'x402', amountMicroUsd: PRICE_MICRO_USD, amountSats: 2, proofKey: this.proofKey };
    const charged = { ...payment, chargeMicroUsd: this.chargeMicroUsd } as never;
    return receiptOf('x402', charged, { reference }, undefined);
  }
}

export function describeClaimMachine(): void {
  describe('claim machine', () => {
    beforeAll(async () => {
      payments = await startPayments({ moreRails: [rail], upkeepIntervalMs: 3_600_000 });
    });
    afterAll(() => payments?.close());

    describe('the claim of a payment, whoever does whatever in whichever order', () => {
      it('is delivered once at most, and what was taken is a delivery or credit, and sums to zero', async () => {
        const moves = fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat({ max: 5 })), {
          minLength: 4,
          maxLength: 24,
        });
        await fc.assert(
          fc.asyncProperty(
            moves,
            fc.constantFrom(PRICE_MICRO_USD, 500_000),
            async (steps, chargeMicroUsd) => {
              const purchase = new Purchase(chargeMicroUsd);
              await purchase.step('claim', 0);
              for (const [step, pick] of steps) {
                await purchase.step(step, pick);
                await purchase.check();
              }
              await purchase.settleDown();
            },
          ),
          { numRuns: RUNS, seed: 402 },
        );
      });

      it('holds too where several do it at the same instant', async () => {
        const moves = fc.array(
          fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat({ max: 5 })), { minLength: 2, maxLength: 5 }),
          {
            minLength: 2,
            maxLength: 8,
          },
        );
        await fc.assert(
          fc.asyncProperty(moves, async rounds => {
            const purchase = new Purchase(PRICE_MICRO_USD);
            await purchase.step('claim', 0);
            for (const round of rounds) {
              await Promise.all(round.map(([step, pick]) => purchase.step(step, pick)));
              await purchase.check();
            }
            await purchase.settleDown();
          }),
          { numRuns: RUNS, seed: 403 },
        );
      });
    });
  });
}
