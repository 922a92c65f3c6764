import { AccountKeyText } from '@svc/contracts';
import { problem } from '@svc/platform';
import type { IncomingMessage } from 'node:http';
import { headerLines } from '../http/header-lines.js';

export const ACCOUNT_KEY_HEADER = 'x-svc-key';

/**
 * The account key of a request, not yet looked at; undefined where there is none.
 * @throws ProblemError CONFLICTING_CREDENTIALS for two, UNKNOWN_CREDENTIAL for what can be no key of ours
 */
export function accountKeyOf({ rawHeaders }: IncomingMessage): string | undefined {
  const lines = headerLines(rawHeaders, ACCOUNT_KEY_HEADER);
  if (lines.length === 0) return undefined;
  if (lines.length > 1) throw problem('CONFLICTING_CREDENTIALS', 'Send one X-SVC-KEY; two or more came');
  const key = AccountKeyText.safeParse(lines[0].trim());
  if (!key.success) throw unknownKey('The key of X-SVC-KEY is no key of ours');
  return key.data;
}

export const unknownKey = (detail: string) => problem('UNKNOWN_CREDENTIAL', detail);
