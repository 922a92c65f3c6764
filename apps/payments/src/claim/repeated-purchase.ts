import { type KeyedDigests, prepared, problem } from '@svc/platform';
import type { EntityManager } from 'typeorm';
import type { FirstClaim } from './claim-insert.js';
import {
  inFlight,
  isLapsed,
  type Row,
  STANDING_COLUMNS,
  type StandingClaim,
  standingOf,
} from './standing-claim.js';

/** How long after a delivery a second payment of its payer for the same request is not taken. */
const REPEAT_WINDOW_SECONDS = 60;
/** The same, of payments under one Idempotency-Key. */
const IDEMPOTENCY_WINDOW_HOURS = 24;

const LOCK_REQUESTS = prepared(
  `SELECT pg_advisory_xact_lock(hashtextextended(what, 402)) FROM unnest($1::text[]) AS what`,
);
const FIND_REPEATED = prepared(
  `SELECT ${STANDING_COLUMNS} FROM payment_claim
    WHERE payer = $1 AND operation_id = $2 AND NOT (rail_family = $5 AND proof_key = $6)
      AND (((split_part(request_digest, ' ', 1) = ANY ($3) OR
             (split_part(request_digest, ' ', 2) <> '' AND split_part(request_digest, ' ', 2) = ANY ($3))) AND (
             (state = 'claimed' AND lease_until > now()) OR state = 'unknown'
             OR (state = 'delivered' AND spent_at IS NULL
                 AND delivered_at > now() - make_interval(secs => $7))))
        OR (idempotency_key = $4 AND claimed_at > now() - make_interval(hours => $8)
            AND state IN ('claimed', 'unknown', 'delivered')))
    ORDER BY (idempotency_key = $4) DESC NULLS LAST, claimed_at DESC LIMIT 1`,
);

/**
 * The claim of an earlier payment of this payer that this request repeats. Payments for one request, and those under
 * one Idempotency-Key, are looked at one after the other: of two at once the second finds the first. What an earlier one
 * bought and was used up since, a ticket, answers no other request.
 */
export async function repeatOf(
  manager: EntityManager,
  { operationId, requestDigest, idempotencyKey, family, proofKey }: FirstClaim,
  payer: string,
  requests: KeyedDigests,
): Promise<StandingClaim | undefined> {
  const lock = (what: readonly string[]) =>
    manager.query(LOCK_REQUESTS, [what.map(each => `${payer} ${operationId} ${each}`)]);
  const digest = requests.of(requestDigest, payer);
  // Of every key in one order: two replicas whose lists are not the same yet have one in common.
  await lock(digest.keyed.map(form => `digest ${form}`).sort());
  if (idempotencyKey !== undefined) await lock([`key ${idempotencyKey}`]);
  const rows: Row[] = await manager.query(FIND_REPEATED, [
    ...[payer, operationId, digest.forms, idempotencyKey ?? null, family, proofKey],
    ...[REPEAT_WINDOW_SECONDS, IDEMPOTENCY_WINDOW_HOURS],
  ]);
  const repeats = rows[0] && standingOf(rows[0]);
  if (repeats && !digest.matches(repeats.storedDigest)) {
    const detail =
      'The Idempotency-Key was used for a request with another body; use the same for retries alone';
    throw problem('UNPROCESSABLE', detail, {
      errors: [{ path: 'Idempotency-Key', message: 'was used for a request with another body' }],
    });
  }
  if (repeats && isLapsed(repeats)) throw inFlight(1);
  return repeats;
}
