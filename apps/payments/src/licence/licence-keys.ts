import {
  maySign,
  type ServiceEnvironment,
  type SigningSeed,
  signingSeedsOf,
  type SigningTimes,
} from '@svc/platform';
import {
  joinLicenceKey,
  joinM2mToken,
  type Licence,
  licenceSigningInput,
  type M2mLicence,
  m2mSigningInput,
  type PublishedKey,
  type VerifyEd25519,
} from '@svc/protocols';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const LICENCE_SIGNING_SEEDS = 'LICENCE_SIGNING_SEEDS';

export const LICENCE_KEYS = Symbol('LICENCE_KEYS');

const SEED_LABEL = 'svc/licence-signing-seed/v1:';
const KID_BYTES = 12;
/** DER of an Ed25519 private key (RFC 8410) up to its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

interface SigningKey extends SigningTimes {
  /** Made from the public key, so that every replica names a key alike. */
  readonly kid: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** As the key discovery route publishes it. */
export type PublishedLicenceKey = PublishedKey & { readonly alg: 'Ed25519'; readonly use: 'licence-key' };

/** The keys that licence keys and tokens of licences between machines are signed with, and have been. */
export class LicenceKeys {
  private readonly keys: readonly SigningKey[];

  constructor(seeds: readonly SigningSeed[]) {
    this.keys = seeds.map(signingKeyOf).sort((a, b) => b.notBeforeMs - a.notBeforeMs);
  }

  /** Id of the newest key that may sign; undefined if there is none. */
  currentKid(nowMs: number): string | undefined {
    return this.keys.find(key => maySign(key, nowMs))?.kid;
  }

  /** Whether a licence of that key and time is believed: the key was not given up, and signed then. */
  isBelieved(kid: string, issuedMs: number): boolean {
    return this.keys.some(key => key.kid === kid && maySign(key, issuedMs));
  }

  /**
   * The licence key of a licence, by the key that the licence names: always the same text.
   * @throws RangeError when that key is not configured
   */
  sign(licence: Licence): string {
    const input = licenceSigningInput(licence);
    return joinLicenceKey(input, this.signatureOf(licence.kid, input));
  }

  /**
   * The token of a licence between machines, by the key that it names: always the same text.
   * @throws RangeError when that key is not configured
   */
  signM2m(licence: M2mLicence): string {
    const input = m2mSigningInput(licence);
    return joinM2mToken(input, this.signatureOf(licence.kid, input));
  }

  private signatureOf(kid: string, input: string): Uint8Array {
    const key = this.keys.find(each => each.kid === kid);
    if (!key) throw new RangeError(`no signing key ${kid} is configured`);
    return sign(null, Buffer.from(input), key.privateKey);
  }

  /** Newest first: keys that have ended too, for what they have signed. */
  published(): PublishedLicenceKey[] {
    return this.keys.map(({ kid, publicKey, notBeforeMs, notAfterMs, revokedAtMs }) => ({
      kid,
      alg: 'Ed25519',
      publicKey,
      use: 'licence-key',
      notBefore: new Date(notBeforeMs).toISOString(),
      notAfter: isoOrNull(notAfterMs),
      revokedAt: isoOrNull(revokedAtMs),
    }));
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

function signingKeyOf({ secret, ...times }: SigningSeed): SigningKey {
  const seed = sha256(SEED_LABEL + secret);
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' }).x!;
  const kid = sha256(Buffer.from(publicKey, 'base64url')).subarray(0, KID_BYTES).toString('base64url');
  return { kid, publicKey, privateKey, ...times };
}

const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
