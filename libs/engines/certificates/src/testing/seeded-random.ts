// Taken once: in the context of a test runner every look at a global is slow.
const { cos, floor, imul, log, PI, sqrt } = Math;

/** Numbers that a seed determines: the same file from the same seed, on every machine. */
export interface SeededRandom {
  /** 0 ≤ x < 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  chance(probability: number): boolean;
  /** `count` different ones, in the order of `values`. */
  some<T>(values: readonly T[], count: number): T[];
  /** Mean 0, variance 1. */
  normal(): number;
}

/** The mulberry32 generator (T. Ettinger, public domain): 32 bits of state, good enough to choose test data with. */
export function seededRandom(seed: number): SeededRandom {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = imul(state ^ (state >>> 15), state | 1);
    t ^= t + imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + floor(next() * (to - from + 1));
  return {
    next,
    int,
    pick: values => values[int(0, values.length - 1)],
    chance: probability => next() < probability,
    some: (values, count) => {
      const left = values.map((_, index) => index);
      while (left.length > count) left.splice(int(0, left.length - 1), 1);
      return left.map(index => values[index]);
    },
    normal: () => sqrt(-2 * log(1 - next())) * cos(2 * PI * next()),
  };
}
