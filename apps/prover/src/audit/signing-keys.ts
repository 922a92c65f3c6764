import { type ProofKey, signingKeyFromSeed } from '@svc/audit-proof';
import {
  maySign,
  type ServiceEnvironment,
  type SigningSeed,
  type SigningTimes,
  signingSeedFaults as faultsOfSeeds,
  signingSeedsOf,
} from '@svc/platform';
import { createHash } from 'node:crypto';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const AUDIT_SIGNING_SEEDS = 'AUDIT_SIGNING_SEEDS';

export const SIGNING_KEYS = Symbol('SIGNING_KEYS');

const SEED_LABEL = 'svc/audit-signing-seed/v1:';
const KID_BYTES = 12;

/** A key pair of ML-DSA-65 and the time in which it may sign. */
export interface SigningKey extends SigningTimes {
  /** Made from the public key, so that every replica names a key alike. */
  readonly kid: string;
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

/** The keys that audits are signed with, and have been. */
export class SigningKeys {
  constructor(private readonly keys: readonly SigningKey[]) {}

  /** The newest key that may sign; undefined if there is none. */
  current(nowMs: number): SigningKey | undefined {
    return this.keys.filter(key => maySign(key, nowMs)).sort((a, b) => b.notBeforeMs - a.notBeforeMs)[0];
  }

  /** As the key discovery route publishes them, newest first: keys that have ended too, for what they have signed. */
  published(): (Required<ProofKey> & { alg: 'ML-DSA-65'; use: string })[] {
    return [...this.keys]
      .sort((a, b) => b.notBeforeMs - a.notBeforeMs)
      .map(({ kid, publicKey, notBeforeMs, notAfterMs, revokedAtMs }) => ({
        kid,
        alg: 'ML-DSA-65' as const,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        use: 'audit-proof',
        notBefore: new Date(notBeforeMs).toISOString(),
        notAfter: isoOrNull(notAfterMs),
        revokedAt: isoOrNull(revokedAtMs),
      }));
  }
}

type Known = Pick<ServiceEnvironment, 'secrets'>;

/** Faults of the signing secrets, none of which is repeated. */
export function signingSeedFaults({ secrets }: Known, nowMs = Date.now()): string[] {
  return faultsOfSeeds(AUDIT_SIGNING_SEEDS, secrets, nowMs);
}

/** The keys of this deployment; all replicas need the same secrets. @throws ConfigError */
export function signingKeysOf({ secrets }: Known): SigningKeys {
  return new SigningKeys(signingSeedsOf(AUDIT_SIGNING_SEEDS, secrets).map(signingKeyOf));
}

/** The secrets themselves, for keys of other purposes: the one that signs now first. @throws ConfigError */
export function signingSecretsOf({ secrets }: Known, nowMs = Date.now()): string[] {
  const current = (seed: SigningSeed) => Number(maySign(seed, nowMs));
  return signingSeedsOf(AUDIT_SIGNING_SEEDS, secrets)
    .sort((a, b) => current(b) - current(a) || b.notBeforeMs - a.notBeforeMs)
    .map(({ secret }) => secret);
}

function signingKeyOf({ secret, ...times }: SigningSeed): SigningKey {
  const { publicKey, secretKey } = signingKeyFromSeed(sha256(SEED_LABEL + secret));
  const kid = sha256(publicKey).subarray(0, KID_BYTES).toString('base64url');
  return { kid, publicKey, secretKey, ...times };
}

const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
