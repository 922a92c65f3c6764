// Taken once: in the context of a test runner every look at a global is slow.
const { cos, imul, log, PI, sin, sqrt } = Math;

/**
 * Numbers that a seed decides, for test data that anybody can make again: mulberry32 (Tommy Ettinger, public domain), its
 * state mixed from the seed.
 */
export class SeededRandom {
  #state: number;
  #spare: number | null = null;

  constructor(seed: number) {
    this.#state = imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
    for (let i = 0; i < 4; i++) this.uniform();
  }

  /** From 0, included, to 1 or between the two given. */
  uniform(low = 0, high = 1): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = imul(t ^ (t >>> 15), t | 1);
    t ^= t + imul(t ^ (t >>> 7), t | 61);
    return low + (high - low) * (((t ^ (t >>> 14)) >>> 0) / 2 ** 32);
  }

  /** Normal, by Box and Muller. */
  gaussian(mean = 0, sigma = 1): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return mean + sigma * spare;
    }
    const radius = sqrt(-2 * log(1 - this.uniform()));
    const angle = 2 * PI * this.uniform();
    this.#spare = radius * sin(angle);
    return mean + sigma * radius * cos(angle);
  }

  /** Evenly spread over the logarithms. */
  logUniform(low: number, high: number): number {
    return low * (high / low) ** this.uniform();
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.uniform() * items.length)];
  }
}
