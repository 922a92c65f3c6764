import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeJson, isRecord } from '../encoding/base64-json.js';
import { constantTimeEqual } from '../encoding/digest.js';
import { JcsError } from '../encoding/jcs.js';
import { malformed, PaymentRefusal } from '../payment-refusal.js';
import { decodeRequest, type PaymentChallenge, paymentChallengeId } from './payment-challenge.js';

/** Bytes of the largest credential that is read, decoded. */
export const PAYMENT_CREDENTIAL_BYTES_MAX = 16_384;

/** A `Payment` credential (draft-httpauth-payment section 5.2): the challenge echoed, and its proof. */
export interface PaymentCredential {
  readonly challenge: PaymentChallenge;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly source?: string;
}

/**
 * Reads the value of `Authorization: Payment …`, without the scheme name.
 *
 * @throws {PaymentRefusal} PAYMENT_MALFORMED, naming the member
 */
export function parsePaymentCredential(value: string): PaymentCredential {
  const decoded = decodeJson(value.trim(), PAYMENT_CREDENTIAL_BYTES_MAX);
  if (!isRecord(decoded)) {
    return malformed(
      `the credential must be base64url of a JSON object of at most ${PAYMENT_CREDENTIAL_BYTES_MAX} bytes`,
    );
  }
  const { challenge, payload, source } = decoded;
  if (!isRecord(challenge)) return malformed('challenge must be an object');
  if (!isRecord(payload)) return malformed('payload must be an object');
  if (source !== undefined && typeof source !== 'string') malformed('source must be a string');
  const request = decodeRequest(text(challenge, 'request'));
  if (!request) return malformed('challenge.request must be base64url of a JSON object');
  return {
    challenge: {
      id: text(challenge, 'id'),
      realm: text(challenge, 'realm'),
      method: text(challenge, 'method'),
      intent: text(challenge, 'intent'),
      request,
      expires: optionalText(challenge, 'expires'),
      digest: optionalText(challenge, 'digest'),
      opaque: optionalText(challenge, 'opaque'),
    },
    payload,
    source,
  };
}

/** Whether this server issued the challenge that the credential echoes, in constant time. */
export function isOwnChallenge(key: Uint8Array, challenge: PaymentChallenge): boolean {
  let id: string;
  try {
    id = paymentChallengeId(key, challenge);
  } catch (error) {
    if (error instanceof JcsError) return false;
    throw error;
  }
  return constantTimeEqual(utf8ToBytes(id), utf8ToBytes(challenge.id));
}

/** @throws {PaymentRefusal} PAYMENT_INVALID unless the challenge was issued with this key */
export function requireOwnChallenge(key: Uint8Array, challenge: PaymentChallenge): void {
  if (isOwnChallenge(key, challenge)) return;
  throw new PaymentRefusal('PAYMENT_INVALID', 'the challenge was not issued here or was altered');
}

function text(challenge: Record<string, unknown>, name: string): string {
  const value = challenge[name];
  return typeof value === 'string' && value !== '' ? value : malformed(`challenge.${name} must be a string`);
}

function optionalText(challenge: Record<string, unknown>, name: string): string | undefined {
  const value = challenge[name];
  if (value === undefined || typeof value === 'string') return value;
  return malformed(`challenge.${name} must be a string`);
}
