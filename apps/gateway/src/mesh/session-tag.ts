import { problem } from '@svc/platform';

const ENTITY_TAG = /^"(0|[1-9][0-9]{0,14})"$/;

/** The version of a session as a strong `ETag` (RFC 9110 §8.8.3). */
export const etagOf = (version: number): string => `"${version}"`;

/**
 * The version that `If-Match` means, or undefined where any will do. One strong tag or `*`: comparison is strong (RFC 9110
 * §13.1.1), so a weak tag matches nothing, and of two tags one was never this session's.
 * @throws ProblemError PRECONDITION_FAILED for what can be no version
 */
export function versionMeant(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = ENTITY_TAG.exec(ifMatch.trim())?.[1];
  if (version !== undefined) return Number(version);
  throw problem('PRECONDITION_FAILED', 'If-Match: send the ETag of the session as it came, or *', {
    errors: [{ path: 'If-Match', message: 'is no ETag of a session', got: ifMatch }],
  });
}
