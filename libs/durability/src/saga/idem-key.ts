import { sha256Hex } from '#sha256';

/** Forwards, or back: an effect and its compensation are two requests to the receiver. */
export type StepDirection = 'forward' | 'reverse';

const DOMAIN = 'svc-saga-idem/v1\n';

/**
 * What a remote effect carries in every attempt, so that its receiver has it once: SHA-256 of the domain, the saga, the
 * step and the direction, 32 bytes as lower-case hexadecimal. Parts end with a line feed, which none of them holds.
 *
 * @example
 * idemKey('0b8f…', 'prove', 'forward');
 */
export function idemKey(sagaId: string, step: string, direction: StepDirection): string {
  return sha256Hex(`${DOMAIN}${sagaId}\n${step}\n${direction}\n`);
}
