import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { PaymentRefusal } from '../payment-refusal.js';
import {
  authorizationOf,
  signatureOf,
  type TransferAuthorization,
  type X402Payment,
} from '../x402/payment-payload.js';
import type { X402Terms } from '../x402/payment-required.js';
import { type IssuedPaymentChallenge, issuePaymentChallenge } from './payment-challenge.js';
import { type PaymentCredential, requireOwnChallenge } from './payment-credential.js';

/** Permit2, at one address on every chain. The draft wants it named; what is accepted here is EIP-3009 alone. */
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
/** Between the operation and the challenge's own id in `externalId`. */
const SEPARATOR = '#';
/** Decimals of the tokens that are taken: one unit is one micro-USD. */
const DECIMALS = 6;

/** What an evm charge asks for: the terms of x402, of which `jti` and `operationId` are needed. */
export type EvmCharge = Omit<X402Terms, 'jti' | 'operationId' | 'maxTimeoutSeconds'> & {
  /** Unguessable: without it two challenges of one instant would be one, whose authorisation pays once. */
  readonly jti: string;
  readonly operationId: string;
  readonly description: string;
};

/** A charge that was issued here, and the authorisation that is to pay it. Whether it is signed, the chain says. */
export interface VerifiedEvmCharge {
  readonly challengeId: string;
  readonly operationId: string;
  /** What the challenge asks for, micro-USD. */
  readonly amountMicroUsd: number;
  /** As a payment of x402: the money that moves is the same, and so is what makes it unique. */
  readonly payment: X402Payment;
  /** Unix milliseconds of the challenge's `expires`. */
  readonly expiresAtMs: number;
}

/** Issues `method="evm" intent="charge"` (draft-evm-charge); the operation travels in the request's `externalId`. */
export function issueEvmCharge(
  key: Uint8Array,
  charge: EvmCharge & { realm: string; expiresAtMs: number },
): IssuedPaymentChallenge {
  const { network, asset, payTo, amountMicroUsd, jti, operationId, description, realm, expiresAtMs } = charge;
  return issuePaymentChallenge(key, {
    realm,
    method: 'evm',
    intent: 'charge',
    request: {
      amount: String(amountMicroUsd),
      currency: asset.address,
      description,
      externalId: `${operationId}${SEPARATOR}${jti}`,
      methodDetails: {
        chainId: Number(network.slice('eip155:'.length)),
        credentialTypes: ['authorization'],
        decimals: DECIMALS,
        permit2Address: PERMIT2,
      },
      recipient: payTo,
    },
    expires: new Date(expiresAtMs).toISOString(),
  });
}

/** The operation that a challenge says it is for, as it says it; undefined where it says none. */
export function evmOperationOf(request: Readonly<Record<string, unknown>>): string | undefined {
  const { externalId } = request;
  return typeof externalId === 'string' ? externalId.split(SEPARATOR)[0] : undefined;
}

/**
 * Verifies an evm credential as far as that can be done without the chain: the challenge is ours, and the authorisation
 * is for it alone, since its nonce is the hash of the challenge. The caller looks at expiry, operation, token and
 * receiver as of any payment of x402.
 *
 * @throws {PaymentRefusal} PAYMENT_METHOD_UNSUPPORTED for another method, intent or type of credential,
 * PAYMENT_MALFORMED naming the member, PAYMENT_INVALID
 */
export function verifyEvmCharge(key: Uint8Array, credential: PaymentCredential): VerifiedEvmCharge {
  const { challenge, payload, source } = credential;
  if (challenge.method !== 'evm' || challenge.intent !== 'charge') {
    const offered = `${challenge.method.slice(0, 40)}/${challenge.intent.slice(0, 40)}`;
    throw new PaymentRefusal('PAYMENT_METHOD_UNSUPPORTED', `this is no evm/charge: got ${offered}`);
  }
  if (payload.type !== 'authorization')
    throw new PaymentRefusal('PAYMENT_METHOD_UNSUPPORTED', 'payload.type must be authorization');
  const authorization = authorizationOf(payload, 'payload');
  const signature = signatureOf(payload);
  requireOwnChallenge(key, challenge);
  // The id covers the request, so from here on its members are what was issued.
  const { amount, methodDetails } = challenge.request as {
    amount: string;
    methodDetails: { chainId: number };
  };
  const network = `eip155:${methodDetails.chainId}`;
  requireFor(challenge, authorization);
  if (source !== undefined && !isSource(source, network, authorization)) {
    throw new PaymentRefusal('PAYMENT_INVALID', 'source is not payload.from on the chain of the challenge');
  }
  return {
    challengeId: challenge.id,
    operationId: evmOperationOf(challenge.request)!,
    amountMicroUsd: Number(amount),
    payment: { version: 2, network, authorization, signature },
    expiresAtMs: Date.parse(challenge.expires ?? ''),
  };
}

/** @throws {PaymentRefusal} PAYMENT_INVALID */
function requireFor(
  { id, realm, request }: PaymentCredential['challenge'],
  { nonce, to, value }: TransferAuthorization,
): void {
  const isOwn = hashedForms(id, realm).some(form => nonce.toLowerCase() === hashOf(form));
  if (!isOwn) invalid('payload.nonce is not the hash of the challenge');
  if (to.toLowerCase() !== String(request.recipient).toLowerCase())
    invalid('payload.to is not the recipient of the challenge');
  if (value !== request.amount) invalid('payload.value is not the amount of the challenge');
}

/** What clients hash of a challenge: mppx 0.11 both texts in one, pympp 0.16 both as JSON. Each is of this challenge alone. */
const hashedForms = (id: string, realm: string): string[] => [`${id}${realm}`, JSON.stringify([id, realm])];
const hashOf = (text: string): string => `0x${bytesToHex(keccak_256(utf8ToBytes(text)))}`;

const isSource = (source: string, network: string, { from }: TransferAuthorization): boolean =>
  source.toLowerCase() === `did:pkh:${network}:${from}`.toLowerCase();

function invalid(message: string): never {
  throw new PaymentRefusal('PAYMENT_INVALID', message);
}
