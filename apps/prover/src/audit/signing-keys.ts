import { type ProofKey, signingKeyFromSeed } from '@svc/audit-proof';
import {
  deriveKey,
  maySign,
  seedSecretsOf,
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

/** What the signing key's seed is derived for; seals and digests that the same secret serves have purposes of their own. */
const SIGNING_PURPOSE = 'svc/audit-signing-key/v2';
/** What seeds were made by before, without HKDF. */
const RETIRED_LABEL = 'svc/audit-signing-seed/v1:';
/** Keys of those seeds sign nothing here; what was signed with them until then is believed. */
const RETIRED_AT_MS = Date.parse('2027-07-01');
const KID_BYTES = 12;

/** A key pair of ML-DSA-65 and the time in which it may sign. */
export interface SigningKey extends SigningTimes {
  /** Made from the public key, so that every replica names a key alike. */
  readonly kid: string;
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  /** It only vouches for what it has signed. */
  readonly isRetired?: boolean;
}

/** The keys that audits are signed with, and have been. */
export class SigningKeys {
  constructor(private readonly keys: readonly SigningKey[]) {}

  /** The newest key that may sign; undefined if there is none. */
  current(nowMs: number): SigningKey | undefined {
    return this.keys
      .filter(key => !key.isRetired && maySign(key, nowMs))
      .sort((a, b) => b.notBeforeMs - a.notBeforeMs)[0];
  }

  /** As the key discovery route publishes them, newest first: keys that have ended or are retired too, for what they have signed. */
  published(): (Required<ProofKey> & { alg: 'ML-DSA-65'; use: string })[] {
    return [...this.keys]
      .sort(
        (a, b) =>
          Number(a.isRetired ?? false) - Number(b.isRetired ?? false) || b.notBeforeMs - a.notBeforeMs,
      )
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
export const signingSeedFaults = ({ secrets }: Known, nowMs = Date.now()): string[] =>
  faultsOfSeeds(AUDIT_SIGNING_SEEDS, secrets, nowMs);

/** The keys of this deployment; all replicas need the same secrets. @throws ConfigError */
export function signingKeysOf({ secrets }: Known): SigningKeys {
  const seeds = signingSeedsOf(AUDIT_SIGNING_SEEDS, secrets);
  return new SigningKeys([...seeds.map(signingKeyOf), ...seeds.flatMap(retiredKeyOf)]);
}

/** The secrets themselves, for keys of other purposes: the one that signs now first. @throws ConfigError */
export const signingSecretsOf = ({ secrets }: Known, nowMs = Date.now()): string[] =>
  seedSecretsOf(AUDIT_SIGNING_SEEDS, secrets, nowMs);

function signingKeyOf({ secret, ...times }: SigningSeed): SigningKey {
  return { ...keyPairOf(deriveKey(secret, SIGNING_PURPOSE)), ...times };
}

/** The key that releases before this one signed with, where it may have signed. */
function retiredKeyOf({ secret, notBeforeMs, notAfterMs, revokedAtMs }: SigningSeed): SigningKey[] {
  if (notBeforeMs >= RETIRED_AT_MS) return [];
  const times = { notBeforeMs, notAfterMs: Math.min(notAfterMs ?? Infinity, RETIRED_AT_MS), revokedAtMs };
  return [{ ...keyPairOf(sha256(RETIRED_LABEL + secret)), ...times, isRetired: true }];
}

function keyPairOf(seed: Uint8Array): Pick<SigningKey, 'kid' | 'publicKey' | 'secretKey'> {
  const { publicKey, secretKey } = signingKeyFromSeed(seed);
  const kid = sha256(publicKey).subarray(0, KID_BYTES).toString('base64url');
  return { kid, publicKey, secretKey };
}

const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
