// Proof of work: the least nonce whose digest begins with enough zero bits.
import { KEYED_HASH, blockArea, hashBlock, loadKey } from './blake3';

const MESSAGE_BYTES: u32 = 40;
const SEED_WORDS: usize = 8;

/**
 * The least nonce in [first, first + count) for which the first word of H(seed ‖ nonce) has its low
 * `bits` bits zero, or -1; count is a multiple of 4, bits at most 63.
 */
export function grind(seed: usize, first: i64, count: i64, bits: i32, key: usize): i64 {
  const mask: u64 = (1 << <u64>bits) - 1;
  const lowMask = i32x4.splat(<i32>mask);
  const highMask = i32x4.splat(<i32>(mask >> 32));
  const block = blockArea();
  loadKey(key);
  memory.fill(block, 0, 256);
  for (let i: usize = 0; i < SEED_WORDS; i++) v128.store(block + (i << 4), v128.load32_splat(seed + (i << 2)));
  const nonces = block + (SEED_WORDS << 4);
  for (let nonce = first; nonce < first + count; nonce += 4) {
    for (let i: usize = 0; i < 4; i++) {
      store<u32>(nonces + (i << 2), <u32>(nonce + <i64>i));
      store<u32>(nonces + (i << 2), <u32>((nonce + <i64>i) >> 32), 16);
    }
    const digests = hashBlock(MESSAGE_BYTES, KEYED_HASH);
    const rest = v128.or(v128.and(v128.load(digests), lowMask), v128.and(v128.load(digests, 16), highMask));
    if (i32x4.all_true(rest)) continue;
    for (let i: usize = 0; i < 4; i++) {
      const low = load<u32>(digests + (i << 2)) & <u32>mask;
      if (!(low | (load<u32>(digests + (i << 2), 16) & <u32>(mask >> 32)))) return nonce + <i64>i;
    }
  }
  return -1;
}

/** Nonces that a thread takes at a time: some microseconds of work. */
const NONCES_PER_TURN: i64 = 512;
/** Behind the next nonce that nobody has taken. */
const LEAST_FOUND: usize = 8;

/**
 * Searches up to `end` together with whatever threads call it at the same time. They share two i64 at `search`: the next nonce
 * that no thread has taken, and the least found so far, at first a larger number than any. Turns are taken in ascending order,
 * and none past a nonce that was found; so once all calls have returned, the least of all is there.
 */
export function grindTogether(seed: usize, search: usize, end: i64, bits: i32, key: usize): void {
  for (;;) {
    const first = atomic.add<i64>(search, NONCES_PER_TURN);
    if (first >= end || first > atomic.load<i64>(search, LEAST_FOUND)) return;
    const nonce = grind(seed, first, NONCES_PER_TURN, bits, key);
    if (nonce < 0) continue;
    let least = atomic.load<i64>(search, LEAST_FOUND);
    while (nonce < least) least = atomic.cmpxchg<i64>(search, least, nonce, LEAST_FOUND);
    return;
  }
}
