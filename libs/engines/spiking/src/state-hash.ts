// Held here, since a look-up of a global is slow inside of the sandbox of a test.
const { floor, imul } = Math;

/** A 64-bit number in two halves, each unsigned. */
export interface Hash64 {
  readonly low: number;
  readonly high: number;
}

const OFFSET_LOW = 0x84222325;
const OFFSET_HIGH = 0xcbf29ce4;
/** The prime is 2^40 + PRIME_LOW. */
const PRIME_LOW = 0x1b3;

/** FNV-1a of 64 bits (Fowler, Noll & Vo), fed with words of 32 bits in place of bytes. */
export class WordHash {
  private low = OFFSET_LOW;
  private high = OFFSET_HIGH;

  word(word: number): void {
    const low = (this.low ^ word) >>> 0;
    // low · PRIME_LOW is less than 2^41: exact in a double.
    const product = low * PRIME_LOW;
    const carry = floor(product / 0x1_0000_0000);
    this.high = (imul(this.high, PRIME_LOW) + carry + (low << 8)) >>> 0;
    this.low = product >>> 0;
  }

  words(words: Uint32Array | Uint16Array): this {
    for (const word of words) this.word(word);
    return this;
  }

  digest(): Hash64 {
    return { low: this.low, high: this.high };
  }
}

/** Digest of one sector: its potentials, then both currents, by their bits, without padding. */
export function stateDigest(
  potentials: Float32Array,
  currentsE: Float32Array,
  currentsI: Float32Array,
): Hash64 {
  const hash = new WordHash();
  for (const values of [potentials, currentsE, currentsI]) {
    hash.words(new Uint32Array(values.buffer, values.byteOffset, values.length));
  }
  return hash.digest();
}

/** Digest of the weights of a sector's excitatory neurons, row by row. */
export function weightDigest(weights: Uint16Array): Hash64 {
  return new WordHash().words(weights).digest();
}

/**
 * Hash of a network's state, from the digests of its sectors: first of their states, then, with plasticity,
 * of their weights.
 *
 * @returns `0x` and 16 hexadecimal digits
 */
export function stateHash(digests: readonly Hash64[]): string {
  const hash = new WordHash();
  for (const { low, high } of digests) {
    hash.word(low);
    hash.word(high);
  }
  const { low, high } = hash.digest();
  return `0x${high.toString(16).padStart(8, '0')}${low.toString(16).padStart(8, '0')}`;
}
