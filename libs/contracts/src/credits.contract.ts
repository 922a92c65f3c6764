import { z } from 'zod';
import { AccountId } from './account.contract.js';
import { ClaimHandle, PaymentCredit, StoredResponse } from './payments.contract.js';
import { Bytes, procedure } from './procedure.js';
import { ProductCatalogItem } from './product-catalog.js';
import { defineRoutes } from './route.js';
import { IdempotencyHeaders } from './wire-format.js';

export const PACK_IDS = ['pack_10', 'pack_50', 'pack_250'] as const;
/** What can be subscribed to by a purchase link. */
export const PURCHASE_TIERS = ['developer_sdk', 'enterprise_sam', 'bullion_pro_trader'] as const;

const SessionId = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[A-Za-z0-9_]+$/)
  .meta({ description: 'The checkout session' });

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

/** Response of `GET /prepay-success`: of a pack its credits, of a subscription its plan. */
export const PrepayConfirmation = z
  .object({
    status: z.literal('FULFILLED'),
    sessionId: z.string(),
    accountId: AccountId,
    packId: z.enum(PACK_IDS).optional(),
    tier: z.enum(PURCHASE_TIERS).optional(),
    creditsAdded: z.int(),
    credits: z.int().meta({ description: 'Balance in audits' }),
    balanceMicroUsd: z.int(),
    apiKey: z.string().optional().meta({ description: 'Shown once, to whoever completes the checkout' }),
    licenseKey: z.string().optional().meta({ description: 'Shown once, beside the key' }),
    keyShownAt: z.iso.datetime().optional().meta({ description: 'When the key was shown, where it was' }),
  })
  .meta({ id: 'PrepayConfirmation' });

/** Dollars of the largest top-up. */
export const TOP_UP_USD_MAX = 1_000;

/** Body of `POST /v1/account/top-up`: an amount, or a pack of `POST /prepay-credits`. */
export const TopUpRequest = z
  .strictObject({
    usd: z
      .string()
      .regex(/^(0|[1-9][0-9]{0,3})(\.[0-9]{1,2})?$/, {
        error: 'a decimal number of dollars and cents, as "5.00"',
      })
      .refine(text => Number(text) > 0, { error: 'must be more than 0' })
      .refine(text => Number(text) <= TOP_UP_USD_MAX, { error: `must be at most ${TOP_UP_USD_MAX}` })
      .optional()
      .meta({ description: 'What to pay, and what the credit is: decimal dollars, 0.01 to 1,000' }),
    packId: z
      .enum(PACK_IDS)
      .optional()
      .meta({ description: 'A pack in place of an amount; `pack_10` where neither comes' }),
  })
  .refine(({ usd, packId }) => usd === undefined || packId === undefined, {
    error: 'send usd or packId, and not both',
    path: ['packId'],
  })
  .meta({ id: 'TopUpRequest' });
export type TopUpRequest = z.output<typeof TopUpRequest>;

/** Answer of `POST /v1/account/top-up`. */
export const TopUpResult = z
  .object({
    accountId: AccountId,
    creditedMicroUsd: z.int(),
    balanceMicroUsd: z.int().meta({ description: 'What the account had just after' }),
    keyIn: z.literal('X-SVC-KEY').optional().meta({
      description: 'Without a key beside the payment: the header with the key that the credit lies on',
    }),
  })
  .meta({ id: 'TopUpResult' });
export type TopUpResult = z.infer<typeof TopUpResult>;

/** Response of `POST /webhooks/stripe`. */
export const WebhookReceipt = z
  .object({ received: z.literal(true), outcome: z.enum(['done', 'duplicate', 'ignored']) })
  .meta({ id: 'WebhookReceipt' });

export const creditsRoutes = defineRoutes({
  topUp: {
    operationId: 'account.top-up',
    method: 'POST',
    path: '/v1/account/top-up',
    summary: 'Turn a payment into credit',
    description:
      'Costs what it credits, by any rail. A key beside the payment says whose credit it is; without one it lies on a key of its own, in `X-SVC-KEY`, which the same credential is shown again. A key alone is asked for the payment.',
    tag: 'Credits',
    access: 'paid',
    headers: IdempotencyHeaders,
    body: { schema: TopUpRequest },
    replies: {
      200: {
        description: 'The credit is there',
        schema: TopUpResult,
        headers: {
          'Payment-Receipt': 'Receipt of the payment',
          'X-SVC-KEY': 'The key that the credit lies on',
        },
      },
    },
  },
  prepayCredits: {
    operationId: 'credits.prepay',
    method: 'POST',
    path: '/prepay-credits',
    summary: 'Buy a pack of certificate audits',
    description:
      'With X-SVC-KEY the pack tops up that key; without, a key is provisioned, and an Idempotency-Key has at least 16 characters that nobody guesses, best a UUID: whoever repeats it gets the same checkout.',
    tag: 'Credits',
    access: 'free',
    headers: IdempotencyHeaders,
    body: { schema: CreditPackRequest },
    replies: { 200: { description: 'A hosted checkout', schema: CreditPackResult } },
    problems: ['UNKNOWN_CREDENTIAL', 'UNPROCESSABLE', 'CONFLICTING_CREDENTIALS'],
  },
  prepaySuccess: {
    operationId: 'credits.prepay-success',
    method: 'GET',
    path: '/prepay-success',
    summary: 'Confirm a completed checkout',
    tag: 'Credits',
    access: 'free',
    description: 'A browser (Accept: text/html) gets a page. The key is in the first answer alone.',
    query: z.object({ session_id: SessionId }),
    replies: { 200: { description: 'Fulfilled, with the new balance', schema: PrepayConfirmation } },
    problems: ['NOT_FOUND', 'CHECKOUT_UNPAID'],
  },
  stripeWebhook: {
    operationId: 'webhooks.stripe',
    method: 'POST',
    path: '/webhooks/stripe',
    summary: 'Signed notifications of the card processor',
    description: 'The raw body is verified against Stripe-Signature; each event has its effect once.',
    tag: 'Credits',
    access: 'free',
    headers: z.object({ 'Stripe-Signature': z.string().max(1_024).optional() }),
    body: { schema: z.looseObject({}).meta({ id: 'StripeEvent' }), raw: true },
    bodyBytesMax: 262_144,
    replies: { 200: { description: 'Taken', schema: WebhookReceipt } },
    problems: ['WEBHOOK_INVALID'],
  },
});

/** Where the caller reached us: what a hosted checkout sends the browser back to. */
const BaseUrl = z.url().max(512);

/** Checkouts at the card processor. SERVICE_UNAVAILABLE where the deployment has none, or it is away. */
export const checkoutContract = {
  /**
   * Turns the amount of a held claim into credit, and delivers it: the answer is recorded with the credit. Of the account, or where there is
   * none of one that the payment makes. CONFLICT where the claim is another attempt's by now.
   */
  topUp: procedure('payments', 'top-up', {
    request: ClaimHandle.extend({ accountId: AccountId.optional() }),
    reply: z.object({ response: StoredResponse, credit: PaymentCredit.optional() }),
    timeoutMs: 5_000,
  }),
  /** UNPROCESSABLE: the Idempotency-Key came with another body. */
  prepay: procedure('payments', 'prepay', {
    request: z.object({
      pack: CreditPackRequest,
      baseUrl: BaseUrl,
      /** Whose credit the pack tops up; without, its purchase makes an account. */
      accountId: AccountId.optional(),
      idempotencyKey: z.string().min(1).max(255).optional(),
      /** Address of a caller without an account, within which its Idempotency-Key is its own. */
      address: z.string().max(64),
    }),
    reply: CreditPackResult,
    timeoutMs: 30_000,
  }),
  /** Fulfils what was paid. NOT_FOUND for a session that is none of ours, CHECKOUT_UNPAID. */
  confirm: procedure('payments', 'confirm-checkout', {
    request: z.object({
      sessionId: SessionId,
      /** Exactly one of all who ask is shown the key; false leaves it to somebody else. */
      showKey: z.boolean().default(true),
    }),
    reply: PrepayConfirmation,
    timeoutMs: 30_000,
  }),
  /** WEBHOOK_INVALID (400) without a good and recent signature. */
  webhook: procedure('payments', 'stripe-webhook', {
    request: z.object({ payload: Bytes, signature: z.string().max(1_024).optional() }),
    reply: WebhookReceipt,
    timeoutMs: 30_000,
  }),
  /** Engine of the tool `create_purchase_link`. */
  purchaseLink: procedure('payments', 'purchase-link', {
    request: z.object({
      tier: z.enum(PURCHASE_TIERS).default('developer_sdk'),
      workEmail: z.email().max(254).optional(),
      baseUrl: BaseUrl,
      /** Who pays for the call, within whom an Idempotency-Key is its own. */
      payer: z.string().min(1).max(100),
      idempotencyKey: z.string().min(1).max(255).optional(),
    }),
    reply: z.object({ checkoutUrl: z.url(), processorAccount: z.string(), fulfillment: z.string() }),
    timeoutMs: 30_000,
  }),
  /** Engine of the tool `get_product_catalog`. */
  catalog: procedure('payments', 'product-catalog', {
    request: z.object({}),
    reply: z.object({ catalog: z.array(ProductCatalogItem) }),
    timeoutMs: 5_000,
  }),
} as const;
