import { problem, ProblemError } from '@svc/platform';
import { JcsError, requestDigest } from '@svc/protocols';
import { createHash } from 'node:crypto';

/**
 * An Idempotency-Key as the claims of one route keep it: two routes sell the same operation, and a key stands for one
 * request of one of them.
 */
export const routeKey = (route: 'verify' | 'execute', idempotencyKey: string | undefined) =>
  idempotencyKey === undefined
    ? undefined
    : `${route}:${createHash('sha256').update(idempotencyKey).digest('hex')}`;

/** A refusal of a claim without the handle of whoever holds it, which is for whoever runs the call alone. */
export function withoutHandle(error: unknown): unknown {
  if (!(error instanceof ProblemError) || error.code !== 'PAYMENT_IN_FLIGHT') return error;
  const { extensions: { claimId: _claim, attempt: _attempt, ...extensions } = {}, ...payload } =
    error.payload;
  return new ProblemError({ ...payload, extensions }, { cause: error.cause });
}

/**
 * What a request is bound to.
 * @throws ProblemError VALIDATION_FAILED for text that has no canonical form
 */
export function digestOf(operationId: string, body: unknown): string {
  try {
    return requestDigest(operationId, body);
  } catch (error) {
    if (!(error instanceof JcsError)) throw error;
    throw problem('VALIDATION_FAILED', 'The body holds what has no canonical JSON', {
      errors: [
        { path: '', message: 'a string holds half of a surrogate pair, or a number is beyond 1.8e308' },
      ],
    });
  }
}
