import { paymentsContract, type QuotaState } from '@svc/contracts';
import { type BusClient, parseOrProblem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountKeyOf } from '../account/account-key.js';
import { addressOf } from '../rate-limit/caller.js';
import type { PaidOperation } from './paid-operation.js';
import { JSON_TYPE } from './payment-answer.js';
import { isEmptyBody } from './presented-credential.js';
import { setMonthlyQuota } from '../rate-limit/rate-limit-fields.js';

/** An answer within the quota, or the quota that is used up. */
export type MeteredOutcome =
  | { readonly outcome: 'answered'; readonly body: Buffer }
  | { readonly outcome: 'over'; readonly quota: QuotaState };

/**
 * Runs a call of a metered route within the month's requests of its caller. It is counted before it runs, because many
 * callers share one counter, and taken back where it fails: only what was answered counts.
 * @throws ProblemError VALIDATION_FAILED before anything is counted; UNKNOWN_CREDENTIAL for a key that is none
 */
export async function runMetered(
  bus: BusClient,
  { operationId, body: schema, admit }: PaidOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<MeteredOutcome> {
  // An empty body is looked at only where the quota lets the call run: beyond it, it asks what a call costs.
  const isEmpty = isEmptyBody(request.body);
  const read = () => parseOrProblem(schema, request.body);
  const readBefore = isEmpty ? undefined : read();
  const { outcome, subject, quota } = await bus.call(paymentsContract.count, {
    operationId,
    accountKey: accountKeyOf(request.raw),
    address: addressOf(request),
  });
  setMonthlyQuota(reply, quota);
  if (outcome === 'over') return { outcome, quota };
  try {
    const body = isEmpty ? read() : readBefore;
    if (admit) await admit(bus, body, request);
    request.body = body;
    const result = await run();
    reply.header('content-type', JSON_TYPE).header('cache-control', 'private');
    return { outcome: 'answered', body: Buffer.from(JSON.stringify(result), 'utf8') };
  } catch (error) {
    const { resetsAt } = quota;
    const uncounted = await bus.call(paymentsContract.uncount, { subject, resetsAt }).catch(() => undefined);
    if (uncounted) setMonthlyQuota(reply, { ...quota, used: quota.used - 1 });
    throw error;
  }
}
