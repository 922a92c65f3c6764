import { decodeBase64 } from './base64.js';

/** JSON in base64 of at most `bytesMax` bytes, or `undefined`. */
export function decodeJson(encoded: string, bytesMax: number): unknown {
  const bytes = decodeBase64(encoded, bytesMax);
  if (!bytes) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
