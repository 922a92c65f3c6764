import { createHmac, hash } from 'node:crypto';

/** SHA-256, 32 bytes; text counts as UTF-8. */
export function sha256(message: Uint8Array | string): Uint8Array {
  return plain(hash('sha256', message, 'buffer'));
}

/** HMAC-SHA256, 32 bytes; text counts as UTF-8. A third of the time of the one that also runs in browsers. */
export function hmacSha256(key: Uint8Array, message: Uint8Array | string): Uint8Array {
  return plain(createHmac('sha256', key).update(message).digest());
}

/**
 * Not a Buffer, whose `slice` shares its memory and whose `toString` is another: what runs on one platform runs on both.
 */
const plain = ({ buffer, byteOffset, length }: Buffer) => new Uint8Array(buffer, byteOffset, length);
