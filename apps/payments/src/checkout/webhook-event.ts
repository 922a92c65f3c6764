import { problem } from '@svc/platform';
import type Stripe from 'stripe';
import type { EntityManager } from 'typeorm';
import type { StripeAdapter } from '../card/stripe-adapter.js';

/** An id, or a kind of event, as Stripe writes them. */
const NAME = /^[\x21-\x7e]{1,255}$/;
/** End of the year 9999, of which a date can still be kept. */
const SECONDS_MAX = 253_402_300_799;

/**
 * Stripe's event, by its signature and its shape.
 * @throws ProblemError WEBHOOK_INVALID, which repeats nothing of what came
 */
export function eventOf(
  stripe: StripeAdapter,
  payload: Uint8Array,
  signature: string | undefined,
): Stripe.Event {
  if (signature === undefined) throw problem('WEBHOOK_INVALID', 'Stripe-Signature is missing');
  let event: unknown;
  try {
    event = stripe.constructEvent(payload, signature);
  } catch (cause) {
    const detail = 'The signature is not of these bytes by our secret, or is too old or of the future';
    throw problem('WEBHOOK_INVALID', detail, { cause });
  }
  if (isEvent(event)) return event;
  throw problem('WEBHOOK_INVALID', 'The bytes are signed, and are no event');
}

/** Whether it has the members by which events are told apart, dated, and looked into. */
function isEvent(value: unknown): value is Stripe.Event {
  if (!isRecord(value) || !isRecord(value.data) || !isRecord(value.data.object)) return false;
  const { id, type, created } = value;
  const isDate = Number.isSafeInteger(created) && Number(created) >= 0 && Number(created) <= SECONDS_MAX;
  return isDate && [id, type].every(name => typeof name === 'string' && NAME.test(name));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Of an event that found nothing of ours: what goes back of a payment is looked at anew where it is told again. A release that knew
 * no payments of invoices has ignored theirs.
 */
export const MAY_BE_OURS_YET = `(event.outcome = 'ignored' AND event.type LIKE 'charge.%')`;

/**
 * Records that something was told, within the transaction of its effect; one at a time, where several record the same.
 * @returns false where it is on record already
 */
export async function recordEvent(
  manager: EntityManager,
  event: { id: string; type: string; created: number; outcome: 'done' | 'ignored' },
): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO webhook_event AS event (event_id, type, outcome, event_created_at) VALUES ($1, $2, $3, to_timestamp($4))
     ON CONFLICT (event_id) DO UPDATE SET outcome = excluded.outcome WHERE ${MAY_BE_OURS_YET} RETURNING event_id`,
    [event.id, event.type.slice(0, 128), event.outcome, event.created],
  );
  return rows.length > 0;
}
