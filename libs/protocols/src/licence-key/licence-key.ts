import {
  checkSignedToken,
  isKid,
  isText,
  isUnixSeconds,
  isWhole,
  joinSignedToken,
  parseSignedToken,
  type PublishedKey,
  type SignedTokenForm,
  tokenSigningInput,
  type VerifyEd25519,
} from '../signed-token/signed-token.js';

/** Characters of the longest licence key that is read. */
export const LICENCE_KEY_CHARS_MAX = 2_048;
const FEATURES_MAX = 32;
const SEATS_MAX = 1_000_000;

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

/** What can be said of a licence key without asking its issuer. */
export type LicenceCheck =
  | { readonly code: 'VALID' | 'EXPIRED'; readonly licence: Licence }
  | { readonly code: 'MALFORMED' | 'BAD_SIGNATURE' };

const FORM: SignedTokenForm<Licence> = {
  prefix: 'sam1',
  charsMax: LICENCE_KEY_CHARS_MAX,
  payloadBytesMax: 1_280,
  contentOf: licenceOf,
};

/**
 * The text that is signed: `sam1.<base64url of the licence's canonical JSON>`. The key is that, a dot, and the
 * signature.
 *
 * @throws {RangeError} for a licence that could not be read again
 */
export const licenceSigningInput = (licence: Licence): string => tokenSigningInput(FORM, licence);

/** The licence key of a signed text. */
export const joinLicenceKey: (signingInput: string, signature: Uint8Array) => string = joinSignedToken;

/** Reads a licence key; `undefined` for what is none. There is one text for one licence and signature. */
export function parseLicenceKey(text: string): LicenceKey | undefined {
  const read = parseSignedToken(FORM, text);
  return read && { licence: read.content, signed: read.signed, signature: read.signature };
}

/**
 * Checks a licence key against published keys, as {@link checkSignedToken} does. What the issuer alone knows (revoked,
 * suspended, unknown) is for the issuer to say.
 */
export async function checkLicenceKey(
  text: string,
  keys: readonly PublishedKey[],
  nowMs: number,
  verify: VerifyEd25519,
): Promise<LicenceCheck> {
  const checked = await checkSignedToken(FORM, text, { keys, nowMs, verify });
  return 'content' in checked ? { code: checked.code, licence: checked.content } : checked;
}

function licenceOf(members: Readonly<Record<string, unknown>>): Licence | undefined {
  const { v, id, tier, acct, iat, exp, features, seats, kid } = members;
  if (v !== 1 || !isText(id, /^lic_[A-Za-z0-9_-]{1,60}$/) || !isText(tier, /^[a-z0-9_]{1,32}$/))
    return undefined;
  if (!isText(acct, /^acct_[a-z0-9]{1,40}$/) || !isKid(kid)) return undefined;
  if (!isUnixSeconds(iat) || !isUnixSeconds(exp, iat)) return undefined;
  if (!isWhole(seats, 1, SEATS_MAX) || !isFeatures(features)) return undefined;
  return { v, id, tier, acct, iat, exp, features, seats, kid };
}

const isFeatures = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= FEATURES_MAX &&
  value.every(feature => isText(feature, /^[a-z0-9_.:-]{1,64}$/)) &&
  new Set(value).size === value.length;
