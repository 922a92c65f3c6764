import { Injectable } from '@nestjs/common';
import { problem } from '@svc/platform';
import { isPrepaid } from '@svc/protocols';
import type { EntityManager } from 'typeorm';
import { LOCK_CLAIM, type Row, type StandingClaim, standingOf } from '../claim/standing-claim.js';
import { MONEY_OF_CLAIM } from '../rail/rail.js';

/** What of a claim can go back. Its row is locked, and so is the credit that counts in it. */
export interface RefundableClaim {
  readonly claim: StandingClaim;
  /** Which money it came in by; undefined where it has no word of that. */
  readonly money?: string;
  /** What settled it. */
  readonly paymentReference?: string;
  /** What was settled, less what was refunded, is being refunded, and was disputed. */
  readonly leftMicroUsd: number;
  /** What the house has earned by it and not given back. */
  readonly earnedMicroUsd: number;
  /** What lies on the account that its credit went to. */
  readonly creditMicroUsd: number;
}

const FIGURES = `
  SELECT claim.settlement_reference, ${MONEY_OF_CLAIM} AS money, ticket.place, saga.state AS saga,
         coalesce((SELECT sum(amount_micro_usd) FROM refund r
                    WHERE r.claim_id = claim.claim_id AND r.state <> 'refused'), 0)::float8 AS refunded,
         coalesce((SELECT sum(amount_micro_usd - from_credit_micro_usd) FROM refund r
                    WHERE r.claim_id = claim.claim_id AND r.state <> 'refused'), 0)::float8 AS of_house,
         coalesce(reversed.asked, 0)::float8 AS reversed, coalesce(reversed.lost, 0)::float8 AS lost
    FROM payment_claim claim
    LEFT JOIN execution_ticket ticket USING (claim_id)
    LEFT JOIN saga USING (saga_id)
    LEFT JOIN LATERAL (SELECT sum(asked_micro_usd) AS asked, sum(asked_micro_usd - taken_micro_usd) AS lost
                         FROM credit_reversal WHERE payment_intent_id = claim.settlement_reference) reversed
           ON claim.rail_family = 'stripe'
   WHERE claim.claim_id = $1`;

/** Says of claims what of them can be refunded. */
@Injectable()
export class RefundableClaims {
  /**
   * Locks the claim until the transaction ends: refunds of one claim are decided one at a time, and so are they and the word of a
   * refund or a dispute at the processor.
   * @throws ProblemError NOT_FOUND; CONFLICT while its call, ticket or saga is at work; UNPROCESSABLE where nothing was paid for it
   */
  async lock(manager: EntityManager, claimId: string): Promise<RefundableClaim> {
    const [row]: Row[] = await manager.query(LOCK_CLAIM, [claimId]);
    if (!row) throw problem('NOT_FOUND', `There is no claim ${claimId}`);
    const claim = standingOf(row);
    requirePaid(claim);
    const [figures]: Row[] = await manager.query(FIGURES, [claimId]);
    const earned = earnedOf(claim, figures);
    const { chargedMicroUsd = claim.amountMicroUsd } = claim;
    const number = (name: string) => figures[name] as number;
    return {
      claim,
      money: (figures.money as string | null) ?? undefined,
      paymentReference: (figures.settlement_reference as string | null) ?? undefined,
      leftMicroUsd: Math.max(0, chargedMicroUsd - number('refunded') - number('reversed')),
      earnedMicroUsd: Math.max(0, earned - number('of_house') - number('lost')),
      creditMicroUsd: await lockedCredit(manager, claim),
    };
  }
}

function requirePaid({ claimId, funding, settlement, state }: StandingClaim): void {
  if (funding === 'quota') throw unpaid(claimId, 'was answered within a plan: nothing was paid for it alone');
  if (state === 'delivered' || state === 'credited') return;
  if (state === 'void' || settlement === 'void') throw unpaid(claimId, 'took no money');
  throw problem('CONFLICT', `The claim ${claimId} is ${state}: its call is not over`);
}

function unpaid(claimId: string, message: string) {
  const errors = [{ path: 'claimId', message, got: claimId }];
  return problem('UNPROCESSABLE', `claimId: ${message}`, { errors });
}

/** What the treasury has of a claim. @throws ProblemError CONFLICT where that is not decided yet */
function earnedOf({ claimId, state, operationId, amountMicroUsd }: StandingClaim, figures: Row): number {
  // A top-up or a bundle has become credit, and what bought nothing has too.
  if (state !== 'delivered' || isPrepaid(operationId) || figures.place === 'credit') return 0;
  const isOver = figures.place === null || (figures.place === 'treasury' && figures.saga === 'COMPLETED');
  if (isOver) return amountMicroUsd;
  throw problem('CONFLICT', `The ticket of the claim ${claimId} is open, or its saga is not over`);
}

/** Of the account of a key nothing is taken back: it pays for other calls, too. */
async function lockedCredit(
  manager: EntityManager,
  { funding, creditAccountId }: StandingClaim,
): Promise<number> {
  if (funding !== 'rail' || creditAccountId === undefined) return 0;
  const [row]: { balance: string }[] = await manager.query(
    `SELECT balance_micro_usd AS balance FROM account WHERE account_id = $1 FOR NO KEY UPDATE`,
    [creditAccountId],
  );
  return Number(row.balance);
}
