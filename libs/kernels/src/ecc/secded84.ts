/** Bits of a word, of which {@link SECDED84_DATA_BITS} are data. */
export const SECDED84_WORD_BITS = 8;
export const SECDED84_DATA_BITS = 4;

/** What a word says of itself; `nibble` is a guess where the status is `double-error`. */
export interface Secded84Word {
  /** 0 to 15. */
  readonly nibble: number;
  /** 0 of a clean word; 8 + the position (0 … 7 in order of sending) of the bit put right; 1 … 7 of a double error. */
  readonly syndrome: number;
  readonly status: 'clean' | 'corrected' | 'double-error';
}

/** The likeliest of the sixteen words and the one after it. */
export interface Secded84SoftWord {
  readonly nibble: number;
  /** Sum of the likelihood ratios that speak for the word less those that speak against it. */
  readonly metric: number;
  readonly runnerUp: number;
  readonly runnerUpMetric: number;
}

/**
 * The [8,4,4] word of a nibble: the Hamming code's p1 p2 d1 p3 d2 d3 d4, in that order from the highest bit, and last the
 * parity over all of them. d1 is the highest bit of the nibble; the highest bit of the word is sent first.
 *
 * Source: Hamming, Error detecting and error correcting codes, Bell System Technical Journal 29, 1950, sections 3 and 4.
 *
 * @param nibble 0 to 15; higher bits are left out
 */
export function secded84Encode(nibble: number): number {
  return WORDS[nibble & 15];
}

/** Puts one wrong bit right and sees two. */
export function secded84Decode(word: number): Secded84Word {
  const hamming = hammingSyndrome(word);
  if (isEven(word)) {
    const status = hamming === 0 ? 'clean' : 'double-error';
    return { nibble: dataOf(word), syndrome: hamming, status };
  }
  const position = hamming === 0 ? PARITY_POSITION : hamming - 1;
  return { nibble: dataOf(word ^ (0x80 >> position)), syndrome: 8 + position, status: 'corrected' };
}

/**
 * Maximum likelihood over the sixteen words.
 *
 * @param llr log-likelihood ratios in order of sending, log P(1)/P(0): above zero for a bit that is rather 1. Their scale
 *   changes the metrics alone.
 * @param at index of the word's first bit
 */
export function secded84SoftDecode(llr: ArrayLike<number>, at = 0): Secded84SoftWord {
  let nibble = 0;
  let metric = correlation(llr, at, WORDS[0]);
  let runnerUp = 1;
  let runnerUpMetric = -Infinity;
  for (let candidate = 1; candidate < WORDS.length; candidate++) {
    const got = correlation(llr, at, WORDS[candidate]);
    if (got > metric) {
      [runnerUp, runnerUpMetric] = [nibble, metric];
      [nibble, metric] = [candidate, got];
    } else if (got > runnerUpMetric) {
      [runnerUp, runnerUpMetric] = [candidate, got];
    }
  }
  return { nibble, metric, runnerUp, runnerUpMetric };
}

const PARITY_POSITION = 7;

const WORDS = Uint8Array.from({ length: 16 }, (_, nibble) => {
  const [d1, d2, d3, d4] = [3, 2, 1, 0].map(shift => (nibble >> shift) & 1);
  const bits = [d1 ^ d2 ^ d4, d1 ^ d3 ^ d4, d1, d2 ^ d3 ^ d4, d2, d3, d4];
  const word = bits.reduce((high, bit) => (high << 1) | bit, 0) << 1;
  return word | (isEven(word) ? 0 : 1);
});

/** Positions, counted from one, of the bits that are set, added without carry; the parity bit has none. */
function hammingSyndrome(word: number): number {
  let syndrome = 0;
  for (let position = 0; position < PARITY_POSITION; position++) {
    if (word & (0x80 >> position)) syndrome ^= position + 1;
  }
  return syndrome;
}

function isEven(word: number): boolean {
  let folded = word ^ (word >> 4);
  folded ^= folded >> 2;
  return ((folded ^ (folded >> 1)) & 1) === 0;
}

function dataOf(word: number): number {
  return ((word >> 2) & 8) | ((word >> 1) & 7);
}

function correlation(llr: ArrayLike<number>, at: number, word: number): number {
  let sum = 0;
  for (let position = 0; position < SECDED84_WORD_BITS; position++) {
    const ratio = llr[at + position];
    sum += word & (0x80 >> position) ? ratio : -ratio;
  }
  return sum;
}
