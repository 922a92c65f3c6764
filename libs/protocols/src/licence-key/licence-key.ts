import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase64, encodeBase64Url } from '../encoding/base64.js';
import { isRecord } from '../encoding/base64-json.js';
import { canonicalJson } from '../encoding/jcs.js';

/** Characters of the longest licence key that is read. */
export const LICENCE_KEY_CHARS_MAX = 2_048;
const PREFIX = 'sam1';
const PAYLOAD_BYTES_MAX = 1_280;
const SIGNATURE_BYTES = 64;
const FEATURES_MAX = 32;
const SEATS_MAX = 1_000_000;
/** Year 9999: times beyond it are none. */
const UNIX_SECONDS_MAX = 253_402_300_799;

/** What a licence key grants, and to whom. */
export interface Licence {
  readonly v: 1;
  /** `lic_…` */
  readonly id: string;
  readonly tier: string;
  /** Account that holds it. */
  readonly acct: string;
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds; from then on it is expired. */
  readonly exp: number;
  readonly features: readonly string[];
  readonly seats: number;
  /** Id of the key that signed it. */
  readonly kid: string;
}

/** A licence key as it was read; whether it was signed is not looked at. */
export interface LicenceKey {
  readonly licence: Licence;
  /** What the signature covers: the text before its last dot. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** A public key as it is published; times as RFC 3339. */
export interface LicencePublicKey {
  readonly kid: string;
  readonly alg: string;
  /** base64url */
  readonly publicKey: string;
  readonly notBefore: string;
  readonly notAfter: string | null;
  readonly revokedAt: string | null;
}

/** What can be said of a licence key without asking its issuer. */
export type LicenceCheck =
  | { readonly code: 'VALID' | 'EXPIRED'; readonly licence: Licence }
  | { readonly code: 'MALFORMED' | 'BAD_SIGNATURE' };

/** Ed25519 (RFC 8032) of the platform. */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/**
 * The text that is signed: `sam1.<base64url of the licence's canonical JSON>`. The key is that, a dot, and the
 * signature.
 *
 * @throws {RangeError} for a licence that could not be read again
 */
export function licenceSigningInput(licence: Licence): string {
  const input = `${PREFIX}.${encodeBase64Url(canonicalJson(licence))}`;
  const again = parseLicenceKey(joinLicenceKey(input, new Uint8Array(SIGNATURE_BYTES)));
  if (!again) throw new RangeError('the licence holds what no licence key may hold');
  return input;
}

/** The licence key of a signed text. */
export function joinLicenceKey(signingInput: string, signature: Uint8Array): string {
  return `${signingInput}.${encodeBase64Url(signature)}`;
}

/**
 * Reads a licence key; `undefined` for what is none. There is one text for one licence and signature: other base64, other
 * order or spacing of the JSON, repeated and unknown members are no licence key.
 */
export function parseLicenceKey(text: string): LicenceKey | undefined {
  if (text.length > LICENCE_KEY_CHARS_MAX) return undefined;
  const [prefix, payload, signature, ...rest] = text.split('.');
  if (prefix !== PREFIX || signature === undefined || rest.length > 0) return undefined;
  const payloadBytes = exactBase64Url(payload, PAYLOAD_BYTES_MAX);
  const signatureBytes = exactBase64Url(signature, SIGNATURE_BYTES);
  if (!payloadBytes || signatureBytes?.length !== SIGNATURE_BYTES) return undefined;
  const licence = licenceOf(payloadBytes);
  return licence && { licence, signed: `${PREFIX}.${payload}`, signature: signatureBytes };
}

/**
 * Checks a licence key against published keys: form, signature, the time in which its key signed, and its expiry. What
 * the issuer alone knows (revoked, suspended, unknown) is for the issuer to say.
 *
 * A key that was revoked has signed nothing that is believed, and a licence from before or after its key's time was not
 * made by an honest signer: both are BAD_SIGNATURE.
 */
export async function checkLicenceKey(
  text: string,
  keys: readonly LicencePublicKey[],
  nowMs: number,
  verify: VerifyEd25519,
): Promise<LicenceCheck> {
  const read = parseLicenceKey(text);
  if (!read) return { code: 'MALFORMED' };
  const { licence, signed, signature } = read;
  const key = keys.find(({ kid, alg }) => kid === licence.kid && alg === 'Ed25519');
  const publicKey = key && exactBase64Url(key.publicKey, 32);
  if (!key || publicKey?.length !== 32 || !signedInTime(licence, key)) return { code: 'BAD_SIGNATURE' };
  if (!(await verify(publicKey, utf8ToBytes(signed), signature))) return { code: 'BAD_SIGNATURE' };
  return { code: licence.exp * 1_000 <= nowMs ? 'EXPIRED' : 'VALID', licence };
}

function signedInTime({ iat }: Licence, { notBefore, notAfter, revokedAt }: LicencePublicKey): boolean {
  if (revokedAt !== null) return false;
  const issuedMs = iat * 1_000;
  return Date.parse(notBefore) <= issuedMs && (notAfter === null || issuedMs < Date.parse(notAfter));
}

/** Base64url without padding, spelled in its one way: bits beyond the last byte are zero. */
function exactBase64Url(text: string, bytesMax: number): Uint8Array | undefined {
  const bytes = decodeBase64(text, bytesMax);
  return bytes && encodeBase64Url(bytes) === text ? bytes : undefined;
}

function licenceOf(bytes: Uint8Array): Licence | undefined {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { v, id, tier, acct, iat, exp, features, seats, kid } = value;
  if (v !== 1 || !isText(id, /^lic_[A-Za-z0-9_-]{1,60}$/) || !isText(tier, /^[a-z0-9_]{1,32}$/))
    return undefined;
  if (!isText(acct, /^acct_[a-z0-9]{1,40}$/) || !isText(kid, /^[A-Za-z0-9_-]{1,64}$/)) return undefined;
  if (!isWhole(iat, 0, UNIX_SECONDS_MAX) || !isWhole(exp, iat, UNIX_SECONDS_MAX)) return undefined;
  if (!isWhole(seats, 1, SEATS_MAX) || !isFeatures(features)) return undefined;
  const licence: Licence = { v, id, tier, acct, iat, exp, features, seats, kid };
  return canonicalJson(licence) === text ? licence : undefined;
}

const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

const isFeatures = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= FEATURES_MAX &&
  value.every(feature => isText(feature, /^[a-z0-9_.:-]{1,64}$/)) &&
  new Set(value).size === value.length;
