import { problem } from '@svc/platform';
import { JcsError, requestDigest } from '@svc/protocols';
import { PackedBody } from '../http/packed-body.js';

/**
 * What a payment is bound to: the digest of an operation and its validated body, or of the bytes of one that is packed.
 * @throws ProblemError VALIDATION_FAILED for a body that has none
 */
export function boundDigest(operationId: string, body: unknown): string {
  try {
    const bound = body instanceof PackedBody ? { sha256: body.sha256 } : body;
    return requestDigest(operationId, bound);
  } catch (error) {
    if (!(error instanceof JcsError)) throw error;
    throw problem('VALIDATION_FAILED', 'The body holds what has no canonical JSON', {
      errors: [
        { path: '', message: 'a string holds half of a surrogate pair, or a number is beyond 1.8e308' },
      ],
    });
  }
}
