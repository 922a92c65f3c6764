import { problem } from '@svc/platform';
import type { IncomingMessage } from 'node:http';
import { headerLines } from './header-lines.js';

const CHARS_MAX = 255;

/**
 * The `Idempotency-Key` of a request: the same for every retry of one purchase.
 * @throws ProblemError VALIDATION_FAILED for one that is empty, too long, or sent twice
 */
export function idempotencyKeyOf({ rawHeaders }: IncomingMessage): string | undefined {
  const lines = headerLines(rawHeaders, 'idempotency-key');
  if (lines.length === 0) return undefined;
  const key = lines[0].trim();
  if (lines.length === 1 && key.length >= 1 && key.length <= CHARS_MAX) return key;
  const message = lines.length > 1 ? 'sent more than once' : `must have 1 to ${CHARS_MAX} characters`;
  throw problem('VALIDATION_FAILED', `Idempotency-Key: ${message}`, {
    errors: [{ path: 'Idempotency-Key', message }],
  });
}
