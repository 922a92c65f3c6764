import { encodeBase64Url } from '../encoding/base64.js';
import { decodeJson, isRecord } from '../encoding/base64-json.js';
import { hmacSha256 } from '../encoding/digest.js';
import { canonicalJson } from '../encoding/jcs.js';

/** Bytes of the largest `request` that is read. */
export const REQUEST_BYTES_MAX = 12_288;

/** The auth-params of a `Payment` challenge (draft-httpauth-payment section 5.1) that its id binds. */
export interface PaymentChallenge {
  readonly id: string;
  readonly realm: string;
  /** Method name, `lightning`. */
  readonly method: string;
  /** `charge`. */
  readonly intent: string;
  /** Method-specific request, decoded. */
  readonly request: Readonly<Record<string, unknown>>;
  /** RFC 3339 time after which the challenge buys nothing. */
  readonly expires?: string;
  readonly digest?: string;
  readonly opaque?: string;
}

/** A challenge that was made here, with its request as it goes over the wire. */
export interface IssuedPaymentChallenge extends PaymentChallenge {
  readonly encodedRequest: string;
}

/** The request as it goes over the wire: base64url of its canonical JSON, no padding. */
export function encodeRequest(request: Readonly<Record<string, unknown>>): string {
  return encodeBase64Url(canonicalJson(request));
}

/** The request of the wire, or `undefined` when it is no base64 of a JSON object within the bound. */
export function decodeRequest(encoded: string): Record<string, unknown> | undefined {
  const value = decodeJson(encoded, REQUEST_BYTES_MAX);
  return isRecord(value) ? value : undefined;
}

/**
 * The id of a challenge: HMAC-SHA256 over seven slots joined by `|`, absent ones empty
 * (draft-httpauth-payment section 5.1.2.1.1), so that the server recognises its own challenge
 * without having stored it.
 */
export function paymentChallengeId(
  key: Uint8Array,
  challenge: Omit<PaymentChallenge, 'id'>,
  encodedRequest = encodeRequest(challenge.request),
): string {
  const slots = [
    challenge.realm,
    challenge.method,
    challenge.intent,
    encodedRequest,
    challenge.expires ?? '',
    challenge.digest ?? '',
    challenge.opaque ?? '',
  ];
  return encodeBase64Url(hmacSha256(key, slots.join('|')));
}

/**
 * Issues a challenge. Its request is encoded once, for its id and for the header.
 *
 * @throws {RangeError} when a param holds a character that would break the header or the id's slots
 */
export function issuePaymentChallenge(
  key: Uint8Array,
  content: Omit<PaymentChallenge, 'id'>,
): IssuedPaymentChallenge {
  for (const name of ['realm', 'method', 'intent', 'expires'] as const) {
    const value = content[name];
    if (value !== undefined && !/^[\x20-\x7e]*$/.test(value))
      throw new RangeError(`${name} must be printable ASCII`);
    if (value !== undefined && /["\\|]/.test(value)) throw new RangeError(`${name} must hold no ", \\ or |`);
  }
  const encodedRequest = encodeRequest(content.request);
  return { id: paymentChallengeId(key, content, encodedRequest), encodedRequest, ...content };
}

/**
 * Value of the `WWW-Authenticate` line. `digest` and `opaque` are not written: clients in use echo
 * only the other six.
 */
export function paymentChallengeHeader(challenge: IssuedPaymentChallenge): string {
  const params: [string, string][] = [
    ['id', challenge.id],
    ['realm', challenge.realm],
    ['method', challenge.method],
    ['intent', challenge.intent],
    ['request', challenge.encodedRequest],
  ];
  if (challenge.expires !== undefined) params.push(['expires', challenge.expires]);
  return `Payment ${params.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
