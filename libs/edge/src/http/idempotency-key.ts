import { problem } from '@svc/platform';
import type { IncomingMessage } from 'node:http';
import { headerLines } from './header-lines.js';

const CHARS_MAX = 255;
/** Nobody guesses the key of another with so many characters, where it is random. */
const CHARS_UNGUESSABLE = 16;

/**
 * The `Idempotency-Key` of a request: the same for every retry of one purchase.
 * @throws ProblemError VALIDATION_FAILED for one that is empty or too long, and where two differ
 */
export function idempotencyKeyOf({ rawHeaders }: IncomingMessage): string | undefined {
  const sent = new Set(headerLines(rawHeaders, 'idempotency-key').map(line => line.trim()));
  const [key] = sent;
  if (key === undefined) return undefined;
  if (sent.size === 1 && key.length >= 1 && key.length <= CHARS_MAX) return key;
  const message = sent.size > 1 ? 'sent twice, and the two differ' : `must have 1 to ${CHARS_MAX} characters`;
  throw problem('VALIDATION_FAILED', `Idempotency-Key: ${message}`, {
    errors: [{ path: 'Idempotency-Key', message }],
  });
}

/**
 * {@link idempotencyKeyOf} a caller without an account. Others may share its address, and who has its key has its
 * purchase: a key that they may come upon by chance is not taken.
 * @throws ProblemError VALIDATION_FAILED for one that can be guessed, too
 */
export function unguessableKeyOf(request: IncomingMessage): string | undefined {
  const key = idempotencyKeyOf(request);
  if (key === undefined || key.length >= CHARS_UNGUESSABLE) return key;
  const message = `must have at least ${CHARS_UNGUESSABLE} characters without X-SVC-KEY, best a UUID`;
  throw problem('VALIDATION_FAILED', `Idempotency-Key: ${message}; this has ${key.length}`, {
    errors: [{ path: 'Idempotency-Key', message, bound: CHARS_UNGUESSABLE, got: `${key.length} characters` }],
  });
}
