import type { EntityManager } from 'typeorm';

/** Header of an answer whose payment was refunded, in part or whole. */
export const REFUND_HEADER = 'SVC-Refund';

/**
 * Has the receipt of a claim say how much of its charge was refunded, micro-USD, in the members of RFC 9651: whenever its answer is given
 * again, it says so. Its signed receipt stays what it was: it is of the payment.
 */
export async function showRefunded(manager: EntityManager, claimId: string): Promise<void> {
  await manager.query(
    `UPDATE payment_claim claim
        SET receipt = jsonb_set(receipt, '{headers}', coalesce(receipt->'headers', '{}') || jsonb_build_object($2::text,
              format('refunded=%s, charged=%s', coalesce(refunded.total, 0), coalesce(charged_micro_usd, amount_micro_usd))))
       FROM (SELECT sum(amount_micro_usd) AS total FROM refund WHERE claim_id = $1 AND state = 'done') refunded
      WHERE claim.claim_id = $1`,
    [claimId, REFUND_HEADER],
  );
}
