import { ProblemError } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import { idempotencyKeyOf } from '../http/idempotency-key.js';
import { bringsCredential } from './presented-credential.js';

/** Refusals that say nothing of what the very same request was answered with before. */
const OF_THE_MOMENT: ReadonlySet<unknown> = new Set([
  ...['TIMESTAMP_UNTIMELY', 'NONCE_USED'],
  ...['TARGET_ABSENT', 'TARGET_CALLED', 'TARGET_BUSY'],
]);

/**
 * Whether a request that admission refuses may go on all the same: it may be the retry of one that was answered, and what it is
 * refused for may be just that its time is over. Its nonce is used because it was answered; its payment or its
 * `Idempotency-Key` brings that answer again. One that was not answered is refused a step later, and its payment given back.
 */
export function mayHaveBeenAnswered({ raw }: FastifyRequest, refusal: unknown): boolean {
  if (!(refusal instanceof ProblemError)) return false;
  if (!bringsCredential(raw) && idempotencyKeyOf(raw) === undefined) return false;
  return refusal.code === 'RATE_LIMITED' || OF_THE_MOMENT.has(refusal.payload.extensions?.reason);
}
