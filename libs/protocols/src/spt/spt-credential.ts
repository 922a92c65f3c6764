import { openChallengeToken } from '../challenge/challenge-token.js';
import { malformed } from '../payment-refusal.js';
import {
  type CardTerms,
  cardChargeMicroUsd,
  centsText,
  requireSharedPaymentToken,
} from '../mpp/stripe-charge.js';

/** A bare token and the challenge that it is to pay. Nothing has been taken by it. */
export interface VerifiedSharedPaymentToken {
  readonly sharedPaymentToken: string;
  /** Id of the challenge: with the token, what makes the payment unique. */
  readonly jti: string;
  readonly operationId: string;
  readonly amountMicroUsd: number;
  readonly amountSats: number;
  /** What the card is to be charged. */
  readonly chargeMicroUsd: number;
  readonly expiresAtMs: number;
}

/**
 * Verifies `Payment-Credential: SPT <token>`. A bare token is bound to no price and no seller's challenge, so the
 * challenge token of the 402 must come with it. The caller looks at the expiry, the operation and the amount, and
 * charges the token.
 *
 * @param value the header's value without `SPT`
 * @param challengeToken the echoed `X-402-Challenge`
 * @throws {PaymentRefusal} PAYMENT_MALFORMED, PAYMENT_INVALID
 */
export function verifySharedPaymentToken(
  key: Uint8Array,
  value: string,
  challengeToken: string | undefined,
): VerifiedSharedPaymentToken {
  const sharedPaymentToken = requireSharedPaymentToken(value.trim(), 'Payment-Credential: SPT');
  if (challengeToken === undefined) {
    return malformed('an SPT must come with the X-402-Challenge of the 402 that it pays');
  }
  const { jti, operationId, amountMicroUsd, amountSats, exp } = openChallengeToken(key, challengeToken);
  return {
    sharedPaymentToken,
    jti,
    operationId,
    amountMicroUsd,
    amountSats,
    chargeMicroUsd: cardChargeMicroUsd(amountMicroUsd),
    expiresAtMs: exp * 1_000,
  };
}

/** Member of the 402's body that tells a wallet what token to have granted. */
export interface SharedPaymentTokenOffer {
  /** Cents. */
  readonly amount: string;
  readonly currency: 'usd';
  readonly networkId: string;
  readonly paymentMethodTypes: readonly string[];
  /** RFC 3339 */
  readonly expiresAt: string;
}

/** What the token of an SPT payment must be good for. */
export function sharedPaymentTokenOffer(
  terms: CardTerms & { readonly priceMicroUsd: number; readonly expiresAtMs: number },
): SharedPaymentTokenOffer {
  return {
    amount: centsText(cardChargeMicroUsd(terms.priceMicroUsd)),
    currency: 'usd',
    networkId: terms.networkId,
    paymentMethodTypes: [...terms.paymentMethodTypes],
    expiresAt: new Date(terms.expiresAtMs).toISOString(),
  };
}
