import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** Bytes as `0x` and two lower-case digits each. */
export function toHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`;
}

/** The bytes of `0x` and exactly `byteCount` pairs of lower-case digits; undefined for any other text. */
export function fromHex(text: unknown, byteCount: number): Uint8Array | undefined {
  if (typeof text !== 'string' || text.length !== 2 + 2 * byteCount || !/^0x[0-9a-f]*$/.test(text))
    return undefined;
  return hexToBytes(text.slice(2));
}

/** Bytes as standard base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The bytes of standard, padded base64 (or base64url); undefined for any other text. */
export function fromBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
