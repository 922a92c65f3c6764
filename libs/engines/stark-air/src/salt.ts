import { WitnessError } from './witness-error.js';

/** Bytes of a commitment's salt: 192 bits that nobody guesses. */
export const SALT_BYTES = 24;

const SALT_PATTERN = /^0x[0-9a-fA-F]{48}$/;

/** A fresh salt, from the platform's random generator. */
export function drawSalt(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(SALT_BYTES));
}

/** A salt as JSON, `0x` and 48 hexadecimal digits; a fresh one if there is none. @throws WitnessError */
export function saltFromJson(json: unknown): Uint8Array {
  if (json === undefined) return drawSalt();
  if (typeof json !== 'string' || !SALT_PATTERN.test(json)) {
    throw new WitnessError('malformed-salt', 'salt', `must be 0x and ${2 * SALT_BYTES} hexadecimal digits`);
  }
  return Uint8Array.from({ length: SALT_BYTES }, (_, i) =>
    Number.parseInt(json.slice(2 + 2 * i, 4 + 2 * i), 16),
  );
}

export function saltToJson(salt: Uint8Array): string {
  return `0x${[...salt].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** @throws WitnessError unless it has 24 bytes */
export function assertSalt(salt: Uint8Array): void {
  if (salt.length === SALT_BYTES) return;
  throw new WitnessError('malformed-salt', 'salt', `must have ${SALT_BYTES} bytes, got ${salt.length}`);
}
