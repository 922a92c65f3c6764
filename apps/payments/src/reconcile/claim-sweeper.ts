import { Injectable } from '@nestjs/common';
import { inTransaction, MeasurementRegistry } from '@svc/platform';
import { DataSource } from 'typeorm';
import { ClaimReleases } from '../claim/claim-releases.js';
import { type Row, STANDING_COLUMNS, standingOf } from '../claim/standing-claim.js';

/** Claims of one round. */
const ROUND_MAX = 100;
/** A caller that is only slow may still deliver for this long after its lease. */
const GRACE_SECONDS = 30;

/** Figure of `/health`: claims whose callers died that this replica ended since it began. */
export const LAPSED_CLAIMS = 'lapsedClaims';

/**
 * Ends claims whose callers are gone: what was paid becomes credit, and where that is not known, it is asked about.
 * Replicas share the work: a claim that one looks at is passed over by the others.
 */
@Injectable()
export class ClaimSweeper {
  private endedCount = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly releases: ClaimReleases,
    private readonly measurements: MeasurementRegistry,
  ) {
    measurements.declare(LAPSED_CLAIMS, 'no round of the sweeper has ended yet');
  }

  /** One round; returns how many claims it ended. */
  async sweep(): Promise<number> {
    const due: Row[] = await this.dataSource.query(
      `SELECT claim_id FROM payment_claim
        WHERE state IN ('claimed', 'settled') AND lease_until < now() - make_interval(secs => $1)
        ORDER BY lease_until LIMIT $2`,
      [GRACE_SECONDS, ROUND_MAX],
    );
    let ended = 0;
    let failure: unknown;
    // Each in a transaction of its own, so that one that fails keeps none of the others.
    for (const { claim_id: claimId } of due) {
      try {
        if (await this.end(claimId as string)) ended++;
      } catch (error) {
        failure ??= error;
      }
    }
    this.endedCount += ended;
    this.measurements.set(LAPSED_CLAIMS, this.endedCount);
    if (failure !== undefined) throw failure;
    return ended;
  }

  private end(claimId: string): Promise<boolean> {
    return inTransaction(this.dataSource, async manager => {
      const rows: Row[] = await manager.query(
        `SELECT ${STANDING_COLUMNS} FROM payment_claim
          WHERE claim_id = $1 AND state IN ('claimed', 'settled')
            AND lease_until < now() - make_interval(secs => $2)
          FOR UPDATE SKIP LOCKED`,
        [claimId, GRACE_SECONDS],
      );
      if (!rows[0]) return false;
      const standing = standingOf(rows[0]);
      if (standing.settlement === 'settled') {
        await this.releases.giveBack(manager, standing, 'its caller was gone');
        return true;
      }
      await manager.query(
        `UPDATE payment_claim SET state = 'unknown', settlement = 'unknown', lease_until = now() WHERE claim_id = $1`,
        [claimId],
      );
      return true;
    });
  }
}
