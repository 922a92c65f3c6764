import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

/**
 * SHA-256 of a value's canonical JSON (RFC 8785), 32 bytes: the same for every order of members and every spelling of a
 * number.
 *
 * @example
 * canonicalDigest({ b: 1, a: 2.0 }); // SHA-256 of {"a":2,"b":1}
 *
 * @throws TypeError for what JSON cannot say
 */
export function canonicalDigest(value: unknown): Uint8Array {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('the value has no JSON form');
  return sha256(utf8ToBytes(text));
}
