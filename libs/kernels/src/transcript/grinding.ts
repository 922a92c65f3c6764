import { blake3Many, DIGEST_BYTES, domainKey, type HashMany } from '../hash/blake3.js';

/** Key of the proof-of-work hash, for kernels that grind. */
export const GRINDING_KEY: Uint8Array = domainKey('svc/stark/v2/grind');

/** Whether the low `grindingBits` bits of the first word of H_grind(seed ‖ nonce) are zero. */
export function isGrindingNonce(
  seed: Uint8Array,
  nonce: bigint,
  grindingBits: number,
  hashMany: HashMany = blake3Many,
): boolean {
  const message = new Uint8Array(DIGEST_BYTES + 8);
  message.set(seed);
  new DataView(message.buffer).setBigUint64(DIGEST_BYTES, nonce, true);
  const digest = hashMany(GRINDING_KEY, message, message.length);
  const word = new DataView(digest.buffer, digest.byteOffset).getBigUint64(0, true);
  return (word & ((1n << BigInt(grindingBits)) - 1n)) === 0n;
}

/** The least nonce that passes; 2^grindingBits hashes on average. */
export function grind(seed: Uint8Array, grindingBits: number): bigint {
  for (let nonce = 0n; ; nonce++) if (isGrindingNonce(seed, nonce, grindingBits)) return nonce;
}
