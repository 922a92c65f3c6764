import { Inject, Injectable } from '@nestjs/common';
import type { Receipt, StoredResponse } from '@svc/contracts';
import { inTransaction, problem } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { InsufficientCredit, Ledger } from '../ledger/ledger.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { RailFamily } from '../rail/rail.js';
import { clearingOf, holdLegs, settleLegs } from './claim-postings.js';
import { openAnswer } from './sealed-answer.js';
import {
  boundElsewhere,
  type ClaimedRequest,
  type ClaimFamily,
  creditSpent,
  type HeldClaim,
  heldOf,
  inFlight,
  isLapsed,
  LEASE_SECONDS,
  RESPONSE_KEPT_HOURS,
  type Row,
  STANDING_COLUMNS,
  type StandingClaim,
  standingOf,
} from './standing-claim.js';

/** How long after a delivery a second payment of its payer for the same request is not taken. */
const REPEAT_WINDOW_SECONDS = 60;
/** The same, of payments under one Idempotency-Key. */
const IDEMPOTENCY_WINDOW_HOURS = 24;

/** The first claim of a payment. */
export interface FirstClaim extends ClaimedRequest {
  readonly claimId: string;
  readonly family: RailFamily;
  readonly proofKey: string;
  readonly credentialDigest: string;
  readonly tokenDigest?: string;
  readonly payer?: string;
  readonly idempotencyKey?: string;
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt;
}

/** Money that has arrived before its claim. */
export interface ArrivedMoney {
  readonly reference: string;
  readonly chargedMicroUsd: number;
}

/**
 * The claims in Postgres, one row for each payment, kept for good. Who may run its request is decided by the row's lock,
 * so of any number of concurrent callers exactly one gets it, whichever replica they ask.
 */
@Injectable()
export class ClaimStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer'>,
  ) {}

  /** The claim of a payment as it stands, by its proof or its token; undefined when nothing stands in its way. */
  async find(
    family: ClaimFamily,
    proofKey: string,
    tokenDigest?: string,
  ): Promise<StandingClaim | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${STANDING_COLUMNS} FROM payment_claim WHERE rail_family = $1 AND proof_key = $2`,
      [family, proofKey],
    );
    if (rows[0] || tokenDigest === undefined) return rows[0] && standingOf(rows[0]);
    const others: Row[] = await this.dataSource.query(
      `SELECT ${STANDING_COLUMNS} FROM payment_claim WHERE token_digest = $1`,
      [tokenDigest],
    );
    return others[0] && standingOf(others[0]);
  }

  async findById(claimId: string): Promise<StandingClaim | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${STANDING_COLUMNS} FROM payment_claim WHERE claim_id = $1`,
      [claimId],
    );
    return rows[0] && standingOf(rows[0]);
  }

  /** The stored answer, where it is kept and can be opened. */
  readonly answerOf = ({ claimId, stored }: StandingClaim): StoredResponse | undefined => {
    if (!stored) return undefined;
    const body = stored.sealed ? openAnswer(this.keys.storedAnswer, claimId, stored.body) : stored.body;
    return body && { status: stored.status, contentType: stored.contentType, body: new Uint8Array(body) };
  };

  /** Claims a payment whose money has arrived; undefined when it was claimed before, also when at this instant. */
  async claimArrived(first: FirstClaim, money: ArrivedMoney): Promise<HeldClaim | undefined> {
    const { claimId, family, proofKey, amountMicroUsd, receipt } = first;
    const claimed: HeldClaim = { claimId, attempt: 1, receipt, canBeGivenUp: true };
    if (money.chargedMicroUsd === amountMicroUsd) {
      const rows: Row[] = await this.dataSource.query(
        `WITH claim AS (${insertClaim('settled')}), booked AS (
           INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, reference)
           SELECT moved.transaction_id, leg.account, leg.sign * moved.amount_micro_usd, 'settle', moved.claim_id, $14
             FROM (SELECT gen_random_uuid() AS transaction_id, claim_id, amount_micro_usd FROM claim) moved,
                  (VALUES ('${clearingOf(family)}', -1), ('holds', 1)) AS leg (account, sign)
         )
         SELECT claim_id FROM claim`,
        insertValues(first, money),
      );
      return rows[0] && claimed;
    }
    return inTransaction(this.dataSource, async manager => {
      const rows: Row[] = await manager.query(insertClaim('settled'), insertValues(first, money));
      if (!rows[0]) return undefined;
      const accountId = await this.derived.ensure(manager, family, proofKey);
      await manager.query(`UPDATE payment_claim SET credit_account_id = $2 WHERE claim_id = $1`, [
        claimId,
        accountId,
      ]);
      const legs = settleLegs(family, amountMicroUsd, money.chargedMicroUsd, accountId);
      await this.ledger.post(manager, { kind: 'settle', legs, claimId, reference: money.reference });
      return claimed;
    });
  }

  /**
   * Puts a claim on record whose money has not been asked for yet, unless its payer has paid for the same request just
   * now: then that claim stands in its way, and nothing is to be taken by this one.
   */
  async claimPending(
    first: FirstClaim,
  ): Promise<{ readonly held: HeldClaim } | { readonly repeats: StandingClaim } | undefined> {
    return inTransaction(this.dataSource, async manager => {
      const repeats =
        first.payer === undefined ? undefined : await this.repeatOf(manager, first, first.payer);
      if (repeats) return { repeats };
      const rows: Row[] = await manager.query(insertClaim('pending'), insertValues(first));
      const { claimId, receipt } = first;
      return rows[0] && { held: { claimId, attempt: 1, receipt, canBeGivenUp: true } };
    });
  }

  /**
   * Claims again what was claimed and not delivered: on the credit that it became, also for another body of its
   * operation, or where a lease ran out, for the same request alone.
   * @throws ProblemError PAYMENT_INSUFFICIENT when the credit was spent meanwhile
   */
  async claimAgain({ claimId }: StandingClaim, request: ClaimedRequest): Promise<HeldClaim | undefined> {
    return inTransaction(this.dataSource, async manager => {
      const standing = await this.locked(manager, claimId);
      if (!standing || standing.operationId !== request.operationId) return undefined;
      const isSame = standing.requestDigest === request.requestDigest;
      if (standing.state === 'credited') await this.holdAgain(manager, standing);
      else if (isLapsed(standing) && standing.settlement === 'settled') {
        if (!isSame) throw boundElsewhere('a request with another body');
      } else if (standing.state !== 'settled') return undefined;
      const [[row]]: [Row[], number] = await manager.query(
        `UPDATE payment_claim
            SET state = 'claimed', attempt = attempt + 1, request_digest = $2, release_reason = NULL,
                lease_until = now() + make_interval(secs => $3)
          WHERE claim_id = $1 RETURNING ${STANDING_COLUMNS}`,
        [claimId, request.requestDigest, LEASE_SECONDS],
      );
      return heldOf(standingOf(row));
    });
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

  private async locked(manager: EntityManager, claimId: string): Promise<StandingClaim | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT ${STANDING_COLUMNS} FROM payment_claim WHERE claim_id = $1 FOR UPDATE`,
      [claimId],
    );
    return rows[0] && standingOf(rows[0]);
  }

  private async holdAgain(manager: EntityManager, standing: StandingClaim): Promise<void> {
    const { claimId, creditAccountId, amountMicroUsd, funding, family, proofKey } = standing;
    if (funding !== 'rail' || creditAccountId === undefined) {
      throw problem('PAYMENT_INSUFFICIENT', 'The call was given back to the account that paid for it');
    }
    try {
      await this.ledger.post(manager, {
        kind: 'reclaim',
        legs: holdLegs(creditAccountId, amountMicroUsd),
        claimId,
      });
    } catch (error) {
      if (!(error instanceof InsufficientCredit)) throw error;
      throw creditSpent(await this.derived.of(family as RailFamily, proofKey), amountMicroUsd);
    }
  }

  /**
   * The claim of an earlier payment of this payer that this request repeats. Payments for one request, and those under
   * one Idempotency-Key, are looked at one after the other: of two at once the second finds the first.
   */
  private async repeatOf(
    manager: EntityManager,
    { operationId, requestDigest, idempotencyKey, family, proofKey }: FirstClaim,
    payer: string,
  ): Promise<StandingClaim | undefined> {
    const lock = (what: string) =>
      manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 402))`, [
        `${payer} ${operationId} ${what}`,
      ]);
    await lock(`digest ${requestDigest}`);
    if (idempotencyKey !== undefined) await lock(`key ${idempotencyKey}`);
    const rows: Row[] = await manager.query(
      `SELECT ${STANDING_COLUMNS} FROM payment_claim
        WHERE payer = $1 AND operation_id = $2 AND NOT (rail_family = $5 AND proof_key = $6)
          AND ((request_digest = $3 AND (
                 (state = 'claimed' AND lease_until > now()) OR state = 'unknown'
                 OR (state = 'delivered' AND delivered_at > now() - make_interval(secs => $7))))
            OR (idempotency_key = $4 AND claimed_at > now() - make_interval(hours => $8)
                AND state IN ('claimed', 'unknown', 'delivered')))
        ORDER BY (idempotency_key = $4) DESC NULLS LAST, claimed_at DESC LIMIT 1`,
      [
        payer,
        operationId,
        requestDigest,
        idempotencyKey ?? null,
        family,
        proofKey,
        REPEAT_WINDOW_SECONDS,
        IDEMPOTENCY_WINDOW_HOURS,
      ],
    );
    const repeats = rows[0] && standingOf(rows[0]);
    if (repeats && repeats.requestDigest !== requestDigest) {
      const detail =
        'The Idempotency-Key was used for a request with another body; use the same for retries alone';
      throw problem('UNPROCESSABLE', detail, {
        errors: [{ path: 'Idempotency-Key', message: 'was used for a request with another body' }],
      });
    }
    if (repeats && isLapsed(repeats)) throw inFlight(1);
    return repeats;
  }
}

/** One claim, unless its proof or its token was claimed before. */
const insertClaim = (settlement: 'settled' | 'pending') =>
  `INSERT INTO payment_claim (claim_id, rail_family, proof_key, operation_id, request_digest, credential_digest,
     state, attempt, lease_until, amount_micro_usd, amount_sats, receipt, token_digest, payer, idempotency_key,
     settlement_evidence, settlement, settlement_reference, charged_micro_usd)
   VALUES ($1, $2, $3, $4, $5, $6, 'claimed', 1, now() + make_interval(secs => ${LEASE_SECONDS}), $7, $8, $9, $10, $11,
     $12, $13, '${settlement}', $14, $15)
   ON CONFLICT DO NOTHING
   RETURNING claim_id, amount_micro_usd`;

const insertValues = (first: FirstClaim, money?: ArrivedMoney): unknown[] => [
  first.claimId,
  first.family,
  first.proofKey,
  first.operationId,
  first.requestDigest,
  first.credentialDigest,
  first.amountMicroUsd,
  first.amountSats,
  JSON.stringify(first.receipt),
  first.tokenDigest ?? null,
  first.payer ?? null,
  first.idempotencyKey ?? null,
  JSON.stringify(first.evidence),
  money?.reference ?? null,
  money?.chargedMicroUsd ?? null,
];
