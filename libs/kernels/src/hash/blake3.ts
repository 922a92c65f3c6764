import { blake3 } from '@noble/hashes/blake3.js';

export const DIGEST_BYTES = 32;

/** Keyed BLAKE3 of many messages of one size laid end to end; digests end to end. */
export type HashMany = (key: Uint8Array, messages: Uint8Array, messageBytes: number) => Uint8Array;

/** BLAKE3, 32 bytes. */
export function blake3Hash(message: Uint8Array): Uint8Array {
  return blake3(message);
}

/** BLAKE3 in keyed mode (the key replaces the IV), 32 bytes. */
export function blake3Keyed(key: Uint8Array, message: Uint8Array): Uint8Array {
  return blake3(message, { key });
}

/** A key for one purpose: BLAKE3 of its ASCII label. */
export function domainKey(label: string): Uint8Array {
  return blake3(new TextEncoder().encode(label));
}

/** The portable `HashMany`. */
export const blake3Many: HashMany = (key, messages, messageBytes) => {
  const count = messages.length / messageBytes;
  const digests = new Uint8Array(count * DIGEST_BYTES);
  for (let i = 0; i < count; i++) {
    const message = messages.subarray(i * messageBytes, (i + 1) * messageBytes);
    digests.set(blake3Keyed(key, message), i * DIGEST_BYTES);
  }
  return digests;
};
