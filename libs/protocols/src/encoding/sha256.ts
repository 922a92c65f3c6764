import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as digestOf } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

const bytesOf = (message: Uint8Array | string) =>
  typeof message === 'string' ? utf8ToBytes(message) : message;

/** SHA-256, 32 bytes; text counts as UTF-8. */
export function sha256(message: Uint8Array | string): Uint8Array {
  return digestOf(bytesOf(message));
}

/** HMAC-SHA256, 32 bytes; text counts as UTF-8. */
export function hmacSha256(key: Uint8Array, message: Uint8Array | string): Uint8Array {
  return hmac(digestOf, key, bytesOf(message));
}
