import { base32, parseSvcKey, type SvcKeyMode } from '@svc/protocols';
import { createHmac } from 'node:crypto';

const KEY_ID_CHARS = 16;

/** A key as it is looked up and compared; the text itself is not kept. */
export interface HashedKey {
  readonly keyId: string;
  readonly hash: Buffer;
}

/**
 * Id and hash of a key's text. Text of any other form (the operator's ADMIN_KEY is one) has an id too, made of its
 * hash: whatever comes in is looked up the same way.
 * @returns a key of the other mode is text like any other: play money's keys are none where money is real
 */
export function hashKey(pepper: Uint8Array, mode: SvcKeyMode, text: string): HashedKey {
  const hash = createHmac('sha256', pepper).update(text).digest();
  const parsed = parseSvcKey(text);
  if (parsed?.mode === mode) return { keyId: parsed.keyId, hash };
  const opaque = createHmac('sha256', pepper).update('key-id\0').update(text).digest();
  return { keyId: base32(opaque, KEY_ID_CHARS), hash };
}
