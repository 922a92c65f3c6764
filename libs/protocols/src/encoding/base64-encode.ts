import { utf8ToBytes } from '@noble/hashes/utils.js';

/** Base64 with padding (RFC 4648 section 4); text counts as UTF-8. */
export function encodeBase64(content: Uint8Array | string): string {
  let latin1 = '';
  for (const byte of typeof content === 'string' ? utf8ToBytes(content) : content) {
    latin1 += String.fromCharCode(byte);
  }
  return btoa(latin1);
}

/** Base64url without padding (RFC 4648 section 5), as every payment protocol here writes it; text counts as UTF-8. */
export function encodeBase64Url(content: Uint8Array | string): string {
  return encodeBase64(content).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
