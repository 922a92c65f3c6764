import type { PaymentCredential } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import {
  parseL402Credential,
  parsePaymentCredential,
  PaymentRefusal,
  type Price,
  verifyL402,
  verifyLightningCharge,
} from '@svc/protocols';
import { createHash } from 'node:crypto';
import type { PaymentKeys } from '../payments-config.js';

/** A payment whose credential verified: it was issued here, for this operation, and was paid. */
export interface PresentedPayment {
  readonly rail: 'l402' | 'mpp-lightning';
  /** What makes the payment unique, whichever rail presents it: the payment hash. */
  readonly proofKey: string;
  /** SHA-256 of the credential as it came, lower-case hex; the credential itself is not kept. */
  readonly credentialDigest: string;
  readonly preimage: string;
  readonly amountSats: number;
  /** From then on it makes no new claim; what it bought before can still be read. */
  readonly expiresAtMs: number;
  /** Id of the MPP challenge, for its receipt. */
  readonly challengeId?: string;
}

/**
 * Verifies a credential against the price of the operation.
 * @throws ProblemError PAYMENT_MALFORMED, PAYMENT_INVALID, PAYMENT_BOUND_ELSEWHERE,
 * PAYMENT_INSUFFICIENT, PAYMENT_METHOD_UNSUPPORTED
 */
export function verifyPresented(
  keys: PaymentKeys,
  credential: PaymentCredential,
  price: Price,
): PresentedPayment {
  try {
    return presented(keys, credential, price);
  } catch (error) {
    if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
    throw error;
  }
}

function presented(keys: PaymentKeys, credential: PaymentCredential, price: Price): PresentedPayment {
  const credentialDigest = createHash('sha256')
    .update(`${credential.scheme} ${credential.value}`)
    .digest('hex');
  switch (credential.scheme) {
    case 'L402': {
      const parsed = parseL402Credential(credential.value);
      const { paymentHash, capabilities, amountSats, validUntil } = verifyL402(keys.l402, parsed);
      requireOperation(capabilities, price);
      requireAmount(amountSats, price);
      const expiresAtMs = validUntil * 1_000;
      const { preimage } = parsed;
      return { rail: 'l402', proofKey: paymentHash, credentialDigest, preimage, amountSats, expiresAtMs };
    }
    case 'Payment': {
      const parsed = parsePaymentCredential(credential.value);
      const charge = verifyLightningCharge(keys.paymentChallenge, parsed);
      requireOperation([charge.operationId], price);
      requireAmount(charge.amountSats, price);
      return {
        rail: 'mpp-lightning',
        proofKey: charge.paymentHash,
        credentialDigest,
        preimage: parsed.payload.preimage as string,
        amountSats: charge.amountSats,
        expiresAtMs: charge.expiresAtMs,
        challengeId: charge.challengeId,
      };
    }
    default:
      throw problem('PAYMENT_METHOD_UNSUPPORTED', `${credential.scheme} payments are not offered here`);
  }
}

function requireOperation(operationIds: readonly string[], price: Price): void {
  if (operationIds.includes(price.operationId)) return;
  throw problem(
    'PAYMENT_BOUND_ELSEWHERE',
    `The payment was made for ${operationIds.join(', ').slice(0, 80)}`,
  );
}

function requireAmount(amountSats: number, price: Price): void {
  if (amountSats >= price.amountSats) return;
  throw problem('PAYMENT_INSUFFICIENT', `The price is ${price.amountSats} sats, the payment ${amountSats}`);
}

/** What a caller learns of a payment whose time has passed before it was first presented. */
export function expired(payment: PresentedPayment): ProblemError {
  const hint =
    payment.rail === 'mpp-lightning'
      ? '; if its invoice was paid in time, present the L402 macaroon of the same challenge with the preimage'
      : '';
  return problem('PAYMENT_EXPIRED', `It expired at ${new Date(payment.expiresAtMs).toISOString()}${hint}`);
}
