import Stripe from 'stripe';

/**
 * What an answer of Stripe says of the try that it answers; of an earlier try of the same call it says nothing:
 * - `declined`: the card's issuer, or the token's terms, said no
 * - `refused`: Stripe did not do it, and would not do the same request again
 * - `busy`: Stripe did not do it now
 * - `contended`: another request for the same object is at work; under the same idempotency key it may be doing the very same
 * - `denied`: Stripe does not serve this deployment so: its key, its address, its version of the interface
 * - `unknown`: it may have been done
 */
export interface StripeFault {
  readonly kind: 'declined' | 'refused' | 'busy' | 'contended' | 'denied' | 'unknown';
  readonly code: string;
  /** For the payer: it repeats nothing but the code. */
  readonly detail: string;
  /** Status of the payment that was declined, where the answer has the payment. */
  readonly intentStatus?: Stripe.PaymentIntent.Status;
}

/** Another request holds the object: this one did nothing. */
const LOCKED = 'lock_timeout';
/** Another request with the same idempotency key is at work. */
const KEY_IN_USE = 'idempotency_key_in_use';

/** Codes of Stripe are `snake_case`; anything else that comes in their place is not repeated. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Sorts what stripe-node throws. Its messages may hold ids and tokens of the payer: of them only codes are repeated.
 * @throws what is no error of Stripe
 */
export function stripeFaultOf(error: unknown): StripeFault {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const code = [error.decline_code, error.code, error.rawType].find(
    (each): each is string => typeof each === 'string' && CODE.test(each),
  );
  const named = code ?? 'no_code';
  if (error instanceof Stripe.errors.StripeCardError) {
    const intentStatus = error.payment_intent?.status;
    const detail = `The card was declined: ${named}`;
    return { kind: 'declined', code: named, detail, ...(intentStatus ? { intentStatus } : {}) };
  }
  if (error.code === LOCKED || error.code === KEY_IN_USE) {
    return { kind: 'contended', code: named, detail: 'Another request for the same payment is at work' };
  }
  if (error instanceof Stripe.errors.StripeRateLimitError) {
    return { kind: 'busy', code: named, detail: 'The card processor is busy' };
  }
  // An idempotency key that was used for something else: of that request nothing is known here.
  if (error instanceof Stripe.errors.StripeIdempotencyError) {
    return { kind: 'unknown', code: named, detail: 'The card processor knows this payment by other terms' };
  }
  if (isDenied(error)) {
    return { kind: 'denied', code: named, detail: 'The card processor does not serve this deployment' };
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) {
    return { kind: 'refused', code: named, detail: `The card processor refuses it: ${named}` };
  }
  return { kind: 'unknown', code: named, detail: 'The card processor did not say what became of it' };
}

/**
 * Whether what was to be made is known not to be there. Of a conflict it is not: the same is being made by another call.
 * @throws what is no error of Stripe
 */
export function hasMadeNothing(error: unknown): boolean {
  const { kind, code } = stripeFaultOf(error);
  return code !== KEY_IN_USE && kind !== 'unknown' && (error as Stripe.errors.StripeError).statusCode !== 409;
}

/** Whether the deployment is at fault, and no payer. */
function isDenied(error: Stripe.errors.StripeError): boolean {
  return (
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError ||
    // An address, or a parameter, that this version of the interface does not have.
    (error.statusCode === 404 && error.code !== 'resource_missing') ||
    error.code === 'parameter_unknown'
  );
}
