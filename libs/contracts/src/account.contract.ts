import { z } from 'zod';
import { AccountKeyText } from './payments.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { PageCursor } from './wire-format.js';

/** What a key may do beside paying: everything that is not every holder's. */
export const KEY_SCOPES = [
  'leads:read',
  'leads:pii',
  'leads:write',
  'admin:accounts',
  'admin:keys',
  'admin:licences',
  'admin:spot',
  'admin:bullion',
  'admin:sales',
  'admin:mesh',
  'admin:ledger',
  'admin:refunds',
  'admin:audit',
] as const;
export const KeyScope = z.enum(KEY_SCOPES);
export type KeyScope = z.infer<typeof KeyScope>;

export const AccountId = z.string().regex(/^acct_[a-z0-9]{20}$/);
export const KeyId = z.string().regex(/^[a-z0-9]{16}$/);
export const PlanId = z.enum(['demo', 'developer', 'pro_agent', 'enterprise']);

/** Whose key it is that a request came with. */
export const KeyHolder = z.object({
  accountId: AccountId,
  keyId: KeyId,
  plan: PlanId,
  scopes: z.array(KeyScope),
  /** Made of what a payment left over: anybody makes as many as they like, so such keys count by the address they come from. */
  isDerived: z.literal(true).optional(),
  /** What a key with limits spends from, and what it may pay for; absent for one that may spend all. */
  limits: z.object({ limitId: z.uuid(), operations: z.array(z.string()).optional() }).optional(),
});
export type KeyHolder = z.infer<typeof KeyHolder>;

/** Keys of one account that are not revoked. */
export const ACTIVE_KEYS_MAX = 20;
/** Longest time that a key which was rotated goes on, seconds: a week. */
export const ROTATION_GRACE_SECONDS_MAX = 604_800;
/** Most days of usage, and most ledger entries, in one answer. */
export const USAGE_DAYS_MAX = 31;
export const LEDGER_PAGE_MAX = 200;

/** Operations, or families of them, that a key may name. */
export const KEY_OPERATIONS_MAX = 50;
/** Keys above a key with limits: it was made by one with limits, which was made by one, and so on. */
export const KEY_LINEAGE_MAX = 4;

const UsdText = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,6})(\.[0-9]{1,6})?$/, { error: 'a decimal number of dollars, as "5.00"' })
  .refine(text => Number(text) > 0, { error: 'must be more than 0' })
  .refine(text => Number(text) <= 1_000_000, { error: 'must be at most 1000000' });

const KeyCap = z
  .strictObject({
    usd: UsdText.meta({ description: 'Decimal dollars, more than 0 and at most 1,000,000' }),
    per: z
      .enum(['day', 'total'])
      .default('total')
      .meta({ description: 'Of a day in UTC, or of all that the key ever spends' }),
  })
  .meta({ id: 'KeyCap' });

/** What a key may spend, pay for, and until when. */
const keyLimits = {
  cap: z
    .union([KeyCap, z.array(KeyCap).min(1).max(2)])
    .optional()
    .meta({ description: 'What the key may spend of the credit: one cap, or one of a day and one in all' }),
  operations: z
    .array(
      z.string().regex(/^[a-z0-9]+([._-][a-z0-9]+)*(\.\*)?$/, {
        error: 'an operation id as zk.prove, or a family as zk.*',
      }),
    )
    .min(1)
    .max(KEY_OPERATIONS_MAX)
    .optional()
    .meta({
      description: 'What the key may pay for: ids as `zk.prove`, families as `zk.*`; all where absent',
    }),
  expiresAt: z.iso.datetime().optional().meta({ description: 'When the key ends' }),
  notify: z
    .strictObject({
      belowUsd: UsdText,
      url: z.string().max(2_048).meta({ description: 'A public address, by https' }),
    })
    .optional()
    .meta({ description: 'Called, signed, each time that less is left for the key' }),
};

/** A cap of a key, and what was spent of it: micro-USD. */
const CapState = z.object({
  per: z.enum(['day', 'total']),
  capMicroUsd: z.int(),
  spentMicroUsd: z.int(),
  resetsAt: z.iso.datetime().optional().meta({ description: 'When the day ends' }),
});

/** A key of an account, without its secret. */
export const AccountKey = z
  .object({
    keyId: KeyId,
    label: z.string().optional(),
    state: z.enum(['active', 'rotating', 'revoked']),
    scopes: z.array(z.string()),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().optional(),
    endsAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When it stops, for one that was rotated or expires' }),
    caps: z.array(CapState).optional().meta({ description: 'What it may spend, and what it has spent' }),
    operations: z.array(z.string()).optional().meta({ description: 'What it may pay for' }),
    notifyBelowMicroUsd: z.int().optional(),
  })
  .meta({ id: 'AccountKey' });
export type AccountKey = z.infer<typeof AccountKey>;

/** Response of `GET /v1/account`. */
export const Account = z
  .object({
    accountId: AccountId,
    plan: PlanId,
    planState: z.enum(['active', 'past_due', 'lapsed']),
    planUntil: z.iso.datetime().optional(),
    balanceMicroUsd: z.int(),
    credits: z
      .int()
      .meta({ description: 'Certificate audits that the balance buys: 250,000 µUSD each, rounded down' }),
    quota: z.object({
      limit: z.int().nullable().meta({ description: 'Requests a month; null is unlimited' }),
      used: z.int(),
      resetsAt: z.iso.datetime(),
    }),
    keys: z.array(AccountKey),
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;

/** Response of `GET /v1/account/usage`. */
export const AccountUsage = z
  .object({
    items: z.array(
      z.object({
        day: z.iso.date().meta({ description: 'UTC' }),
        operationId: z.string(),
        calls: z.int().meta({ description: 'Priced calls that the key claimed' }),
        delivered: z.int(),
        fromQuota: z.int().meta({ description: 'Of the delivered: those that the plan covered' }),
        debitedMicroUsd: z.int().meta({ description: 'Credit that the delivered took' }),
      }),
    ),
    from: z.iso.date().meta({ description: 'First day of this page' }),
    to: z.iso.date().meta({ description: 'Last day of this page' }),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'AccountUsage' });
export type AccountUsage = z.infer<typeof AccountUsage>;

/** Response of `GET /v1/account/ledger`. */
export const AccountLedger = z
  .object({
    items: z.array(
      z.object({
        seq: z.int().meta({ description: 'Gapless number of the entry in its account' }),
        kind: z.string(),
        amountMicroUsd: z.int().meta({ description: 'Positive: credit; negative: debit' }),
        balanceAfterMicroUsd: z.int(),
        operationId: z.string().optional(),
        claimId: z.uuid().optional().meta({
          description:
            'The purchase that it is of: `reference` in the Payment-Receipt of an answer that the key paid',
        }),
        reference: z.string().optional(),
        at: z.iso.datetime(),
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'AccountLedger' });
export type AccountLedger = z.infer<typeof AccountLedger>;

const KeyLabel = z
  .string()
  .regex(/^[\x20-\x7e]{1,100}$/, { error: '1 to 100 printable ASCII characters' })
  .meta({ description: 'A name of your own for the key' });

/** Body of `POST /v1/account/keys`. */
export const CreateKeyRequest = z
  .strictObject({ label: KeyLabel.optional(), ...keyLimits })
  .meta({ id: 'CreateKeyRequest' });
export type CreateKeyRequest = z.output<typeof CreateKeyRequest>;

/** Body of `POST /v1/account/keys/:keyId/rotate`. */
export const RotateKeyRequest = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(ROTATION_GRACE_SECONDS_MAX)
      .default(3_600)
      .meta({ description: 'How long the old key goes on; 0 ends it at once' }),
  })
  .meta({ id: 'RotateKeyRequest' });

/** A key that was made just now. */
export const NewAccountKey = z
  .object({
    keyId: KeyId,
    key: z.string().meta({ description: 'The whole key: shown here and never again' }),
    label: z.string().optional(),
    endsAt: z.iso.datetime().optional().meta({ description: 'When it expires' }),
    caps: z.array(CapState).optional().meta({ description: 'What it may spend' }),
    operations: z.array(z.string()).optional().meta({ description: 'What it may pay for' }),
    replaces: z
      .object({ keyId: KeyId, endsAt: z.iso.datetime() })
      .optional()
      .meta({ description: 'The key that was rotated, and when it stops' }),
  })
  .meta({ id: 'NewAccountKey' });
export type NewAccountKey = z.infer<typeof NewAccountKey>;

/** Answer of `DELETE /v1/account/keys/:keyId`. */
export const RevokedKey = z.object({ keyId: KeyId, state: z.literal('revoked') }).meta({ id: 'RevokedKey' });

const UsageQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(USAGE_DAYS_MAX)
    .default(7)
    .meta({ description: 'Days of one page' }),
  cursor: PageCursor.optional(),
});
const LedgerQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(LEDGER_PAGE_MAX).default(50),
  cursor: PageCursor.optional(),
});
const keyParams = z.object({ keyId: KeyId.meta({ description: 'Id of a key of the account' }) });
const RevokeQuery = z.strictObject({
  force: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'Revoke the last active key too: nothing opens the account afterwards' }),
});

export const accountRoutes = defineRoutes({
  account: {
    operationId: 'account.get',
    method: 'GET',
    path: '/v1/account',
    summary: 'Balance, plan, quota and keys of the account',
    tag: 'Credits',
    access: 'key',
    replies: { 200: { description: 'The account', schema: Account } },
  },
  usage: {
    operationId: 'account.usage',
    method: 'GET',
    path: '/v1/account/usage',
    summary: 'Calls of the account by day and operation',
    description: 'Newest days first; a page is a span of days, those without a call left out.',
    tag: 'Credits',
    access: 'key',
    query: UsageQuery,
    replies: { 200: { description: 'A page', schema: AccountUsage } },
  },
  ledger: {
    operationId: 'account.ledger',
    method: 'GET',
    path: '/v1/account/ledger',
    summary: 'Entries of the account in the ledger',
    description: 'Newest first. Entries are numbered without gaps and never change.',
    tag: 'Credits',
    access: 'key',
    query: LedgerQuery,
    replies: { 200: { description: 'A page', schema: AccountLedger } },
  },
  createKey: {
    operationId: 'account.create-key',
    method: 'POST',
    path: '/v1/account/keys',
    summary: 'Make another key of the account',
    description:
      'With limits, it may be handed to an agent: a cap, operations and an end. A key with limits makes narrower ones alone.',
    tag: 'Credits',
    access: 'key',
    body: { schema: CreateKeyRequest },
    replies: { 201: { description: 'The key, shown once', schema: NewAccountKey } },
    problems: ['CONFLICT', 'FORBIDDEN', 'UNPROCESSABLE'],
  },
  rotateKey: {
    operationId: 'account.rotate-key',
    method: 'POST',
    path: '/v1/account/keys/:keyId/rotate',
    summary: 'Replace a key; the old one goes on for a while',
    tag: 'Credits',
    access: 'key',
    params: keyParams,
    body: { schema: RotateKeyRequest },
    replies: { 201: { description: 'The new key, shown once', schema: NewAccountKey } },
    problems: ['CONFLICT', 'FORBIDDEN'],
  },
  revokeKey: {
    operationId: 'account.revoke-key',
    method: 'DELETE',
    path: '/v1/account/keys/:keyId',
    summary: 'Revoke a key at once',
    tag: 'Credits',
    access: 'key',
    params: keyParams,
    query: RevokeQuery,
    replies: { 200: { description: 'Revoked', schema: RevokedKey } },
    problems: ['CONFLICT', 'FORBIDDEN'],
  },
});

/** An operator's key: the service asks payments whose it is and what it is good for, and believes no caller. */
export const byOperator = { accountKey: AccountKeyText };

export const accountContract = {
  /** Whose key it is. UNKNOWN_CREDENTIAL (401) for none of ours or one that is revoked; FORBIDDEN without the scope. */
  authenticate: procedure('payments', 'authenticate', {
    request: z.object({ accountKey: AccountKeyText, scope: KeyScope.optional() }),
    reply: KeyHolder,
    timeoutMs: 5_000,
  }),
  /** The account of whoever asks, as it stands. */
  account: procedure('payments', 'account', {
    isPublic: true,
    request: z.object({ by: KeyHolder }),
    reply: Account,
    timeoutMs: 5_000,
  }),
  usage: procedure('payments', 'account-usage', {
    isPublic: true,
    request: UsageQuery.extend({ by: KeyHolder }),
    reply: AccountUsage,
    timeoutMs: 10_000,
  }),
  ledger: procedure('payments', 'account-ledger', {
    isPublic: true,
    request: LedgerQuery.extend({ by: KeyHolder }),
    reply: AccountLedger,
    timeoutMs: 5_000,
  }),
  /** CONFLICT when the account has {@link ACTIVE_KEYS_MAX} keys. */
  createKey: procedure('payments', 'create-key', {
    request: CreateKeyRequest.extend({ by: KeyHolder }),
    reply: NewAccountKey,
    timeoutMs: 5_000,
  }),
  /** NOT_FOUND for a key of another account, CONFLICT for one that is not active, FORBIDDEN for one with further scopes. */
  rotateKey: procedure('payments', 'rotate-key', {
    request: RotateKeyRequest.extend({ by: KeyHolder, keyId: KeyId }),
    reply: NewAccountKey,
    timeoutMs: 5_000,
  }),
  /** NOT_FOUND for a key of another account, CONFLICT for the last active one without `force`, FORBIDDEN as above. */
  revokeKey: procedure('payments', 'revoke-key', {
    request: z.object({ by: KeyHolder, keyId: KeyId, force: z.boolean() }),
    reply: RevokedKey,
    timeoutMs: 5_000,
  }),
} as const;
