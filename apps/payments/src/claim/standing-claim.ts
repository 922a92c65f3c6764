import {
  type ClaimHandle,
  type ClaimReply,
  type PaymentCredit,
  paymentsContract,
  type StoredResponse,
} from '@svc/contracts';
import { prepared, problem, type ProblemError } from '@svc/platform';
import type { RailFamily } from '../rail/rail.js';
import { type CalledUrl, StoredReceipt } from '../receipt/stored-receipt.js';

/** How long a claim is held for who runs its request, from its newest heartbeat: so long a payer waits whose gateway has died. */
export const LEASE_SECONDS = 10;
/** How long a claim is held for work that outlives its call, a job or a task, which renews it every 45 seconds. */
export const WORK_LEASE_SECONDS = 180;
/** Injection token of how long a claim is held, seconds: {@link LEASE_SECONDS}, unless a test has another. */
export const CLAIM_LEASE = Symbol('CLAIM_LEASE');
/** Before the caller stops waiting: whoever has not heard of its claim will not run the call. */
export const CALLER_WAITS_MS = paymentsContract.claim.timeoutMs - 2_000;
/** How long a delivered answer is kept whole for its payer. */
export const RESPONSE_KEPT_HOURS = 24;
/** How often the payer may give up work that has begun and have the payment back. */
export const GIVE_UPS_MAX = 3;
/** Wait that is asked of a caller whose request is still running. */
const IN_FLIGHT_WAIT_SECONDS_MAX = 5;
/** Wait that is asked of a payer whose settlement is being asked about. */
const UNKNOWN_WAIT_SECONDS_MAX = 30;

/** Who pays a claim: a rail's payment, or an account by its key. */
export type ClaimFamily = RailFamily | 'account';

/**
 * - `claimed`: somebody holds it; what its `settlement` says is true of the money.
 * - `delivered`: it has bought its answer.
 * - `credited`: it bought nothing, and its amount lies on the payer's credit.
 * - `unknown`: whether money was taken is being asked about.
 * - `void`: nothing was taken.
 * - `settled`: of the first version: given back, with the amount still in the holds.
 */
export type ClaimState = 'claimed' | 'settled' | 'credited' | 'delivered' | 'unknown' | 'void';

/** A claim that the caller now holds: of all who ask at once, one gets it. */
export interface HeldClaim {
  readonly claimId: string;
  /** Fence: a later attempt makes this one's delivery fail. */
  readonly attempt: number;
  readonly receipt: StoredReceipt;
  /** Where not, the work is done to its end once it has begun: the payer gave it up {@link GIVE_UPS_MAX} times. */
  readonly canBeGivenUp: boolean;
}

/** A claim that is held while its money is asked for. */
export interface PendingClaim extends HeldClaim {
  readonly family: RailFamily;
  readonly proofKey: string;
  /** The price. */
  readonly amountMicroUsd: number;
}

/** What a request asks of a payment. */
export interface ClaimedRequest {
  readonly operationId: string;
  /** Plain: it is written nowhere. */
  readonly requestDigest: string;
  /** What its signed receipt is to name. */
  readonly called?: CalledUrl;
}

/** A claim as it stands. */
export interface StandingClaim {
  readonly claimId: string;
  readonly operationId: string;
  /** As the row has it, keyed and bound to {@link digestOwner}. */
  readonly storedDigest: string;
  readonly digestOwner: string;
  /** Whom the credential proved to pay, or whose key did. */
  readonly payer?: string;
  readonly attempt: number;
  readonly family: ClaimFamily;
  readonly proofKey: string;
  readonly state: ClaimState;
  readonly settlement: 'none' | 'pending' | 'settled' | 'unknown' | 'void';
  readonly funding: 'rail' | 'credit' | 'quota';
  readonly credentialDigest: string;
  /** Of the token that paid, where the rail has such. */
  readonly tokenDigest?: string;
  readonly amountMicroUsd: number;
  /** What settlement took; undefined while that is not known. */
  readonly chargedMicroUsd?: number;
  readonly givenUpCount: number;
  /** Of a claim that is unknown: until the next enquiry. */
  readonly leaseSecondsLeft: number;
  /** Where its credit lies, when there is or was any. */
  readonly creditAccountId?: string;
  /** What its rail enquires with. */
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly claimedAt: Date;
  readonly receipt: StoredReceipt;
  readonly deliveredAt?: Date;
  /** Absent when it was not delivered, or was purged; as it lies in the table. */
  readonly stored?: {
    readonly status: number;
    readonly contentType: string;
    readonly body: Buffer;
    readonly sealed: boolean;
  };
}

export type Row = Record<string, unknown>;

/** The columns of `payment_claim` that {@link standingOf} reads. */
export const STANDING_COLUMNS = `claim_id, attempt, rail_family, proof_key, state, settlement, funding, operation_id,
  request_digest, credential_digest, token_digest, amount_micro_usd::float8 AS amount,
  charged_micro_usd::float8 AS charged, given_up_count, credit_account_id, payer, settlement_evidence, claimed_at, receipt, delivered_at, response_status, response_content_type, response_body,
  response_sealed, greatest(0, extract(epoch FROM lease_until - now()))::float8 AS lease_seconds_left`;

/** One claim, held until the end of the transaction. */
export const LOCK_CLAIM = prepared(
  `SELECT ${STANDING_COLUMNS} FROM payment_claim WHERE claim_id = $1 FOR UPDATE`,
);

export function standingOf(row: Row): StandingClaim {
  const body = row.response_body as Buffer | null;
  return {
    claimId: row.claim_id as string,
    attempt: row.attempt as number,
    family: row.rail_family as ClaimFamily,
    proofKey: row.proof_key as string,
    state: row.state as ClaimState,
    settlement: row.settlement as StandingClaim['settlement'],
    funding: row.funding as StandingClaim['funding'],
    operationId: row.operation_id as string,
    storedDigest: row.request_digest as string,
    digestOwner: digestOwnerOf(row.claim_id as string, (row.payer as string | null) ?? undefined),
    payer: (row.payer as string | null) ?? undefined,
    credentialDigest: row.credential_digest as string,
    tokenDigest: (row.token_digest as string | null) ?? undefined,
    amountMicroUsd: row.amount as number,
    chargedMicroUsd: (row.charged as number | null) ?? undefined,
    givenUpCount: row.given_up_count as number,
    leaseSecondsLeft: row.lease_seconds_left as number,
    creditAccountId: (row.credit_account_id as string | null) ?? undefined,
    evidence: (row.settlement_evidence as Record<string, unknown> | null) ?? {},
    claimedAt: row.claimed_at as Date,
    receipt: StoredReceipt.parse(row.receipt),
    deliveredAt: (row.delivered_at as Date | null) ?? undefined,
    stored: body
      ? {
          status: row.response_status as number,
          contentType: row.response_content_type as string,
          body,
          sealed: row.response_sealed as boolean,
        }
      : undefined,
  };
}

/** What the digest of a claim's request is bound to: who pays, so that it is found by its payer, else the claim. */
export const digestOwnerOf = (claimId: string, payer: string | undefined): string => payer ?? claimId;

/** The claim as its holder has it. */
export const heldOf = ({ claimId, attempt, receipt, givenUpCount }: StandingClaim): HeldClaim => ({
  claimId,
  attempt,
  receipt,
  canBeGivenUp: givenUpCount < GIVE_UPS_MAX,
});

/** Whether whoever held the claim let its lease run out. */
export const isLapsed = ({ state, leaseSecondsLeft }: StandingClaim): boolean =>
  state === 'claimed' && leaseSecondsLeft === 0;

/**
 * What a claim that stands answers to a request with its payment, where nothing has to be done about it: undefined
 * where it may be claimed again, or its settlement asked about.
 * @param store opens the stored answer, and knows whether a request is that of a claim
 * @throws ProblemError PAYMENT_BOUND_ELSEWHERE, PAYMENT_IN_FLIGHT, EXPIRED
 */
export function replyTo(
  standing: StandingClaim,
  request: ClaimedRequest,
  store: {
    answerOf(standing: StandingClaim): StoredResponse | undefined;
    isOf(standing: StandingClaim, request: ClaimedRequest): boolean;
  },
): ClaimReply | undefined {
  const { state, receipt, deliveredAt } = standing;
  if (standing.operationId !== request.operationId) throw boundElsewhere('another operation');
  if (state === 'settled' || state === 'credited' || state === 'void') return undefined;
  if (!store.isOf(standing, request)) throw boundElsewhere('a request with another body');
  if (state === 'unknown' || isLapsed(standing)) return undefined;
  if (state === 'claimed') throw inFlight(standing.leaseSecondsLeft, standing);
  const response = store.answerOf(standing);
  if (response) return { outcome: 'replayed', response, receipt };
  throw problem(
    'EXPIRED',
    `The answer was delivered at ${deliveredAt?.toISOString()} and kept for ${RESPONSE_KEPT_HOURS} hours; the payment is used`,
    { charged: 'yes' },
  );
}

export function boundElsewhere(what: string): ProblemError {
  return problem('PAYMENT_BOUND_ELSEWHERE', `The payment was used for ${what}; a payment buys one answer`);
}

/** @param claim which one: so that the gateway, to which alone it is told, finds who holds it */
export function inFlight(leaseSecondsLeft: number, claim?: ClaimHandle): ProblemError {
  const retryAfterSeconds = Math.max(1, Math.min(IN_FLIGHT_WAIT_SECONDS_MAX, Math.ceil(leaseSecondsLeft)));
  return problem(
    'PAYMENT_IN_FLIGHT',
    'A request with this payment is still running; ask again with the same credential',
    {
      retryAfterSeconds,
      ...(claim ? { extensions: { claimId: claim.claimId, attempt: claim.attempt } } : {}),
    },
  );
}

/** Never a fresh 402: whoever gets one pays again. */
export function settlementUnknown(secondsToNextEnquiry: number, cause?: unknown): ProblemError {
  const retryAfterSeconds = Math.max(1, Math.min(UNKNOWN_WAIT_SECONDS_MAX, Math.ceil(secondsToNextEnquiry)));
  const detail =
    'It is not known yet whether the payment was taken; keep the credential, send the request again with it, and do not pay again';
  return problem('SETTLEMENT_UNKNOWN', detail, { retryAfterSeconds, cause });
}

/** A payment whose credit went elsewhere before its credential was tried again. */
export function creditSpent(credit: PaymentCredit | undefined, amountMicroUsd: number): ProblemError {
  const left = credit?.balanceMicroUsd ?? 0;
  const detail = `The payment had become credit, and the credit was spent: ${left} of ${amountMicroUsd} micro-USD are left`;
  return problem('PAYMENT_INSUFFICIENT', detail, credit ? { extensions: { credit } } : {});
}
