import { problem, type ProblemError } from '@svc/platform';

/** Why a proof of identity is not believed. */
export type UnprovedReason =
  'SIGNATURE_MISSING' | 'SIGNATURE_INVALID' | 'TIMESTAMP_UNTIMELY' | 'NONCE_USED' | 'WRONG_PEER';

const SAID: Readonly<Record<UnprovedReason, { path: string; message: string }>> = {
  SIGNATURE_MISSING: {
    path: 'signature',
    message: 'is missing: a peer is reached by those alone who show who they are',
  },
  SIGNATURE_INVALID: { path: 'signature', message: 'is not the key’s over the text of this request' },
  TIMESTAMP_UNTIMELY: { path: 'timestamp', message: 'is too far from the time of the service' },
  NONCE_USED: { path: 'nonce', message: 'was used: each serves once' },
  WRONG_PEER: { path: 'peerPublicKey', message: 'is not the key that the offer was made to' },
};

/** @param more bound and value of the field that is at fault */
export function unproved(reason: UnprovedReason, more: { bound?: string; got?: string } = {}): ProblemError {
  const { path, message } = SAID[reason];
  return problem('IDENTITY_UNPROVED', `${path}: ${message}`, {
    errors: [{ path, message, ...more }],
    extensions: { reason },
  });
}
