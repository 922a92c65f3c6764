import type { PeerKey } from '@svc/mesh';
import { createPublicKey, type KeyObject, verify } from 'node:crypto';

/** DER of a SubjectPublicKeyInfo up to the bytes of its key: Ed25519 (RFC 8410), compressed secp256k1 (RFC 5480, SEC 2). */
const SPKI_PREFIX: Readonly<Record<PeerKey['kind'], Buffer>> = {
  ed25519: Buffer.from('302a300506032b6570032100', 'hex'),
  secp256k1: Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'),
};

/**
 * Whether a peer has signed a text: Ed25519 over its UTF-8 (RFC 8032), or ECDSA over the SHA-256 of that (SEC 1).
 * @param signature 64 bytes, R‖S or r‖s
 */
export function isSignedBy(key: PeerKey, text: string, signature: Uint8Array): boolean {
  const message = Buffer.from(text, 'utf8');
  if (key.kind === 'ed25519') return verify(null, message, publicKeyOf(key), signature);
  return verify('sha256', message, { key: publicKeyOf(key), dsaEncoding: 'ieee-p1363' }, signature);
}

function publicKeyOf({ kind, bytes }: PeerKey): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX[kind], bytes]), format: 'der', type: 'spki' });
}
