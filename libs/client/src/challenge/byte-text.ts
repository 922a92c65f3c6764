/**
 * Decodes base64 in either alphabet, padded or not; undefined where it is neither. Whitespace is
 * not base64 here.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const unpadded = text
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (!/^[A-Za-z0-9+/]*$/.test(unpadded) || unpadded.length % 4 === 1) return undefined;
  const binary = atob(unpadded);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function toBinary(bytes: Uint8Array): string {
  const chunk = 8_192;
  let binary = '';
  for (let i = 0; i < bytes.length; i += chunk)
    binary += String.fromCharCode(...bytes.subarray(i, i + chunk));
  return binary;
}

/** Standard base64 with padding: how proofs travel in JSON. */
export function encodeBase64(bytes: Uint8Array): string {
  return btoa(toBinary(bytes));
}

/** URL-safe base64 without padding: how the payment headers carry JSON. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Reads base64 of a JSON object; undefined for anything else. */
export function decodeBase64JsonObject(text: string): Record<string, unknown> | undefined {
  const bytes = decodeBase64(text);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes of an even number of hex digits in either case; undefined for anything else. */
export function fromHex(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(hex)) return undefined;
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  );
}
