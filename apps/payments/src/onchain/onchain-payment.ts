import type { PaymentCredential } from '@svc/contracts';
import { problem } from '@svc/platform';
import {
  evmOperationOf,
  parsePaymentCredential,
  parseX402Payment,
  PaymentRefusal,
  type Price,
  type VerifiedEvmCharge,
  verifyEvmCharge,
  type X402Payment,
} from '@svc/protocols';
import { paymentMethodOf } from '../rail/payment-method.js';
import { offeredOperationOf, requireOfferedFor } from './offered-operation.js';

/** A payment on the chain as it came: of x402, or of MPP's `evm/charge`, whose nonce binds it to its challenge. */
export interface OnchainPayment {
  readonly payment: X402Payment;
  /** Of `evm/charge`. */
  readonly charge?: VerifiedEvmCharge;
}

/** Whether a credential moves money on the chain, readable or not. */
export const isOnchain = (credential: PaymentCredential): boolean =>
  credential.scheme === 'x402' || paymentMethodOf(credential) === 'evm';

/**
 * Reads a credential.
 * @param key of the challenges of MPP
 * @throws ProblemError PAYMENT_MALFORMED, PAYMENT_METHOD_UNSUPPORTED; of `evm/charge` PAYMENT_INVALID, too, for what its challenge rules out
 */
export function onchainPaymentOf({ scheme, value }: PaymentCredential, key: Uint8Array): OnchainPayment {
  return asProblems(() => {
    if (scheme === 'x402') return { payment: parseX402Payment(value) };
    const charge = verifyEvmCharge(key, parsePaymentCredential(value));
    return { payment: charge.payment, charge };
  });
}

/** The operation that a credential says it pays for, of which nothing is verified; undefined where it does not say. Never throws. */
export function onchainOperationOf({ scheme, value }: PaymentCredential): string | undefined {
  try {
    return scheme === 'x402'
      ? offeredOperationOf(parseX402Payment(value))
      : evmOperationOf(parsePaymentCredential(value).challenge.request);
  } catch {
    return undefined;
  }
}

/**
 * Holds a payment against the operation and the price that it is presented for.
 * @throws ProblemError PAYMENT_BOUND_ELSEWHERE; PAYMENT_INSUFFICIENT where the price has risen above what its challenge asked for
 */
export function requireFor({ payment, charge }: OnchainPayment, price: Price): void {
  if (!charge) return requireOfferedFor(payment, price);
  if (charge.operationId !== price.operationId) {
    const detail = `The challenge was made for ${charge.operationId.slice(0, 80)}`;
    throw problem('PAYMENT_BOUND_ELSEWHERE', detail);
  }
  if (charge.amountMicroUsd < price.amountMicroUsd) {
    const detail = `The price is ${price.amountMicroUsd} micro-USD, the challenge ${charge.amountMicroUsd}`;
    throw problem('PAYMENT_INSUFFICIENT', detail);
  }
}

/**
 * What of a credential only its payer can show again, as text. Authorization and signature lie open on the chain once they are
 * settled; what was echoed of the offer does not: the id of a challenge of MPP, of which the chain has a hash, and the id that
 * clients of x402 version 2 echo. Undefined for version 1, which echoes nothing.
 */
export function secretOf({ payment, charge }: OnchainPayment): string | undefined {
  if (charge) return charge.challengeId;
  const extra = payment.accepted?.extra as Record<string, unknown> | null | undefined;
  return typeof extra?.jti === 'string' && extra.jti.length >= 22 ? extra.jti : undefined;
}

/** What it returns; a refusal of the protocol is thrown as a problem. */
export function asProblems<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
    throw error;
  }
}
