import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '@svc/kernels';

/** Bytes of a seed: what a challenge is made of, whole. */
export const SEED_BYTES = 32;

const STREAM_TAG = new TextEncoder().encode('svc.arena/v1/stream');
const WORDS_OF_A_BLOCK = 8;
const WORD = 2 ** 32;

/** A seed is 32 bytes, no more and no fewer. */
export class SeedLengthError extends Error {
  readonly code = 'SEED_LENGTH';
  constructor(
    readonly got: number,
    readonly need = SEED_BYTES,
  ) {
    super(`a seed has ${need} bytes, not ${got}`);
    this.name = 'SeedLengthError';
  }
}

/**
 * Numbers that a seed decides: the 32-bit words, big-endian, of SHA-256(`svc.arena/v1/stream` ‖ seed ‖ counter), the
 * counter in 4 bytes from 0. Whoever is shown the seed can make every challenge again.
 *
 * @example new RandomSource(seed).below(6) // a die, from 0
 */
export class RandomSource {
  private block = new DataView(new ArrayBuffer(0));
  private counter = 0;
  private next = WORDS_OF_A_BLOCK;

  /** @throws SeedLengthError */
  constructor(private readonly seed: Uint8Array) {
    if (seed.length !== SEED_BYTES) throw new SeedLengthError(seed.length);
  }

  /** A number from 0 to bound − 1, each as likely as the others. @param bound 1 to 2^32 */
  below(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1 || bound > WORD) {
      throw new RangeError(`a bound is a whole number from 1 to 2^32, not ${bound}`);
    }
    const fair = WORD - (WORD % bound);
    for (;;) {
      const word = this.word();
      if (word < fair) return word % bound;
    }
  }

  /** A number from min to max, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** A big number from 0 to bound − 1, each as likely as the others. */
  belowBig(bound: bigint): bigint {
    if (bound < 1n) throw new RangeError(`a bound is at least 1, not ${bound}`);
    const words = Math.ceil(bound.toString(2).length / 32);
    const span = 1n << BigInt(32 * words);
    const fair = span - (span % bound);
    for (;;) {
      let drawn = 0n;
      for (let i = 0; i < words; i++) drawn = (drawn << 32n) | BigInt(this.word());
      if (drawn < fair) return drawn % bound;
    }
  }

  /** The numbers from 0 to length − 1 in some order. */
  permutation(length: number): number[] {
    const order = Array.from({ length }, (_, i) => i);
    return this.shuffle(order);
  }

  /** Shuffles in place (Fisher and Yates). */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  }

  private word(): number {
    if (this.next === WORDS_OF_A_BLOCK) {
      const counter = new Uint8Array(4);
      new DataView(counter.buffer).setUint32(0, this.counter++);
      const block = sha256(concatBytes(STREAM_TAG, this.seed, counter));
      this.block = new DataView(block.buffer, block.byteOffset, block.length);
      this.next = 0;
    }
    return this.block.getUint32(4 * this.next++);
  }
}
