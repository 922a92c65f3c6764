import { Inject, Injectable } from '@nestjs/common';
import type { StoredResponse } from '@svc/contracts';
import { Batch, prepared } from '@svc/platform';
import { DataSource } from 'typeorm';
import { PAYMENT_KEYS, type PaymentKeys } from '../payments-config.js';
import { sealAnswer } from './sealed-answer.js';
import type { Row } from './standing-claim.js';

/** Deliveries of one transaction, and the bytes up to which an answer shares one. */
const SHARED_MAX = 64;
export const SHARED_BYTES_MAX = 64 * 1024;

/** Records answers and books what they earned. */
const DELIVER = prepared(
  `WITH wanted AS (
     SELECT * FROM unnest($1::uuid[], $2::int[], $3::smallint[], $4::text[], $5::bytea[])
       AS wanted (claim_id, attempt, status, content_type, body)
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
            response_content_type = wanted.content_type, response_body = wanted.body, response_sealed = true
       FROM wanted JOIN mine USING (claim_id)
      WHERE payment_claim.claim_id = mine.claim_id AND payment_claim.attempt = wanted.attempt
      RETURNING payment_claim.claim_id, payment_claim.attempt, delivered_at, amount_micro_usd, funding
   ), booked AS (
     INSERT INTO ledger_entry (transaction_id, account, amount_micro_usd, kind, claim_id)
     SELECT moved.transaction_id, leg.account, leg.sign * moved.amount_micro_usd, 'deliver', moved.claim_id
       FROM (SELECT gen_random_uuid() AS transaction_id, claim_id, amount_micro_usd FROM claim
              WHERE funding <> 'quota') moved,
            (VALUES ('holds', -1), ('treasury', 1)) AS leg (account, sign)
   )
   SELECT claim_id, attempt, delivered_at FROM claim`,
);

interface Delivery {
  readonly claimId: string;
  readonly attempt: number;
  readonly response: StoredResponse;
}

/**
 * Records deliveries, those that come together in one transaction: one flush of the disk for many calls. Each is fenced
 * by its own attempt, and none fails with another.
 */
@Injectable()
export class ClaimDeliveries {
  /** Recording again is harmless: what the same attempt has delivered is found delivered. */
  private readonly batch = new Batch<Delivery, Date | undefined>(items => this.record(items), {
    ...{ sizeMax: SHARED_MAX, alone: () => true },
  });

  constructor(
    private readonly dataSource: DataSource,
    @Inject(PAYMENT_KEYS) private readonly keys: Pick<PaymentKeys, 'storedAnswer'>,
  ) {}

  /**
   * Records the delivery and books the amount as earned. Returns when it was delivered, also when the same attempt asks
   * again; undefined when the claim is another's by now.
   */
  async deliver(claimId: string, attempt: number, response: StoredResponse): Promise<Date | undefined> {
    const delivery = { claimId, attempt, response };
    if (response.body.length > SHARED_BYTES_MAX) return (await this.record([delivery]))[0];
    return this.batch.add(delivery);
  }

  /** Whether an attempt has delivered. */
  async isDelivered({ claimId, attempt }: Omit<Delivery, 'response'>): Promise<boolean> {
    return (await this.deliveredBefore([{ claimId, attempt }])).size === 1;
  }

  private async record(items: readonly Delivery[]): Promise<(Date | undefined)[]> {
    const rows: Row[] = await this.dataSource.query(DELIVER, [
      items.map(({ claimId }) => claimId),
      items.map(({ attempt }) => attempt),
      items.map(({ response }) => response.status),
      items.map(({ response }) => response.contentType),
      items.map(({ claimId, response }) => sealAnswer(this.keys.storedAnswer, claimId, response.body)),
    ]);
    const delivered = byAttempt(rows);
    // The same attempt may have recorded it before, or be doing so on another connection, which was waited for above.
    const others = items.filter(item => !delivered.has(nameOf(item)));
    const before = others.length === 0 ? new Map<string, Date>() : await this.deliveredBefore(others);
    return items.map(item => delivered.get(nameOf(item)) ?? before.get(nameOf(item)));
  }

  private async deliveredBefore(items: readonly Omit<Delivery, 'response'>[]): Promise<Map<string, Date>> {
    const rows: Row[] = await this.dataSource.query(
      `SELECT claim_id, attempt, delivered_at FROM payment_claim
         JOIN unnest($1::uuid[], $2::int[]) AS wanted (claim_id, attempt) USING (claim_id, attempt)
        WHERE state = 'delivered'`,
      [items.map(({ claimId }) => claimId), items.map(({ attempt }) => attempt)],
    );
    return byAttempt(rows);
  }
}

const nameOf = ({ claimId, attempt }: Pick<Delivery, 'claimId' | 'attempt'>) => `${claimId} ${attempt}`;

const byAttempt = (rows: readonly Row[]): Map<string, Date> =>
  new Map(
    rows.map(row => [
      nameOf({ claimId: row.claim_id as string, attempt: row.attempt as number }),
      row.delivered_at as Date,
    ]),
  );
