import { Ed25519Keys, type ServiceEnvironment, type SigningSeed, signingSeedsOf } from '@svc/platform';
import {
  joinLicenceKey,
  joinM2mToken,
  type Licence,
  licenceSigningInput,
  type M2mLicence,
  m2mSigningInput,
  type VerifyEd25519,
} from '@svc/protocols';
import { createPublicKey, verify } from 'node:crypto';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const LICENCE_SIGNING_SEEDS = 'LICENCE_SIGNING_SEEDS';

export const LICENCE_KEYS = Symbol('LICENCE_KEYS');

const SEED_LABEL = 'svc/licence-signing-seed/v1:';
/** The keys that licence keys and tokens of licences between machines are signed with, and have been. */
export class LicenceKeys extends Ed25519Keys<'licence-key'> {
  constructor(seeds: readonly SigningSeed[]) {
    super(seeds, { seedLabel: SEED_LABEL, use: 'licence-key' });
  }

  /** Id of the newest key that may sign; undefined if there is none. */
  currentKid(nowMs: number): string | undefined {
    return this.current(nowMs)?.kid;
  }

  /**
   * The licence key of a licence, by the key that the licence names: always the same text.
   * @throws RangeError when that key is not configured
   */
  sign(licence: Licence): string {
    const input = licenceSigningInput(licence);
    return joinLicenceKey(input, this.signatureOf(licence.kid, Buffer.from(input)));
  }

  /**
   * The token of a licence between machines, by the key that it names: always the same text.
   * @throws RangeError when that key is not configured
   */
  signM2m(licence: M2mLicence): string {
    const input = m2mSigningInput(licence);
    return joinM2mToken(input, this.signatureOf(licence.kid, Buffer.from(input)));
  }
}

/** The keys of this deployment; all replicas need the same secrets. @throws ConfigError */
export function licenceKeysOf({ secrets }: Pick<ServiceEnvironment, 'secrets'>): LicenceKeys {
  return new LicenceKeys(signingSeedsOf(LICENCE_SIGNING_SEEDS, secrets));
}

/** Ed25519 of the platform's library. */
export const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
