/** Bits that a secret must have by {@link secretBits}. */
export const SECRET_BITS_MIN = 80;

/**
 * An upper estimate of what it takes to guess a secret, in bits: how evenly its characters are spread, a piece that repeats
 * counted once, or, where that is less, the steps from character to character. It finds secrets that somebody typed to fill a
 * length: few characters, runs, repetitions, alphabets. A random one of 32 hexadecimal digits has some 110; of words it says too much.
 */
export function secretBits(secret: string): number {
  const codes = [...secret].map(character => character.codePointAt(0)!);
  const piece = codes.slice(0, periodOf(codes));
  const steps = piece.slice(1).map((code, i) => code - piece[i]);
  return Math.min(spreadBits(piece), spreadBits(steps));
}

/** The least length after which a sequence repeats itself, to its end; its own length where it does not. */
function periodOf(codes: readonly number[]): number {
  for (let period = 1; period <= codes.length / 2; period++) {
    if (codes.every((code, i) => i < period || code === codes[i - period])) return period;
  }
  return codes.length;
}

/** Length times the Shannon entropy of the values' frequencies. */
function spreadBits(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum + count * Math.log2(values.length / count), 0);
}
