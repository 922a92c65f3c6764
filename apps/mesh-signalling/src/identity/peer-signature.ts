import type { PeerKey } from '@svc/mesh';
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** DER of a SubjectPublicKeyInfo up to the bytes of its key: compressed secp256k1 (RFC 5480, SEC 2). */
const SECP256K1_PREFIX = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

/**
 * Whether a peer has signed a text: Ed25519 over its UTF-8 (RFC 8032), or ECDSA over the SHA-256 of that (SEC 1).
 * @param signature 64 bytes, R‖S or r‖s
 */
export function isSignedBy(key: PeerKey, text: string, signature: Uint8Array): boolean {
  const message = Buffer.from(text, 'utf8');
  if (key.kind === 'ed25519') return verify(null, message, publicKeyOf(key), signature);
  return verify('sha256', message, { key: publicKeyOf(key), dsaEncoding: 'ieee-p1363' }, signature);
}

/** Of keys as long as they are held: a peer that is called answers again and again. */
const publicKeys = new WeakMap<PeerKey, KeyObject>();

function publicKeyOf(key: PeerKey): KeyObject {
  const known = publicKeys.get(key);
  if (known) return known;
  const made = makePublicKey(key);
  publicKeys.set(key, made);
  return made;
}

function makePublicKey({ kind, bytes }: PeerKey): KeyObject {
  // As a JWK (RFC 8037) it is taken as it is: ten times sooner than DER is decoded.
  if (kind === 'ed25519') {
    const x = Buffer.from(bytes).toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }
  return createPublicKey({ key: Buffer.concat([SECP256K1_PREFIX, bytes]), format: 'der', type: 'spki' });
}
