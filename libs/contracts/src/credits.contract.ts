import { z } from 'zod';
import { defineRoutes } from './route.js';
import { IdempotencyHeaders } from './wire-format.js';

export const PACK_IDS = ['pack_10', 'pack_50', 'pack_250'] as const;

/** Body of `POST /prepay-credits`. */
export const CreditPackRequest = z
  .strictObject({
    packId: z.enum(PACK_IDS).default('pack_10'),
    customerEmail: z.email().max(254).optional().meta({ description: 'Contact address for the receipt' }),
  })
  .meta({ id: 'CreditPackRequest' });

/** Response of `POST /prepay-credits`. */
export const CreditPackResult = z
  .object({
    checkoutUrl: z.url(),
    sessionId: z.string(),
    packId: z.enum(PACK_IDS),
    credits: z.int().meta({ description: 'Certificate audits that the pack buys' }),
  })
  .meta({ id: 'CreditPackResult' });

/** Response of `GET /prepay-success`. */
export const PrepayConfirmation = z
  .object({
    status: z.literal('FULFILLED'),
    sessionId: z.string(),
    packId: z.enum(PACK_IDS),
    creditsAdded: z.int(),
    credits: z.int().meta({ description: 'Balance in audits' }),
    balanceMicroUsd: z.int(),
    apiKey: z.string().optional().meta({ description: 'Shown once, to whoever completes the checkout' }),
  })
  .meta({ id: 'PrepayConfirmation' });

/** Response of `GET /v1/account`. */
export const Account = z
  .object({
    accountId: z.string(),
    plan: z.enum(['demo', 'developer', 'pro_agent', 'enterprise']),
    balanceMicroUsd: z.int(),
    credits: z.int(),
    quota: z.object({ limit: z.int().nullable(), used: z.int(), resetsAt: z.iso.datetime() }),
    keys: z.array(
      z.object({ keyId: z.string(), createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime().optional() }),
    ),
  })
  .meta({ id: 'Account' });

export const creditsRoutes = defineRoutes({
  prepayCredits: {
    operationId: 'credits.prepay',
    method: 'POST',
    path: '/prepay-credits',
    summary: 'Buy a pack of certificate audits',
    description: 'With X-SVC-KEY the pack tops up that key; without, a key is provisioned.',
    tag: 'Credits',
    access: 'free',
    available: false,
    headers: IdempotencyHeaders,
    body: { schema: CreditPackRequest },
    replies: { 200: { description: 'A hosted checkout', schema: CreditPackResult } },
  },
  prepaySuccess: {
    operationId: 'credits.prepay-success',
    method: 'GET',
    path: '/prepay-success',
    summary: 'Confirm a completed checkout',
    tag: 'Credits',
    access: 'free',
    available: false,
    query: z.object({
      session_id: z
        .string()
        .min(1)
        .max(255)
        .regex(/^[A-Za-z0-9_]+$/)
        .meta({ description: 'The checkout session' }),
    }),
    replies: { 200: { description: 'Fulfilled, with the new balance', schema: PrepayConfirmation } },
    problems: ['NOT_FOUND', 'CONFLICT'],
  },
  account: {
    operationId: 'account.get',
    method: 'GET',
    path: '/v1/account',
    summary: 'Balance, plan and quota of the key',
    tag: 'Credits',
    access: 'key',
    available: false,
    replies: { 200: { description: 'The account', schema: Account } },
  },
});
