import { Injectable } from '@nestjs/common';
import type { PaymentCredit } from '@svc/contracts';
import { inTransaction } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { giveBackToCaps } from '../account/key-limits.js';
import { CreditReversals } from '../card/credit-reversals.js';
import { Ledger } from '../ledger/ledger.js';
import { Quotas } from '../quota/quotas.js';
import type { RailFamily } from '../rail/rail.js';
import { creditLegs } from './claim-postings.js';
import { LOCK_CLAIM, type Row, STANDING_COLUMNS, type StandingClaim, standingOf } from './standing-claim.js';

/** What came of giving a claim back. */
export interface Released {
  readonly released: boolean;
  /** What to tell the payer: the key on which the amount lies now. */
  readonly credit?: PaymentCredit;
}

/** Gives claims back that bought nothing: their amount becomes credit of who paid, and is not lost. */
@Injectable()
export class ClaimReleases {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    private readonly quotas: Quotas,
    private readonly reversals: CreditReversals,
  ) {}

  /**
   * Gives a claim back; released also when the same attempt asks again, not when the claim is another's by now, or was
   * delivered.
   * @param givenUp the payer gave up work that had begun: counted once for an attempt
   */
  async release(claimId: string, attempt: number, reason: string, givenUp: boolean): Promise<Released> {
    const standing = await inTransaction(this.dataSource, async manager => {
      const found = await this.locked(manager, claimId);
      if (found?.attempt !== attempt) return undefined;
      if (found.state === 'credited' || found.state === 'settled') return found;
      if (found.state !== 'claimed' || found.settlement !== 'settled') return undefined;
      return this.giveBack(manager, found, reason, givenUp);
    });
    if (!standing) return { released: false };
    const { funding, family, proofKey, evidence } = standing;
    if (funding !== 'rail' || standing.state !== 'credited') return { released: true };
    // A later try may be somebody's who has read the credential on chain.
    if (evidence.publicOnceSettled === true && attempt > 1) return { released: true };
    return { released: true, credit: await this.derived.of(family as RailFamily, proofKey) };
  }

  /** Within a transaction that has locked the claim, whose amount lies in the holds. */
  async giveBack(
    manager: EntityManager,
    standing: StandingClaim,
    reason: string,
    givenUp = false,
  ): Promise<StandingClaim> {
    const { claimId, funding, evidence, amountMicroUsd } = standing;
    let accountId = standing.creditAccountId;
    if (funding === 'quota') {
      await this.quotas.uncount(manager, String(evidence.subject), String(evidence.month));
    } else {
      accountId ??= await this.derived.ensure(manager, standing.family as RailFamily, standing.proofKey);
      await this.ledger.post(manager, {
        kind: 'release',
        legs: creditLegs(accountId, amountMicroUsd),
        claimId,
      });
      if (funding === 'credit') await giveBackToCaps(manager, claimId, amountMicroUsd);
      if (standing.family === 'stripe') {
        await this.reversals.collectOfClaim(manager, claimId, {
          accountId,
          creditedMicroUsd: amountMicroUsd,
        });
      }
    }
    const [[row]]: [Row[], number] = await manager.query(
      `UPDATE payment_claim
          SET state = 'credited', lease_until = now(), release_reason = $2, credit_account_id = $3,
              given_up_count = given_up_count + $4::boolean::int
        WHERE claim_id = $1 RETURNING ${STANDING_COLUMNS}`,
      [claimId, reason.slice(0, 500), accountId ?? null, givenUp],
    );
    return standingOf(row);
  }

  private async locked(manager: EntityManager, claimId: string): Promise<StandingClaim | undefined> {
    const rows: Row[] = await manager.query(LOCK_CLAIM, [claimId]);
    return rows[0] && standingOf(rows[0]);
  }
}
