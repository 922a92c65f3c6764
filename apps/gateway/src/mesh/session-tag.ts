import { problem } from '@svc/platform';

/**
 * The `ETag` of a session. It names the ICE session (RFC 9725 §4.3.1) and not a version: candidates leave it as it is, so that a
 * peer sends the tag of its first answer with each fragment. ICE is not restarted, so a session is one ICE session.
 */
export const etagOf = (sessionId: string): string => `"${sessionId}"`;

/**
 * Holds `If-Match` against the session. Comparison is strong (RFC 9110 §13.1.1): a weak tag matches nothing.
 * @throws ProblemError PRECONDITION_FAILED where another ICE session is meant
 */
export function requireMatch(ifMatch: string | undefined, sessionId: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (ifMatch.split(',').some(tag => tag.trim() === etagOf(sessionId))) return;
  throw problem('PRECONDITION_FAILED', 'If-Match: send the ETag of the session as it came, or *', {
    errors: [{ path: 'If-Match', message: 'is no ETag of this session', got: ifMatch }],
  });
}
