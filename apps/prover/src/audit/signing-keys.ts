import { type ProofKey, signingKeyFromSeed } from '@svc/audit-proof';
import { ConfigError, type ServiceEnvironment } from '@svc/platform';
import { createHash } from 'node:crypto';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const AUDIT_SIGNING_SEEDS = 'AUDIT_SIGNING_SEEDS';

export const SIGNING_KEYS = Symbol('SIGNING_KEYS');

const ENTRY =
  /^([^:,\s]{32,256})(?::(\d{4}-\d\d-\d\d))?(?::(\d{4}-\d\d-\d\d))?(?::revoked=(\d{4}-\d\d-\d\d))?$/;
const SEED_LABEL = 'svc/audit-signing-seed/v1:';
const KID_BYTES = 12;

/** A key pair of ML-DSA-65 and the time in which it may sign. */
export interface SigningKey {
  /** Made from the public key, so that every replica names a key alike. */
  readonly kid: string;
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly notBeforeMs: number;
  /** It signs until then; null: no end. */
  readonly notAfterMs: number | null;
  /** When it was given up as compromised; null: it was not. */
  readonly revokedAtMs: number | null;
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
  const text = secrets[AUDIT_SIGNING_SEEDS];
  if (!text) return [`${AUDIT_SIGNING_SEEDS}: is not set`];
  const entries = text.split(',').map(parseEntry);
  const faults = entries.flatMap((entry, i) =>
    entry
      ? []
      : [
          `${AUDIT_SIGNING_SEEDS}: entry ${i + 1} is not secret[:YYYY-MM-DD[:YYYY-MM-DD]][:revoked=YYYY-MM-DD] of 32 characters or more`,
        ],
  );
  if (faults.length > 0) return faults;
  const signs = entries.some(entry => entry && maySign(entry, nowMs));
  return signs ? [] : [`${AUDIT_SIGNING_SEEDS}: no entry is valid today`];
}

/** The keys of this deployment; all replicas need the same secrets. @throws ConfigError */
export function signingKeysOf(known: Known): SigningKeys {
  const faults = signingSeedFaults(known);
  if (faults.length > 0) throw new ConfigError(faults);
  const entries = known.secrets[AUDIT_SIGNING_SEEDS].split(',').map(parseEntry) as Entry[];
  return new SigningKeys(entries.map(signingKeyOf));
}

interface Entry extends Omit<SigningKey, 'kid' | 'publicKey' | 'secretKey'> {
  readonly secret: string;
}

function maySign({ notBeforeMs, notAfterMs, revokedAtMs }: Omit<Entry, 'secret'>, nowMs: number): boolean {
  return revokedAtMs === null && notBeforeMs <= nowMs && nowMs < (notAfterMs ?? Infinity);
}

function parseEntry(text: string): Entry | undefined {
  const match = ENTRY.exec(text.trim());
  if (!match) return undefined;
  const [, secret, notBefore, notAfter, revokedAt] = match;
  const notBeforeMs = dateOrNull(notBefore) ?? 0;
  const [notAfterMs, revokedAtMs] = [dateOrNull(notAfter), dateOrNull(revokedAt)];
  if ([notBeforeMs, notAfterMs, revokedAtMs].some(Number.isNaN)) return undefined;
  if ((notAfterMs ?? Infinity) <= notBeforeMs) return undefined;
  return { secret, notBeforeMs, notAfterMs, revokedAtMs };
}

function signingKeyOf({ secret, ...times }: Entry): SigningKey {
  const { publicKey, secretKey } = signingKeyFromSeed(sha256(SEED_LABEL + secret));
  const kid = sha256(publicKey).subarray(0, KID_BYTES).toString('base64url');
  return { kid, publicKey, secretKey, ...times };
}

const dateOrNull = (date: string | undefined) => (date === undefined ? null : Date.parse(date));
const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
