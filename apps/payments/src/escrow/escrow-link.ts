import { createHmac } from 'node:crypto';

/**
 * The secret in the claim link of an escrow, 43 characters of base64url: the same for one escrow, so that a lost answer is given
 * again, and made of a key that is in no database.
 */
export const claimTokenOf = (key: Uint8Array, escrowId: string): string =>
  createHmac('sha256', key).update(`token\0${escrowId}`).digest('base64url');

/** What a row knows a claim token by, 32 bytes: it opens nothing. */
export const claimDigestOf = (key: Uint8Array, claimToken: string): Buffer =>
  createHmac('sha256', key).update(`digest\0${claimToken}`).digest();
