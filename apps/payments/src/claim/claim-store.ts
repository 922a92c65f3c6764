import { Injectable } from '@nestjs/common';
import { Receipt, type StoredResponse } from '@svc/contracts';
import { DataSource } from 'typeorm';

/** How long a claim is held for the caller that runs the request; longer than any call may take, and renewed by a job. */
export const LEASE_SECONDS = 180;
/** How long a delivered answer is kept whole for its payer. */
export const RESPONSE_KEPT_HOURS = 24;

/** How often the payer may give up work that has begun and have the payment back. */
export const GIVE_UPS_MAX = 3;

export interface ClaimRequest {
  readonly proofKey: string;
  readonly operationId: string;
  readonly requestDigest: string;
}

export interface FirstClaim extends ClaimRequest {
  readonly claimId: string;
  readonly credentialDigest: string;
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  readonly receipt: Receipt;
}

/** A claim that the caller now holds: of all who ask at once, one gets it. */
export interface HeldClaim {
  readonly claimId: string;
  /** Fence: a later attempt makes this one's delivery fail. */
  readonly attempt: number;
  readonly receipt: Receipt;
  /** Where not, the work is done to its end once it has begun: the payer gave it up {@link GIVE_UPS_MAX} times. */
  readonly canBeGivenUp: boolean;
}

/** A claim that the caller did not get, as it stands. */
export interface StandingClaim {
  readonly claimId: string;
  readonly attempt: number;
  readonly state: 'claimed' | 'settled' | 'delivered' | 'unknown';
  readonly operationId: string;
  readonly requestDigest: string;
  readonly leaseSecondsLeft: number;
  readonly receipt: Receipt;
  readonly deliveredAt?: Date;
  /** Absent when it was not delivered, or was purged. */
  readonly response?: StoredResponse;
}

type Row = Record<string, unknown>;

/**
 * The claims in Postgres. A proof key has one row for good; who may run its request is decided by
 * that row's lock, so exactly one of any number of concurrent callers gets it.
 */
@Injectable()
export class ClaimStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Claims a payment that was never presented; undefined when it was, also when at this instant. */
  async claimFirst(first: FirstClaim): Promise<HeldClaim | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `WITH claim AS (
         INSERT INTO payment_claim (claim_id, rail_family, proof_key, operation_id, request_digest,
           credential_digest, state, attempt, lease_until, amount_micro_usd, amount_sats, receipt)
         VALUES ($1, 'lightning', $2, $3, $4, $5, 'claimed', 1, now() + make_interval(secs => $6), $7, $8, $9)
         ON CONFLICT (rail_family, proof_key) DO NOTHING
         RETURNING claim_id, attempt, receipt, given_up_count, amount_micro_usd
       ), booked AS (${ledgerTransaction('lightning-clearing', 'holds')})
       SELECT claim_id, attempt, receipt, given_up_count FROM claim`,
      [
        first.claimId,
        first.proofKey,
        first.operationId,
        first.requestDigest,
        first.credentialDigest,
        LEASE_SECONDS,
        first.amountMicroUsd,
        first.amountSats,
        JSON.stringify(first.receipt),
      ],
    );
    return rows[0] && heldOf(rows[0]);
  }

  /**
   * Claims again what was claimed and not delivered: a claim that was given back, also for another
   * body of its operation, or one whose lease ran out, for the same request alone.
   */
  async claimAgain(request: ClaimRequest): Promise<HeldClaim | undefined> {
    const [rows]: [Row[], number] = await this.dataSource.query(
      `UPDATE payment_claim
          SET state = 'claimed', attempt = attempt + 1, request_digest = $3, release_reason = NULL,
              lease_until = now() + make_interval(secs => $4)
        WHERE rail_family = 'lightning' AND proof_key = $1 AND operation_id = $2
          AND (state = 'settled' OR (state = 'claimed' AND lease_until < now() AND request_digest = $3))
        RETURNING claim_id, attempt, receipt, given_up_count`,
      [request.proofKey, request.operationId, request.requestDigest, LEASE_SECONDS],
    );
    return rows[0] && heldOf(rows[0]);
  }

  /** The claim of a payment as it stands; undefined when it was never presented. */
  async find(proofKey: string): Promise<StandingClaim | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT claim_id, attempt, state, operation_id, request_digest, receipt, delivered_at, response_status,
              response_content_type, response_body,
              greatest(0, extract(epoch FROM lease_until - now()))::float8 AS lease_seconds_left
         FROM payment_claim WHERE rail_family = 'lightning' AND proof_key = $1`,
      [proofKey],
    );
    return rows[0] && standingOf(rows[0]);
  }

  /**
   * Records the delivery and books the amount as earned. Returns when it was delivered, also when
   * the same attempt asks again; undefined when the claim is another's by now.
   */
  async deliver(claimId: string, attempt: number, response: StoredResponse): Promise<Date | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `WITH claim AS (
         UPDATE payment_claim
            SET state = 'delivered', delivered_at = now(), response_status = $3,
                response_content_type = $4, response_body = $5
          WHERE claim_id = $1 AND attempt = $2 AND state = 'claimed'
          RETURNING claim_id, delivered_at, amount_micro_usd
       ), booked AS (${ledgerTransaction('holds', 'treasury')})
       SELECT delivered_at FROM claim
       UNION ALL
       SELECT delivered_at FROM payment_claim
        WHERE claim_id = $1 AND attempt = $2 AND state = 'delivered'`,
      [claimId, attempt, response.status, response.contentType, Buffer.from(response.body)],
    );
    return rows[0]?.delivered_at as Date | undefined;
  }

  /**
   * Gives a claim back; true also when the same attempt asks again, false when the claim is another's by now,
   * or was delivered.
   * @param givenUp the payer gave up work that had begun: counted once for an attempt
   */
  async release(claimId: string, attempt: number, reason: string, givenUp: boolean): Promise<boolean> {
    const rows: Row[] = await this.dataSource.query(
      `WITH claim AS (
         UPDATE payment_claim SET state = 'settled', lease_until = now(), release_reason = $3,
                given_up_count = given_up_count + $4::boolean::int
          WHERE claim_id = $1 AND attempt = $2 AND state = 'claimed'
          RETURNING claim_id
       )
       SELECT claim_id FROM claim
       UNION ALL
       SELECT claim_id FROM payment_claim WHERE claim_id = $1 AND attempt = $2 AND state = 'settled'`,
      [claimId, attempt, reason, givenUp],
    );
    return rows.length === 1;
  }

  /** Holds a claim for another lease from now; false when it is another's by now, or was delivered. */
  async renew(claimId: string, attempt: number): Promise<boolean> {
    const [, count]: [Row[], number] = await this.dataSource.query(
      `UPDATE payment_claim SET lease_until = now() + make_interval(secs => $3)
        WHERE claim_id = $1 AND attempt = $2 AND state = 'claimed'`,
      [claimId, attempt, LEASE_SECONDS],
    );
    return count === 1;
  }

  /** Drops the bodies of answers that were kept long enough; the claims stay. Returns how many. */
  async purgeResponses(): Promise<number> {
    const [, count]: [Row[], number] = await this.dataSource.query(
      `UPDATE payment_claim SET response_body = NULL, purged_at = now()
        WHERE state = 'delivered' AND purged_at IS NULL
          AND delivered_at < now() - make_interval(hours => $1)`,
      [RESPONSE_KEPT_HOURS],
    );
    return count;
  }
}

/** Two entries that move the amount of the row `claim`, if there is one, from an account to another. */
function ledgerTransaction(from: string, to: string): string {
  return `INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, claim_id)
          SELECT moved.transaction_id, leg.account, leg.sign * moved.amount_micro_usd, moved.claim_id
            FROM (SELECT gen_random_uuid() AS transaction_id, claim_id, amount_micro_usd FROM claim) moved,
                 (VALUES ('${from}', -1), ('${to}', 1)) AS leg (account, sign)`;
}

const heldOf = (row: Row): HeldClaim => ({
  claimId: row.claim_id as string,
  attempt: row.attempt as number,
  receipt: Receipt.parse(row.receipt),
  canBeGivenUp: (row.given_up_count as number) < GIVE_UPS_MAX,
});

function standingOf(row: Row): StandingClaim {
  const body = row.response_body as Buffer | null;
  return {
    claimId: row.claim_id as string,
    attempt: row.attempt as number,
    state: row.state as StandingClaim['state'],
    operationId: row.operation_id as string,
    requestDigest: row.request_digest as string,
    leaseSecondsLeft: row.lease_seconds_left as number,
    receipt: Receipt.parse(row.receipt),
    deliveredAt: (row.delivered_at as Date | null) ?? undefined,
    response: body
      ? {
          status: row.response_status as number,
          contentType: row.response_content_type as string,
          body: new Uint8Array(body),
        }
      : undefined,
  };
}
