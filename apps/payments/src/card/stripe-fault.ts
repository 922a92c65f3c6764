import Stripe from 'stripe';

/**
 * What a failed call to Stripe means for the money:
 * - `declined`: the card's issuer, or the token's terms, said no; nothing was taken
 * - `refused`: Stripe did not do it, and would not do the same request again; nothing was taken
 * - `busy`: Stripe did not do it now; nothing was taken
 * - `unknown`: it may have been done
 */
export type StripeFault =
  | { readonly kind: 'declined' | 'refused'; readonly code: string; readonly detail: string }
  | { readonly kind: 'busy' | 'unknown'; readonly code: string; readonly detail: string };

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
    return { kind: 'declined', code: named, detail: `The card was declined: ${named}` };
  }
  if (error instanceof Stripe.errors.StripeRateLimitError) {
    return { kind: 'busy', code: named, detail: 'The card processor is busy; nothing was taken' };
  }
  // An idempotency key that was used for something else: of that request nothing is known here.
  if (error instanceof Stripe.errors.StripeIdempotencyError) {
    return { kind: 'unknown', code: named, detail: 'The card processor knows this payment by other terms' };
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) {
    return { kind: 'refused', code: named, detail: `The card processor refuses it: ${named}` };
  }
  if (
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError
  ) {
    return { kind: 'refused', code: named, detail: 'The card processor does not know this deployment' };
  }
  return { kind: 'unknown', code: named, detail: 'The card processor did not say what became of it' };
}
