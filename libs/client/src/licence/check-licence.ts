import {
  checkLicenceKey,
  checkM2mToken,
  isM2mTokenLike,
  type LicenceCheck,
  type M2mTokenCheck,
  type PublishedKey,
} from '@svc/protocols';
import { verifyEd25519 } from '../ed25519.js';

/** A licence key, or the token of a licence between machines, and what it is checked against. */
export interface LicenceToCheck {
  readonly licenceKey: string;
  /** The published keys, `GET /.well-known/svc-license-keys.json`. */
  readonly keys: readonly PublishedKey[];
  /** Default: now. */
  readonly at?: Date;
}

/** What can be said of either without asking its issuer. */
export type LicenceVerdict = LicenceCheck | M2mTokenCheck;

/**
 * Checks a licence key (`sam1.`) or the token of a licence between machines (`m2m1.`) on this machine: that it was signed
 * by one of the keys, and is not over. That it was suspended or revoked is known to its issuer alone:
 * `GET /sam/verify-key/{licenseKey}`.
 */
export function checkLicence({ licenceKey, keys, at = new Date() }: LicenceToCheck): Promise<LicenceVerdict> {
  const check = isM2mTokenLike(licenceKey) ? checkM2mToken : checkLicenceKey;
  return check(licenceKey, keys, at.getTime(), verifyEd25519);
}
