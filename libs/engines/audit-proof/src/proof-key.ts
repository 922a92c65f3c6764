import { fromBase64 } from './byte-text.js';
import {
  type ProofHasher,
  ROOT_SIGNATURE_CONTEXT,
  rootSignatureFault,
  signatureFault,
  type SignatureFault,
  type SignedRoot,
  type SignedStatement,
} from './root-signature.js';

/** A published signing key, as `/.well-known/svc-proof-keys.json` has it. */
export interface ProofKey {
  readonly kid: string;
  readonly alg: string;
  /** base64url. */
  readonly publicKey: string;
  /** When the key began to sign, RFC 3339. */
  readonly notBefore: string;
  /** When it signs for the last time; what it has signed until then holds to the end of its own validity. */
  readonly notAfter: string | null;
  /** When the key was given up as compromised: from its publication on, nothing that it has signed is believed. */
  readonly revokedAt?: string | null;
}

/** How long a signature holds. */
export const SIGNATURE_VALIDITY_DAYS = 365;
const SIGNATURE_VALIDITY_SECONDS = SIGNATURE_VALIDITY_DAYS * 86_400;

export type KeyFault = 'unknown-key' | 'key-revoked' | 'key-expired';

/**
 * Why a signature by one of the published keys, over a proof or a root, does not hold now; undefined if it does. Never throws
 * for what it is given.
 * What was signed says when its signature ends, not when it was made: a key that signs until `notAfter` makes none that
 * ends more than a validity later, and one that does was made after the key had ended.
 * @param nowSeconds Unix seconds
 */
export function keyedSignatureFault(
  statement: SignedStatement | SignedRoot,
  signature: Uint8Array,
  keyId: string,
  keys: readonly ProofKey[],
  nowSeconds: number,
  hasher?: ProofHasher,
): KeyFault | SignatureFault | undefined {
  const key = keys.find(one => one?.kid === keyId && one.alg === 'ML-DSA-65');
  const publicKey = key && fromBase64(key.publicKey);
  if (!publicKey) return 'unknown-key';
  // Whatever stands there: a key is not believed for a date that cannot be read.
  if (key.revokedAt !== undefined && key.revokedAt !== null) return 'key-revoked';
  if (!(statement.expiresAtSeconds <= latestExpirySeconds(key))) return 'key-expired';
  if ('root' in statement) return rootSignatureFault(statement, signature, publicKey, nowSeconds);
  return signatureFault(statement, signature, publicKey, nowSeconds, ROOT_SIGNATURE_CONTEXT, hasher);
}

// Of a date that cannot be read: NaN, before which nothing lies.
function latestExpirySeconds({ notAfter }: ProofKey): number {
  return notAfter === null ? Infinity : Date.parse(notAfter) / 1_000 + SIGNATURE_VALIDITY_SECONDS;
}
