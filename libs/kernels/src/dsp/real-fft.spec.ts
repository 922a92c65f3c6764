import fc from 'fast-check';
import { hannWindow, parabolicOffset } from './hann.js';
import { naiveRealDft } from './real-dft.naive.js';
import { FftSizeError, RealFft } from './real-fft.js';

const sizes = fc.integer({ min: 2, max: 9 }).map(bits => 2 ** bits);
const samplesOf = (size: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size });

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
  return most;
}

function transformed(samples: readonly number[]) {
  const fft = new RealFft(samples.length);
  return { bins: fft.bins, spectrum: fft.forward(samples) };
}

describe('RealFft', () => {
  it('is the transform by definition, at every size', () => {
    fc.assert(
      fc.property(sizes.chain(samplesOf), samples => {
        const fast = new RealFft(samples.length).forward(samples);
        expect(largestDifference(fast, naiveRealDft(samples))).toBeLessThan(1e-12 * samples.length);
      }),
      { numRuns: 40 },
    );
  });

  it('comes back to the samples', () => {
    fc.assert(
      fc.property(sizes.chain(samplesOf), samples => {
        const fft = new RealFft(samples.length);
        expect(largestDifference(fft.inverse(fft.forward(samples)), samples)).toBeLessThan(1e-13);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps the energy (Parseval)', () => {
    fc.assert(
      fc.property(sizes.chain(samplesOf), samples => {
        const size = samples.length;
        const { bins, spectrum } = transformed(samples);
        let inBins = 0;
        for (let k = 0; k < bins; k++) {
          const twice = k === 0 || k === bins - 1 ? 1 : 2;
          inBins += (twice * (spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2)) / size;
        }
        const inSamples = samples.reduce((sum, x) => sum + x * x, 0);
        expect(Math.abs(inBins - inSamples)).toBeLessThan(1e-10);
      }),
      { numRuns: 50 },
    );
  });

  it('takes fewer samples as followed by zeros, and uses its work space again without a trace', () => {
    const fft = new RealFft(16);
    fft.forward(Float64Array.from({ length: 16 }, (_, i) => i + 1));
    const short = [3, -1, 4, 1, -5];
    const padded = [...short, ...new Array<number>(11).fill(0)];
    expect(largestDifference(fft.forward(short), naiveRealDft(padded))).toBeLessThan(1e-13);
  });

  it('says which sizes it has no plan for', () => {
    for (const size of [0, 1, 2, 3, 6, 1000, 2 ** 23, NaN, 4.5]) {
      expect(() => new RealFft(size)).toThrow(FftSizeError);
    }
  });
});

describe('a Hann window', () => {
  it('has the sums that levels are computed with', () => {
    const window = hannWindow(1024);
    expect(window.reduce((sum, w) => sum + w, 0)).toBeCloseTo(512, 9);
    expect(window.reduce((sum, w) => sum + w * w, 0)).toBeCloseTo(384, 9);
  });

  it('lets a parabola through the logarithms find a tone to a fiftieth of a bin', () => {
    const size = 1024;
    const fft = new RealFft(size);
    const window = hannWindow(size);
    for (let part = -0.5; part <= 0.5; part += 0.05) {
      const bin = 200 + part;
      const spectrum = fft.forward(window.map((w, n) => w * Math.cos((2 * Math.PI * bin * n) / size + 1)));
      const level = (k: number) => Math.log(spectrum[2 * k] ** 2 + spectrum[2 * k + 1] ** 2);
      const top = level(200) >= level(bin < 200 ? 199 : 201) ? 200 : bin < 200 ? 199 : 201;
      const found = top + parabolicOffset(level(top - 1), level(top), level(top + 1));
      expect(Math.abs(found - bin)).toBeLessThan(0.02);
    }
  });
});
