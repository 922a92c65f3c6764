import { freshBytes } from '@svc/platform';
import { createCipheriv, createDecipheriv } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals a stored answer, which may hold a key or a ticket, with AES-256-GCM: nonce, ciphertext, tag. The id of its claim
 * is authenticated with it, so that an answer cannot be put in the place of another.
 * @param key 32 bytes
 */
export function sealAnswer(key: Uint8Array, claimId: string, body: Uint8Array): Buffer {
  const nonce = freshBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(claimId));
  return Buffer.concat([nonce, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

/** The answer that was sealed for the claim; undefined when it was sealed under another key, for another, or altered. */
export function openAnswer(key: Uint8Array, claimId: string, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(claimId))
    .setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
