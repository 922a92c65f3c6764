import { opensPaymentHash } from '../encoding/digest.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';
import { type IssuedPaymentChallenge, issuePaymentChallenge } from './payment-challenge.js';
import { type PaymentCredential, requireOwnChallenge } from './payment-credential.js';

export type LightningNetwork = 'mainnet' | 'signet' | 'regtest';

/** What a lightning charge asks for (draft-lightning-charge-00 section "Request Schema"). */
export interface LightningCharge {
  readonly operationId: string;
  readonly amountSats: number;
  readonly description: string;
  readonly invoice: string;
  /** Lower-case hex. */
  readonly paymentHash: string;
  readonly network: LightningNetwork;
}

/** A charge that was issued here and paid. */
export interface VerifiedLightningCharge {
  readonly challengeId: string;
  readonly operationId: string;
  readonly amountSats: number;
  readonly paymentHash: string;
  /** Unix milliseconds of the challenge's `expires`. */
  readonly expiresAtMs: number;
}

/** Issues `method="lightning" intent="charge"`; the operation travels as the request's `externalId`. */
export function issueLightningCharge(
  key: Uint8Array,
  charge: LightningCharge & { realm: string; expiresAtMs: number },
): IssuedPaymentChallenge {
  return issuePaymentChallenge(key, {
    realm: charge.realm,
    method: 'lightning',
    intent: 'charge',
    request: {
      amount: String(charge.amountSats),
      currency: 'sat',
      description: charge.description,
      externalId: charge.operationId,
      methodDetails: {
        invoice: charge.invoice,
        paymentHash: charge.paymentHash,
        network: charge.network,
      },
    },
    expires: new Date(charge.expiresAtMs).toISOString(),
  });
}

/**
 * Verifies a lightning credential (draft-lightning-charge-00 section "Verification Procedure"): the
 * challenge is ours, and the preimage opens its payment hash. The caller looks at the expiry, the
 * operation and the amount.
 *
 * @throws {PaymentRefusal} PAYMENT_METHOD_UNSUPPORTED for another method or intent,
 * PAYMENT_MALFORMED without a well-formed preimage, PAYMENT_INVALID
 */
export function verifyLightningCharge(
  key: Uint8Array,
  credential: PaymentCredential,
): VerifiedLightningCharge {
  const { challenge, payload } = credential;
  if (challenge.method !== 'lightning' || challenge.intent !== 'charge') {
    const offered = `${challenge.method.slice(0, 40)}/${challenge.intent.slice(0, 40)}`;
    throw new PaymentRefusal(
      'PAYMENT_METHOD_UNSUPPORTED',
      `only lightning/charge is offered, got ${offered}`,
    );
  }
  const { preimage } = payload;
  if (typeof preimage !== 'string' || !/^[0-9a-f]{64}$/.test(preimage)) {
    return malformed('payload.preimage must be 64 lower-case hexadecimal digits');
  }
  requireOwnChallenge(key, challenge);
  // The id covers the request, so from here on its members are what was issued.
  const request = challenge.request as {
    amount: string;
    externalId: string;
    methodDetails: { paymentHash: string };
  };
  const { paymentHash } = request.methodDetails;
  if (!opensPaymentHash(preimage, paymentHash)) {
    throw new PaymentRefusal('PAYMENT_INVALID', 'the preimage does not open the payment hash');
  }
  return {
    challengeId: challenge.id,
    operationId: request.externalId,
    amountSats: Number(request.amount),
    paymentHash,
    expiresAtMs: Date.parse(challenge.expires ?? ''),
  };
}
