export { encodeBase64, encodeBase64Url } from '#base64';

/**
 * Reads base64 in either alphabet, padded or not; `undefined` for anything else, white space and
 * mixed alphabets included, and for more than `bytesMax` bytes.
 */
export function decodeBase64(text: string, bytesMax: number): Uint8Array | undefined {
  if (text.length > Math.ceil(bytesMax / 3) * 4) return undefined;
  if (!/^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/.test(text)) return undefined;
  const digits = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (digits.length % 4 === 1) return undefined;
  if (text.length !== text.replace(/=+$/, '').length && text.length % 4 !== 0) return undefined;
  const latin1 = atob(digits);
  if (latin1.length > bytesMax) return undefined;
  return Uint8Array.from(latin1, character => character.charCodeAt(0));
}
