import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * SHA-256 of a text as UTF-8 and, after it, of bytes that are given as hexadecimal; lower-case hexadecimal. For browsers;
 * `node/digest.ts` is the same with the platform's own.
 */
export function sha256Hex(text: string, tailHex = ''): string {
  const message = concatBytes(utf8ToBytes(text), hexToBytes(tailHex));
  return bytesToHex(sha256(message));
}

/** SHA-256 of bytes, 32 bytes. */
export function sha256Bytes(...parts: readonly Uint8Array[]): Uint8Array {
  return sha256(concatBytes(...parts));
}
