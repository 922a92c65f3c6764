import { fromHex } from './byte-text.js';

/** A member of decoded JSON that is not what it must be; the message is its path. */
class Malformed extends Error {}

const TEXT_CHARS_MAX = 2_048;

/** What a reader makes of decoded JSON, or the path of the first member at fault. */
export function readStrictly<Value extends object>(read: () => Value): Value | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof Malformed) return error.message;
    throw error;
  }
}

/** An object with exactly these members. @param path empty for the document itself, which `name` names */
export function recordOf<Key extends string>(
  json: unknown,
  path: string,
  keys: readonly Key[],
  name = path,
): Record<Key, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return malformed(name);
  for (const key of keys) if (!Object.hasOwn(json, key)) malformed(path === '' ? key : `${path}.${key}`);
  for (const key of Object.keys(json))
    if (!(keys as readonly string[]).includes(key)) malformed(key.slice(0, 64));
  return json as Record<Key, unknown>;
}

export function listOf(json: unknown, path: string, min: number, max: number): unknown[] {
  // A list that has holes gets undefined there, which no reader passes over.
  return Array.isArray(json) && json.length >= min && json.length <= max
    ? Array.from<unknown>(json)
    : malformed(path);
}

export function textOf(json: unknown, path: string): string {
  const isText = typeof json === 'string' && json.length <= TEXT_CHARS_MAX && !/\p{Surrogate}/u.test(json);
  return isText ? json : malformed(path);
}

/** 32 bytes as `0x` and hexadecimal digits. */
export function digestTextOf(json: unknown, path: string): string {
  return fromHex(json, 32) ? (json as string) : malformed(path);
}

export function integerOf(json: unknown, path: string, min: number, max: number): number {
  const isInteger = typeof json === 'number' && Number.isInteger(json) && json >= min && json <= max;
  return isInteger ? json : malformed(path);
}

export function malformed(path: string): never {
  throw new Malformed(path);
}
