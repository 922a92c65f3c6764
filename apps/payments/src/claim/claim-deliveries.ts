import { Inject, Injectable } from '@nestjs/common';
import type { ClaimHandle, StoredResponse } from '@svc/contracts';
import { Batch, prepared } from '@svc/platform';
import { DataSource } from 'typeorm';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import type { SoldClaim } from '../receipt/receipt-payload.js';
import { type Delivery as SignedDelivery, StoredReceipt } from '../receipt/stored-receipt.js';
import { sealAnswer } from './sealed-answer.js';
import type { ClaimFamily, Row } from './standing-claim.js';

/** Deliveries of one transaction, and the bytes up to which an answer shares one. */
const SHARED_MAX = 64;
export const SHARED_BYTES_MAX = 64 * 1024;

/** The columns that {@link deliveredOf} reads. */
const DELIVERED_COLUMNS = `claim_id, attempt, delivered_at, operation_id, rail_family, funding, payer,
  charged_micro_usd::float8 AS charged, receipt`;

/** Records answers and books what they earned. */
const DELIVER = prepared(
  `WITH wanted AS (
     SELECT * FROM unnest($1::uuid[], $2::int[], $3::smallint[], $4::text[], $5::bytea[], $6::jsonb[])
       AS wanted (claim_id, attempt, status, content_type, body, delivery)
   ), mine AS (
     -- Locked in one order, so that two batches never wait for each other; each found by its own key, whatever
     -- the planner believes of how many claims are open.
     SELECT mine.claim_id FROM (SELECT * FROM wanted ORDER BY claim_id) ordered,
            LATERAL (SELECT claim_id FROM payment_claim held
                      WHERE held.claim_id = ordered.claim_id AND held.attempt = ordered.attempt
                        AND held.state || '' = 'claimed' AND held.settlement = 'settled' FOR UPDATE) mine
   ), claim AS (
     UPDATE payment_claim
        SET state = 'delivered', delivered_at = now(), response_status = wanted.status,
            response_content_type = wanted.content_type, response_body = wanted.body, response_sealed = true,
            receipt = receipt || wanted.delivery
       FROM wanted JOIN mine USING (claim_id)
      WHERE payment_claim.claim_id = mine.claim_id AND payment_claim.attempt = wanted.attempt
      RETURNING payment_claim.claim_id, payment_claim.attempt, delivered_at, amount_micro_usd, funding, operation_id,
                rail_family, payer, charged_micro_usd, receipt
   ), booked AS (
     INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id)
     SELECT moved.transaction_id, leg.account, leg.sign * moved.amount_micro_usd, 'deliver', moved.claim_id
       FROM (SELECT gen_random_uuid() AS transaction_id, claim_id, amount_micro_usd FROM claim
              WHERE funding <> 'quota') moved,
            (VALUES ('holds', -1), ('treasury', 1)) AS leg (account, sign)
   )
   SELECT ${DELIVERED_COLUMNS} FROM claim`,
);

interface Delivery {
  readonly claimId: string;
  readonly attempt: number;
  readonly response: StoredResponse;
  /** What the signed receipt says of it, which the receipt of its claim is then made of. */
  readonly delivery?: SignedDelivery;
}

/** A claim that was delivered, and when. */
export interface Delivered extends SoldClaim {
  readonly deliveredAt: Date;
}

/**
 * Records deliveries, those that come together in one transaction: one flush of the disk for many calls. Each is fenced
 * by its own attempt, and none fails with another.
 */
@Injectable()
export class ClaimDeliveries {
  /** Recording again is harmless: what the same attempt has delivered is found delivered. */
  private readonly batch = new Batch<Delivery, Delivered | undefined>(items => this.record(items), {
    ...{ sizeMax: SHARED_MAX, alone: () => true },
  });

  constructor(
    private readonly dataSource: DataSource,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer'>,
  ) {}

  /**
   * Records the delivery and books the amount as earned. Returns what was delivered, also when the same attempt asks
   * again: what it was told first; undefined when the claim is another's by now.
   */
  async deliver(
    claimId: string,
    attempt: number,
    response: StoredResponse,
    delivery?: SignedDelivery,
  ): Promise<Delivered | undefined> {
    const item = { claimId, attempt, response, delivery };
    if (response.body.length > SHARED_BYTES_MAX) return (await this.record([item]))[0];
    return this.batch.add(item);
  }

  /** What an attempt has delivered; undefined where it has not. */
  async find({ claimId, attempt }: ClaimHandle): Promise<Delivered | undefined> {
    return (await this.deliveredBefore([{ claimId, attempt }])).get(nameOf({ claimId, attempt }));
  }

  private async record(items: readonly Delivery[]): Promise<(Delivered | undefined)[]> {
    const rows: Row[] = await this.dataSource.query(DELIVER, [
      items.map(({ claimId }) => claimId),
      items.map(({ attempt }) => attempt),
      items.map(({ response }) => response.status),
      items.map(({ response }) => response.contentType),
      items.map(({ claimId, response }) => sealAnswer(this.keys.storedAnswer, claimId, response.body)),
      items.map(({ delivery }) => JSON.stringify(delivery ? { delivery } : {})),
    ]);
    const delivered = byAttempt(rows);
    // The same attempt may have recorded it before, or be doing so on another connection, which was waited for above.
    const others = items.filter(item => !delivered.has(nameOf(item)));
    const before = others.length === 0 ? new Map<string, Delivered>() : await this.deliveredBefore(others);
    return items.map(item => delivered.get(nameOf(item)) ?? before.get(nameOf(item)));
  }

  private async deliveredBefore(items: readonly ClaimHandle[]): Promise<Map<string, Delivered>> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT ${DELIVERED_COLUMNS} FROM payment_claim
         JOIN unnest($1::uuid[], $2::int[]) AS wanted (claim_id, attempt) USING (claim_id, attempt)
        WHERE state = 'delivered'`,
      [items.map(({ claimId }) => claimId), items.map(({ attempt }) => attempt)],
    );
    return byAttempt(rows);
  }
}

const nameOf = ({ claimId, attempt }: Pick<Delivery, 'claimId' | 'attempt'>) => `${claimId} ${attempt}`;

const byAttempt = (rows: readonly Row[]): Map<string, Delivered> =>
  new Map(
    rows.map(row => [
      nameOf({ claimId: row.claim_id as string, attempt: row.attempt as number }),
      deliveredOf(row),
    ]),
  );

const deliveredOf = (row: Row): Delivered => ({
  claimId: row.claim_id as string,
  deliveredAt: row.delivered_at as Date,
  operationId: row.operation_id as string,
  family: row.rail_family as ClaimFamily,
  funding: row.funding as SoldClaim['funding'],
  payer: (row.payer as string | null) ?? undefined,
  chargedMicroUsd: (row.charged as number | null) ?? undefined,
  receipt: StoredReceipt.parse(row.receipt),
});
