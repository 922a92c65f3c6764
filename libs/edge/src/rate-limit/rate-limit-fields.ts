import type { QuotaState } from '@svc/contracts';
import { monthlyRateLimit, rateLimitFields, type RateLimitState } from '@svc/protocols';
import type { FastifyReply } from 'fastify';

/** Puts `RateLimit-Policy` and `RateLimit` on an answer. */
function setRateLimit(reply: FastifyReply, state: RateLimitState): void {
  for (const [name, value] of Object.entries(rateLimitFields(state))) reply.header(name, value);
}

/** What is left of the requests of the month; says nothing of a plan without a limit. */
export function setMonthlyQuota(reply: FastifyReply, { limit, used, resetsAt }: QuotaState): void {
  if (limit !== null) setRateLimit(reply, monthlyRateLimit({ limit, used, resetsAt }, Date.now()));
}

/**
 * That a burst was refused, and when the next request is let in.
 * @param burst whose quota is what one window lets in
 */
export function setBurst(reply: FastifyReply, burst: Omit<RateLimitState, 'remaining'>): void {
  setRateLimit(reply, { remaining: 0, ...burst });
}
