import { z } from 'zod';
import { AccountId } from './account.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import {
  CallerName,
  EvmAddress,
  IdempotencyHeaders,
  IdempotencyKeyText,
  PageCursor,
  unguessableId,
} from './wire-format.js';

const IntentId = unguessableId('esc').meta({ description: 'Id of an escrow' });

/** Least amount that a card can be charged, and the most that one charge can hold, US dollars. */
export const ESCROW_USD_MIN = '0.50';
export const ESCROW_USD_MAX = '999999.99';

/** Cents of an amount in whole cents; undefined for every other text. */
function centsOf(amountUsd: string): number | undefined {
  const [, whole, fraction = ''] = /^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,2}))?$/.exec(amountUsd) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** An amount that a card can pay, whole cents of it, as a decimal string. */
const cardAmount = (leastUsd: string) =>
  z
    .string()
    .max(16)
    .superRefine((amountUsd, context) => {
      const cents = centsOf(amountUsd);
      const bounds = { origin: 'string', inclusive: true, input: amountUsd } as const;
      if (cents === undefined) {
        context.addIssue({
          code: 'invalid_format',
          format: 'regex',
          pattern: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,2})?$',
          input: amountUsd,
          message: 'US dollars in whole cents, such as 12.50',
        });
      } else if (cents < centsOf(leastUsd)!) {
        const message = `must be at least ${leastUsd} USD`;
        context.addIssue({ code: 'too_small', minimum: Number(leastUsd), ...bounds, message });
      } else if (cents > centsOf(ESCROW_USD_MAX)!) {
        const message = `must be at most ${ESCROW_USD_MAX} USD`;
        context.addIssue({ code: 'too_big', maximum: Number(ESCROW_USD_MAX), ...bounds, message });
      }
    })
    .meta({
      description: `US dollars in whole cents as a decimal string, ${leastUsd} to ${ESCROW_USD_MAX}`,
      pattern: '^(0|[1-9][0-9]{0,8})(\\.[0-9]{1,2})?$',
      example: '12.50',
    });

/** Text that Postgres can keep: no NUL. */
const keptText = (charsMax: number) =>
  z
    .string()
    .max(charsMax)
    .regex(new RegExp(String.raw`^[^\x00]*$`), { error: 'must hold no NUL' });

/** Entries that the metadata of one escrow may have, of the processor's fifty. */
export const ESCROW_METADATA_ENTRIES_MAX = 20;

/** Body of `POST /v1/escrow/create-intent`. */
export const CreateEscrowRequest = z
  .strictObject({
    amountUsd: cardAmount(ESCROW_USD_MIN),
    description: keptText(500).optional(),
    payee: CallerName.optional().meta({
      description:
        'Who gets the money at release, as credit: the id of an account here (acct_…), else 422; or a name or an e-mail address, and the first who shows the claimUrl of the answer is the payee. Without one, the account that made the escrow',
    }),
    expiresInHours: z.int().min(1).max(168).default(168),
    metadata: z
      .record(z.string().regex(/^[A-Za-z0-9_.-]{1,40}$/), keptText(500))
      .refine(entries => Object.keys(entries).length <= ESCROW_METADATA_ENTRIES_MAX, {
        error: `at most ${ESCROW_METADATA_ENTRIES_MAX} entries`,
      })
      .optional(),
  })
  .meta({ id: 'CreateEscrowRequest' });

/** Body of `POST /v1/escrow/intents/:intentId/release`: nothing for the whole amount. */
export const ReleaseEscrowRequest = z
  .strictObject({
    amountUsd: cardAmount('0.01').optional().meta({ description: 'Part of the amount; the rest goes back' }),
  })
  .meta({ id: 'ReleaseEscrowRequest' });

const EscrowState = z
  .enum(['REQUIRES_PAYMENT', 'HELD', 'RELEASED', 'COLLECTED', 'REFUNDED', 'CANCELLED', 'EXPIRED'])
  .meta({
    description:
      'RELEASED: the payee has got releasedUsd as credit. COLLECTED: the account that made the escrow has, being its own payee. REFUNDED: all of it went back to the payer later, by a refund or a dispute',
  });

/** An escrow: a payment that is authorised and not yet captured. */
export const EscrowIntent = z
  .object({
    intentId: IntentId,
    role: z
      .enum(['creator', 'payee'])
      .meta({ description: 'Of the account that asks; one that is its own payee is the creator' }),
    state: EscrowState,
    amountUsd: z.string(),
    releasedUsd: z.string(),
    refundedUsd: z
      .string()
      .optional()
      .meta({ description: 'Of releasedUsd, what went back to the payer later by a refund or a dispute' }),
    description: z.string().optional(),
    payee: z.string().optional(),
    payeeAccountId: AccountId.optional().meta({
      description: 'The account that gets the money; absent until a payee has claimed it',
    }),
    acceptedAt: z.iso.datetime().optional().meta({ description: 'When the payee accepted or claimed it' }),
    claimUrl: z.string().optional().meta({
      description:
        'Of the answer that makes an escrow for a payee without an account, and never shown otherwise: its holder can become the payee, so send it to the payee alone',
    }),
    metadata: z.record(z.string(), z.string()).optional(),
    clientSecret: z.string().optional().meta({
      description: 'For the payer to confirm the payment with, while the escrow asks for one',
    }),
    reference: z.string().meta({ description: 'Of the payment at the card processor, pi_…' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'EscrowIntent' });

export type EscrowIntent = z.infer<typeof EscrowIntent>;

/** Escrows in one page. */
export const ESCROW_PAGE_MAX = 200;

/** Response of `GET /v1/escrow/intents`. */
export const EscrowList = z
  .object({ items: z.array(EscrowIntent), nextCursor: z.string().nullable() })
  .meta({ id: 'EscrowList' });
export type EscrowList = z.infer<typeof EscrowList>;

/** What a claim link is shown with: enough to know what it is for. */
export const EscrowClaim = z
  .object({
    intentId: IntentId,
    state: EscrowState,
    isClaimed: z.boolean().meta({ description: 'Whether it has its payee' }),
    payee: z.string().optional().meta({ description: 'Whom it is meant for, in the words of who made it' }),
    amountUsd: z.string(),
    description: z.string().optional(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'EscrowClaim' });
export type EscrowClaim = z.infer<typeof EscrowClaim>;

const ClaimToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/)
  .meta({ description: 'The last part of a claimUrl' });
/** Body of `POST /v1/escrow/claims/:claimToken`: nothing with a key. */
export const ClaimEscrowRequest = z
  .strictObject({
    address: EvmAddress.optional().meta({
      description:
        'Without a key: the wallet of the payee. Its account is opened with the claim, and POST /v1/account/recovery makes a key of it for who signs with the wallet',
    }),
  })
  .meta({ id: 'ClaimEscrowRequest' });

const EscrowsQuery = z.strictObject({
  role: z.enum(['creator', 'payee']).optional().meta({ description: 'Both where it is not said' }),
  limit: z.coerce.number().int().min(1).max(ESCROW_PAGE_MAX).default(50),
  cursor: PageCursor.optional(),
});
const intentParams = z.object({ intentId: IntentId });
const claimParams = z.object({ claimToken: ClaimToken });

export const escrowRoutes = defineRoutes({
  createIntent: {
    operationId: 'escrow.create-intent',
    method: 'POST',
    path: '/v1/escrow/create-intent',
    summary: 'Hold a payment',
    tag: 'Escrow',
    access: 'key',
    headers: IdempotencyHeaders,
    body: { schema: CreateEscrowRequest },
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['UNPROCESSABLE', 'SETTLEMENT_UNKNOWN'],
  },
  intent: {
    operationId: 'escrow.get-intent',
    method: 'GET',
    path: '/v1/escrow/intents/:intentId',
    summary: 'State of an escrow',
    tag: 'Escrow',
    access: 'key',
    params: intentParams,
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
  },
  intents: {
    operationId: 'escrow.list-intents',
    method: 'GET',
    path: '/v1/escrow/intents',
    summary: 'Escrows that the account made, or is the payee of',
    description:
      'Newest first, as they were last heard of. The payee sees those whose payment is or was held, without clientSecret and metadata.',
    tag: 'Escrow',
    access: 'key',
    query: EscrowsQuery,
    replies: { 200: { description: 'A page', schema: EscrowList } },
  },
  accept: {
    operationId: 'escrow.accept',
    method: 'POST',
    path: '/v1/escrow/intents/:intentId/accept',
    summary: 'Accept an escrow as its payee',
    description: 'While its payment is held. Both sides see `acceptedAt`; accepted again, it stays the same.',
    tag: 'Escrow',
    access: 'key',
    params: intentParams,
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['FORBIDDEN', 'CONFLICT', 'EXPIRED'],
  },
  claimOf: {
    operationId: 'escrow.get-claim',
    method: 'GET',
    path: '/v1/escrow/claims/:claimToken',
    summary: 'What a claim link is for',
    tag: 'Escrow',
    access: 'free',
    params: claimParams,
    replies: { 200: { description: 'What it is for', schema: EscrowClaim } },
  },
  claim: {
    operationId: 'escrow.claim',
    method: 'POST',
    path: '/v1/escrow/claims/:claimToken',
    summary: 'Become the payee of an escrow by its claim link',
    description:
      'The account of the key, or without one that of the wallet `address`, is the payee from then on, and has accepted. While its payment is held.',
    tag: 'Escrow',
    access: 'free',
    params: claimParams,
    body: { schema: ClaimEscrowRequest },
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['UNKNOWN_CREDENTIAL', 'FORBIDDEN', 'UNPROCESSABLE', 'CONFLICT', 'EXPIRED'],
  },
  release: {
    operationId: 'escrow.release',
    method: 'POST',
    path: '/v1/escrow/intents/:intentId/release',
    summary: 'Release an escrow to the payee, whole or in part',
    tag: 'Escrow',
    access: 'key',
    params: intentParams,
    headers: IdempotencyHeaders,
    body: { schema: ReleaseEscrowRequest },
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['FORBIDDEN', 'UNPROCESSABLE', 'CONFLICT', 'EXPIRED', 'SETTLEMENT_UNKNOWN'],
  },
  cancel: {
    operationId: 'escrow.cancel',
    method: 'POST',
    path: '/v1/escrow/intents/:intentId/cancel',
    summary: 'Give an escrow back to the payer',
    tag: 'Escrow',
    access: 'key',
    params: intentParams,
    headers: IdempotencyHeaders,
    replies: { 200: { description: 'The escrow', schema: EscrowIntent } },
    problems: ['FORBIDDEN', 'UNPROCESSABLE', 'CONFLICT', 'EXPIRED', 'SETTLEMENT_UNKNOWN'],
  },
});

/** The account whose key came, and the request's Idempotency-Key. */
const EscrowCaller = z.object({
  accountId: AccountId,
  idempotencyKey: IdempotencyKeyText.optional(),
});

const OneIntent = z.object({ accountId: AccountId, intentId: IntentId });

/** Escrows, each of the account that made it and of its payee: to others NOT_FOUND, and what is not the asking one's to do FORBIDDEN. */
export const escrowContract = {
  create: procedure('payments', 'escrow-create', {
    request: EscrowCaller.extend({
      escrow: CreateEscrowRequest,
      /** Of the caller: what a key that came of a payment's rest opens counts by it. */
      address: z.string().max(64).optional(),
      /** Where the caller reached us: what a claim link begins with. */
      baseUrl: z.url({ protocol: /^https?$/ }).max(512),
    }),
    reply: EscrowIntent,
    timeoutMs: 30_000,
  }),
  find: procedure('payments', 'escrow-find', {
    request: OneIntent,
    reply: EscrowIntent,
    timeoutMs: 15_000,
  }),
  list: procedure('payments', 'escrow-list', {
    request: EscrowsQuery.extend({ accountId: AccountId }),
    reply: EscrowList,
    timeoutMs: 5_000,
  }),
  /** CONFLICT where it is not held, or something else is being done with it; EXPIRED past its time. */
  accept: procedure('payments', 'escrow-accept', {
    request: OneIntent,
    reply: EscrowIntent,
    timeoutMs: 15_000,
  }),
  claimOf: procedure('payments', 'escrow-claim-of', {
    request: claimParams,
    reply: EscrowClaim,
    timeoutMs: 15_000,
  }),
  /** As `accept`; CONFLICT too where another account has claimed it. UNKNOWN_CREDENTIAL without account and address. */
  claim: procedure('payments', 'escrow-claim', {
    request: z.object({
      ...claimParams.shape,
      accountId: AccountId.optional(),
      address: EvmAddress.optional(),
    }),
    reply: EscrowIntent,
    timeoutMs: 15_000,
  }),
  /** CONFLICT where it is not held, or something else is being done with it; EXPIRED past its time. */
  release: procedure('payments', 'escrow-release', {
    request: EscrowCaller.extend({ intentId: IntentId, release: ReleaseEscrowRequest }),
    reply: EscrowIntent,
    timeoutMs: 30_000,
  }),
  cancel: procedure('payments', 'escrow-cancel', {
    request: EscrowCaller.extend({ intentId: IntentId }),
    reply: EscrowIntent,
    timeoutMs: 30_000,
  }),
} as const;
