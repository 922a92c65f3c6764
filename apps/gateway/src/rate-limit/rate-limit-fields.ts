import type { QuotaState } from '@svc/contracts';
import { monthlyRateLimit, rateLimitFields, type RateLimitState } from '@svc/protocols';
import type { FastifyReply } from 'fastify';

/** Puts `RateLimit-Policy` and `RateLimit` on an answer. */
export function setRateLimit(reply: FastifyReply, state: RateLimitState): void {
  for (const [name, value] of Object.entries(rateLimitFields(state))) reply.header(name, value);
}

/** What is left of the requests of the month; says nothing of a plan without a limit. */
export function setMonthlyQuota(reply: FastifyReply, { limit, used, resetsAt }: QuotaState): void {
  if (limit !== null) setRateLimit(reply, monthlyRateLimit({ limit, used, resetsAt }, Date.now()));
}
