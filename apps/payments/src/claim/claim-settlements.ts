import { Inject, Injectable } from '@nestjs/common';
import type { PaymentCredit } from '@svc/contracts';
import { Batch, inTransaction, isOfOneItem, prepared, repeated } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { CreditReversals } from '../card/credit-reversals.js';
import { Ledger } from '../ledger/ledger.js';
import type { RailFamily, Settlement } from '../rail/rail.js';
import type { StoredReceipt } from '../receipt/stored-receipt.js';
import { clearingOf, settleLegs } from './claim-postings.js';
import { ClaimReleases } from './claim-releases.js';
import {
  CLAIM_LEASE,
  GIVE_UPS_MAX,
  type HeldClaim,
  heldOf,
  LEASE_SECONDS,
  LOCK_CLAIM,
  type PendingClaim,
  type Row,
  STANDING_COLUMNS,
  type StandingClaim,
  standingOf,
} from './standing-claim.js';

/** Wait before the first enquiry about a settlement, seconds. */
const FIRST_ENQUIRY_SECONDS = 1;

const SETTLE_HELD = prepared(
  `SELECT place, given_up_count, credit_micro_usd::float8 AS credit FROM settle_held($1, $2, $3, $4)`,
);
const HOLD_SETTLED = prepared(
  `UPDATE payment_claim SET state = 'claimed', lease_until = now() + make_interval(secs => $2)
    WHERE claim_id = $1 RETURNING ${STANDING_COLUMNS},
              CASE WHEN $3 THEN set_config('synchronous_commit', 'off', true) END`,
);
const RECORD_SETTLED = prepared(
  `UPDATE payment_claim
      SET settlement = 'settled', settlement_reference = $2, charged_micro_usd = $3, receipt = $4,
          credit_account_id = coalesce($5, credit_account_id)
    WHERE claim_id = $1 RETURNING ${STANDING_COLUMNS}`,
);

type Settled = Extract<Settlement, { outcome: 'settled' }>;

/** A claim whose money was taken, held for who runs its call, and what its payment has left. */
export interface SettledClaim extends HeldClaim {
  readonly credit?: PaymentCredit;
}

/** What the statement answers of a claim that it settled. */
interface SettledRow {
  readonly place: number;
  readonly given_up_count: number;
  /** What its payment has left; null where that is nothing, or the holder ended the key. */
  readonly credit: number | null;
}

interface Arrival {
  readonly claim: PendingClaim;
  readonly settlement: Settled;
  readonly receipt: StoredReceipt;
}

/** What became of the money of a claim, on record with the ledger. */
@Injectable()
export class ClaimSettlements {
  private readonly durable = new Batch<Arrival, SettledRow | undefined>(all => this.settleAll(all, false), {
    alone: isOfOneItem,
  });
  private readonly lazy = new Batch<Arrival, SettledRow | undefined>(all => this.settleAll(all, true), {
    alone: isOfOneItem,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    private readonly releases: ClaimReleases,
    private readonly reversals: CreditReversals,
    @Inject(CLAIM_LEASE) private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  /**
   * Records that a held claim's money was taken.
   * @param lazily without a wait for the disk: what a crash of the database loses of it is asked of the rail again
   * @returns undefined when the claim is no longer the caller's: what was taken is the payer's credit then
   */
  async settled(
    claim: PendingClaim,
    settlement: Settled,
    receipt: StoredReceipt,
    lazily = false,
  ): Promise<SettledClaim | undefined> {
    const arrival = { claim, settlement, receipt };
    const row = await (lazily ? this.lazy : this.durable).add(arrival);
    if (!row) return this.settleApart(arrival, lazily);
    const { claimId, attempt, family, proofKey } = claim;
    const held = { claimId, attempt, receipt, canBeGivenUp: row.given_up_count < GIVE_UPS_MAX };
    if (row.credit === null) return held;
    const { key } = this.derived.keyOf(family, proofKey);
    return { ...held, credit: { key, balanceMicroUsd: row.credit } };
  }

  /** In one statement; nothing of a claim that is not as it was left, and of what is rare. */
  private async settleAll(
    arrivals: readonly Arrival[],
    lazily: boolean,
  ): Promise<(SettledRow | undefined)[]> {
    const settlements = JSON.stringify(arrivals.map((arrival, place) => ({ place, ...this.rowOf(arrival) })));
    const parameters = [settlements, this.leaseSeconds, GIVE_UPS_MAX, lazily];
    const rows = await repeated<SettledRow[]>(() => this.dataSource.query(SETTLE_HELD, parameters));
    const found = new Map(rows.map(row => [row.place, row]));
    return arrivals.map((_, place) => found.get(place));
  }

  private rowOf({ claim, settlement, receipt }: Arrival): Row {
    const { claimId, attempt, family, proofKey, amountMicroUsd } = claim;
    const { reference, chargedMicroUsd: charged } = settlement;
    return {
      ...{ claim_id: claimId, attempt, reference, charged, receipt, clearing: clearingOf(family) },
      ...(charged === amountMicroUsd ? {} : this.derived.rowOf(family, proofKey)),
    };
  }

  /** By itself, with as many statements as it takes. */
  private async settleApart(
    { claim, settlement, receipt }: Arrival,
    lazily: boolean,
  ): Promise<SettledClaim | undefined> {
    const held = await inTransaction(this.dataSource, async manager => {
      const standing = await this.locked(manager, claim.claimId);
      if (!standing || standing.settlement === 'settled') return undefined;
      const isOwn = standing.attempt === claim.attempt && standing.state !== 'void';
      const arrived = await this.arrive(manager, standing, settlement, receipt);
      if (!isOwn) {
        await this.releases.giveBack(manager, arrived, 'settled after it was held to be void');
        return undefined;
      }
      const mayGoOn = standing.givenUpCount >= GIVE_UPS_MAX;
      const values = [claim.claimId, this.leaseSeconds, lazily && !mayGoOn];
      const [[row]]: [Row[], number] = await manager.query(HOLD_SETTLED, values);
      return heldOf(standingOf(row));
    });
    if (!held || settlement.chargedMicroUsd === claim.amountMicroUsd) return held;
    const credit = await this.derived.of(claim.family, claim.proofKey);
    return credit ? { ...held, credit } : held;
  }

  /**
   * Records that nothing was taken, and sets the proof free for another claim; the row stays. False when something else
   * was found out meanwhile.
   */
  async refused(claimId: string, reason: string): Promise<boolean> {
    const [, count]: [Row[], number] = await this.dataSource.query(
      `UPDATE payment_claim
          SET state = 'void', settlement = 'void', release_reason = $2, lease_until = now(),
              proof_key = proof_key || '#' || claim_id, token_digest = NULL
        WHERE claim_id = $1 AND state IN ('claimed', 'unknown') AND settlement IN ('pending', 'unknown')`,
      [claimId, reason.slice(0, 500)],
    );
    return count === 1;
  }

  /** Records that it is not known whether money was taken. */
  async unknown(claimId: string, nextEnquirySeconds = FIRST_ENQUIRY_SECONDS): Promise<void> {
    await this.dataSource.query(
      `UPDATE payment_claim
          SET state = 'unknown', settlement = 'unknown', lease_until = now() + make_interval(secs => $2)
        WHERE claim_id = $1 AND state IN ('claimed', 'unknown') AND settlement IN ('pending', 'unknown')`,
      [claimId, nextEnquirySeconds],
    );
  }

  /**
   * Records what an enquiry found: money that was taken is the payer's credit, with which the credential may try again.
   * False when somebody else was faster.
   */
  async found(
    { claimId }: StandingClaim,
    settlement: Exclude<Settlement, { outcome: 'unknown' }>,
    receiptOf: (standing: StandingClaim) => StoredReceipt,
  ): Promise<boolean> {
    if (settlement.outcome === 'refused')
      return this.refused(claimId, `${settlement.code}: ${settlement.detail}`);
    return inTransaction(this.dataSource, async manager => {
      const standing = await this.locked(manager, claimId);
      if (standing?.state !== 'unknown') return false;
      const arrived = await this.arrive(manager, standing, settlement, receiptOf(standing));
      await this.releases.giveBack(manager, arrived, 'its settlement was in doubt');
      return true;
    });
  }

  /** Books the money in, and what came beyond the price as credit. */
  private async arrive(
    manager: EntityManager,
    standing: StandingClaim,
    { reference, chargedMicroUsd }: Settled,
    receipt: StoredReceipt,
  ): Promise<StandingClaim> {
    const { claimId, amountMicroUsd } = standing;
    const family = standing.family as RailFamily;
    const base = { claimId, reference, kind: 'settle' };
    const proofKey = proofOf(standing);
    const needsAccount = chargedMicroUsd !== amountMicroUsd;
    const accountId = needsAccount ? await this.derived.ensure(manager, family, proofKey) : undefined;
    if (chargedMicroUsd < amountMicroUsd) {
      // Less than the price has come: it buys nothing, and is not lost.
      throw new RangeError(`claim ${claimId}: ${chargedMicroUsd} was charged for ${amountMicroUsd}`);
    }
    const legs = settleLegs(family, amountMicroUsd, chargedMicroUsd, accountId);
    await this.ledger.post(manager, { ...base, legs });
    const values = [claimId, reference, chargedMicroUsd, JSON.stringify(receipt), accountId ?? null];
    const [[row]]: [Row[], number] = await manager.query(RECORD_SETTLED, values);
    if (family === 'stripe' && accountId !== undefined) {
      const creditedMicroUsd = chargedMicroUsd - amountMicroUsd;
      await this.reversals.collect(manager, reference, { accountId, creditedMicroUsd });
    }
    return { ...standingOf(row), proofKey };
  }

  private async locked(manager: EntityManager, claimId: string): Promise<StandingClaim | undefined> {
    const rows: Row[] = await manager.query(LOCK_CLAIM, [claimId]);
    return rows[0] && standingOf(rows[0]);
  }
}

/** The proof that a claim was made for, also after it was set free. */
const proofOf = ({ claimId, proofKey }: StandingClaim): string =>
  proofKey.endsWith(`#${claimId}`) ? proofKey.slice(0, -claimId.length - 1) : proofKey;
