import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { toHex } from './byte-text.js';

/**
 * SHA-256 of a value's canonical JSON (RFC 8785), 32 bytes: the same for every order of members and every spelling of a
 * number.
 *
 * @example
 * canonicalDigest({ b: 1, a: 2.0 }); // SHA-256 of {"a":2,"b":1}
 *
 * Integers of 2^53 and beyond are refused: RFC 8785 reads numbers as doubles, which give neighbours one digest, and a reader
 * with exact integers would take a changed value for the one that was digested. They belong into strings.
 *
 * @throws TypeError for what JSON cannot say, RangeError for an integer that a double cannot tell from its neighbours
 */
export function canonicalDigest(value: unknown): Uint8Array {
  return sha256(canonicalBytes(value));
}

/** SHA-256 of a file as it stands in a request that evidence speaks of, `0x` hexadecimal. */
export function fileDigest(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/** A value's canonical JSON as UTF-8. @throws as {@link canonicalDigest} */
export function canonicalBytes(value: unknown): Uint8Array {
  refuseInexactIntegers(value, '');
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return utf8ToBytes(text);
}

function refuseInexactIntegers(value: unknown, path: string): void {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${path || 'the value'} is an integer beyond 2^53, which belongs into a string`);
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  for (const [name, member] of Object.entries(value)) {
    refuseInexactIntegers(member, path === '' ? name : `${path}.${name}`);
  }
}
