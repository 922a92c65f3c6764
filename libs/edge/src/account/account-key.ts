import { AccountKeyText } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { IncomingMessage } from 'node:http';
import { authorizationLines, headerLines } from '../http/header-lines.js';

/** Header of an account key. */
export const ACCOUNT_KEY_HEADER = 'x-svc-key';
/** As any client of an API sends its key. A bearer token that is no key of ours is for somebody before us. */
const BEARER_KEY = /^\s*bearer\s+(svc_\S*)\s*$/i;

/** What a request brings as account keys, not yet looked at: in `X-SVC-KEY`, or as `Authorization: Bearer svc_…`; equal ones once. */
export function accountKeyLines({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string[] {
  const bearers = authorizationLines(rawHeaders).flatMap(line => BEARER_KEY.exec(line)?.[1] ?? []);
  const keys = headerLines(rawHeaders, ACCOUNT_KEY_HEADER).map(line => line.trim());
  return [...new Set([...keys, ...bearers])];
}

/**
 * The account key of a request, not yet looked at; undefined where there is none.
 * @throws ProblemError CONFLICTING_CREDENTIALS for two, UNKNOWN_CREDENTIAL for what can be no key of ours
 */
export function accountKeyOf(request: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const lines = accountKeyLines(request);
  if (lines.length === 0) return undefined;
  if (lines.length > 1)
    throw problem('CONFLICTING_CREDENTIALS', 'Send one account key; two or more that differ came');
  const key = AccountKeyText.safeParse(lines[0]);
  if (!key.success) throw unknownKey('The key of X-SVC-KEY is no key of ours');
  return key.data;
}

export const unknownKey = (detail: string) => problem('UNKNOWN_CREDENTIAL', detail);
