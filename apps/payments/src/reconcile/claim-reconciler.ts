import { Inject, Injectable } from '@nestjs/common';
import { MeasurementRegistry, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { DataSource } from 'typeorm';
import { receiptFound } from '../claim/claim-receipt.js';
import { ClaimSettlements } from '../claim/claim-settlements.js';
import { type Row, STANDING_COLUMNS, type StandingClaim, standingOf } from '../claim/standing-claim.js';
import { moneyOfToken, type Rail, RAILS, type Settlement } from '../rail/rail.js';

/** Claims asked about in one round. */
const ROUND_MAX = 20;
/** How long an enquiry may take before another replica asks too: asking twice is harmless. */
const ENQUIRY_SECONDS = 30;
/** An unknown settlement is asked about again after a quarter of its age, between these bounds. */
const WAIT_SECONDS_MIN = 2;
const WAIT_SECONDS_MAX = 300;

/** Figure of `/health`: claims of which it is not known whether money was taken. */
export const UNKNOWN_SETTLEMENTS = 'unknownSettlements';

/**
 * Asks rails what became of settlements whose outcome was lost: in the background, and when the payer asks. Ends in
 * credit, or in a void claim. Any number of replicas may ask; what is found is recorded once.
 */
@Injectable()
export class ClaimReconciler {
  constructor(
    private readonly dataSource: DataSource,
    private readonly settlements: ClaimSettlements,
    @Inject(RAILS) private readonly rails: readonly Rail[],
    private readonly measurements: MeasurementRegistry,
    @Inject(SERVICE_ENVIRONMENT) private readonly environment: Pick<ServiceEnvironment, 'logger'>,
  ) {
    measurements.declare(UNKNOWN_SETTLEMENTS, 'no round of the reconciler has ended yet');
  }

  /** One round over what is due; returns how many claims are known now. */
  async round(): Promise<number> {
    const [rows]: [Row[], number] = await this.dataSource.query(
      `UPDATE payment_claim SET lease_until = now() + make_interval(secs => $1)
        WHERE claim_id IN (
          SELECT claim_id FROM payment_claim WHERE state = 'unknown' AND lease_until <= now()
           ORDER BY lease_until LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING ${STANDING_COLUMNS}`,
      [ENQUIRY_SECONDS, ROUND_MAX],
    );
    const ended = await Promise.all(rows.map(row => this.enquire(row)));
    const [{ unknown }]: [{ unknown: number }] = await this.dataSource.query(
      `SELECT count(*)::int AS unknown FROM payment_claim WHERE state = 'unknown'`,
    );
    this.measurements.set(UNKNOWN_SETTLEMENTS, unknown);
    return ended.filter(Boolean).length;
  }

  /** Asks now about a claim whose payer is here; false while it is not known, or its next enquiry is not due. */
  async ask(claimId: string): Promise<boolean> {
    const [rows]: [Row[], number] = await this.dataSource.query(
      `UPDATE payment_claim SET lease_until = now() + make_interval(secs => $2)
        WHERE claim_id = $1 AND state = 'unknown' AND lease_until <= now() RETURNING ${STANDING_COLUMNS}`,
      [claimId, ENQUIRY_SECONDS],
    );
    return rows[0] !== undefined && (await this.enquire(rows[0]));
  }

  /** Whether it is known now what became of the money. Never rejects: what fails is asked about again. */
  private async enquire(row: Row): Promise<boolean> {
    try {
      const standing = standingOf(row);
      const settlement = await this.settlementOf(standing);
      if (settlement.outcome === 'unknown') {
        await this.settlements.unknown(standing.claimId, waitSecondsOf(standing));
        return false;
      }
      const receiptOf = ({ receipt }: StandingClaim) =>
        settlement.outcome === 'settled' ? receiptFound(receipt, settlement) : receipt;
      const isFirst = await this.settlements.found(standing, settlement, receiptOf);
      const { claimId } = standing;
      if (isFirst)
        this.environment.logger.info({ claimId, outcome: settlement.outcome }, 'A settlement was found out');
      return true;
    } catch (error) {
      const { claim_id: claimId } = row;
      this.environment.logger.warn({ claimId, reason: (error as Error).message }, 'An enquiry has failed');
      return false;
    }
  }

  private async settlementOf({
    claimId,
    family,
    proofKey,
    evidence,
    claimedAt,
    receipt: { chain },
  }: StandingClaim): Promise<Settlement> {
    const rail = this.rails.find(each => each.family === family);
    if (!rail) return { outcome: 'unknown', detail: `no ${family} rail is configured` };
    // Another chain, or another network, knows nothing of it, and would say that nothing was taken.
    const money = evidence.money ?? (chain && moneyOfToken(chain));
    if (money !== undefined && money !== rail.money)
      return { outcome: 'unknown', detail: `the ${family} rail is configured for ${rail.money}` };
    return rail.enquire({ claimId, proofKey, evidence, claimedAtMs: claimedAt.getTime() });
  }
}

function waitSecondsOf({ claimedAt }: StandingClaim): number {
  const ageSeconds = (Date.now() - claimedAt.getTime()) / 1_000;
  return Math.min(WAIT_SECONDS_MAX, Math.max(WAIT_SECONDS_MIN, Math.ceil(ageSeconds / 4)));
}
