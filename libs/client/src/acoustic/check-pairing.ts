import { checkPairingToken, type PairingTokenCheck, type PublishedKey } from '@svc/protocols';
import { decodeBase64, fromHex, toHex } from '../challenge/byte-text.js';
import { verifyEd25519 } from '../ed25519.js';

/** A pairing token, and what it is checked against. */
export interface PairingToCheck {
  readonly pairingToken: string;
  /** The published keys, `GET /.well-known/svc-pairing-keys.json`. */
  readonly keys: readonly PublishedKey[];
  /** The device that it must be of; of any where it is not said. */
  readonly deviceId?: string;
  /** The challenge that it must be of, hex; of any where it is not said. */
  readonly challengeNonce?: string;
  /** What its holder signed just now, with the key that the token names: a copy of the token alone does not pass. */
  readonly holder?: { readonly message: Uint8Array; readonly signature: Uint8Array };
  /** Default: now. */
  readonly at?: Date;
}

/** What can be said of a token without asking its issuer. */
export type PairingVerdict =
  | PairingTokenCheck
  | { readonly code: 'OTHER_DEVICE' | 'OTHER_CHALLENGE' | 'NOT_THE_HOLDER'; readonly pairing: PairingOf };
type PairingOf = Extract<PairingTokenCheck, { pairing: unknown }>['pairing'];

/**
 * Checks a pairing token on this machine: that it was signed by one of the keys, is not over, and is of the device and the
 * challenge that were meant. What is false is a value, never an exception. A token says that a recording of the challenge was
 * brought in time; how far the device was it does not.
 */
export async function checkPairing(token: PairingToCheck): Promise<PairingVerdict> {
  const { pairingToken, keys, deviceId, challengeNonce, holder, at = new Date() } = token;
  const check = await checkPairingToken(pairingToken, keys, at.getTime(), verifyEd25519);
  if (!('pairing' in check)) return check;
  const { pairing } = check;
  if (deviceId !== undefined && pairing.deviceId !== deviceId) return { code: 'OTHER_DEVICE', pairing };
  if (challengeNonce !== undefined && pairing.nonceHash !== (await hashOf(challengeNonce)))
    return { code: 'OTHER_CHALLENGE', pairing };
  if (holder && !(await isHolder(pairing, holder))) return { code: 'NOT_THE_HOLDER', pairing };
  return check;
}

/** False for a token that names no key: whoever has it is then its holder. */
async function isHolder(
  { cnf }: PairingOf,
  { message, signature }: NonNullable<PairingToCheck['holder']>,
): Promise<boolean> {
  const key = cnf && decodeBase64(cnf.jwk.x);
  return key !== undefined && (await verifyEd25519(key, message, signature).catch(() => false));
}

async function hashOf(nonceHex: string): Promise<string | undefined> {
  const nonce = fromHex(nonceHex.replace(/^0x/i, ''));
  return nonce && toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(nonce))));
}
