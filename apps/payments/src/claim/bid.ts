import { problem, type ProblemError } from '@svc/platform';
import type { PresentedPayment, Rail, Settlement } from '../rail/rail.js';
import type { FirstClaim } from './claim-insert.js';
import { receiptOf } from './claim-receipt.js';
import type { ClaimedRequest, StandingClaim } from './standing-claim.js';

/** A payment and what it is to buy. */
export interface Bid {
  readonly rail: Rail;
  readonly payment: PresentedPayment;
  readonly request: ClaimedRequest;
  readonly idempotencyKey?: string;
  /** Asks for what was bought before, and claims nothing. */
  readonly standingOnly?: boolean;
  /** Record the settlement without waiting for the disk: the claim is durable, and the rail can be asked again. */
  readonly lazily?: boolean;
  /** Whether the work has no effect outside of its answer: doing it again costs nobody anything. */
  readonly isPure?: boolean;
}

/**
 * Whether a credential that comes again shows who paid. A preimage and a token do; a signature that settled lies open to
 * everybody, so it does as part of the very credential that came first, or not at all.
 */
export function isPayers({ credentialDigest }: StandingClaim, payment: PresentedPayment): boolean {
  if (payment.publicOnceSettled) return false;
  return payment.payer === undefined || payment.credentialDigest === credentialDigest;
}

/**
 * Who has read a signature on chain, and presents it in a credential of their own, is told nothing of what it bought:
 * neither its answer nor, by a refusal of one body and not of another, whether they have guessed its request.
 */
export function requireFirstCredential(
  standing: StandingClaim,
  { payer, credentialDigest }: PresentedPayment,
) {
  if (payer === undefined || credentialDigest === standing.credentialDigest) return;
  throw problem('PAYMENT_INVALID', 'The payment was used, by another credential than this');
}

/**
 * Another request with what a payment left is for who paid. Whoever can show no more than everybody reads on chain may have
 * the very call that was paid for, where that is all there ever was to show.
 */
export function requirePayers({ payment }: Bid): void {
  if (!payment.publicOnceSettled) return;
  const detail = 'The payment was used, and became credit on the key that its answer named';
  throw problem('PAYMENT_INVALID', detail);
}

export function firstClaimOf({ rail, payment, request, idempotencyKey }: Bid, claimId: string): FirstClaim {
  const { proofKey, credentialDigest, tokenDigest, payer, amountMicroUsd, amountSats } = payment;
  const evidence = { ...payment.evidence, ...(payment.publicOnceSettled ? { publicOnceSettled: true } : {}) };
  return {
    ...request,
    claimId,
    family: rail.family,
    proofKey,
    credentialDigest,
    tokenDigest,
    payer,
    idempotencyKey,
    amountMicroUsd,
    amountSats,
    evidence,
    paidIn: rail.money,
    receipt: receiptOf(rail.family, payment, { reference: proofKey }, request.called),
  };
}

/** A rail that throws all the same may have taken the money. */
export async function settled(rail: Rail, payment: PresentedPayment, claimId: string): Promise<Settlement> {
  try {
    return await rail.settle(payment, claimId);
  } catch (cause) {
    return { outcome: 'unknown', detail: 'The settlement has failed', cause };
  }
}

/** What a caller learns of a payment whose time has passed before it was first presented. */
export function expired({ expiresAtMs, expiryHint = '' }: PresentedPayment): ProblemError {
  return problem('PAYMENT_EXPIRED', `It expired at ${new Date(expiresAtMs).toISOString()}${expiryHint}`);
}
