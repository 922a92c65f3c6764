import { Injectable } from '@nestjs/common';
import type { RefundsQuery } from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { decodeCursor, encodeCursor } from '../page/page-cursor.js';
import type { RefundPlan } from '../rail/rail.js';
import { REFUND_COLUMNS, refundOf, type Row, type StandingRefund } from './refund-row.js';

/** From when it is requested until another than its requester sends it, seconds: its requester is gone then. */
const SENDER_SECONDS = 30;
/** How long an answer of a rail is waited for before it is asked, seconds: longer than any rail takes to answer. */
export const ANSWER_SECONDS = 45;
/** When a refund was requested, to the microsecond, and its id: the order of the list. */
const POSITION =
  /^([0-9]{4}(?:-[0-9]{2}){2}T[0-9:]{8}\.[0-9]{6}Z) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** What a new refund is. */
export type NewRefund = Pick<
  StandingRefund,
  | 'refundId'
  | 'claimId'
  | 'destination'
  | 'family'
  | 'amountMicroUsd'
  | 'askedMicroUsd'
  | 'fromCreditMicroUsd'
  | 'accountId'
  | 'reason'
> & {
  readonly isDone: boolean;
  readonly paymentReference?: string;
  readonly requestedBy: string;
  readonly idempotencyKey: string;
};

/** The rows of refunds. */
@Injectable()
export class RefundStore {
  constructor(private readonly dataSource: DataSource) {}

  /** False where its operator has another under the same key. */
  async insert(manager: EntityManager, refund: NewRefund): Promise<boolean> {
    const state = refund.isDone ? 'done' : 'requested';
    const rows: unknown[] = await manager.query(
      `INSERT INTO refund (refund_id, claim_id, state, destination, rail_family, amount_micro_usd, asked_micro_usd,
         from_credit_micro_usd, account_id, payment_reference, reason, requested_by, idempotency_key, ended_at, due_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, CASE WHEN $3 = 'done' THEN now() END,
         CASE WHEN $3 <> 'done' THEN now() + make_interval(secs => $14) END)
       ON CONFLICT (requested_by, idempotency_key) DO NOTHING RETURNING refund_id`,
      [
        ...[refund.refundId, refund.claimId, state, refund.destination, refund.family],
        ...[refund.amountMicroUsd, refund.askedMicroUsd ?? null, refund.fromCreditMicroUsd],
        ...[refund.accountId ?? null, refund.paymentReference ?? null, refund.reason],
        ...[refund.requestedBy, refund.idempotencyKey, SENDER_SECONDS],
      ],
    );
    return rows.length > 0;
  }

  find(refundId: string, manager: EntityManager = this.dataSource.manager) {
    return this.one(manager, `refund.refund_id = $1`, [refundId]);
  }

  /** Locked until the transaction ends. */
  lock(manager: EntityManager, refundId: string) {
    return this.one(manager, `refund.refund_id = $1 FOR UPDATE OF refund`, [refundId]);
  }

  ofKey(manager: EntityManager, requestedBy: string, idempotencyKey: string) {
    const values = [requestedBy, idempotencyKey];
    return this.one(manager, `refund.requested_by = $1 AND refund.idempotency_key = $2`, values);
  }

  /** Those of a payment by Lightning that are due to its payer or were paid, the oldest first; locked. */
  ofLightning(manager: EntityManager, paymentHash: string): Promise<StandingRefund[]> {
    return this.all(
      manager,
      `claim.rail_family = 'lightning' AND claim.proof_key = $1 AND refund.rail_family = 'lightning'
        ORDER BY refund.requested_at, refund.refund_id FOR UPDATE OF refund`,
      [paymentHash],
    );
  }

  /** Refunds of a card's payment of which it is not known what became of them. */
  openOfPayment(paymentIntentId: string): Promise<StandingRefund[]> {
    const open = `refund.rail_family = 'stripe' AND refund.payment_reference = $1 AND refund.state IN ('sent', 'unknown')`;
    return this.all(this.dataSource.manager, open, [paymentIntentId]);
  }

  /**
   * Marks it as sent, with what it is known by at its rail; undefined where another did before. Who gets it sends it, and nobody else
   * ever does.
   */
  async markSent(
    refundId: string,
    plan: RefundPlan,
    {
      manager = this.dataSource.manager,
      invoiceHash,
    }: { manager?: EntityManager; invoiceHash?: string } = {},
  ): Promise<StandingRefund | undefined> {
    const [, count]: [unknown[], number] = await manager.query(
      `UPDATE refund SET state = 'sent', plan = $2, invoice_hash = $4, sent_at = now(), detail = NULL,
              due_at = now() + make_interval(secs => $3)
        WHERE refund_id = $1 AND state = 'requested'`,
      [refundId, JSON.stringify(plan), ANSWER_SECONDS, invoiceHash ?? null],
    );
    return count === 1 ? this.find(refundId, manager) : undefined;
  }

  /** Takes those whose time has come, some at once; other replicas pass them over meanwhile. */
  async takeDue(limit: number): Promise<StandingRefund[]> {
    const [taken]: [{ refund_id: string }[], number] = await this.dataSource.query(
      `UPDATE refund SET due_at = now() + make_interval(secs => $2)
        WHERE refund_id IN (
          SELECT refund_id FROM refund WHERE state IN ('requested', 'sent', 'unknown') AND due_at <= now()
           ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING refund_id`,
      [limit, ANSWER_SECONDS],
    );
    const ids = taken.map(({ refund_id: id }) => id);
    return this.all(this.dataSource.manager, `refund.refund_id = ANY ($1)`, [ids]);
  }

  async list({ limit, cursor, claimId, state }: RefundsQuery, manager: EntityManager) {
    const page = { list: 'refunds', filters: { claimId, state } };
    const position = decodeCursor(page, cursor, POSITION);
    const [, beforeTime, beforeId] = (position && POSITION.exec(position)) || [];
    const rows: Row[] = await manager.query(
      `SELECT ${REFUND_COLUMNS},
              to_char(refund.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS requested_text
         FROM refund JOIN payment_claim claim USING (claim_id)
        WHERE ($1::timestamptz IS NULL OR (refund.requested_at, refund.refund_id) < ($1::timestamptz, $2::uuid))
          AND ($3::uuid IS NULL OR refund.claim_id = $3) AND ($4::text IS NULL OR refund.state = $4)
        ORDER BY refund.requested_at DESC, refund.refund_id DESC LIMIT $5`,
      [beforeTime ?? null, beforeId ?? null, claimId ?? null, state ?? null, limit + 1],
    );
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      items: rows.slice(0, limit).map(refundOf),
      nextCursor: last ? encodeCursor(page, `${last.requested_text} ${last.refund_id}`) : null,
    };
  }

  private async one(manager: EntityManager, where: string, values: unknown[]) {
    return (await this.all(manager, where, values))[0] as StandingRefund | undefined;
  }

  private async all(manager: EntityManager, where: string, values: unknown[]): Promise<StandingRefund[]> {
    const rows: Row[] = await manager.query(
      `SELECT ${REFUND_COLUMNS} FROM refund JOIN payment_claim claim USING (claim_id) WHERE ${where}`,
      values,
    );
    return rows.map(refundOf);
  }
}
