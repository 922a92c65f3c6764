import {
  checkSignedToken,
  isKid,
  isText,
  isUnixSeconds,
  joinSignedToken,
  parseSignedToken,
  type PublishedKey,
  type SignedTokenForm,
  tokenSigningInput,
  type VerifyEd25519,
} from '../signed-token/signed-token.js';

/** Characters of the longest pairing token that is read. */
export const PAIRING_TOKEN_CHARS_MAX = 2_048;
/** Seconds that a token is valid at most: its issuer gives 300, and nothing longer is one of its tokens. */
const VALID_SECONDS_MAX = 300;
/** Characters of the longest device id. */
const DEVICE_CHARS_MAX = 128;

/** What a pairing token says: evidence that a recording of a challenge was brought in time, and no distance. */
export interface Pairing {
  readonly v: 1;
  /** Device that the challenge was made for, in the words of whoever asked for it. */
  readonly deviceId: string;
  /** SHA-256 of the challenge's 16 bytes, hex: which challenge it was, to those who know it. */
  readonly nonceHash: string;
  readonly band: 'ultrasonic_19khz' | 'audible_fsk';
  /** 10·log10 of the error rate of an uncoded bit as the recording was heard; −90 to 0. */
  readonly berNoiseFloorDb: number;
  /** `beacon`: an enrolled emitter alone was given the sound; `recording_submitted`: the caller was, too. */
  readonly assurance: 'beacon' | 'recording_submitted';
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds. */
  readonly exp: number;
  /** Id of the key that signed it. */
  readonly kid: string;
  /** The key of the device, which signed for the challenge (RFC 7800); without it the token is good for anybody who has it. */
  readonly cnf?: { readonly jwk: { readonly crv: 'Ed25519'; readonly kty: 'OKP'; readonly x: string } };
}

/** A token as it was read; whether it was signed is not looked at. */
export interface PairingToken {
  readonly pairing: Pairing;
  /** What the signature covers: the text before its last dot. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** What can be said of a token without asking its issuer. */
export type PairingTokenCheck =
  | { readonly code: 'VALID' | 'EXPIRED'; readonly pairing: Pairing }
  | { readonly code: 'MALFORMED' | 'BAD_SIGNATURE' };

const FORM: SignedTokenForm<Pairing> = {
  prefix: 'pair1',
  charsMax: PAIRING_TOKEN_CHARS_MAX,
  // A device of control characters, which are six bytes each in JSON, a key of 96 bytes, and the rest.
  payloadBytesMax: 1_376,
  contentOf: pairingOf,
};

/**
 * The text that is signed: `pair1.<base64url of the pairing's canonical JSON>`. The token is that, a dot, and the
 * signature.
 *
 * @throws {RangeError} for a pairing that could not be read again
 * @throws {JcsError} for a device that is no Unicode text
 */
export const pairingSigningInput = (pairing: Pairing): string => tokenSigningInput(FORM, pairing);

/** The token of a signed text. */
export const joinPairingToken: (signingInput: string, signature: Uint8Array) => string = joinSignedToken;

/** Reads a token; `undefined` for what is none. There is one text for one pairing and signature. */
export function parsePairingToken(text: string): PairingToken | undefined {
  const read = parseSignedToken(FORM, text);
  return read && { pairing: read.content, signed: read.signed, signature: read.signature };
}

/**
 * Checks a token against published keys, without asking its issuer: form, signature, the time in which its key signed,
 * and its expiry.
 *
 * @example
 * const { keys } = await (await fetch(`${issuer}/.well-known/svc-pairing-keys.json`)).json();
 * await checkPairingToken(text, keys, Date.now(), verifyEd25519); // { code: 'VALID', pairing: { … } }
 */
export async function checkPairingToken(
  text: string,
  keys: readonly PublishedKey[],
  nowMs: number,
  verify: VerifyEd25519,
): Promise<PairingTokenCheck> {
  const checked = await checkSignedToken(FORM, text, { keys, nowMs, verify });
  return 'content' in checked ? { code: checked.code, pairing: checked.content } : checked;
}

function pairingOf(members: Readonly<Record<string, unknown>>): Pairing | undefined {
  const { v, deviceId, nonceHash, band, berNoiseFloorDb, assurance, iat, exp, kid, cnf } = members;
  if (v !== 1 || typeof deviceId !== 'string' || !isText(nonceHash, /^[0-9a-f]{64}$/)) return undefined;
  if (deviceId.length < 1 || deviceId.length > DEVICE_CHARS_MAX) return undefined;
  if (band !== 'ultrasonic_19khz' && band !== 'audible_fsk') return undefined;
  if (assurance !== 'beacon' && assurance !== 'recording_submitted') return undefined;
  if (typeof berNoiseFloorDb !== 'number' || !(berNoiseFloorDb >= -90 && berNoiseFloorDb <= 0))
    return undefined;
  if (!isUnixSeconds(iat) || !isUnixSeconds(exp, iat) || exp - iat > VALID_SECONDS_MAX) return undefined;
  if (!isKid(kid)) return undefined;
  const confirmation = cnf === undefined ? {} : confirmationOf(cnf);
  return (
    confirmation && {
      v,
      deviceId,
      nonceHash,
      band,
      berNoiseFloorDb,
      assurance,
      iat,
      exp,
      kid,
      ...confirmation,
    }
  );
}

/** A public key of Ed25519 as a JWK (RFC 8037) in a confirmation (RFC 7800 section 3.2); undefined for what is none. */
function confirmationOf(cnf: unknown): Pick<Pairing, 'cnf'> | undefined {
  const { crv, kty, x } = Object((cnf as Partial<Pairing['cnf']> | null)?.jwk) as Record<string, unknown>;
  if (crv !== 'Ed25519' || kty !== 'OKP' || !isText(x, /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/))
    return undefined;
  return { cnf: { jwk: { crv, kty, x } } };
}
