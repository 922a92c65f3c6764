import { Inject, Injectable } from '@nestjs/common';
import type { ClaimHandle, StoredResponse } from '@svc/contracts';
import { Batch, inTransaction, isOfOneItem, prepared, problem } from '@svc/platform';
import { DataSource, type EntityManager } from 'typeorm';
import { DerivedCredit } from '../account/derived-credit.js';
import { InsufficientCredit, Ledger } from '../ledger/ledger.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { RailFamily } from '../rail/rail.js';
import {
  type ArrivedMoney,
  CLEARING_ACCOUNTS,
  type FirstClaim,
  insertClaims,
  insertValues,
} from './claim-insert.js';
import { holdLegs, settleLegs } from './claim-postings.js';
import { repeatOf } from './repeated-purchase.js';
import { openAnswer } from './sealed-answer.js';
import {
  boundElsewhere,
  CLAIM_LEASE,
  type ClaimedRequest,
  type ClaimFamily,
  creditSpent,
  type HeldClaim,
  type PendingClaim,
  heldOf,
  isLapsed,
  LEASE_SECONDS,
  LOCK_CLAIM,
  RESPONSE_KEPT_HOURS,
  type Row,
  STANDING_COLUMNS,
  type StandingClaim,
  standingOf,
} from './standing-claim.js';

/**
 * How long a claim is known for which nothing was taken, days. Its proof is free from the moment it is void, so that nothing is bought
 * or refused by it any more: it says until then what was tried, and takes money that comes late.
 */
const VOID_KEPT_DAYS = 7;
const PURGED_AT_ONCE = 1_000;

const INSERT_SETTLED = prepared(insertClaims('settled'));
const INSERT_PENDING = prepared(insertClaims('pending'));
/** Claims and books, after the parameters of {@link CLEARING_ACCOUNTS}; lazily without a wait for the disk. */
const claimArrived = (
  lazily: boolean,
) => `WITH claim AS (${insertClaims('settled', 1 + CLEARING_ACCOUNTS.length)}), booked AS (
     INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id, reference)
     SELECT moved.transaction_id, leg.account, leg.amount, 'settle', moved.claim_id, moved.settlement_reference
       FROM (SELECT gen_random_uuid() AS transaction_id, claim.*, clearing.account
               FROM claim JOIN unnest($1::text[], $2::text[]) AS clearing (rail_family, account)
                 USING (rail_family)) moved
      CROSS JOIN LATERAL (VALUES (moved.account, -moved.amount_micro_usd), ('holds', moved.amount_micro_usd))
        AS leg (account, amount)
   )
   SELECT claim_id ${lazily ? `, set_config('synchronous_commit', 'off', true)` : ''} FROM claim`;
const CLAIM_ARRIVED = { durable: prepared(claimArrived(false)), lazy: prepared(claimArrived(true)) };
const FIND_BY_PROOF = prepared(
  `SELECT ${STANDING_COLUMNS} FROM payment_claim
     JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS given (rail_family, proof_key)) wanted
       USING (rail_family, proof_key)`,
);
const FIND_BY_TOKEN = prepared(`SELECT ${STANDING_COLUMNS} FROM payment_claim WHERE token_digest = $1`);
/** Locked in one order, as deliveries are; a longer lease stays. */
const RENEW = prepared(
  `WITH wanted AS (SELECT * FROM unnest($1::uuid[], $2::int[]) AS wanted (claim_id, attempt)), mine AS (
     SELECT mine.claim_id FROM (SELECT * FROM wanted ORDER BY claim_id) ordered,
            LATERAL (SELECT claim_id FROM payment_claim held
                      WHERE held.claim_id = ordered.claim_id AND held.attempt = ordered.attempt
                        AND held.state || '' = 'claimed' FOR NO KEY UPDATE) mine
   )
   UPDATE payment_claim claim SET lease_until = greatest(lease_until, now() + make_interval(secs => $3))
     FROM mine WHERE claim.claim_id = mine.claim_id
   RETURNING claim.claim_id`,
);

interface Proof {
  readonly family: ClaimFamily;
  readonly proofKey: string;
}

interface Arrival {
  readonly first: FirstClaim;
  readonly money: ArrivedMoney;
}

/**
 * The claims in Postgres, one row for each payment, kept for good where anything was taken for it. Who may run its request is decided by the row's lock,
 * so of any number of concurrent callers exactly one gets it, whichever replica they ask.
 */
@Injectable()
export class ClaimStore {
  /** What comes while a question or a claim is at work goes together in the next one. */
  private readonly lookups = new Batch<Proof, StandingClaim | undefined>(proofs => this.findAll(proofs));
  private readonly arrivals = new Batch<Arrival, boolean>(all => this.claimAll(all, CLAIM_ARRIVED.durable));
  private readonly lazyArrivals = new Batch<Arrival, boolean>(all => this.claimAll(all, CLAIM_ARRIVED.lazy));
  /** A transaction, so that what waits in it is not put on record where this process dies. */
  private readonly pending = new Batch<FirstClaim, boolean>(
    firsts => inTransaction(this.dataSource, manager => this.insertPending(manager, firsts)),
    { alone: isOfOneItem },
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly derived: DerivedCredit,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer' | 'requests'>,
    @Inject(CLAIM_LEASE) private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  /** The claim of a payment as it stands, by its proof or its token; undefined when nothing stands in its way. */
  async find(
    family: ClaimFamily,
    proofKey: string,
    tokenDigest?: string,
  ): Promise<StandingClaim | undefined> {
    const standing = await this.lookups.add({ family, proofKey });
    if (standing || tokenDigest === undefined) return standing;
    const others: Row[] = await this.dataSource.query(FIND_BY_TOKEN, [tokenDigest]);
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

  /** Whether a claim is of this very request. */
  isOf({ storedDigest, digestOwner }: StandingClaim, { requestDigest }: ClaimedRequest): boolean {
    return this.keys.requests.of(requestDigest, digestOwner).matches(storedDigest);
  }

  /**
   * Claims a payment whose money has arrived; undefined when it was claimed before, also when at this instant.
   * @param lazily without a wait for the disk where exactly the price came, for work without effects: where a crash of the database loses
   *   the claim, its delivery fails, and the payment buys the call again
   */
  async claimArrived(first: FirstClaim, money: ArrivedMoney, lazily = false): Promise<HeldClaim | undefined> {
    const { claimId, family, proofKey, amountMicroUsd, receipt } = first;
    const claimed: HeldClaim = { claimId, attempt: 1, receipt, canBeGivenUp: true };
    if (money.chargedMicroUsd === amountMicroUsd) {
      const arrivals = lazily ? this.lazyArrivals : this.arrivals;
      return (await arrivals.add({ first, money })) ? claimed : undefined;
    }
    return inTransaction(this.dataSource, async manager => {
      const rows: Row[] = await manager.query(
        INSERT_SETTLED,
        insertValues([{ first, money }], this.keys.requests, this.leaseSeconds),
      );
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
  ): Promise<{ readonly held: PendingClaim } | { readonly repeats: StandingClaim } | undefined> {
    const { claimId, receipt, family, proofKey, amountMicroUsd, payer } = first;
    const held = { claimId, attempt: 1, receipt, canBeGivenUp: true, family, proofKey, amountMicroUsd };
    if (payer === undefined) return (await this.pending.add(first)) ? { held } : undefined;
    return inTransaction(this.dataSource, async manager => {
      const repeats = await repeatOf(manager, first, payer, this.keys.requests);
      if (repeats) return { repeats };
      const [isFirst] = await this.insertPending(manager, [first]);
      return isFirst ? { held } : undefined;
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
      const digest = this.keys.requests.of(request.requestDigest, standing.digestOwner);
      if (standing.state === 'credited') await this.holdAgain(manager, standing);
      else if (isLapsed(standing) && standing.settlement === 'settled') {
        if (!digest.matches(standing.storedDigest)) throw boundElsewhere('a request with another body');
      } else if (standing.state !== 'settled') return undefined;
      const [[row]]: [Row[], number] = await manager.query(
        `UPDATE payment_claim
            SET state = 'claimed', attempt = attempt + 1, request_digest = $2, release_reason = NULL,
                lease_until = now() + make_interval(secs => $3), receipt = (receipt - 'called') || $4
          WHERE claim_id = $1 RETURNING ${STANDING_COLUMNS}`,
        [claimId, digest.stored, this.leaseSeconds, calledText(request)],
      );
      return heldOf(standingOf(row));
    });
  }

  /**
   * Holds claims for so long from now.
   * @param seconds by default the lease of a call
   * @returns ids of those that are held: not of what is another attempt's by now, or was delivered
   */
  async renew(claims: readonly ClaimHandle[], seconds = this.leaseSeconds): Promise<string[]> {
    const ids = claims.map(({ claimId }) => claimId);
    const attempts = claims.map(({ attempt }) => attempt);
    const [rows]: [{ claim_id: string }[], number] = await this.dataSource.query(RENEW, [
      ids,
      attempts,
      seconds,
    ]);
    return rows.map(row => row.claim_id);
  }

  /** Holds a claim while something is done about it that takes as long as others let it. */
  async whileHeld<T>(claim: ClaimHandle, work: () => Promise<T>): Promise<T> {
    const beat = () => void this.renew([claim]).catch(() => undefined);
    const timer = setInterval(beat, (this.leaseSeconds * 1_000) / 4).unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
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

  /** Drops claims for which nothing was taken, some at once. Returns how many. */
  async purgeVoid(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM payment_claim WHERE claim_id IN (
         SELECT claim_id FROM payment_claim claim
          WHERE state = 'void' AND lease_until < now() - make_interval(days => $1)
            AND NOT EXISTS (SELECT FROM ledger_entry entry WHERE entry.claim_id = claim.claim_id)
          ORDER BY lease_until LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [VOID_KEPT_DAYS, PURGED_AT_ONCE],
    );
    return count;
  }

  private async findAll(proofs: readonly Proof[]): Promise<(StandingClaim | undefined)[]> {
    const rows: Row[] = await this.dataSource.query(FIND_BY_PROOF, [
      proofs.map(({ family }) => family),
      proofs.map(({ proofKey }) => proofKey),
    ]);
    const found = new Map(rows.map(row => [`${row.rail_family} ${row.proof_key}`, standingOf(row)]));
    return proofs.map(({ family, proofKey }) => found.get(`${family} ${proofKey}`));
  }

  /** Claims and books in one statement; of two with one proof the first gets it, and the other false. */
  private async claimAll(arrivals: readonly Arrival[], statement: string): Promise<boolean[]> {
    const rows: Row[] = await this.dataSource.query(statement, [
      ...CLEARING_ACCOUNTS,
      ...insertValues(byProof(arrivals), this.keys.requests, this.leaseSeconds),
    ]);
    const claimed = new Set(rows.map(row => row.claim_id));
    return arrivals.map(({ first }) => claimed.has(first.claimId));
  }

  /** Of two with one proof the first is put on record, and the other is not. */
  private async insertPending(manager: EntityManager, firsts: readonly FirstClaim[]): Promise<boolean[]> {
    const rows: Row[] = await manager.query(
      INSERT_PENDING,
      insertValues(byProof(firsts.map(first => ({ first }))), this.keys.requests, this.leaseSeconds),
    );
    const inserted = new Set(rows.map(row => row.claim_id));
    return firsts.map(({ claimId }) => inserted.has(claimId));
  }

  private async locked(manager: EntityManager, claimId: string): Promise<StandingClaim | undefined> {
    const rows: Row[] = await manager.query(LOCK_CLAIM, [claimId]);
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
}

/** What the receipt of a claim's row has of its request, JSON. */
export const calledText = ({ called }: Pick<ClaimedRequest, 'called'>): string =>
  JSON.stringify(called ? { called } : {});

/** In one order, so that two replicas never wait for each other's claims. */
const byProof = <T extends { readonly first: FirstClaim }>(claims: readonly T[]): T[] =>
  [...claims].sort((a, b) => (a.first.proofKey < b.first.proofKey ? -1 : 1));
