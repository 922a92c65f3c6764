import { canonicalDigest } from '@svc/audit-proof';
import { maySign, type ServiceEnvironment, type SigningSeed, signingSeedsOf } from '@svc/platform';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { AUDIT_SIGNING_SEEDS } from '../audit/signing-keys.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEAL_LABEL = 'svc/idempotent-reply/v1';
const DIGEST_LABEL = 'svc/idempotent-request/v1';

interface CallKeys {
  readonly sealKey: Buffer;
  readonly digestKey: Buffer;
}

/**
 * Keeps what calls say of private inputs from whoever reads the database: replies are sealed under their key, and requests
 * are known by a keyed digest, which no guess can be tried against.
 */
export class ReplySeal {
  /** The newest first. */
  private readonly keys: readonly CallKeys[];

  /** @throws ConfigError, as the signing keys do */
  constructor({ secrets }: Pick<ServiceEnvironment, 'secrets'>, nowMs = Date.now()) {
    const current = (seed: SigningSeed) => Number(maySign(seed, nowMs));
    this.keys = signingSeedsOf(AUDIT_SIGNING_SEEDS, secrets)
      .sort((a, b) => current(b) - current(a) || b.notBeforeMs - a.notBeforeMs)
      .map(({ secret }) => ({ sealKey: keyOf(secret, SEAL_LABEL), digestKey: keyOf(secret, DIGEST_LABEL) }));
  }

  /** Digests of a request, one for each secret, the newest first: a rotation does not make it another request. */
  digestsOf(request: unknown): Buffer[] {
    const digest = canonicalDigest(request);
    return this.keys.map(({ digestKey }) => createHmac('sha256', digestKey).update(digest).digest());
  }

  /** nonce ‖ tag ‖ ciphertext of a reply's JSON, for its key alone. */
  seal(idemKey: string, reply: unknown): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0].sealKey, nonce).setAAD(Buffer.from(idemKey, 'hex'));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error where no secret opens it: its own has been taken out of the configuration, or it is another key's */
  open(idemKey: string, sealed: Buffer): unknown {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    for (const { sealKey } of this.keys) {
      const decipher = createDecipheriv(CIPHER, sealKey, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(idemKey, 'hex'))
        .setAuthTag(tag);
      const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString('utf8'));
      } catch {
        // Sealed under another secret.
      }
    }
    throw new Error('a stored reply cannot be opened with the secrets of this service');
  }
}

const keyOf = (secret: string, label: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', label, KEY_BYTES));
