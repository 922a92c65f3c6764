import { z } from 'zod';
import { AccountId } from './account.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { CallerName, IdempotencyHeaders, IdempotencyKeyText, unguessableId } from './wire-format.js';

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
        'Who gets the money at release, as credit: the id of an account here (acct_…), else 422; without one, the account that made the escrow',
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

/** An escrow: a payment that is authorised and not yet captured. */
export const EscrowIntent = z
  .object({
    intentId: IntentId,
    state: z.enum(['REQUIRES_PAYMENT', 'HELD', 'RELEASED', 'CANCELLED', 'EXPIRED']),
    amountUsd: z.string(),
    releasedUsd: z.string(),
    description: z.string().optional(),
    payee: z.string().optional(),
    metadata: z.record(z.string(), z.string()).optional(),
    clientSecret: z.string().optional().meta({
      description: 'For the payer to confirm the payment with, while the escrow asks for one',
    }),
    reference: z.string().meta({ description: 'Of the payment at the card processor, pi_…' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'EscrowIntent' });

const intentParams = z.object({ intentId: IntentId });

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
    problems: ['UNPROCESSABLE', 'CONFLICT', 'EXPIRED', 'SETTLEMENT_UNKNOWN'],
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
    problems: ['UNPROCESSABLE', 'CONFLICT', 'EXPIRED', 'SETTLEMENT_UNKNOWN'],
  },
});

/** The account whose key came, and the request's Idempotency-Key. */
const EscrowCaller = z.object({
  accountId: AccountId,
  idempotencyKey: IdempotencyKeyText.optional(),
});

/** Escrows, each its account's: of another account's, NOT_FOUND. */
export const escrowContract = {
  create: procedure('payments', 'escrow-create', {
    request: EscrowCaller.extend({
      escrow: CreateEscrowRequest,
      /** Of the caller: what a key that came of a payment's rest opens counts by it. */
      address: z.string().max(64).optional(),
    }),
    reply: EscrowIntent,
    timeoutMs: 30_000,
  }),
  find: procedure('payments', 'escrow-find', {
    request: z.object({ accountId: AccountId, intentId: IntentId }),
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
