import { hmacSha256, sha256 } from '#sha256';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './jcs.js';

export { hmacSha256 } from '#sha256';

export const SHA256_BYTES = 32;

/** Whether two byte strings are equal, in a time that tells nothing but their lengths. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a[index] ^ b[index];
  return difference === 0;
}

/** Whether a preimage opens a payment hash (BOLT 11: hash = SHA-256(preimage)), in constant time. */
export function opensPaymentHash(preimageHex: string, paymentHashHex: string): boolean {
  return constantTimeEqual(sha256(hexToBytes(preimageHex)), hexToBytes(paymentHashHex));
}

/**
 * What a payment is bound to: SHA-256 over the canonical JSON of the operation and the validated
 * body with its defaults, so that two spellings of one request are one request. Lower-case hex.
 *
 * @throws {JcsError} when the body has no canonical JSON
 */
export function requestDigest(operationId: string, body: unknown): string {
  return bytesToHex(sha256(canonicalJson({ operationId, body })));
}

/** An independent 32-byte key for one purpose, made from one master secret. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return hmacSha256(utf8ToBytes(secret), `svc/payments/v1/${purpose}`);
}
