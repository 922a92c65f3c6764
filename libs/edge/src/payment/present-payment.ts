import { ProblemError, runInTurn } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { BurstLimits } from '../rate-limit/burst-limits.js';

/**
 * Shows a payment to who takes it: in its caller's turn, since whom it asks is asked for callers by turns; and counted where it turns out
 * to be none, since it was a question all the same.
 * @param payment undefined where a key pays
 * @throws ProblemError RATE_LIMITED before it is shown, for whoever has brought too many that were none; that of the taking
 */
export async function presentPayment<T>(
  bursts: BurstLimits,
  request: FastifyRequest,
  payment: unknown,
  take: () => Promise<T>,
): Promise<T> {
  if (payment !== undefined) await bursts.checkBadPayments(request);
  try {
    return await runInTurn({ subject: bursts.subjectOf(request), standing: 'claiming' }, take);
  } catch (error) {
    if (payment !== undefined && error instanceof ProblemError && error.status === 402)
      await bursts.countBadPayment(request);
    throw error;
  }
}
