import { z } from 'zod';
import { Bytes, procedure } from './procedure.js';

/** Operations that have a price, by a stable id; the price list is `@svc/protocols` pricing. */
export const OperationId = z
  .string()
  .regex(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/)
  .max(64);

/** SHA-256 of operation id and JCS of the validated body: what a payment is bound to. */
export const RequestDigest = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * One way to pay one challenge, ready to be sent. `header` is the whole value of a
 * `WWW-Authenticate` line; other rails add headers and body members of their own.
 */
export const RailOffer = z.object({
  rail: z.string().meta({ description: '`l402`, `mpp-lightning`, later `mpp-stripe`, `x402`, `spt`' }),
  scheme: z.enum(['L402', 'Payment', 'x402']),
  /** The MPP method and intent, for the filter by `Accept-Payment`. */
  method: z.string().optional(),
  intent: z.string().optional(),
  wwwAuthenticate: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
});
export type RailOffer = z.infer<typeof RailOffer>;

export const ChallengeReply = z.object({
  /** `v1.<b64url JCS>.<b64url HMAC>`: header `X-402-Challenge` and body member `challengeToken`. */
  challengeToken: z.string(),
  amountMicroUsd: z.number().int(),
  amountSats: z.number().int(),
  expiresAt: z.iso.datetime(),
  offers: z.array(RailOffer),
});
export type ChallengeReply = z.infer<typeof ChallengeReply>;

/** A payment credential as it came in, not yet looked at. */
export const PaymentCredential = z.object({
  scheme: z.enum(['L402', 'Payment', 'x402', 'SPT']),
  /** The header's value without the scheme name. */
  value: z.string().max(16_384),
  /** The echoed `X-402-Challenge`, for credentials that carry no price of their own. */
  challengeToken: z.string().max(4_096).optional(),
});
export type PaymentCredential = z.infer<typeof PaymentCredential>;

/** An answer kept for the payer, whole, so that a lost one can be given again. */
export const StoredResponse = z.object({
  status: z.number().int(),
  contentType: z.string(),
  body: Bytes,
});
export type StoredResponse = z.infer<typeof StoredResponse>;

export const Receipt = z.object({
  rail: z.string(),
  reference: z.string(),
  amountMicroUsd: z.number().int(),
  amountSats: z.number().int(),
  timestamp: z.iso.datetime(),
  /** Headers that the rail's protocol wants on a 2xx answer, `Payment-Receipt` among them. */
  headers: z.record(z.string(), z.string()),
});
export type Receipt = z.infer<typeof Receipt>;

/**
 * Whether the payer may give up the work once it has begun, and have the payment back. After some times it may not:
 * the work is then done to its end, and its answer is what the payment has bought.
 */
export const CanBeGivenUp = z.boolean().default(true);

export const ClaimReply = z.discriminatedUnion('outcome', [
  /** The caller, and nobody else, may run the request now; the lease bounds how long. */
  z.object({
    outcome: z.literal('claimed'),
    claimId: z.uuid(),
    attempt: z.number().int(),
    receipt: Receipt,
    canBeGivenUp: CanBeGivenUp,
  }),
  /** It was delivered before: the stored answer, with the first receipt. */
  z.object({ outcome: z.literal('replayed'), response: StoredResponse, receipt: Receipt }),
]);
export type ClaimReply = z.infer<typeof ClaimReply>;

/** One attempt's claim on a payment. */
export const ClaimHandle = z.object({ claimId: z.uuid(), attempt: z.number().int() });
export type ClaimHandle = z.infer<typeof ClaimHandle>;

export const paymentsContract = {
  /** Makes a fresh challenge at the operation's price over every rail that can settle now. */
  challenge: procedure('payments', 'challenge', {
    request: z.object({
      operationId: OperationId,
      realm: z.string().max(255),
      description: z.string().max(200).optional(),
    }),
    reply: ChallengeReply,
    timeoutMs: 5_000,
  }),
  /**
   * Verifies a credential and claims its proof key. Exactly one concurrent caller gets `claimed`.
   * Otherwise a problem: PAYMENT_* (402), PAYMENT_IN_FLIGHT (409), SETTLEMENT_UNKNOWN (503). The members of
   * PAYMENT_IN_FLIGHT are a {@link ClaimHandle}, by which the caller finds who holds the claim.
   */
  claim: procedure('payments', 'claim', {
    request: z.object({
      operationId: OperationId,
      requestDigest: RequestDigest,
      credential: PaymentCredential,
    }),
    reply: ClaimReply,
    timeoutMs: 15_000,
  }),
  /** Records the delivery, once, before the answer leaves. CONFLICT when the claim was lost to another. */
  deliver: procedure('payments', 'deliver', {
    request: ClaimHandle.extend({ response: StoredResponse }),
    reply: z.object({ deliveredAt: z.iso.datetime() }),
    timeoutMs: 5_000,
  }),
  /**
   * Gives the claim back after a failure: the same credential may try again. True also when the same attempt asks again,
   * false when the claim is another's by now, or was delivered. `givenUp`: the payer gave up work that had begun.
   */
  release: procedure('payments', 'release', {
    request: ClaimHandle.extend({ reason: z.string().max(500), givenUp: z.boolean().default(false) }),
    reply: z.object({ released: z.boolean() }),
    timeoutMs: 5_000,
  }),
  /** Holds a claim for longer, for work that outlives its call; false when it is another's by now, or was delivered. */
  renew: procedure('payments', 'renew', {
    request: ClaimHandle,
    reply: z.object({ renewed: z.boolean() }),
    timeoutMs: 5_000,
  }),
  /** Rails that can settle now. */
  rails: procedure('payments', 'rails', {
    request: z.object({}),
    reply: z.object({ rails: z.array(z.string()), sandbox: z.boolean() }),
    timeoutMs: 2_000,
  }),
  /** Pays an invoice of the sandbox Lightning node. FORBIDDEN outside the sandbox. */
  sandboxPay: procedure('payments', 'sandbox-pay', {
    request: z.object({ invoice: z.string().max(4_096) }),
    reply: z.object({ preimage: z.string(), paymentHash: z.string(), amountSats: z.number().int() }),
    timeoutMs: 5_000,
  }),
} as const;
