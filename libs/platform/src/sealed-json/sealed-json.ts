import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key of 32 bytes out of a secret, by HKDF-SHA-256, for one purpose alone. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));

/**
 * Keeps JSON from whoever reads the database: AES-256-GCM under a key that a secret of the service gives for one purpose.
 * What is sealed is bound to the row that it belongs to, and opens in the place of no other.
 *
 * @example
 * const seal = new SealedJson([secret], 'svc/proof-job-order/v1');
 * seal.open(seal.seal({ witness: '7' }, jobId), jobId); // { witness: '7' }
 */
export class SealedJson {
  private readonly keys: readonly Buffer[];

  /**
   * @param secrets the one that seals first; what the others sealed still opens, so that a secret can be replaced
   * @param purpose of the key: the same secret under another purpose opens nothing of this one
   * @throws RangeError without a secret
   */
  constructor(secrets: readonly string[], purpose: string) {
    if (secrets.length === 0) throw new RangeError('a seal needs a secret');
    this.keys = secrets.map(secret => deriveKey(secret, purpose));
  }

  /**
   * nonce ‖ tag ‖ ciphertext of a value's JSON.
   * @param boundTo what the value belongs to, such as the id of its row
   */
  seal(value: unknown, boundTo: string | Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0], nonce).setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws SealError where no secret opens it: it was altered, belongs elsewhere, or its secret is configured no more */
  open(sealed: Uint8Array, boundTo: string | Uint8Array): unknown {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new SealError();
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    for (const key of this.keys) {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(tag);
      const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      let opened: string;
      try {
        opened = Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        // Sealed under another secret, or for something else.
        continue;
      }
      return JSON.parse(opened) as unknown;
    }
    throw new SealError();
  }

  /** {@link seal} for a column of JSON. */
  sealObject(value: unknown, boundTo: string): SealedObject {
    return { $sealed: this.seal(value, boundTo).toString('base64') };
  }

  /** What {@link sealObject} has sealed; anything else as it is, since an earlier release has not sealed it. @throws SealError */
  openObject(json: unknown, boundTo: string): unknown {
    const sealed = (json as Partial<SealedObject> | null)?.$sealed;
    return typeof sealed === 'string' ? this.open(Buffer.from(sealed, 'base64'), boundTo) : json;
  }
}

export interface SealedObject {
  readonly $sealed: string;
}

/** What was sealed cannot be opened with the secrets of this service. */
export class SealError extends Error {
  readonly code = 'SEAL_NOT_OPENED';

  constructor() {
    super('what was sealed cannot be opened with the secrets of this service');
    this.name = 'SealError';
  }
}
