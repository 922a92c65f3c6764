import { z } from 'zod';
import { Bytes, procedure } from './procedure.js';
import { IdempotencyKeyText } from './wire-format.js';

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
  rail: z.string().meta({ description: '`l402`, `mpp-stripe`, `mpp-lightning`, `mpp-evm`, `x402`, `spt`' }),
  scheme: z.enum(['L402', 'Payment', 'x402', 'SPT']),
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

/** A key of an account as it came in: `svc_live_<id>_<secret>`, or `svc_test_…`. */
export const AccountKeyText = z.string().min(1).max(256);

/** Where a call is counted against a plan, as the `RateLimit` fields say it. */
export const QuotaState = z.object({
  plan: z.enum(['demo', 'developer', 'pro_agent', 'enterprise']),
  /** Requests a month; null is unlimited. */
  limit: z.number().int().nullable(),
  used: z.number().int(),
  /** First instant of the next month, UTC. */
  resetsAt: z.iso.datetime(),
});
export type QuotaState = z.infer<typeof QuotaState>;

/**
 * What a payment left over, on a key that only its payer can ask for: told to whoever presents the original
 * credential, and to nobody else.
 */
export const PaymentCredit = z.object({ key: z.string(), balanceMicroUsd: z.number().int() });
export type PaymentCredit = z.infer<typeof PaymentCredit>;

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

/** The request that a payment is for, as the signed receipt of its answer names it. */
export const CalledRequest = z.object({
  /** Path of the URL that was called, without its query. */
  path: z.string().startsWith('/').max(2_048),
  /** SHA-256 over method, path with query, and SHA-256 of the body's bytes: see `requestHashText` of `@svc/protocols`. */
  requestHash: RequestDigest,
});
export type CalledRequest = z.infer<typeof CalledRequest>;

export const Receipt = z.object({
  rail: z.string(),
  reference: z.string(),
  amountMicroUsd: z.number().int(),
  amountSats: z.number().int(),
  timestamp: z.iso.datetime(),
  /**
   * Headers that the rail's protocol wants on a 2xx answer, `Payment-Receipt` among them; of what was delivered, its signed receipt,
   * `SVC-Receipt`, too.
   */
  headers: z.record(z.string(), z.string()),
});
export type Receipt = z.infer<typeof Receipt>;

/**
 * Whether the payer may give up the work once it has begun, and have the payment back. After some times it may not:
 * the work is then done to its end, and its answer is what the payment has bought.
 */
export const CanBeGivenUp = z.boolean().default(true);

/** Limits of the key that paid: of its caps the one that leaves least, and what it may pay for. */
export const KeySpending = z.object({
  cap: z.object({ capMicroUsd: z.int(), spentMicroUsd: z.int() }).optional(),
  operations: z.array(z.string()).optional(),
});
export type KeySpending = z.infer<typeof KeySpending>;

/** What is left for the key that paid, the price taken off: on its account, and of its caps. */
export const leftForKey = { balanceMicroUsd: z.int().min(0).optional(), limits: KeySpending.optional() };

/**
 * What the account of a key had left when it was last looked at, for calls that are sold once they are answered: how much work may be
 * done for it before it is asked for the money.
 */
export const Purse = z.object({
  accountId: z.string().max(64),
  balanceMicroUsd: z.int().min(0),
  /** Calls that the quota of its plan pays, beside. */
  quotaCalls: z.int().min(0),
  limits: KeySpending.optional(),
});
export type Purse = z.infer<typeof Purse>;

/** It was delivered before: the stored answer, with the first receipt. */
const Replayed = z.object({
  outcome: z.literal('replayed'),
  response: StoredResponse,
  receipt: Receipt,
  credit: PaymentCredit.optional(),
  quota: QuotaState.optional(),
  ...leftForKey,
});

export const ClaimReply = z.discriminatedUnion('outcome', [
  /** The caller, and nobody else, may run the request now; the lease bounds how long. */
  z.object({
    outcome: z.literal('claimed'),
    claimId: z.uuid(),
    attempt: z.number().int(),
    receipt: Receipt,
    canBeGivenUp: CanBeGivenUp,
    /** The account whose key or bundle pays, where one does. */
    accountId: z.string().max(64).optional(),
    credit: PaymentCredit.optional(),
    quota: QuotaState.optional(),
    /** Where the operation may be sold once it is answered. */
    purse: Purse.optional(),
    ...leftForKey,
  }),
  Replayed,
]);
export type ClaimReply = z.infer<typeof ClaimReply>;

export const SaleReply = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('sold'),
    receipt: Receipt,
    quota: QuotaState.optional(),
    purse: Purse,
  }),
  Replayed,
  /** The request was paid for before and not answered: it has to be claimed, and runs under that claim. */
  z.object({ outcome: z.literal('to-be-claimed') }),
]);
export type SaleReply = z.infer<typeof SaleReply>;

/** Who is paid by card: the profile that tokens are granted to, the account, and its name. */
export const Payee = z.object({
  networkId: z.string().max(128),
  destination: z.string().max(128),
  destinationName: z.string().max(128),
});
export type Payee = z.infer<typeof Payee>;

/** Headers of an answer that was delivered, in the place of those of its claim's receipt: the signed receipt. */
const DeliveryHeaders = z.record(z.string(), z.string());

/** One attempt's claim on a payment. */
export const ClaimHandle = z.object({ claimId: z.uuid(), attempt: z.number().int() });
export type ClaimHandle = z.infer<typeof ClaimHandle>;

/** How often who runs a call says that its claim is held, milliseconds: several times within the lease of a claim. */
export const CLAIM_HEARTBEAT_MS = 2_500;
/** Claims of one heartbeat. */
export const CLAIM_HEARTBEATS_MAX = 500;

/** A call that was counted in the quota of a caller, as {@link paymentsContract.uncount} takes it back. */
export const CountedCall = z.object({ subject: z.string().max(128), resetsAt: z.iso.datetime() });
export type CountedCall = z.infer<typeof CountedCall>;

export const paymentsContract = {
  /** Makes a fresh challenge at the operation's price over every rail that can settle now, or over those that are named. */
  challenge: procedure('payments', 'challenge', {
    request: z.object({
      operationId: OperationId,
      realm: z.string().max(255),
      /** URL that the client called. */
      resource: z.string().max(2_048).optional(),
      description: z.string().max(200).optional(),
      /**
       * Whose offers are wanted, where not all: an offer of Lightning costs an invoice. A rail that can settle and does not take so little
       * has none.
       */
      families: z
        .array(z.enum(['lightning', 'stripe', 'x402']))
        .min(1)
        .optional(),
      /** Of an L402 bundle, which has an offer of L402 alone. */
      bundle: z
        .object({ capabilities: z.array(z.string().max(64)).min(1), validSeconds: z.int().min(1) })
        .optional(),
    }),
    reply: ChallengeReply,
    timeoutMs: 5_000,
  }),
  /**
   * Verifies what the caller pays with, settles it and claims it for the request. Exactly one concurrent caller gets
   * `claimed`. A credential pays where there is one; else the key's account pays, from its plan's quota or its credit.
   * Otherwise a problem: UNKNOWN_CREDENTIAL (401), PAYMENT_* (402), FORBIDDEN (403), PAYMENT_IN_FLIGHT (409),
   * UNPROCESSABLE (422: the Idempotency-Key came with another body), SETTLEMENT_UNKNOWN (503). The members of
   * PAYMENT_IN_FLIGHT are a {@link ClaimHandle}, by which the caller finds who holds the claim. A refusal after which
   * the payer has credit carries a {@link PaymentCredit} as member `credit`. With `standingOnly` nothing is claimed or taken: what was
   * bought before is given again, and anything else is OVERLOADED (503), for callers that have no room for the work.
   */
  claim: procedure('payments', 'claim', {
    request: z.object({
      operationId: OperationId,
      requestDigest: RequestDigest,
      credential: PaymentCredential.optional(),
      accountKey: AccountKeyText.optional(),
      idempotencyKey: IdempotencyKeyText.optional(),
      /** What the signed receipt of the answer is to name; without it there is none. */
      called: CalledRequest.optional(),
      standingOnly: z.boolean().optional(),
      /**
       * The work ends with the call, whose delivery is durable. Two commits before it need not wait for the disk, because losing them costs
       * neither side: the hold of a key for an operation without an effect, and the settlement of a claim that is durable.
       */
      lazily: z.boolean().optional(),
    }),
    reply: ClaimReply,
    timeoutMs: 30_000,
  }),
  /**
   * Sells an answer that is there, of an operation that may run first, to the account of a key: debit, claim and answer in one commit.
   * The same request may be asked for again: it finds its answer sold. Problems are those of {@link claim}.
   */
  sell: procedure('payments', 'sell', {
    request: z.object({
      operationId: OperationId,
      requestDigest: RequestDigest,
      accountKey: AccountKeyText,
      idempotencyKey: IdempotencyKeyText.optional(),
      /** As of {@link paymentsContract.claim}. */
      called: CalledRequest.optional(),
      /** Id that the sale is to have, and its time: the receipt names both, and the work may have been told of it. */
      claimId: z.uuid(),
      soldAt: z.iso.datetime(),
      response: StoredResponse,
    }),
    reply: SaleReply,
    timeoutMs: 5_000,
  }),
  /** The answer that a claim paid by key has bought, while it is kept, to a key of the account that paid. UNKNOWN_CREDENTIAL, NOT_FOUND. */
  boughtAnswer: procedure('payments', 'bought-answer', {
    request: z.object({ claimId: z.uuid(), accountKey: AccountKeyText }),
    reply: StoredResponse,
    timeoutMs: 5_000,
  }),
  /** Records the delivery, once, before the answer leaves. CONFLICT when the claim was lost to another. */
  deliver: procedure('payments', 'deliver', {
    request: ClaimHandle.extend({ response: StoredResponse }),
    reply: z.object({ deliveredAt: z.iso.datetime(), headers: DeliveryHeaders.optional() }),
    timeoutMs: 5_000,
  }),
  /** What the answer says of its delivery that an attempt has made: what `deliver` has said of it. CONFLICT where it has made none. */
  delivery: procedure('payments', 'delivery', {
    request: ClaimHandle,
    reply: z.object({ headers: DeliveryHeaders }),
    timeoutMs: 2_000,
  }),
  /**
   * Gives the claim back after a failure: its amount becomes credit, of the account that paid or of a key that only the
   * payer can ask for, and the same credential may try again while that credit is there. True also when the same attempt
   * asks again, false when the claim is another's by now, or was delivered. `givenUp`: the payer gave up work that had
   * begun. `credit` is what to tell the payer.
   */
  release: procedure('payments', 'release', {
    request: ClaimHandle.extend({ reason: z.string().max(500), givenUp: z.boolean().default(false) }),
    reply: z.object({ released: z.boolean(), credit: PaymentCredit.optional() }),
    timeoutMs: 5_000,
  }),
  /**
   * Counts a call of a route with a quota: by the key's account, else by the caller's address. `over` when the month's
   * requests are used up; nothing is counted then. UNKNOWN_CREDENTIAL for a key that is none.
   */
  count: procedure('payments', 'count', {
    request: z.object({
      operationId: OperationId,
      accountKey: AccountKeyText.optional(),
      /** Address of the caller, or the /64 of it. */
      address: z.string().max(64),
    }),
    reply: z.object({ outcome: z.enum(['counted', 'over']), subject: z.string(), quota: QuotaState }),
    timeoutMs: 5_000,
  }),
  /**
   * Takes a counted call back that was not answered. Of those that come with the same `callKey` the first one does:
   * whoever does not know what became of its request asks again.
   */
  uncount: procedure('payments', 'uncount', {
    request: CountedCall.extend({ callKey: z.string().min(1).max(64).optional() }),
    reply: z.object({}),
    timeoutMs: 5_000,
  }),
  /** Holds the claims of calls that run; replies with those that still are their attempts'. */
  heartbeat: procedure('payments', 'heartbeat', {
    request: z.object({ claims: z.array(ClaimHandle).min(1).max(CLAIM_HEARTBEATS_MAX) }),
    reply: z.object({ held: z.array(z.uuid()) }),
    timeoutMs: 2_000,
  }),
  /** Holds a claim for minutes, for work that outlives its call; false when it is another's by now. What it has delivered it may deliver again. */
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
  /** Who is paid by card, as the tool catalogue names it; empty where no card processor is configured. */
  payee: procedure('payments', 'payee', {
    request: z.object({}),
    reply: Payee,
    timeoutMs: 5_000,
  }),
  /** Pays an invoice of the sandbox Lightning node. FORBIDDEN outside the sandbox. */
  sandboxPay: procedure('payments', 'sandbox-pay', {
    request: z.object({ invoice: z.string().max(4_096) }),
    reply: z.object({ preimage: z.string(), paymentHash: z.string(), amountSats: z.number().int() }),
    timeoutMs: 5_000,
  }),
} as const;
