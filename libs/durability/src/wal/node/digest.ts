import { createHash } from 'node:crypto';

/**
 * SHA-256 of a text as UTF-8 and, after it, of bytes that are given as hexadecimal; lower-case hexadecimal. A fifth of
 * the time of the one that also runs in browsers.
 */
export function sha256Hex(text: string, tailHex = ''): string {
  const hash = createHash('sha256').update(text);
  return (tailHex === '' ? hash : hash.update(tailHex, 'hex')).digest('hex');
}

/** SHA-256 of bytes, 32 bytes. */
export function sha256Bytes(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const { buffer, byteOffset, length } = hash.digest();
  // Not a Buffer, whose `slice` shares its memory and whose `toString` is another.
  return new Uint8Array(buffer, byteOffset, length);
}
