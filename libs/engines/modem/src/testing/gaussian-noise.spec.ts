import { GaussianNoise } from './gaussian-noise.js';

const COUNT = 1_000_000;

describe('noise of a seed', () => {
  const samples = new GaussianNoise(20_260_401).fill(new Float32Array(COUNT));
  const moment = (power: number) => samples.reduce((sum, x) => sum + x ** power, 0) / COUNT;

  it('has the moments of the normal distribution within four deviations', () => {
    expect(Math.abs(moment(1))).toBeLessThan(4 / Math.sqrt(COUNT));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(4 * Math.sqrt(2 / COUNT));
    expect(Math.abs(moment(3))).toBeLessThan(4 * Math.sqrt(15 / COUNT));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(4 * Math.sqrt(96 / COUNT));
    expect(Math.abs(moment(6) - 15)).toBeLessThan(4 * Math.sqrt(10_170 / COUNT));
  });

  it('falls beyond each bound as often as the normal distribution does, its tail included', () => {
    const beyond: [bound: number, probability: number][] = [
      [0.5, 0.6170750774519738],
      [1, 0.31731050786291415],
      [2, 0.04550026389635842],
      [3, 0.0026997960632601866],
      [3.442619855899, 0.000576125],
      [4, 6.334248366623996e-5],
    ];
    for (const [bound, probability] of beyond) {
      const count = samples.reduce((sum, x) => sum + (Math.abs(x) > bound ? 1 : 0), 0);
      expect(Math.abs(count - COUNT * probability)).toBeLessThan(4 * Math.sqrt(COUNT * probability));
    }
  });

  it('is white: no lag is correlated', () => {
    for (const lag of [1, 2, 3, 7, 147, 294, 1_024]) {
      let sum = 0;
      for (let n = lag; n < COUNT; n++) sum += samples[n] * samples[n - lag];
      expect(Math.abs(sum / COUNT)).toBeLessThan(4 / Math.sqrt(COUNT));
    }
  });

  it('is the same for one seed and another for the next', () => {
    const [first, again, next] = [5, 5, 6].map(seed => new GaussianNoise(seed).fill(new Float32Array(1_000)));
    expect(again).toEqual(first);
    const product = first.reduce((sum, x, n) => sum + x * next[n], 0) / 1_000;
    expect(Math.abs(product)).toBeLessThan(4 / Math.sqrt(1_000));
  });
});
