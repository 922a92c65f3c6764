import { CARD_BUNDLE_MICRO_USD_MIN } from '../pricing/plans.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';
import { type IssuedPaymentChallenge, issuePaymentChallenge } from './payment-challenge.js';
import { type PaymentCredential, requireOwnChallenge } from './payment-credential.js';

/** A cent of USD, micro-USD: what Stripe counts in. */
const MICRO_USD_PER_CENT = 10_000;
/** Shared payment tokens as Stripe writes its ids; nothing is read into their prefix. */
const SHARED_PAYMENT_TOKEN = /^[A-Za-z0-9_-]{1,255}$/;

/** With whom and by what a card charge can be paid. */
export interface CardTerms {
  /** Stripe Business Network profile that a token is granted to, `profile_…`. */
  readonly networkId: string;
  /** `card`, `link`, … */
  readonly paymentMethodTypes: readonly string[];
}

/** What a stripe charge asks for (draft-stripe-charge-00 section "Request Schema"). */
export interface StripeCharge extends CardTerms {
  readonly operationId: string;
  /** What the card is charged, whole cents; see {@link cardChargeMicroUsd}. */
  readonly chargeMicroUsd: number;
  readonly description: string;
  /**
   * Goes with the token. Its `jti` is unguessable: the challenge's id covers it, and without it two challenges of one
   * instant would be one, which is paid once.
   */
  readonly metadata: { readonly jti: string } & Readonly<Record<string, string>>;
}

/** A charge that was issued here, and the token that is to pay it. Nothing has been taken by it. */
export interface VerifiedStripeCharge {
  readonly challengeId: string;
  readonly operationId: string;
  readonly chargeMicroUsd: number;
  readonly sharedPaymentToken: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Unix milliseconds of the challenge's `expires`. */
  readonly expiresAtMs: number;
}

/**
 * What a card is charged for a price: whole cents, and never less than a card can be charged. What is more than the
 * price becomes credit of the payer.
 */
export function cardChargeMicroUsd(priceMicroUsd: number): number {
  const cents = Math.ceil(priceMicroUsd / MICRO_USD_PER_CENT);
  return Math.max(cents * MICRO_USD_PER_CENT, CARD_BUNDLE_MICRO_USD_MIN);
}

/** Issues `method="stripe" intent="charge"`; the operation travels as the request's `externalId`. */
export function issueStripeCharge(
  key: Uint8Array,
  charge: StripeCharge & { realm: string; expiresAtMs: number },
): IssuedPaymentChallenge {
  return issuePaymentChallenge(key, {
    realm: charge.realm,
    method: 'stripe',
    intent: 'charge',
    request: {
      amount: centsText(charge.chargeMicroUsd),
      currency: 'usd',
      description: charge.description,
      externalId: charge.operationId,
      methodDetails: {
        networkId: charge.networkId,
        paymentMethodTypes: [...charge.paymentMethodTypes],
        metadata: charge.metadata,
      },
    },
    expires: new Date(charge.expiresAtMs).toISOString(),
  });
}

/** Cents, as Stripe's `amount` counts them: `500_000` → `50`. @throws {RangeError} for parts of a cent */
export function centsText(amountMicroUsd: number): string {
  const cents = amountMicroUsd / MICRO_USD_PER_CENT;
  if (!Number.isSafeInteger(cents) || cents < 1) {
    throw new RangeError(`a card charge is a whole number of cents, got ${amountMicroUsd} micro-USD`);
  }
  return String(cents);
}

/**
 * Verifies a stripe credential (draft-stripe-charge-00 section "Verification Procedure") as far as that can be done
 * without Stripe: the challenge is ours, and there is a token to charge. The caller looks at the expiry, the operation
 * and the amount, and charges the token.
 *
 * @throws {PaymentRefusal} PAYMENT_METHOD_UNSUPPORTED for another method or intent, PAYMENT_MALFORMED without a
 * well-formed token, PAYMENT_INVALID
 */
export function verifyStripeCharge(key: Uint8Array, credential: PaymentCredential): VerifiedStripeCharge {
  const { challenge, payload } = credential;
  if (challenge.method !== 'stripe' || challenge.intent !== 'charge') {
    const offered = `${challenge.method.slice(0, 40)}/${challenge.intent.slice(0, 40)}`;
    throw new PaymentRefusal('PAYMENT_METHOD_UNSUPPORTED', `this is no stripe/charge: got ${offered}`);
  }
  const sharedPaymentToken = requireSharedPaymentToken(payload.spt, 'payload.spt');
  requireOwnChallenge(key, challenge);
  // The id covers the request, so from here on its members are what was issued.
  const request = challenge.request as {
    amount: string;
    externalId: string;
    methodDetails: { metadata: Record<string, string> };
  };
  if (payload.externalId !== undefined && payload.externalId !== request.externalId) {
    throw new PaymentRefusal('PAYMENT_INVALID', 'payload.externalId is not that of the challenge');
  }
  return {
    challengeId: challenge.id,
    operationId: request.externalId,
    chargeMicroUsd: Number(request.amount) * MICRO_USD_PER_CENT,
    sharedPaymentToken,
    metadata: request.methodDetails.metadata,
    expiresAtMs: Date.parse(challenge.expires ?? ''),
  };
}

/**
 * A shared payment token as text that can be passed on to Stripe.
 * @throws {PaymentRefusal} PAYMENT_MALFORMED, which does not repeat it: it is worth money
 */
export function requireSharedPaymentToken(value: unknown, member: string): string {
  if (typeof value === 'string' && SHARED_PAYMENT_TOKEN.test(value)) return value;
  return malformed(`${member} must be a shared payment token: 1 to 255 of A-Z a-z 0-9 _ -`);
}
