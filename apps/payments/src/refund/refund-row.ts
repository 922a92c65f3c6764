import type { Refund, RefundState } from '@svc/contracts';
import type { ClaimFamily } from '../claim/standing-claim.js';
import type { LedgerPosting } from '../ledger/ledger.js';
import { MONEY_OF_CLAIM, type OrderedRefund, type RefundPlan } from '../rail/rail.js';

export type Row = Record<string, unknown>;

/** A refund as its row has it. */
export interface StandingRefund extends OrderedRefund {
  readonly claimId: string;
  readonly state: RefundState;
  readonly destination: 'origin' | 'credit';
  /** The rail that moves it; `account` where it is credit. */
  readonly family: ClaimFamily;
  readonly claimFamily: ClaimFamily;
  readonly proofKey: string;
  /** Which money the claim came in by; undefined where its claim has no word of it. */
  readonly money?: string;
  /** As the operator asked for it; undefined for all that was left. */
  readonly askedMicroUsd?: number;
  readonly fromCreditMicroUsd: number;
  readonly accountId?: string;
  readonly reason: string;
  readonly plan: RefundPlan;
  readonly invoiceHash?: string;
  readonly reference?: string;
  readonly detail?: string;
  readonly requestedAt: Date;
  readonly sentAt?: Date;
  readonly endedAt?: Date;
}

/** From a refund and its claim, as {@link refundOf} reads them. */
export const REFUND_COLUMNS = `refund.refund_id, refund.claim_id, refund.state, refund.destination, refund.rail_family,
  refund.amount_micro_usd::float8 AS amount, refund.asked_micro_usd::float8 AS asked,
  refund.from_credit_micro_usd::float8 AS from_credit, refund.account_id, refund.payment_reference, refund.reason, refund.plan,
  refund.invoice_hash, refund.reference, refund.detail, refund.requested_at, refund.sent_at, refund.ended_at,
  claim.rail_family AS claim_family, claim.proof_key, claim.payer, ${MONEY_OF_CLAIM} AS money`;

export function refundOf(row: Row): StandingRefund {
  const given = <T>(name: string): T | undefined => (row[name] as T | null) ?? undefined;
  return {
    refundId: row.refund_id as string,
    claimId: row.claim_id as string,
    state: row.state as RefundState,
    destination: row.destination as StandingRefund['destination'],
    family: row.rail_family as ClaimFamily,
    claimFamily: row.claim_family as ClaimFamily,
    proofKey: row.proof_key as string,
    payer: given('payer'),
    money: given('money'),
    amountMicroUsd: row.amount as number,
    askedMicroUsd: given('asked'),
    fromCreditMicroUsd: row.from_credit as number,
    accountId: given('account_id'),
    paymentReference: given<string>('payment_reference') ?? '',
    reason: row.reason as string,
    plan: given<RefundPlan>('plan') ?? {},
    invoiceHash: given('invoice_hash'),
    reference: given('reference'),
    detail: given('detail'),
    requestedAt: row.requested_at as Date,
    sentAt: given('sent_at'),
    endedAt: given('ended_at'),
  };
}

/** A refund as operators see it. */
export function shownRefund(refund: StandingRefund): Refund {
  const { accountId, reference, detail, sentAt, endedAt } = refund;
  return {
    ...{ refundId: refund.refundId, claimId: refund.claimId, state: refund.state },
    ...{ to: refund.destination, by: refund.family, microUsd: refund.amountMicroUsd },
    ...{ fromCreditMicroUsd: refund.fromCreditMicroUsd, reason: refund.reason },
    ...(accountId !== undefined && { accountId }),
    ...(reference !== undefined && { reference }),
    ...(detail !== undefined && { detail }),
    requestedAt: refund.requestedAt.toISOString(),
    ...(sentAt && { sentAt: sentAt.toISOString() }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  };
}

/** What is booked for a refund: with its claim, so that statements name the call. */
export const postingOf = (
  { refundId, claimId }: Pick<StandingRefund, 'refundId' | 'claimId'>,
  kind: 'refund-hold' | 'refund-sent' | 'refund-return' | 'refund-credit',
  legs: LedgerPosting['legs'],
): LedgerPosting => ({
  ...{ kind, claimId, reference: `refund:${refundId}` },
  legs: legs.filter(({ amountMicroUsd }) => amountMicroUsd !== 0),
});
