// Looked up once: a global is slow to find where modules run in a context of their own, as tests do.
const { floor, imul } = Math;

/** Chance that is the same for the same seed: xoshiro128** (Blackman, Vigna 2018), seeded by SplitMix32. */
export class Prng {
  private readonly state: Uint32Array;

  /** @param seed a whole number, of which 53 bits count */
  constructor(seed: number) {
    let mixed = (seed ^ floor(seed / 2 ** 32)) >>> 0;
    this.state = Uint32Array.from({ length: 4 }, () => {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let word = mixed;
      word = imul(word ^ (word >>> 16), 0x85ebca6b);
      word = imul(word ^ (word >>> 13), 0xc2b2ae35);
      return (word ^ (word >>> 16)) >>> 0;
    });
  }

  /** 0..2^32-1 */
  word(): number {
    const s = this.state;
    const scrambled = imul(rotated(imul(s[1], 5), 7), 9) >>> 0;
    const shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotated(s[3], 11);
    return scrambled;
  }

  /** 0..count-1 */
  int(count: number): number {
    return floor((this.word() / 2 ** 32) * count);
  }

  /** From `min` up to, and without, `max`. */
  between(min: number, max: number): number {
    return min + (this.word() / 2 ** 32) * (max - min);
  }

  chance(probability: number): boolean {
    return this.word() / 2 ** 32 < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)];
  }

  bytes(sizeBytes: number): Uint8Array {
    return Uint8Array.from({ length: sizeBytes }, () => this.word() >>> 24);
  }
}

const rotated = (word: number, by: number): number => ((word << by) | (word >>> (32 - by))) >>> 0;
