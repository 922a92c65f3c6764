import { createHmac } from 'node:crypto';
import { deriveKey } from '../sealed-json/sealed-json.js';

const DIGEST_BYTES = 32;
const KEY_ID_DIGITS = 8;
/** 132 bits. */
const CALLER_CHARS = 22;
/** A row has its digest under so many keys: a replica that lists one of them finds it, so that a rotation may roll. */
const WRITTEN_KEYS_MAX = 2;
const PLAIN = /^[0-9a-f]{64}$/;

/** What digests are keyed with. */
export interface DigestSecrets {
  /** Rows are written under the first of them, the newest first. */
  readonly live: readonly string[];
  /** What was written under them is known, and nothing more is written. */
  readonly retired?: readonly string[];
}

interface DigestKey {
  readonly id: string;
  readonly key: Buffer;
}

/** A digest as rows have it. */
export interface KeyedDigest {
  /** What a row keeps: one or two of {@link keyed}, separated by a space. */
  readonly stored: string;
  /** {@link stored} for a column of bytes. */
  readonly bytes: Buffer;
  /** As rows had it before there were keys. */
  readonly plain: Buffer;
  /** Under every listed key. */
  readonly keyed: readonly string[];
  /** Each way in which a row may have it: {@link keyed}, and {@link plain} in hexadecimal. */
  readonly forms: readonly string[];
  /** Whether a row that has this is of the same content. */
  matches(stored: string | Buffer | null | undefined): boolean;
}

/**
 * Digests of what callers sent, for rows that are compared and never read back. Short content is found from a plain digest by
 * trying; so a row keeps `key id:HMAC-SHA-256(key, owner ‖ 0 ‖ digest)`, whose key a secret of the service gives for one
 * purpose. The owner binds it to its row or payer: equal content of two owners looks different, so that who reads the database
 * learns nothing from rows of their own calls.
 *
 * @example
 * const digests = new KeyedDigests({ live: [secret] }, 'svc/payments-request/v1');
 * const asked = digests.of(requestDigest, claimId);
 * asked.matches(row.request_digest);
 */
export class KeyedDigests {
  private readonly keys: readonly DigestKey[];
  private readonly writtenKeys: number;

  /**
   * @param purpose of the keys: the same secret under another purpose gives other digests
   * @throws RangeError without a live secret
   */
  constructor({ live, retired = [] }: DigestSecrets, purpose: string) {
    if (live.length === 0) throw new RangeError('keyed digests need a secret');
    this.writtenKeys = Math.min(live.length, WRITTEN_KEYS_MAX);
    this.keys = [...live, ...retired].map(secret => ({
      id: deriveKey(secret, `${purpose}/id`).toString('hex').slice(0, KEY_ID_DIGITS),
      key: deriveKey(secret, purpose),
    }));
  }

  /**
   * A caller, as tables that count by callers name it: 22 letters of base64url under the newest key. What callers are told apart by is
   * a plain digest of an account or an address, and a reader of the table could find the address by trying.
   */
  callerOf(subject: string): string {
    const mac = createHmac('sha256', this.keys[0].key).update(`caller\0${subject}`, 'utf8');
    return mac.digest('base64url').slice(0, CALLER_CHARS);
  }

  /**
   * @param digest SHA-256 of the content: 32 bytes, or lower-case hexadecimal
   * @throws RangeError for anything else
   */
  of(digest: string | Uint8Array, owner: string): KeyedDigest {
    const bytes = typeof digest === 'string' && PLAIN.test(digest) ? Buffer.from(digest, 'hex') : digest;
    if (typeof bytes === 'string' || bytes.length !== DIGEST_BYTES) throw new RangeError('not a SHA-256');
    const keyed = this.keys.map(({ id, key }) => {
      const mac = createHmac('sha256', key).update(`${owner}\0`, 'utf8').update(bytes).digest('base64url');
      return `${id}:${mac}`;
    });
    const forms = [...keyed, Buffer.from(bytes).toString('hex')];
    const stored = keyed.slice(0, this.writtenKeys).join(' ');
    return {
      stored,
      bytes: Buffer.from(stored, 'latin1'),
      plain: Buffer.from(bytes),
      keyed,
      forms,
      matches: row =>
        textOf(row)
          .split(' ')
          .some(form => forms.includes(form)),
    };
  }
}

const textOf = (row: string | Buffer | null | undefined): string =>
  typeof row === 'string' ? row : (row?.toString(row.length === DIGEST_BYTES ? 'hex' : 'latin1') ?? '');
