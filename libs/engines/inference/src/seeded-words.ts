const WORD = 2 ** 32;

/**
 * Numbers that a seed of 32 bits decides: a counter in steps of the golden ratio, each mixed by two multiplications. Good for
 * drawing samples; no secret.
 *
 * Source: G. L. Steele, D. Lea and C. H. Flood: Fast splittable pseudorandom number generators, 2014; the mixer is lowbias32 of
 * C. Wellons' hash prospector.
 */
export class SeededWords {
  constructor(private counter: number) {}

  /** A word of 32 bits. */
  word(): number {
    this.counter = (this.counter + 0x9e3779b9) >>> 0;
    let x = this.counter;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  }

  /** A number from 0 to bound − 1. @param bound small against 2^32 */
  below(bound: number): number {
    return Math.floor((this.word() * bound) / WORD);
  }
}
