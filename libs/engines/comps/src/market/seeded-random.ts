/** Pseudo-random numbers that are the same for the same seed on every machine (mulberry32 of T. Ettinger). */
export class SeededRandom {
  #state: number;

  /** @param seed integers, mixed so that neighbours have nothing in common */
  constructor(...seed: readonly number[]) {
    this.#state = 0x9e3779b9;
    for (const part of seed) {
      this.#state = (this.#state ^ Math.imul(part | 0, 0x85ebca6b)) >>> 0;
      this.#state = Math.floor(this.uniform() * 2 ** 32) >>> 0;
    }
  }

  /** From 0 up to 1, 32 bits. */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.integer(0, values.length - 1)];
  }

  /** Standard normal (G. E. P. Box, M. E. Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** How many events of a mean rate happen (D. Knuth), the mean at most 500. */
  poisson(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.uniform(); product > limit; product *= this.uniform()) count++;
    return count;
  }
}
