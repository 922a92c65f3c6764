import { mean, sampleKurtosis, sampleSkewness, variance } from 'simple-statistics';
import { SeededRandom } from './seeded-random.js';

const COUNT = 40_000;
const draw = (next: () => number) => Array.from({ length: COUNT }, next);

describe('SeededRandom', () => {
  it('is uniform', () => {
    const random = new SeededRandom(1);
    const counts = new Array<number>(100).fill(0);
    for (const value of draw(() => random.uniform())) counts[Math.floor(value * 100)]++;
    const expected = COUNT / 100;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 99 degrees of freedom: 0.1 % and 99.9 % quantiles.
    expect(chiSquare).toBeGreaterThan(60.3);
    expect(chiSquare).toBeLessThan(149.4);
  });

  it('has the moments of the normal distribution', () => {
    const random = new SeededRandom(2);
    const values = draw(() => random.normal());
    expect(Math.abs(mean(values))).toBeLessThan(0.02);
    expect(Math.abs(variance(values) - 1)).toBeLessThan(0.03);
    expect(Math.abs(sampleSkewness(values))).toBeLessThan(0.05);
    expect(Math.abs(sampleKurtosis(values))).toBeLessThan(0.1);
  });

  it.each([0.5, 7, 200])('has a Poisson count of mean and variance %f', rate => {
    const random = new SeededRandom(3);
    const counts = Array.from({ length: 5_000 }, () => random.poisson(rate));
    expect(Math.abs(mean(counts) / rate - 1)).toBeLessThan(0.08);
    expect(Math.abs(variance(counts) / rate - 1)).toBeLessThan(0.12);
  });

  it('has nothing in common for seeds that differ in one number', () => {
    const first = new Set(draw(streamOf(7, 1)));
    for (const [seed, part] of [
      [7, 2],
      [8, 1],
      [1, 7],
    ]) {
      const same = draw(streamOf(seed, part)).filter(value => first.has(value)).length;
      // 40,000 of 2^32 against 40,000: 0.4 by chance.
      expect(same).toBeLessThan(8);
    }
  });
});

function streamOf(seed: number, part: number): () => number {
  const random = new SeededRandom(seed, part);
  return () => random.uniform();
}
