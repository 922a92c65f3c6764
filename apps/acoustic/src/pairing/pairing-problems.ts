import { problem, type ProblemError } from '@svc/platform';

/** Said of a nonce that is unknown and of one that is another device's alike. */
export const unknownChallenge = (): ProblemError =>
  problem('NOT_FOUND', 'No challenge of this nonce was made for this device', {
    errors: [{ path: 'challengeNonce', message: 'is not known, or another device’s' }],
  });

export const expiredChallenge = (): ProblemError =>
  problem('EXPIRED', 'The challenge has expired: ask for another', {
    errors: [{ path: 'challengeNonce', message: 'has expired' }],
  });

/** `state` tells a saga that asking again changes nothing. */
const conflict = (reason: string, detail: string, message: string): ProblemError =>
  problem('CONFLICT', detail, {
    errors: [{ path: 'challengeNonce', message }],
    extensions: { reason, state: 'answered' },
  });

export const usedNonce = (): ProblemError =>
  conflict('NONCE_USED', 'The challenge was answered: a nonce serves once', 'was used');

export const noTriesLeft = (triesMax: number): ProblemError =>
  conflict(
    'TRIES_EXHAUSTED',
    `The challenge was answered wrongly ${triesMax} times: ask for another`,
    `has no tries left, of ${triesMax}`,
  );

export const noCapture = (): ProblemError =>
  conflict(
    'NO_CAPTURE',
    'No valid pairing of this device and challenge is kept: send recordingBase64, or verify the pairing first',
    'has no pairing that is valid',
  );
