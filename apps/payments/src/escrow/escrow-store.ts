import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, newId, problem, type ProblemError } from '@svc/platform';
import { createHmac } from 'node:crypto';
import type Stripe from 'stripe';
import { DataSource, type EntityManager } from 'typeorm';
import { customer, Ledger } from '../ledger/ledger.js';
import { CreditReversals } from '../card/credit-reversals.js';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import {
  afterIntent,
  type EscrowStanding,
  type EscrowVerb,
  type EscrowVerdict,
  type EscrowWish,
  judge,
} from './escrow-state.js';

const MICRO_USD_PER_CENT = 10_000;

/**
 * Escrows of an account that wait for their payment, and those of the last day that ended without one: each is a payment that was
 * made at the card processor for nothing. A key that came of a payment's rest counts by its address.
 */
export const UNPAID_ESCROWS_MAX = 100;
const UNPAID_COUNTED_HOURS = 24;
/** How long one that was never paid is kept after the time until which it could be, days, and how many go at once. */
const UNPAID_KEPT_DAYS = 30;
const PURGED_AT_ONCE = 1_000;
/** From then on what is under way and was not heard of again is asked of the processor by a sweep, seconds. */
const RESUME_AFTER_SECONDS = 30;

/** An escrow as it stands. */
export interface Escrow extends EscrowStanding {
  readonly escrowId: string;
  readonly accountId: string;
  /** Undefined until the payee has claimed it. */
  readonly payeeAccountId?: string;
  readonly payee?: string;
  readonly description?: string;
  readonly metadata?: Record<string, string>;
  readonly acceptedAt?: Date;
  readonly paymentIntentId?: string;
  readonly clientSecret?: string;
  /** Number of the action, so that one that was refused can be asked again by another idempotency key. */
  readonly actionAttempt: number;
  readonly createdAt: Date;
}

export interface NewEscrow {
  readonly accountId: string;
  /** Undefined: who shows the claim link first. */
  readonly payeeAccountId?: string;
  readonly payee?: string;
  readonly amountCents: number;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly expiresInHours: number;
  readonly idempotencyKey?: string;
  readonly requestDigest: string;
  /** `account:…`, or `address:` and a keyed digest. */
  readonly openedBy: string;
}

type Row = Record<string, unknown>;

/** The escrows in Postgres: the row's lock decides which of several wishes is done. */
@Injectable()
export class EscrowStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly reversals: CreditReversals,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'requests' | 'escrowLink'>,
  ) {}

  /**
   * Begins an escrow; under an Idempotency-Key that was used, the one that it began.
   * @throws ProblemError UNPROCESSABLE when the key came with another request; RATE_LIMITED where too many are not paid
   */
  async begin(escrow: NewEscrow): Promise<Escrow> {
    const { accountId, idempotencyKey } = escrow;
    const inserted = await inTransaction(this.dataSource, async manager => {
      if (idempotencyKey !== undefined && (await this.findByKey(manager, accountId, idempotencyKey)))
        return [];
      await this.requireRoom(manager, escrow.openedBy);
      return this.insert(manager, escrow);
    });
    if (inserted[0]) return escrowOf(inserted[0]);
    const row = await this.findByKey(this.dataSource.manager, accountId, idempotencyKey!);
    if (!row) throw givenUpMeanwhile();
    const asked = this.keys.requests.of(escrow.requestDigest, row.escrow_id as string);
    if (asked.matches(row.request_digest as string)) return escrowOf(row);
    throw problem('UNPROCESSABLE', 'The Idempotency-Key was used for another request', {
      errors: [{ path: 'Idempotency-Key', message: 'was used for another request' }],
    });
  }

  private insert(manager: EntityManager, escrow: NewEscrow): Promise<Row[]> {
    const escrowId = newId('esc');
    return manager.query(
      `INSERT INTO escrow (escrow_id, account_id, payee_account_id, payee, state, amount_cents, description, metadata,
         idempotency_key, request_digest, expires_at, opened_by, claim_digest)
       VALUES ($1, $2, $3, $4, 'REQUIRES_PAYMENT', $5, $6, $7, $8, $9, now() + make_interval(hours => $10), $11, $12)
       ON CONFLICT (account_id, idempotency_key) DO NOTHING RETURNING *`,
      [
        escrowId,
        escrow.accountId,
        escrow.payeeAccountId ?? null,
        escrow.payee ?? null,
        escrow.amountCents,
        escrow.description ?? null,
        escrow.metadata ? JSON.stringify(escrow.metadata) : null,
        escrow.idempotencyKey ?? null,
        this.keys.requests.of(escrow.requestDigest, escrowId).stored,
        escrow.expiresInHours,
        escrow.openedBy,
        escrow.payeeAccountId === undefined ? this.digestOf(this.claimTokenOf(escrowId)) : null,
      ],
    );
  }

  private async findByKey(manager: EntityManager, accountId: string, key: string): Promise<Row | undefined> {
    const rows: Row[] = await manager.query(
      `SELECT * FROM escrow WHERE account_id = $1 AND idempotency_key = $2`,
      [accountId, key],
    );
    return rows[0];
  }

  /** @throws ProblemError RATE_LIMITED */
  private async requireRoom(manager: EntityManager, openedBy: string): Promise<void> {
    // One at a time of each: many at once would all find room.
    await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`escrow ${openedBy}`]);
    const [{ unpaid, wait }]: { unpaid: number; wait: number }[] = await manager.query(
      `SELECT count(*)::int AS unpaid, ceil(extract(epoch FROM min(until) - now()))::int AS wait
         FROM (SELECT CASE WHEN state = 'REQUIRES_PAYMENT' THEN greatest(expires_at, day_over) ELSE day_over END AS until
                 FROM (SELECT state, expires_at, created_at + make_interval(hours => $2) AS day_over
                         FROM escrow WHERE opened_by = $1 AND held_at IS NULL) own
                WHERE state = 'REQUIRES_PAYMENT' OR day_over > now()) counted`,
      [openedBy, UNPAID_COUNTED_HOURS],
    );
    if (unpaid < UNPAID_ESCROWS_MAX) return;
    const whose = openedBy.startsWith('account:') ? 'of this account' : 'from this address';
    const detail =
      `${unpaid} escrows ${whose} wait for their payment or ended without one within ${UNPAID_COUNTED_HOURS} hours, ` +
      `and at most ${UNPAID_ESCROWS_MAX} may`;
    throw problem('RATE_LIMITED', detail, {
      retryAfterSeconds: Math.max(1, wait),
      extensions: { max: UNPAID_ESCROWS_MAX, got: unpaid },
    });
  }

  /**
   * Frees the place of an escrow whose payment was not made. One that may be made yet, because its Idempotency-Key is tried again,
   * stays.
   * @param isKept whether that may be
   */
  async abandon(escrowId: string, isKept: boolean): Promise<void> {
    await this.dataSource.query(
      `${isKept ? 'UPDATE escrow SET opened_by = NULL' : 'DELETE FROM escrow'}
        WHERE escrow_id = $1 AND payment_intent_id IS NULL AND action IS NULL AND state = 'REQUIRES_PAYMENT'`,
      [escrowId],
    );
  }

  /** Drops escrows that no payment was ever held for, long after they have ended. Returns how many. */
  async purge(): Promise<number> {
    const [, count]: [unknown[], number] = await this.dataSource.query(
      `DELETE FROM escrow WHERE escrow_id IN (
         SELECT escrow_id FROM escrow
          WHERE held_at IS NULL AND state IN ('CANCELLED', 'EXPIRED')
            AND expires_at < now() - make_interval(days => $1)
          ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [UNPAID_KEPT_DAYS, PURGED_AT_ONCE],
    );
    return count;
  }

  /** Records the payment that an escrow waits for; undefined where there is no such escrow any more, and nobody may pay it. */
  async opened(
    escrowId: string,
    { openedBy }: Pick<NewEscrow, 'openedBy'>,
    payment: { id: string; client_secret: string | null },
  ): Promise<Escrow | undefined> {
    const [[row]]: [Row[], number] = await this.dataSource.query(
      `UPDATE escrow SET payment_intent_id = $2, opened_by = $4,
              client_secret = CASE WHEN state = 'REQUIRES_PAYMENT' THEN $3 END
        WHERE escrow_id = $1 RETURNING *`,
      [escrowId, payment.id, payment.client_secret, openedBy],
    );
    return row && escrowOf(row);
  }

  /**
   * The secret in the claim link of an escrow, 43 characters of base64url: the same for one escrow, so that a lost answer is given again,
   * and made under a key that is in no database.
   */
  claimTokenOf(escrowId: string): string {
    return this.linkMac().update(`token\0${escrowId}`).digest('base64url');
  }

  async find(escrowId: string): Promise<Escrow | undefined> {
    const rows: Row[] = await this.dataSource.query(`SELECT * FROM escrow WHERE escrow_id = $1`, [escrowId]);
    return rows[0] && escrowOf(rows[0]);
  }

  /** The escrow that a claim link is of. */
  async findByLink(claimToken: string): Promise<Escrow | undefined> {
    const rows: Row[] = await this.dataSource.query(`SELECT * FROM escrow WHERE claim_digest = $1`, [
      this.digestOf(claimToken),
    ]);
    return rows[0] && escrowOf(rows[0]);
  }

  /**
   * What an account has made, and what is or was held for it as payee; the newest first. A payee is shown nothing that was never held.
   * @param page.after id of the last one of the page before
   */
  async list(
    accountId: string,
    page: { role?: 'creator' | 'payee'; after?: string; limit: number },
  ): Promise<Escrow[]> {
    const next = `($3::text IS NULL
             OR (created_at, escrow_id) < (SELECT created_at, escrow_id FROM escrow WHERE escrow_id = $3))
           ORDER BY created_at DESC, escrow_id DESC LIMIT $4`;
    const rows: Row[] = await this.dataSource.query(
      `SELECT * FROM (
         (SELECT * FROM escrow WHERE $2::text IS DISTINCT FROM 'payee' AND account_id = $1 AND ${next})
         UNION ALL
         (SELECT * FROM escrow WHERE $2 IS DISTINCT FROM 'creator' AND payee_account_id = $1 AND account_id <> $1
             AND held_at IS NOT NULL AND ${next})) own
        ORDER BY created_at DESC, escrow_id DESC LIMIT $4`,
      [accountId, page.role ?? null, page.after ?? null, page.limit],
    );
    return rows.map(escrowOf);
  }

  /**
   * Records under the row's lock that the payee accepts the escrow; of one that waits for its payee, who that is.
   * @param payeeOf the payee's account, or why not: it throws
   */
  accept(
    escrowId: string,
    payeeOf: (escrow: Escrow, manager: EntityManager) => string | Promise<string>,
  ): Promise<Escrow> {
    return inTransaction(this.dataSource, async manager => {
      const payeeAccountId = await payeeOf((await this.lock(manager, escrowId))!, manager);
      const [[row]]: [Row[], number] = await manager.query(
        `UPDATE escrow SET payee_account_id = $2, accepted_at = coalesce(accepted_at, now())
          WHERE escrow_id = $1 RETURNING *`,
        [escrowId, payeeAccountId],
      );
      return escrowOf(row);
    });
  }

  /** Cents that went back to the payer after they had been captured: by refund, or by a dispute that was not won. */
  async refundedCents({ paymentIntentId, releasedCents }: Escrow): Promise<number> {
    if (paymentIntentId === undefined || releasedCents === 0) return 0;
    const [{ micro }]: { micro: string }[] = await this.dataSource.query(
      `SELECT coalesce(sum(asked_micro_usd), 0) AS micro FROM credit_reversal WHERE payment_intent_id = $1`,
      [paymentIntentId],
    );
    return Math.min(releasedCents, Math.floor(Number(micro) / MICRO_USD_PER_CENT));
  }

  /** Judges a wish under the row's lock, and records one that may begin. */
  wish(escrowId: string, wish: EscrowWish): Promise<{ escrow: Escrow; judged: EscrowVerdict }> {
    return inTransaction(this.dataSource, async manager => {
      const escrow = (await this.lock(manager, escrowId))!;
      const judged = judge(escrow, wish, Date.now());
      if (judged.verdict === 'resume') {
        await manager.query(`UPDATE escrow SET action_at = now() WHERE escrow_id = $1`, [escrowId]);
      }
      if (judged.verdict !== 'begin') return { escrow, judged };
      const [[row]]: [Row[], number] = await manager.query(
        `UPDATE escrow SET action = $2, action_cents = $3, action_key = $4, action_at = now(), action_done = false,
                action_attempt = action_attempt + 1
          WHERE escrow_id = $1 RETURNING *`,
        [escrowId, wish.verb, wish.cents ?? null, wish.key ?? null],
      );
      return { escrow: escrowOf(row), judged };
    });
  }

  /** Takes an action back that the processor refused, unless it has gone on since. */
  async withdraw(escrowId: string, attempt: number): Promise<void> {
    await this.dataSource.query(
      `UPDATE escrow SET action = NULL, action_cents = NULL, action_key = NULL, action_at = NULL
        WHERE escrow_id = $1 AND action_attempt = $2 AND NOT action_done AND state IN ('REQUIRES_PAYMENT', 'HELD')`,
      [escrowId, attempt],
    );
  }

  /** {@link adoptWithin} as a transaction of its own. */
  adopt(intent: Stripe.PaymentIntent): Promise<Escrow | undefined> {
    return inTransaction(this.dataSource, manager => this.adoptWithin(manager, intent));
  }

  /**
   * Brings an escrow to what the processor says of its payment; what was captured is the payee's credit from then on.
   * Undefined for a payment that is no escrow's.
   */
  async adoptWithin(manager: EntityManager, intent: Stripe.PaymentIntent): Promise<Escrow | undefined> {
    const escrow = await this.lock(manager, intent.metadata.escrow_id ?? '');
    if (!escrow || (escrow.paymentIntentId ?? intent.id) !== intent.id) return undefined;
    const after = afterIntent(escrow, {
      status: intent.status,
      receivedCents: intent.amount_received,
      ranOut: intent.cancellation_reason === 'automatic' || intent.cancellation_reason === 'expired',
    });
    if (after === escrow) return escrow;
    const [[row]]: [Row[], number] = await manager.query(
      `UPDATE escrow SET state = $2, released_cents = $3, action_done = $4, payment_intent_id = $5,
              client_secret = CASE WHEN $2 = 'REQUIRES_PAYMENT' THEN client_secret END,
              held_at = coalesce(held_at, CASE WHEN $6 OR state = 'HELD' THEN now() END)
        WHERE escrow_id = $1 RETURNING *`,
      [
        ...[escrow.escrowId, after.state, after.releasedCents, after.action?.done ?? false, intent.id],
        after.state === 'HELD' || after.releasedCents > 0,
      ],
    );
    const released = (after.releasedCents - escrow.releasedCents) * MICRO_USD_PER_CENT;
    if (released > 0) {
      // Captured at the processor itself before anybody claimed it, it is the account's that made it.
      const accountId = escrow.payeeAccountId ?? escrow.accountId;
      await this.ledger.post(manager, {
        kind: 'escrow',
        reference: intent.id,
        legs: [
          { account: 'processor-clearing', amountMicroUsd: -released },
          { account: customer(accountId), amountMicroUsd: released },
        ],
      });
      const credit = { accountId, creditedMicroUsd: released };
      await this.reversals.collect(manager, intent.id, credit);
    }
    return escrowOf(row);
  }

  /** Ends, as its action says, an escrow that never had a payment. */
  async endUnopened(escrowId: string): Promise<Escrow> {
    const [[row]]: [Row[], number] = await this.dataSource.query(
      `UPDATE escrow SET action_done = true, state = CASE action WHEN 'cancel' THEN 'CANCELLED' ELSE 'EXPIRED' END
        WHERE escrow_id = $1 AND payment_intent_id IS NULL RETURNING *`,
      [escrowId],
    );
    return escrowOf(row);
  }

  /** Escrows that are past their time, or of which something is under way that nobody waits for any more. */
  async due(countMax: number): Promise<{ escrowId: string; wish: EscrowWish }[]> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT * FROM escrow
        WHERE state IN ('REQUIRES_PAYMENT', 'HELD')
          AND ((action IS NULL AND expires_at <= now())
            OR (action IS NOT NULL AND NOT action_done AND action_at < now() - make_interval(secs => $1)))
        ORDER BY expires_at LIMIT $2`,
      [RESUME_AFTER_SECONDS, countMax],
    );
    return rows.map(escrowOf).map(({ escrowId, action }) => ({
      escrowId,
      wish: action ? { verb: action.verb, cents: action.cents } : { verb: 'expire' },
    }));
  }

  /** What a row knows a claim token by, 32 bytes: it opens nothing. */
  private digestOf(claimToken: string): Buffer {
    return this.linkMac().update(`digest\0${claimToken}`).digest();
  }

  private linkMac() {
    return createHmac('sha256', this.keys.escrowLink);
  }

  private async lock(manager: EntityManager, escrowId: string): Promise<Escrow | undefined> {
    const rows: Row[] = await manager.query(`SELECT * FROM escrow WHERE escrow_id = $1 FOR UPDATE`, [
      escrowId,
    ]);
    return rows[0] && escrowOf(rows[0]);
  }
}

/** The call that had begun it under the same Idempotency-Key has made no payment: the next one begins anew. */
const givenUpMeanwhile = (): ProblemError =>
  problem('SERVICE_UNAVAILABLE', 'The escrow was given up meanwhile', { retryAfterSeconds: 1 });

function escrowOf(row: Row): Escrow {
  const text = (name: string) => (row[name] as string | null) ?? undefined;
  const verb = text('action') as EscrowVerb | undefined;
  const [accountId, payeeAccountId] = [row.account_id as string, text('payee_account_id')];
  return {
    escrowId: row.escrow_id as string,
    accountId,
    payeeAccountId,
    payeeIs: payeeAccountId === undefined ? 'unclaimed' : payeeAccountId === accountId ? 'self' : 'other',
    payee: text('payee'),
    state: row.state as Escrow['state'],
    amountCents: Number(row.amount_cents),
    releasedCents: Number(row.released_cents),
    description: text('description'),
    metadata: (row.metadata as Record<string, string> | null) ?? undefined,
    paymentIntentId: text('payment_intent_id'),
    clientSecret: text('client_secret'),
    action: verb && {
      verb,
      cents: row.action_cents === null ? undefined : Number(row.action_cents),
      key: text('action_key'),
      done: row.action_done as boolean,
    },
    actionAttempt: row.action_attempt as number,
    expiresAtMs: (row.expires_at as Date).getTime(),
    createdAt: row.created_at as Date,
    acceptedAt: (row.accepted_at as Date | null) ?? undefined,
  };
}
