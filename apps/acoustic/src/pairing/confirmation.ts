import { parsePeerKey, ProofError } from '@svc/mesh';
import type { Pairing } from '@svc/protocols';
import { unprocessable } from '@svc/platform';
import { createPublicKey, verify } from 'node:crypto';

/** Bytes before the nonce in what the key of a device signs. */
const DOMAIN = Buffer.from('svc/pairing-confirmation/v1\0', 'utf8');

/**
 * The Ed25519 key that a challenge is bound to; null where none is named.
 *
 * @param hex 32 bytes, with or without `0x`
 * @throws ProblemError UNPROCESSABLE for a key that has no secret, or whose signature anyone can make
 */
export function confirmationKeyOf(hex: string | undefined): Buffer | null {
  if (hex === undefined) return null;
  try {
    return Buffer.from(parsePeerKey(hex).bytes);
  } catch (error) {
    if (error instanceof ProofError) throw unprocessable('confirmationKey', error.message);
    throw error;
  }
}

/**
 * Requires the signature of the device's key over the nonce of its challenge: else a caller could have a token made that names
 * the key of a device which took no part.
 *
 * @param key 32 bytes; null for a challenge that is bound to none
 * @param signature 64 bytes, hex
 * @throws ProblemError UNPROCESSABLE where it is missing, wrong, or there without a key
 */
export function requireConfirmation(key: Buffer | null, nonce: Uint8Array, signature?: string): void {
  if (key === null && signature === undefined) return;
  if (key === null) throw unprocessable('confirmationSignature', 'the challenge has no confirmationKey');
  if (signature === undefined)
    throw unprocessable('confirmationSignature', 'is missing: the challenge has a confirmationKey');
  const bytes = Buffer.from(signature.replace(/^0x/, ''), 'hex');
  const { jwk } = confirmationOf(key).cnf;
  const isSigned = verify(
    null,
    Buffer.concat([DOMAIN, nonce]),
    createPublicKey({ key: { ...jwk }, format: 'jwk' }),
    bytes,
  );
  if (!isSigned)
    throw unprocessable('confirmationSignature', 'is not that of the confirmationKey over the nonce');
}

/** The claim of a token that names a key (RFC 7800 section 3.2, RFC 8037). */
export const confirmationOf = (key: Buffer): Required<Pick<Pairing, 'cnf'>> => ({
  cnf: { jwk: { crv: 'Ed25519', kty: 'OKP', x: key.toString('base64url') } },
});
