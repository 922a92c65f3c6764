import type { PaymentCredential } from '@svc/contracts';
import { problem } from '@svc/platform';
import { parsePaymentCredential, PaymentRefusal } from '@svc/protocols';
import type { Rail } from './rail.js';

/** The MPP method of a credential of the `Payment` scheme; undefined for other schemes and for what cannot be read. */
export function paymentMethodOf({ scheme, value }: PaymentCredential): string | undefined {
  if (scheme !== 'Payment') return undefined;
  try {
    return parsePaymentCredential(value).challenge.method;
  } catch (error) {
    if (error instanceof PaymentRefusal) return undefined;
    throw error;
  }
}

/**
 * The rail that verifies a credential.
 * @throws ProblemError PAYMENT_MALFORMED, PAYMENT_METHOD_UNSUPPORTED
 */
export function readerOf(rails: readonly Rail[], credential: PaymentCredential): Rail {
  const rail = rails.find(each => each.reads(credential));
  if (rail) return rail;
  if (credential.scheme !== 'Payment') {
    throw problem('PAYMENT_METHOD_UNSUPPORTED', `${credential.scheme} payments are not offered here`);
  }
  try {
    const { method } = parsePaymentCredential(credential.value).challenge;
    throw problem('PAYMENT_METHOD_UNSUPPORTED', `Payment by ${method.slice(0, 40)} is not offered here`);
  } catch (error) {
    if (error instanceof PaymentRefusal) throw problem(error.code, error.message);
    throw error;
  }
}
