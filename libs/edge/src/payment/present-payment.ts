import type { PaymentCredential } from '@svc/contracts';
import { type CallerTurn, ProblemError, runInTurn } from '@svc/platform';
import type { FastifyRequest } from 'fastify';
import type { BurstLimits } from '../rate-limit/burst-limits.js';
import { bringsCredential } from './presented-credential.js';

/**
 * In whose turn it is asked whether a call could be done. For one that brings a payment a place is kept, but for who has brought
 * payments lately that were none: those would keep every place of a lane.
 */
export async function turnOfAdmission(bursts: BurstLimits, request: FastifyRequest): Promise<CallerTurn> {
  const mayPay = bringsCredential(request.raw) && !(await bursts.hasBroughtBadPayment(request));
  return { subject: bursts.subjectOf(request), standing: mayPay ? 'claiming' : 'later' };
}

/** Whether a credential is invalid, unknown, or without money; a bundle that is spent is none of these. */
const paysNothing = ({ status, code }: ProblemError): boolean =>
  ([401, 402, 403].includes(status) && code !== 'BUDGET_EXHAUSTED') || code === 'PAYMENT_METHOD_UNSUPPORTED';

/** Whether the node or processor that was asked could not judge a payment, and took nothing: no fault of the payer. */
const cannotBeTold = ({ cause }: ProblemError): boolean =>
  cause instanceof ProblemError && cause.payload.charged === 'no';

/**
 * Shows a payment, or the key that pays, to who takes it: in its caller's turn, since whom it asks is asked for callers by turns; and
 * counted where it turns out to be none, since it was a question, and work was admitted for it, all the same. One that cannot be told is
 * counted apart: it refuses no payment that others are not asked about, and costs its caller no place.
 * @param payment undefined where a key pays: it may be good, whoever else has brought what from its address
 * @throws ProblemError RATE_LIMITED before a payment is shown, for whoever has brought too many that were none; that of the taking
 */
export async function presentPayment<T>(
  bursts: BurstLimits,
  request: FastifyRequest,
  payment: PaymentCredential | undefined,
  take: () => Promise<T>,
): Promise<T> {
  if (payment !== undefined) await bursts.checkBadPayments(request, payment.scheme);
  try {
    return await runInTurn({ subject: bursts.subjectOf(request), standing: 'claiming' }, take);
  } catch (error) {
    if (error instanceof ProblemError && paysNothing(error)) await bursts.countBadPayment(request);
    else if (error instanceof ProblemError && cannotBeTold(error)) await bursts.countUntoldPayment(request);
    throw error;
  }
}
