import { z } from 'zod';
import { AccountId, byOperator } from './account.contract.js';
import { ADMIN_PAGE_MAX } from './admin.contract.js';
import { PaymentCredential } from './payments.contract.js';
import { procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { IdempotencyKeyText, PageCursor, PlainText } from './wire-format.js';

/** What an operator's key must be good for to refund. */
export const REFUND_SCOPE = 'admin:refunds';
/** Largest refund, micro-USD: no claim was charged more. */
export const REFUND_MICRO_USD_MAX = 10_000_000_000;
/** How long a refund waits for the invoice of its payer before it becomes credit, days. */
export const INVOICE_WAIT_DAYS = 30;
/** Longest text of a BOLT 11 invoice that is read. */
export const REFUND_INVOICE_CHARS_MAX = 2_048;

/**
 * - `requested`: booked, and not handed to a rail yet; by Lightning, it waits for an invoice.
 * - `sent`: a rail was asked, and has not answered.
 * - `done`: the money is with the payer.
 * - `refused`: nothing was moved; the amount is where it was before.
 * - `unknown`: the rail has not said what became of it, and is asked again; it is never sent again.
 */
export const RefundState = z.enum(['requested', 'sent', 'done', 'refused', 'unknown']);
export type RefundState = z.infer<typeof RefundState>;

const ClaimId = z.uuid().meta({ description: 'The purchase: `claimId` of ledger entries, `id` of receipts' });

/** Body of `POST /v1/admin/refunds`. */
export const RefundRequest = z
  .strictObject({
    claimId: ClaimId,
    microUsd: z.int().min(1).max(REFUND_MICRO_USD_MAX).optional().meta({
      description: 'How much; absent: all that is left to refund, down to a whole unit of the rail',
    }),
    to: z.enum(['origin', 'credit']).meta({
      description: 'The way that the payment came, or credit on the account of who paid',
    }),
    reason: PlainText.trim().min(3).max(200),
  })
  .meta({ id: 'RefundRequest' });
export type RefundRequest = z.output<typeof RefundRequest>;

/** A refund as operators see it. */
export const Refund = z
  .object({
    refundId: z.uuid(),
    claimId: z.uuid(),
    state: RefundState,
    to: z.enum(['origin', 'credit']),
    by: z.enum(['stripe', 'x402', 'lightning', 'account']).meta({
      description: 'The rail that moves it; `account`: it is credit',
    }),
    microUsd: z.int(),
    fromCreditMicroUsd: z.int().meta({
      description: 'How much of it was taken from credit that the payment had left; the rest is of the house',
    }),
    reason: z.string(),
    accountId: AccountId.optional().meta({ description: 'Whose credit it became, or was taken from' }),
    reference: z.string().optional().meta({
      description: 'Of the movement: `re_…`, a transaction hash, the payment hash of the invoice',
    }),
    detail: z.string().optional().meta({ description: 'Why it is not done' }),
    requestedAt: z.iso.datetime(),
    sentAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
  })
  .meta({ id: 'Refund' });
export type Refund = z.infer<typeof Refund>;

const RefundPage = z
  .object({ items: z.array(Refund), nextCursor: z.string().nullable() })
  .meta({ id: 'RefundPage' });
const RefundsQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(ADMIN_PAGE_MAX).default(50),
  cursor: PageCursor.optional(),
  claimId: ClaimId.optional(),
  state: RefundState.optional(),
});
export type RefundsQuery = z.output<typeof RefundsQuery>;

/** Body of `POST /v1/refunds/lightning`. */
export const LightningRefundRequest = z
  .strictObject({
    invoice: z
      .string()
      .min(1)
      .max(REFUND_INVOICE_CHARS_MAX)
      .regex(/^[A-Za-z0-9]+$/, { error: 'a BOLT 11 invoice' })
      .meta({ description: 'BOLT 11, over exactly the amount of the refund, payable for a minute at least' }),
  })
  .meta({ id: 'LightningRefundRequest' });

/** What became of an invoice that the payer brought. */
export const LightningRefund = z
  .object({
    refundId: z.uuid(),
    state: RefundState,
    microUsd: z.int(),
    sats: z.int(),
    paymentHash: z.string().meta({ description: 'Of the invoice that is paid, or was' }),
    detail: z.string().optional().meta({ description: 'Why it is not done' }),
  })
  .meta({ id: 'LightningRefund' });
export type LightningRefund = z.infer<typeof LightningRefund>;

const RefundHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .meta({ description: 'Needed: the same value for every retry of one refund' }),
});
const refundParams = z.object({ refundId: z.uuid().meta({ description: 'Id of a refund' }) });
const ADMIN = { tag: 'Admin', access: 'admin' } as const;

export const refundsRoutes = defineRoutes({
  refund: {
    ...ADMIN,
    operationId: 'admin.refund',
    method: 'POST',
    path: '/v1/admin/refunds',
    summary: 'Refund a payment, whole or in part',
    description:
      'Needs the scope `admin:refunds` and an `Idempotency-Key`. At most what was settled, less what was refunded and disputed. By card and on a chain it is sent at once; by Lightning it waits for an invoice of the payer; to credit it is done at once.',
    headers: RefundHeaders,
    body: { schema: RefundRequest },
    replies: { 201: { description: 'The refund as it stands', schema: Refund } },
    problems: ['UNPROCESSABLE', 'NOT_FOUND', 'CONFLICT'],
  },
  refunds: {
    ...ADMIN,
    operationId: 'admin.refunds',
    method: 'GET',
    path: '/v1/admin/refunds',
    summary: 'Refunds, the newest first',
    description: 'Needs the scope `admin:refunds`.',
    query: RefundsQuery,
    replies: { 200: { description: 'A page', schema: RefundPage } },
  },
  findRefund: {
    ...ADMIN,
    operationId: 'admin.find-refund',
    method: 'GET',
    path: '/v1/admin/refunds/:refundId',
    summary: 'A refund as it stands',
    description: 'Needs the scope `admin:refunds`.',
    params: refundParams,
    replies: { 200: { description: 'The refund', schema: Refund } },
  },
  lightning: {
    operationId: 'refunds.lightning',
    method: 'POST',
    path: '/v1/refunds/lightning',
    summary: 'Have a refund of a Lightning payment paid to an invoice',
    description:
      'With the L402 or Lightning credential that was paid with, in `Authorization`. The invoice is over exactly the amount of a refund that waits; a refund is paid once. The same invoice again says what became of it.',
    tag: 'Payments',
    access: 'free',
    body: { schema: LightningRefundRequest },
    replies: { 200: { description: 'What became of it', schema: LightningRefund } },
    problems: ['IDENTITY_UNPROVED', 'NOT_FOUND', 'CONFLICT', 'UNPROCESSABLE'],
  },
});

/** Money that goes back. What operators ask carries their key and is recorded, in the transaction of what it does. */
export const refundsContract = {
  /** NOT_FOUND; CONFLICT while the claim is at work; UNPROCESSABLE for what cannot be refunded, and another refund under the key. */
  refund: procedure('payments', 'admin-refund', {
    request: RefundRequest.extend({ ...byOperator, idempotencyKey: IdempotencyKeyText }),
    reply: Refund,
    timeoutMs: 45_000,
  }),
  refunds: procedure('payments', 'admin-refunds', {
    request: RefundsQuery.extend(byOperator),
    reply: RefundPage,
    timeoutMs: 5_000,
  }),
  findRefund: procedure('payments', 'admin-find-refund', {
    request: refundParams.extend(byOperator),
    reply: Refund,
    timeoutMs: 5_000,
  }),
  /** IDENTITY_UNPROVED for a credential that is none; NOT_FOUND without a refund that waits; UNPROCESSABLE for another invoice. */
  lightning: procedure('payments', 'refund-lightning', {
    request: LightningRefundRequest.extend({ credential: PaymentCredential.optional() }),
    reply: LightningRefund,
    timeoutMs: 45_000,
  }),
} as const;
