import { canonicalDigest } from '@svc/audit-proof';
import { deriveKey, SealedJson, type ServiceEnvironment } from '@svc/platform';
import { createHmac } from 'node:crypto';
import { signingSecretsOf } from '../audit/signing-keys.js';

const SEAL_PURPOSE = 'svc/idempotent-reply/v1';
const DIGEST_PURPOSE = 'svc/idempotent-request/v1';

/**
 * Keeps what calls say of private inputs from whoever reads the database: replies are sealed under their key, and requests
 * are known by a keyed digest, which no guess can be tried against.
 */
export class ReplySeal {
  private readonly replies: SealedJson;
  /** The newest first. */
  private readonly digestKeys: readonly Buffer[];

  /** @throws ConfigError, as the signing keys do */
  constructor({ secrets }: Pick<ServiceEnvironment, 'secrets'>, nowMs = Date.now()) {
    const newestFirst = signingSecretsOf({ secrets }, nowMs);
    this.replies = new SealedJson(newestFirst, SEAL_PURPOSE);
    this.digestKeys = newestFirst.map(secret => deriveKey(secret, DIGEST_PURPOSE));
  }

  /** Digests of a request, one for each secret, the newest first: a rotation does not make it another request. */
  digestsOf(request: unknown): Buffer[] {
    const digest = canonicalDigest(request);
    return this.digestKeys.map(key => createHmac('sha256', key).update(digest).digest());
  }

  /** A reply's JSON, for its key alone. */
  seal(idemKey: string, reply: unknown): Buffer {
    return this.replies.seal(reply, Buffer.from(idemKey, 'hex'));
  }

  /** @throws SealError where no secret opens it: its own has been taken out of the configuration, or it is another key's */
  open(idemKey: string, sealed: Buffer): unknown {
    return this.replies.open(sealed, Buffer.from(idemKey, 'hex'));
  }
}
