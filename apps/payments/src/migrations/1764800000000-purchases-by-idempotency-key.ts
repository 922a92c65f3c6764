import type { MigrationInterface, QueryRunner } from 'typeorm';
import { claimByKey } from './1763800200000-claims-by-key.js';
import { SPENT_AT, standingClaimByKey } from './1763901000000-execution-tickets.js';

/**
 * An Idempotency-Key names its purchase: what comes under another is another purchase, also of the same request within the
 * minute. A call without one repeats whatever was bought by the same request, as before.
 */
export class PurchasesByIdempotencyKey1764800000000 implements MigrationInterface {
  readonly name = 'PurchasesByIdempotencyKey1764800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(standingClaimByKey(SPENT_AT, 'idempotency IS NULL'));
    await runner.query(
      claimByKey(
        'CASE WHEN call.idempotency_key IS NULL THEN array_position(own_digests, call.request_digest) END',
      ),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(claimByKey());
    await runner.query(standingClaimByKey(SPENT_AT));
  }
}
