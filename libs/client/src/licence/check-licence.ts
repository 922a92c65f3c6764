import { checkLicenceKey, type LicenceCheck, type PublishedKey } from '@svc/protocols';

/** A licence key, and what it is checked against. */
export interface LicenceToCheck {
  readonly licenceKey: string;
  /** The published keys, `GET /.well-known/svc-license-keys.json`. */
  readonly keys: readonly PublishedKey[];
  /** Default: now. */
  readonly at?: Date;
}

/**
 * Checks a licence key on this machine: that it was signed by one of the keys, and is not over. That a licence was
 * suspended or revoked is known to its issuer alone: `GET /sam/verify-key/{licenseKey}`.
 */
export function checkLicence({ licenceKey, keys, at = new Date() }: LicenceToCheck): Promise<LicenceCheck> {
  return checkLicenceKey(licenceKey, keys, at.getTime(), verifyEd25519);
}

/** Ed25519 of WebCrypto: in Node from 20 and in the browsers of today, at https addresses and at localhost. */
async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const bytes = (view: Uint8Array) => Uint8Array.from(view);
  const key = await crypto.subtle.importKey('raw', bytes(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, bytes(signature), bytes(message));
}
