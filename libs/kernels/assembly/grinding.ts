// Proof of work: the least nonce whose digest begins with enough zero bits.
import { KEYED_HASH, BLAKE3_SCRATCH_BYTES, hashFour } from './blake3';
import { scratchArea } from './scratch';

const MESSAGE_BYTES: usize = 40;

/**
 * The least nonce in [first, first + count) for which the first word of H(seed ‖ nonce) has its low
 * `bits` bits zero, or -1; count is a multiple of 4, bits at most 63.
 */
export function grind(seed: usize, first: i64, count: i64, bits: i32, key: usize): i64 {
  const digests = scratchArea() + BLAKE3_SCRATCH_BYTES;
  const messages = digests + 128;
  const mask: u64 = (1 << <u64>bits) - 1;
  for (let i: usize = 0; i < 4; i++) memory.copy(messages + i * MESSAGE_BYTES, seed, 32);
  for (let nonce = first; nonce < first + count; nonce += 4) {
    for (let i: usize = 0; i < 4; i++) store<i64>(messages + i * MESSAGE_BYTES + 32, nonce + <i64>i);
    hashFour(digests, messages, MESSAGE_BYTES, MESSAGE_BYTES, key, KEYED_HASH);
    for (let i: usize = 0; i < 4; i++) {
      if (!(load<u64>(digests + (i << 5)) & mask)) return nonce + <i64>i;
    }
  }
  return -1;
}
