import { deriveKey } from '@svc/platform';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const NONCE_BYTES = 16;
/** Bytes of the nonce that the sound carries, and of the MAC after them. */
const PART_BYTES = 8;
/** Payload of a challenge's packet. */
export const CHALLENGE_PAYLOAD_BYTES = 2 * PART_BYTES;

const MAC_DOMAIN = Buffer.from('svc/acoustic-challenge/v1\0', 'utf8');
const KEY_PURPOSE = 'svc/acoustic-challenge-mac/v1';
const KEY_ID_DOMAIN = 'svc/acoustic-challenge-key-id/v1\0';
const KEY_ID_BYTES = 9;

/** What a heard payload is to a challenge. */
export type PayloadMatch = 'answers' | 'other-challenge' | 'wrong-mac';

interface ChallengeKey {
  readonly keyId: string;
  readonly key: Buffer;
}

/**
 * What the sounds of challenges are authenticated with: a key of HMAC-SHA-256 for each configured secret, by HKDF. The newest
 * makes challenges, all of them check what they have made.
 *
 * A sound carries the first 8 bytes of the nonce and the first 8 of
 * `HMAC(key, "svc/acoustic-challenge/v1" ‖ 0 ‖ nonce ‖ length of deviceId in bytes, 16 bits big-endian ‖ deviceId as UTF-8)`:
 * whoever knows nonce and device cannot make it, and has to hear it.
 */
export class ChallengeKeys {
  private readonly keys: readonly ChallengeKey[];

  /** @param secrets the newest first */
  constructor(secrets: readonly string[]) {
    this.keys = secrets.map(secret => {
      const key = deriveKey(secret, KEY_PURPOSE);
      const id = createHash('sha256').update(KEY_ID_DOMAIN).update(key).digest();
      return { keyId: id.subarray(0, KEY_ID_BYTES).toString('base64url'), key };
    });
  }

  /** Id of the key that makes challenges now. */
  get currentKeyId(): string {
    return this.keys[0].keyId;
  }

  /** What the sound of a challenge carries. @throws RangeError for a key that is not configured */
  payload(keyId: string, nonce: Uint8Array, deviceId: string): Uint8Array {
    const key = this.find(keyId);
    if (!key) throw new RangeError(`no key ${keyId} of challenges is configured`);
    return Uint8Array.from([...nonce.subarray(0, PART_BYTES), ...macOf(key, nonce, deviceId)]);
  }

  /** Whether a key is still configured: what another has made cannot be checked any more. */
  knows(keyId: string): boolean {
    return this.find(keyId) !== undefined;
  }

  /** Holds what was heard against a challenge; the MAC in constant time. */
  match(heard: Uint8Array, keyId: string, nonce: Uint8Array, deviceId: string): PayloadMatch {
    const begins = heard.length === CHALLENGE_PAYLOAD_BYTES && nonce.length === NONCE_BYTES;
    if (!begins || Buffer.compare(heard.subarray(0, PART_BYTES), nonce.subarray(0, PART_BYTES)) !== 0)
      return 'other-challenge';
    const key = this.find(keyId);
    const isOurs = key && timingSafeEqual(heard.subarray(PART_BYTES), macOf(key, nonce, deviceId));
    return isOurs ? 'answers' : 'wrong-mac';
  }

  private find(keyId: string): Buffer | undefined {
    return this.keys.find(each => each.keyId === keyId)?.key;
  }
}

/** What a challenge is kept under: whoever reads the database learns no nonce. */
export const nonceHashOf = (nonce: Uint8Array): Buffer => createHash('sha256').update(nonce).digest();

function macOf(key: Buffer, nonce: Uint8Array, deviceId: string): Buffer {
  const device = Buffer.from(deviceId, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(device.length);
  const mac = createHmac('sha256', key).update(MAC_DOMAIN).update(nonce).update(length).update(device);
  return mac.digest().subarray(0, PART_BYTES);
}
