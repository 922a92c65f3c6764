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

/** Characters of the longest machine-to-machine licence token that is read. */
export const M2M_TOKEN_CHARS_MAX = 4_096;
/** Characters of the longest name of a licensee, a contract or a capability. */
const NAME_CHARS_MAX = 128;
const NODES_MAX = 1_000_000;

/** What a machine-to-machine licence grants, and to whom. */
export interface M2mLicence {
  readonly v: 1;
  /** `m2m_…`: this token, of all that were issued. */
  readonly jti: string;
  readonly tier: string;
  /** What it is for, in the words of its buyer; null where none was named. */
  readonly capability: string | null;
  /** Agent that holds it. */
  readonly licensee: string;
  /** Contract of the licensee under which it was issued. */
  readonly contract: string;
  /** Its place in the contract: higher than that of every licence before it. */
  readonly streamIndex: number;
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds; null: it does not expire. */
  readonly exp: number | null;
  /** Id of the key that signed it. */
  readonly kid: string;
  /** Nodes of the licensee that may use it. */
  readonly nodesMax: number;
  /** Whether the licensee may pass it on to others. */
  readonly sublicense: boolean;
  /** Whether use goes on only with further licences, of higher `streamIndex`, under the same contract. */
  readonly metered: boolean;
  /** Saga that issued it, whose log says how. */
  readonly saga: string;
}

/** A token as it was read; whether it was signed is not looked at. */
export interface M2mToken {
  readonly licence: M2mLicence;
  /** What the signature covers: the text before its last dot. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** What can be said of a token without asking its issuer. */
export type M2mTokenCheck =
  | { readonly code: 'VALID' | 'EXPIRED'; readonly licence: M2mLicence }
  | { readonly code: 'MALFORMED' | 'BAD_SIGNATURE' };

const FORM: SignedTokenForm<M2mLicence> = {
  prefix: 'm2m1',
  charsMax: M2M_TOKEN_CHARS_MAX,
  // Three names of control characters, which are six bytes each in JSON, and the rest.
  payloadBytesMax: 2_944,
  contentOf: licenceOf,
};

/** Whether a text is meant as a token of this form, by its beginning alone. */
export const isM2mTokenLike = (text: string): boolean => text.startsWith('m2m1.');

/**
 * The text that is signed: `m2m1.<base64url of the licence's canonical JSON>`. The token is that, a dot, and the
 * signature.
 *
 * @throws {RangeError} for a licence that could not be read again
 * @throws {JcsError} for a name that is no Unicode text
 */
export const m2mSigningInput = (licence: M2mLicence): string => tokenSigningInput(FORM, licence);

/** The token of a signed text. */
export const joinM2mToken: (signingInput: string, signature: Uint8Array) => string = joinSignedToken;

/** Reads a token; `undefined` for what is none. There is one text for one licence and signature. */
export function parseM2mToken(text: string): M2mToken | undefined {
  const read = parseSignedToken(FORM, text);
  return read && { licence: read.content, signed: read.signed, signature: read.signature };
}

/**
 * Checks a token against published keys, without asking its issuer: form, signature, the time in which its key signed,
 * and its expiry. Whether the sale was taken back only the issuer knows.
 *
 * @example
 * const { keys } = await (await fetch(`${issuer}/.well-known/svc-license-keys.json`)).json();
 * await checkM2mToken(text, keys, Date.now(), verifyEd25519); // { code: 'VALID', licence: { … } }
 */
export async function checkM2mToken(
  text: string,
  keys: readonly PublishedKey[],
  nowMs: number,
  verify: VerifyEd25519,
): Promise<M2mTokenCheck> {
  const checked = await checkSignedToken(FORM, text, { keys, nowMs, verify });
  return 'content' in checked ? { code: checked.code, licence: checked.content } : checked;
}

function licenceOf(members: Readonly<Record<string, unknown>>): M2mLicence | undefined {
  const { v, jti, tier, capability, licensee, contract, streamIndex, iat, exp, kid } = members;
  const { nodesMax, sublicense, metered, saga } = members;
  if (v !== 1 || !isText(jti, /^m2m_[A-Za-z0-9_-]{22}$/) || !isText(tier, /^[a-z0-9_]{1,32}$/))
    return undefined;
  if (!isName(licensee) || !isName(contract) || !(capability === null || isName(capability)))
    return undefined;
  if (!isWhole(streamIndex, 0, Number.MAX_SAFE_INTEGER) || !isWhole(nodesMax, 1, NODES_MAX)) return undefined;
  if (!isUnixSeconds(iat) || !(exp === null || isUnixSeconds(exp, iat)) || !isKid(kid)) return undefined;
  if (typeof sublicense !== 'boolean' || typeof metered !== 'boolean') return undefined;
  if (!isText(saga, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)) return undefined;
  return {
    ...{ v, jti, tier, capability, licensee, contract, streamIndex, iat, exp, kid },
    ...{ nodesMax, sublicense, metered, saga },
  };
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= NAME_CHARS_MAX;
