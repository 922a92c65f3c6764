import { GaloisField } from './galois-field.js';

/** What a word decodes to, or that no codeword lies within the bound. */
export type BchDecoded =
  | {
      readonly ok: true;
      /** The word without its errors. */
      readonly codeword: Uint8Array;
      /** Its first bits, as they were encoded. */
      readonly message: Uint8Array;
      /** 0 to t. */
      readonly corrected: number;
    }
  | { readonly ok: false };

/**
 * A binary, primitive, narrow-sense BCH code, systematic: a word is its message and then its checks, each bit a byte of 0 or
 * 1, the coefficient of the highest power first.
 *
 * Source: Lin and Costello, Error Control Coding, 2nd edition, chapter 6; Massey, Shift-register synthesis and BCH decoding,
 * IEEE Trans. Inf. Theory 15, 1969.
 *
 * @example
 * const code = BchCode.of(255, 131); // corrects 18
 * const decoded = code.decode(heard);
 * if (decoded.ok) decoded.message;
 */
export class BchCode {
  private static readonly made = new Map<string, BchCode>();

  /** Coefficients, the highest power first: 1 + length − dimension of them. */
  readonly generator: Uint8Array;

  private constructor(
    private readonly field: GaloisField,
    readonly length: number,
    readonly dimension: number,
    /** Errors that every word is rid of: half of one less than the designed distance. */
    readonly correctable: number,
    generator: readonly number[],
  ) {
    this.generator = Uint8Array.from(generator);
  }

  /**
   * The code of so many bits that has so many bits of message, its designed distance the largest.
   *
   * @param length 2^m − 1, from 3 to 1023
   * @throws RangeError where there is none
   */
  static of(length: number, dimension: number): BchCode {
    const key = `${length},${dimension}`;
    let code = BchCode.made.get(key);
    if (!code) BchCode.made.set(key, (code = BchCode.build(length, dimension)));
    return code;
  }

  private static build(length: number, dimension: number): BchCode {
    const degree = Math.log2(length + 1);
    if (!Number.isInteger(degree)) throw new RangeError(`length must be 2^m − 1, got ${length}`);
    const field = GaloisField.of(degree);
    let generator = [1];
    let found: BchCode | undefined;
    const roots = new Set<number>();
    for (let t = 1; 2 * t < length; t++) {
      const exponent = 2 * t - 1;
      if (!roots.has(exponent)) {
        for (let i = exponent; !roots.has(i); i = (2 * i) % length) roots.add(i);
        generator = productOf(generator, bitsFromHighest(field.minimalPolynomial(exponent)));
      }
      const got = length - generator.length + 1;
      if (got < dimension) break;
      if (got === dimension) found = new BchCode(field, length, dimension, t, generator);
    }
    if (found) return found;
    throw new RangeError(`no BCH code of ${length} bits has ${dimension} bits of message`);
  }

  /**
   * @param message `dimension` bits, each 0 or 1
   * @throws RangeError for another number of bits
   */
  encode(message: Uint8Array): Uint8Array {
    requireBits('message', message, this.dimension);
    const codeword = new Uint8Array(this.length);
    codeword.set(message);
    for (let i = 0; i < this.dimension; i++) {
      if (codeword[i] === 0) continue;
      for (let j = 0; j < this.generator.length; j++) codeword[i + j] ^= this.generator[j];
    }
    codeword.set(message);
    return codeword;
  }

  /**
   * The codeword within `correctable` errors of a word, where there is one. Of a word with more errors this is mostly none,
   * and otherwise another codeword: whoever has to know needs a digest.
   *
   * @param word `length` bits, each 0 or 1
   * @throws RangeError for another number of bits
   */
  decode(word: Uint8Array): BchDecoded {
    requireBits('word', word, this.length);
    const syndromes = this.syndromesOf(word);
    const locator = this.errorLocator(syndromes);
    if (!locator || locator.length - 1 > this.correctable) return { ok: false };
    const degree = locator.length - 1;
    const codeword = Uint8Array.from(word);
    if (this.correct(codeword, locator) !== degree) return { ok: false };
    return { ok: true, codeword, message: codeword.slice(0, this.dimension), corrected: degree };
  }

  /** The word's values at α … α^2t, the first at index 0. */
  private syndromesOf(word: Uint8Array): Uint16Array {
    const syndromes = new Uint16Array(2 * this.correctable);
    for (let i = 0; i < this.length; i++) {
      if (word[i] === 0) continue;
      const power = this.length - 1 - i;
      for (let j = 0; j < syndromes.length; j++) syndromes[j] ^= this.field.alphaTo(power * (j + 1));
    }
    return syndromes;
  }

  /**
   * Coefficients, the lowest first, of the shortest recursion that the syndromes follow; its roots are the inverses of the
   * places of the errors. Berlekamp and Massey.
   *
   * @returns undefined where the recursion is longer than its polynomial: then its roots are places of no errors
   */
  private errorLocator(syndromes: Uint16Array): number[] | undefined {
    const { field } = this;
    let locator = [1];
    let before = [1];
    let errors = 0;
    let sinceBefore = 1;
    let discrepancyBefore = 1;
    for (let n = 0; n < syndromes.length; n++, sinceBefore++) {
      let discrepancy = syndromes[n];
      for (let i = 1; i < locator.length && i <= n; i++) {
        discrepancy ^= field.multiply(locator[i], syndromes[n - i]);
      }
      if (discrepancy === 0) continue;
      const factor = field.divide(discrepancy, discrepancyBefore);
      const next = locator.slice();
      before.forEach((coefficient, i) => {
        next[i + sinceBefore] = (next[i + sinceBefore] ?? 0) ^ field.multiply(factor, coefficient);
      });
      for (let i = 0; i < next.length; i++) next[i] ??= 0;
      if (2 * errors <= n) {
        errors = n + 1 - errors;
        [before, discrepancyBefore, sinceBefore] = [locator, discrepancy, 0];
      }
      locator = next;
    }
    while (locator.at(-1) === 0) locator.pop();
    return locator.length - 1 === errors ? locator : undefined;
  }

  /** Turns the bits over at whose places the locator vanishes. @returns how many they were */
  private correct(codeword: Uint8Array, locator: readonly number[]): number {
    let found = 0;
    for (let power = 0; power < this.length; power++) {
      let value = 0;
      for (let i = 0; i < locator.length; i++) {
        value ^= this.field.multiply(locator[i], this.field.alphaTo(-power * i));
      }
      if (value !== 0) continue;
      codeword[this.length - 1 - power] ^= 1;
      found++;
    }
    return found;
  }
}

function requireBits(name: string, bits: Uint8Array, expected: number): void {
  if (bits.length !== expected)
    throw new RangeError(`${name} must be of ${expected} bits, got ${bits.length}`);
  const at = bits.findIndex(bit => bit > 1);
  if (at >= 0) throw new RangeError(`${name}[${at}] must be 0 or 1, got ${bits[at]}`);
}

function bitsFromHighest(mask: number): number[] {
  return [...mask.toString(2)].map(Number);
}

/** Over GF(2), coefficients of one order. */
function productOf(a: readonly number[], b: readonly number[]): number[] {
  const product = new Array<number>(a.length + b.length - 1).fill(0);
  a.forEach((x, i) => b.forEach((y, j) => (product[i + j] ^= x & y)));
  return product;
}
