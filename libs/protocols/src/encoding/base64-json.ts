import { decodeBase64 } from './base64.js';

/**
 * JSON in base64 of at most `bytesMax` bytes, or `undefined`: also for JSON that names a member of an object twice (I-JSON, RFC 7493), of
 * which two readers may take two different values.
 */
export function decodeJson(encoded: string, bytesMax: number): unknown {
  const bytes = decodeBase64(encoded, bytesMax);
  if (!bytes) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return membersIn(value) === membersNamed(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Members that the text of valid JSON names: of each there is a colon that is not within a string. */
const membersNamed = (text: string): number => text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;

/** Members of all objects in a value. */
function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const within: unknown[] = Object.values(value);
  return within.reduce<number>(
    (sum, each) => sum + membersIn(each),
    Array.isArray(value) ? 0 : within.length,
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
