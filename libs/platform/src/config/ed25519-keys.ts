import { maySign, type SigningSeed, type SigningTimes } from './signing-seeds.js';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

const KID_BYTES = 12;
/** DER of an Ed25519 private key (RFC 8410) up to its 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

interface SigningKey extends SigningTimes {
  /** Made from the public key, so that every replica names a key alike. */
  readonly kid: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** A key that may sign now. */
export interface CurrentKey {
  readonly kid: string;
  /** Ed25519 (RFC 8032), 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** What keys are made for: a label of their seeds of its own, so that no secret makes the same key twice. */
export interface KeyPurpose<Use extends string = string> {
  readonly seedLabel: string;
  /** As the key discovery route names it. */
  readonly use: Use;
}

/** Ed25519 keys of one purpose, made of configured secrets: those that sign, and those that have signed. */
export class Ed25519Keys<Use extends string = string> {
  private readonly keys: readonly SigningKey[];

  constructor(
    seeds: readonly SigningSeed[],
    private readonly purpose: KeyPurpose<Use>,
  ) {
    this.keys = seeds
      .map(seed => signingKeyOf(seed, purpose.seedLabel))
      .sort((a, b) => b.notBeforeMs - a.notBeforeMs);
  }

  /** The newest key that may sign; undefined if there is none. */
  current(nowMs: number): CurrentKey | undefined {
    const key = this.keys.find(each => maySign(each, nowMs));
    return key && { kid: key.kid, sign: message => sign(null, message, key.privateKey) };
  }

  /** Whether what a key signed then is believed: the key was not given up, and signed then. */
  isBelieved(kid: string, signedMs: number): boolean {
    return this.keys.some(key => key.kid === kid && maySign(key, signedMs));
  }

  /** @throws RangeError when that key is not configured */
  protected signatureOf(kid: string, message: Uint8Array): Uint8Array {
    const key = this.keys.find(each => each.kid === kid);
    if (!key) throw new RangeError(`no signing key ${kid} is configured`);
    return sign(null, message, key.privateKey);
  }

  /** Newest first: keys that have ended too, for what they have signed. */
  published() {
    return this.keys.map(({ kid, publicKey, notBeforeMs, notAfterMs, revokedAtMs }) => ({
      kid,
      alg: 'Ed25519' as const,
      publicKey,
      use: this.purpose.use,
      notBefore: new Date(notBeforeMs).toISOString(),
      notAfter: isoOrNull(notAfterMs),
      revokedAt: isoOrNull(revokedAtMs),
    }));
  }
}

function signingKeyOf({ secret, ...times }: SigningSeed, seedLabel: string): SigningKey {
  const seed = sha256(seedLabel + secret);
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
