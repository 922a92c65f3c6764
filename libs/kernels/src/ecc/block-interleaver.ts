import { SECDED84_WORD_BITS } from './secded84.js';

/** Bits, or what is known of them. */
type Interleaved = Uint8Array | Int8Array | Float32Array | Float64Array;

/**
 * Sends the first bit of every word, then the second of every word, and so on: a disturbance of as many bits as there are
 * words takes one bit of each.
 *
 * @param bits word after word
 * @param wordBits bits of a word
 * @throws RangeError where the last word is not whole
 */
export function interleave<T extends Interleaved>(bits: T, wordBits = SECDED84_WORD_BITS): T {
  return transpose(bits, wholeWords(bits.length, wordBits), wordBits);
}

/** Undoes {@link interleave}: of bits, and as well of their likelihoods. */
export function deinterleave<T extends Interleaved>(bits: T, wordBits = SECDED84_WORD_BITS): T {
  return transpose(bits, wordBits, wholeWords(bits.length, wordBits));
}

function wholeWords(bits: number, wordBits: number): number {
  if (bits % wordBits !== 0) throw new RangeError(`${bits} bits are no whole words of ${wordBits}`);
  return bits / wordBits;
}

/** Of so many rows, each of so many columns, into columns as rows. */
function transpose<T extends Interleaved>(bits: T, rows: number, columns: number): T {
  const turned = new (bits.constructor as new (length: number) => T)(bits.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = bits[row * columns + column];
  }
  return turned;
}
