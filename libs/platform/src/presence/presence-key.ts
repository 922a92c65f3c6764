import type { ServiceName } from '@svc/contracts';

const KEY_CHARACTERS_MAX = 200;
const VALUE_BYTES_MAX = 8 * 1024;
const TOKENS = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** @throws RangeError */
export function assertPresenceKey(key: string): void {
  if (typeof key !== 'string') throw new RangeError(`a key is text, got ${typeof key}`);
  if (key.length > KEY_CHARACTERS_MAX)
    throw new RangeError(`a key of ${key.length} characters is more than ${KEY_CHARACTERS_MAX}`);
  if (!TOKENS.test(key))
    throw new RangeError(
      `${JSON.stringify(key)} is no key: tokens of letters, digits, - and _ joined by dots`,
    );
}

/** A prefix is a key, or empty. @throws RangeError */
export function assertPresencePrefix(prefix: string): void {
  if (prefix !== '') assertPresenceKey(prefix);
}

/** Whether the key is the prefix or has more tokens behind it. */
export function isUnder(prefix: string, key: string): boolean {
  return prefix === '' || key === prefix || (key.startsWith(prefix) && key[prefix.length] === '.');
}

/** The value as JSON text. @throws RangeError where it is none, or too long */
export function presenceJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    throw new RangeError(`a value has to be JSON: ${(error as Error).message}`, { cause: error });
  }
  if (json === undefined) throw new RangeError(`a value has to be JSON, got ${typeof value}`);
  const bytes = Buffer.byteLength(json);
  if (bytes > VALUE_BYTES_MAX)
    throw new RangeError(`a value of ${bytes} bytes is more than ${VALUE_BYTES_MAX}`);
  return json;
}

/** Where the board of one service is, on NATS. */
export interface PresenceNames {
  /** Of the key-value store (ADR-8 of NATS). */
  readonly bucket: string;
  /** Stream of the bucket. */
  readonly stream: string;
  /** Of all keys: `$KV.<bucket>.>`. */
  readonly subjects: string;
}

/** The bucket `<service>-presence`. */
export function presenceNamesOf(owner: ServiceName): PresenceNames {
  const bucket = `${owner}-presence`;
  return { bucket, stream: `KV_${bucket}`, subjects: `$KV.${bucket}.>` };
}
