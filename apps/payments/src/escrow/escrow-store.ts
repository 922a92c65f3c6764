import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, problem } from '@svc/platform';
import { randomBytes } from 'node:crypto';
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
/** From then on what is under way and was not heard of again is asked of the processor by a sweep, seconds. */
const RESUME_AFTER_SECONDS = 30;

/** An escrow as it stands. */
export interface Escrow extends EscrowStanding {
  readonly escrowId: string;
  readonly accountId: string;
  readonly payeeAccountId: string;
  readonly payee?: string;
  readonly description?: string;
  readonly metadata?: Record<string, string>;
  readonly paymentIntentId?: string;
  readonly clientSecret?: string;
  /** Number of the action, so that one that was refused can be asked again by another idempotency key. */
  readonly actionAttempt: number;
  readonly createdAt: Date;
}

export interface NewEscrow {
  readonly accountId: string;
  readonly payeeAccountId: string;
  readonly payee?: string;
  readonly amountCents: number;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly expiresInHours: number;
  readonly idempotencyKey?: string;
  readonly requestDigest: string;
}

type Row = Record<string, unknown>;

/** The escrows in Postgres: the row's lock decides which of several wishes is done. */
@Injectable()
export class EscrowStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ledger: Ledger,
    private readonly reversals: CreditReversals,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'requests'>,
  ) {}

  /**
   * Begins an escrow; under an Idempotency-Key that was used, the one that it began.
   * @throws ProblemError UNPROCESSABLE when the key came with another request
   */
  async begin(escrow: NewEscrow): Promise<Escrow> {
    const escrowId = `esc_${randomBytes(16).toString('base64url')}`;
    const rows: Row[] = await this.dataSource.query(
      `INSERT INTO escrow (escrow_id, account_id, payee_account_id, payee, state, amount_cents, description, metadata,
         idempotency_key, request_digest, expires_at)
       VALUES ($1, $2, $3, $4, 'REQUIRES_PAYMENT', $5, $6, $7, $8, $9, now() + make_interval(hours => $10))
       ON CONFLICT (account_id, idempotency_key) DO NOTHING RETURNING *`,
      [
        escrowId,
        escrow.accountId,
        escrow.payeeAccountId,
        escrow.payee ?? null,
        escrow.amountCents,
        escrow.description ?? null,
        escrow.metadata ? JSON.stringify(escrow.metadata) : null,
        escrow.idempotencyKey ?? null,
        this.keys.requests.of(escrow.requestDigest, escrowId).stored,
        escrow.expiresInHours,
      ],
    );
    if (rows[0]) return escrowOf(rows[0]);
    const [row]: Row[] = await this.dataSource.query(
      `SELECT * FROM escrow WHERE account_id = $1 AND idempotency_key = $2`,
      [escrow.accountId, escrow.idempotencyKey],
    );
    const asked = this.keys.requests.of(escrow.requestDigest, row.escrow_id as string);
    if (asked.matches(row.request_digest as string)) return escrowOf(row);
    throw problem('UNPROCESSABLE', 'The Idempotency-Key was used for another request', {
      errors: [{ path: 'Idempotency-Key', message: 'was used for another request' }],
    });
  }

  /** Records the payment that an escrow waits for. */
  async opened(escrowId: string, paymentIntentId: string, clientSecret: string | null): Promise<Escrow> {
    const [[row]]: [Row[], number] = await this.dataSource.query(
      `UPDATE escrow SET payment_intent_id = $2,
              client_secret = CASE WHEN state = 'REQUIRES_PAYMENT' THEN $3 END
        WHERE escrow_id = $1 RETURNING *`,
      [escrowId, paymentIntentId, clientSecret],
    );
    return escrowOf(row);
  }

  /** An escrow of the account; undefined for every other id. */
  async find(accountId: string, escrowId: string): Promise<Escrow | undefined> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT * FROM escrow WHERE escrow_id = $1 AND account_id = $2`,
      [escrowId, accountId],
    );
    return rows[0] && escrowOf(rows[0]);
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
              client_secret = CASE WHEN $2 = 'REQUIRES_PAYMENT' THEN client_secret END
        WHERE escrow_id = $1 RETURNING *`,
      [escrow.escrowId, after.state, after.releasedCents, after.action?.done ?? false, intent.id],
    );
    const released = (after.releasedCents - escrow.releasedCents) * MICRO_USD_PER_CENT;
    if (released > 0) {
      await this.ledger.post(manager, {
        kind: 'escrow',
        reference: intent.id,
        legs: [
          { account: 'processor-clearing', amountMicroUsd: -released },
          { account: customer(escrow.payeeAccountId), amountMicroUsd: released },
        ],
      });
      const credit = { accountId: escrow.payeeAccountId, creditedMicroUsd: released };
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

  private async lock(manager: EntityManager, escrowId: string): Promise<Escrow | undefined> {
    const rows: Row[] = await manager.query(`SELECT * FROM escrow WHERE escrow_id = $1 FOR UPDATE`, [
      escrowId,
    ]);
    return rows[0] && escrowOf(rows[0]);
  }
}

function escrowOf(row: Row): Escrow {
  const text = (name: string) => (row[name] as string | null) ?? undefined;
  const verb = text('action') as EscrowVerb | undefined;
  return {
    escrowId: row.escrow_id as string,
    accountId: row.account_id as string,
    payeeAccountId: row.payee_account_id as string,
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
  };
}
