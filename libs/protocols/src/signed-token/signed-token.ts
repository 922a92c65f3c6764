import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decodeBase64, encodeBase64Url } from '../encoding/base64.js';
import { isRecord } from '../encoding/base64-json.js';
import { canonicalJson } from '../encoding/jcs.js';

const SIGNATURE_BYTES = 64;
/** Year 9999: times beyond it are none. */
const UNIX_SECONDS_MAX = 253_402_300_799;

/** What every signed token says. */
export interface SignedContent {
  /** Unix seconds. */
  readonly iat: number;
  /** Unix seconds; from then on it is expired. Null where it never is. */
  readonly exp: number | null;
  /** Id of the key that signed it. */
  readonly kid: string;
}

/** A kind of signed token: `<prefix>.<base64url of its canonical JSON>.<base64url of an Ed25519 signature>`. */
export interface SignedTokenForm<T extends SignedContent> {
  readonly prefix: string;
  /** Characters of the longest token that is read. */
  readonly charsMax: number;
  readonly payloadBytesMax: number;
  /**
   * The content that these members hold; undefined for what is none. A member that it leaves out makes the text no
   * token, for the content's canonical JSON is then another.
   */
  contentOf(members: Readonly<Record<string, unknown>>): T | undefined;
}

/** A token as it was read; whether it was signed is not looked at. */
export interface SignedToken<T extends SignedContent> {
  readonly content: T;
  /** What the signature covers: the text before its last dot. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** A public key as it is published; times as RFC 3339. */
export interface PublishedKey {
  readonly kid: string;
  readonly alg: string;
  /** base64url */
  readonly publicKey: string;
  readonly notBefore: string;
  readonly notAfter: string | null;
  readonly revokedAt: string | null;
}

/** What can be said of a token without asking its issuer. */
export type SignedTokenCheck<T extends SignedContent> =
  | { readonly code: 'VALID' | 'EXPIRED'; readonly content: T }
  | { readonly code: 'MALFORMED' | 'BAD_SIGNATURE' };

/** Ed25519 (RFC 8032) of the platform. */
export type VerifyEd25519 = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/**
 * The text that is signed: `<prefix>.<base64url of the content's canonical JSON>`. The token is that, a dot, and the
 * signature.
 *
 * @throws {RangeError} for content that could not be read again
 */
export function tokenSigningInput<T extends SignedContent>(form: SignedTokenForm<T>, content: T): string {
  const input = `${form.prefix}.${encodeBase64Url(canonicalJson(content))}`;
  const again = parseSignedToken(form, joinSignedToken(input, new Uint8Array(SIGNATURE_BYTES)));
  if (!again) throw new RangeError(`the content is none that a ${form.prefix} token may hold`);
  return input;
}

/** The token of a signed text. */
export function joinSignedToken(signingInput: string, signature: Uint8Array): string {
  return `${signingInput}.${encodeBase64Url(signature)}`;
}

/**
 * Reads a token; `undefined` for what is none. There is one text for one content and signature: other base64, other
 * order or spacing of the JSON, repeated and unknown members are no token.
 */
export function parseSignedToken<T extends SignedContent>(
  form: SignedTokenForm<T>,
  text: string,
): SignedToken<T> | undefined {
  if (text.length > form.charsMax) return undefined;
  const [prefix, payload, signature, ...rest] = text.split('.');
  if (prefix !== form.prefix || signature === undefined || rest.length > 0) return undefined;
  const payloadBytes = exactBase64Url(payload, form.payloadBytesMax);
  const signatureBytes = exactBase64Url(signature, SIGNATURE_BYTES);
  if (!payloadBytes || signatureBytes?.length !== SIGNATURE_BYTES) return undefined;
  const content = contentOf(form, payloadBytes);
  return content && { content, signed: `${prefix}.${payload}`, signature: signatureBytes };
}

/**
 * Checks a token against published keys: form, signature, the time in which its key signed, and its expiry. What the
 * issuer alone knows (revoked, unknown) is for the issuer to say.
 *
 * A key that was revoked has signed nothing that is believed, and a token from before or after its key's time was not
 * made by an honest signer: both are BAD_SIGNATURE, as is a key that is not published.
 */
export async function checkSignedToken<T extends SignedContent>(
  form: SignedTokenForm<T>,
  text: string,
  { keys, nowMs, verify }: { keys: readonly PublishedKey[]; nowMs: number; verify: VerifyEd25519 },
): Promise<SignedTokenCheck<T>> {
  const read = parseSignedToken(form, text);
  if (!read) return { code: 'MALFORMED' };
  const { content, signed, signature } = read;
  const key = keys.find(({ kid, alg }) => kid === content.kid && alg === 'Ed25519');
  const publicKey = key && exactBase64Url(key.publicKey, 32);
  if (!key || publicKey?.length !== 32 || !signedInTime(content, key)) return { code: 'BAD_SIGNATURE' };
  if (!(await verify(publicKey, utf8ToBytes(signed), signature))) return { code: 'BAD_SIGNATURE' };
  const isOver = content.exp !== null && content.exp * 1_000 <= nowMs;
  return { code: isOver ? 'EXPIRED' : 'VALID', content };
}

/** Whether a member is text of this pattern. */
export const isText = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

/** Whether a member is an integer from `least` to `most`. */
export const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;

/** Whether a member is a time in Unix seconds, not before `least`. */
export const isUnixSeconds = (value: unknown, least = 0): value is number =>
  isWhole(value, least, UNIX_SECONDS_MAX);

/** Whether a member names a signing key. */
export const isKid = (value: unknown): value is string => isText(value, /^[A-Za-z0-9_-]{1,64}$/);

function signedInTime({ iat }: SignedContent, { notBefore, notAfter, revokedAt }: PublishedKey): boolean {
  if (revokedAt !== null) return false;
  const issuedMs = iat * 1_000;
  return Date.parse(notBefore) <= issuedMs && (notAfter === null || issuedMs < Date.parse(notAfter));
}

/** Base64url without padding, spelled in its one way: bits beyond the last byte are zero. */
function exactBase64Url(text: string, bytesMax: number): Uint8Array | undefined {
  const bytes = decodeBase64(text, bytesMax);
  return bytes && encodeBase64Url(bytes) === text ? bytes : undefined;
}

function contentOf<T extends SignedContent>(form: SignedTokenForm<T>, bytes: Uint8Array): T | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const content = isRecord(value) ? form.contentOf(value) : undefined;
    return content && canonicalJson(content) === text ? content : undefined;
  } catch {
    return undefined;
  }
}
