/** What the constants of a Poseidon2 instance are derived from. */
export interface Poseidon2ConstantsShape {
  readonly modulus: bigint;
  readonly width: number;
  readonly fullRoundCount: number;
  readonly partialRoundCount: number;
}

const STATE_BITS = 80;
const BURN_IN_CLOCKS = 160;
const TAPS = [0, 13, 23, 38, 51, 62];

/**
 * The round constants in the order of the rounds: `width` of them for a full round, one for a partial round.
 * Grain LFSR in self-shrinking mode, seeded by the instance's shape for a prime field and a power map (ePrint 2019/458,
 * appendix E; ePrint 2023/323, section 6), which is how the published instances were made.
 */
export function poseidon2Constants(shape: Poseidon2ConstantsShape): bigint[] {
  const { modulus, width, fullRoundCount, partialRoundCount } = shape;
  const elementBits = modulus.toString(2).length;
  const grain = new GrainGenerator([
    [1, 2], // a prime field
    [0, 4], // S-box x^α
    [elementBits, 12],
    [width, 12],
    [fullRoundCount, 10],
    [partialRoundCount, 10],
    [2 ** 30 - 1, 30],
  ]);
  return Array.from({ length: fullRoundCount * width + partialRoundCount }, () =>
    grain.nextElement(elementBits, modulus),
  );
}

class GrainGenerator {
  /** A ring: the oldest bit stands at `head`. */
  private readonly state: Uint8Array;
  private head = 0;

  /** @param seed numbers and their widths in bits, 80 bits in all, most significant bit first */
  constructor(seed: readonly (readonly [value: number, bits: number])[]) {
    const bits = seed.map(([value, width]) => value.toString(2).padStart(width, '0')).join('');
    this.state = Uint8Array.from(bits, Number);
    for (let i = 0; i < BURN_IN_CLOCKS; i++) this.clock();
  }

  /** An element below `modulus`, most significant bit first, by rejection. */
  nextElement(bitCount: number, modulus: bigint): bigint {
    for (;;) {
      let bits = '';
      for (let i = 0; i < bitCount; i++) bits += this.nextBit();
      const element = BigInt(`0b${bits}`);
      if (element < modulus) return element;
    }
  }

  // Of each pair of bits the second counts if the first is one.
  private nextBit(): number {
    for (;;) {
      const isKept = this.clock();
      const bit = this.clock();
      if (isKept) return bit;
    }
  }

  private clock(): number {
    let bit = 0;
    for (const tap of TAPS) bit ^= this.state[(this.head + tap) % STATE_BITS];
    this.state[this.head] = bit;
    this.head = (this.head + 1) % STATE_BITS;
    return bit;
  }
}
