import { z } from 'zod';
import { AccountKeyText } from './payments.contract.js';
import { procedure } from './procedure.js';

/** What a key may do beside paying: everything that is not every holder's. */
export const KEY_SCOPES = [
  'leads:read',
  'leads:pii',
  'admin:keys',
  'admin:licences',
  'admin:spot',
  'admin:ledger',
] as const;
export const KeyScope = z.enum(KEY_SCOPES);
export type KeyScope = z.infer<typeof KeyScope>;

export const AccountId = z.string().regex(/^acct_[a-z0-9]{20}$/);
export const KeyId = z.string().regex(/^[a-z0-9]{16}$/);

/** Whose key it is that a request came with. */
export const KeyHolder = z.object({
  accountId: AccountId,
  keyId: KeyId,
  plan: z.enum(['demo', 'developer', 'pro_agent', 'enterprise']),
  scopes: z.array(KeyScope),
});
export type KeyHolder = z.infer<typeof KeyHolder>;

export const accountContract = {
  /** Whose key it is. UNKNOWN_CREDENTIAL (401) for none of ours or one that is revoked; FORBIDDEN without the scope. */
  authenticate: procedure('payments', 'authenticate', {
    request: z.object({ accountKey: AccountKeyText, scope: KeyScope.optional() }),
    reply: KeyHolder,
    timeoutMs: 5_000,
  }),
} as const;
