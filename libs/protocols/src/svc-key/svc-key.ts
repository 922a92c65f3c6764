import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { encodeBase64Url } from '../encoding/base64.js';

/** `test` keys are the sandbox's: play money. */
export type SvcKeyMode = 'live' | 'test';

/** A key's text, read. */
export interface SvcKey {
  readonly mode: SvcKeyMode;
  /** 16 characters `[a-z0-9]`: public, the key is looked up by it. */
  readonly keyId: string;
}

/** A key derived from a payment, with the ids of its account. */
export interface DerivedSvcKey {
  /** `acct_` and 20 characters. */
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

/** Random bytes that {@link makeSvcKey} takes: 10 for the id, 32 for the secret. */
export const SVC_KEY_BYTES = 42;
/** Random bytes that {@link makeAccountId} takes. */
export const ACCOUNT_ID_BYTES = 13;

const KEY_ID_CHARS = 16;
const ACCOUNT_ID_CHARS = 20;
const SECRET_BYTES = 32;
const FORM = /^svc_(live|test)_([a-z0-9]{16})_[A-Za-z0-9_-]{43}$/;

/**
 * Makes the text of a key, `svc_live_<id>_<43 characters of base64url>`.
 * @param random {@link SVC_KEY_BYTES} bytes
 */
export function makeSvcKey(mode: SvcKeyMode, random: Uint8Array): { keyId: string; key: string } {
  if (random.length !== SVC_KEY_BYTES)
    throw new RangeError(`a key takes ${SVC_KEY_BYTES} bytes, got ${random.length}`);
  const keyId = base32(random.subarray(SECRET_BYTES), KEY_ID_CHARS);
  return { keyId, key: `svc_${mode}_${keyId}_${encodeBase64Url(random.subarray(0, SECRET_BYTES))}` };
}

/** @param random {@link ACCOUNT_ID_BYTES} bytes */
export function makeAccountId(random: Uint8Array): string {
  if (random.length !== ACCOUNT_ID_BYTES)
    throw new RangeError(`an account id takes ${ACCOUNT_ID_BYTES} bytes, got ${random.length}`);
  return `acct_${base32(random, ACCOUNT_ID_CHARS)}`;
}

/**
 * Mode and id of a key's text, or `undefined` when it is none. It says nothing of whether the key is good.
 * @example parseSvcKey('svc_live_abcdefgh23456723_…')?.keyId; // 'abcdefgh23456723'
 */
export function parseSvcKey(text: string): SvcKey | undefined {
  const match = FORM.exec(text);
  return match ? { mode: match[1] as SvcKeyMode, keyId: match[2] } : undefined;
}

/**
 * The key on which lies what a payment left over. It is one HMAC-SHA512 over the rail family and the proof key, cut
 * into secret, key id and account id: the ids tell nothing of the secret, and nothing of it has to be stored.
 * @param secret CREDIT_KEY_SECRET
 */
export function deriveSvcKey(
  secret: string,
  mode: SvcKeyMode,
  family: string,
  proofKey: string,
): DerivedSvcKey {
  const bytes = hmac(sha512, utf8ToBytes(secret), utf8ToBytes(`credit-key\0${family}\0${proofKey}`));
  const { keyId, key } = makeSvcKey(mode, bytes.subarray(0, SVC_KEY_BYTES));
  const accountId = makeAccountId(bytes.subarray(SVC_KEY_BYTES, SVC_KEY_BYTES + ACCOUNT_ID_BYTES));
  return { accountId, keyId, key };
}

/** The first characters of bytes in lower-case base32 (RFC 4648 section 6), 5 bits each: no bias, no underscore. */
export function base32(bytes: Uint8Array, length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31];
    }
  }
  return text;
}
