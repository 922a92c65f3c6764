import * as fc from 'fast-check';
import { loadDspModule } from '../node/kernel-module.js';
import { naiveComplexDft, naiveComplexDft2d } from './complex-fft.naive.js';
import { ComplexFft, ComplexFft2d } from './complex-fft.js';
import { type Dsp, instantiateDsp } from './dsp.js';
import { FftSizeError, RealFft } from './real-fft.js';

let module: WebAssembly.Module;
let dsp: Dsp;
beforeAll(async () => {
  module = await loadDspModule();
  dsp = instantiateDsp(module);
});

const numbers = (count: number) =>
  fc
    .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: count, maxLength: count })
    .map(values => Float32Array.from(values));
const powersOfTwo = (min: number, max: number) => fc.integer({ min, max }).map(bits => 2 ** bits);

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (!(difference <= most)) most = difference;
  }
  return most;
}

/** Rounding grows as the root of the passes; the spectrum itself as the root of the size, at least. */
const allowed = (size: number) => 2e-7 * Math.log2(size) * Math.sqrt(size) * 4;

describe('ComplexFft', () => {
  it('is the transform by definition and its inverse, at every small size', () => {
    fc.assert(
      fc.property(
        powersOfTwo(3, 8).chain(size => numbers(2 * size)),
        samples => {
          const size = samples.length / 2;
          const fft = new ComplexFft(dsp, size);
          fft.data.set(samples);
          fft.forward();
          expect(largestDifference(fft.data, naiveComplexDft(samples, -1))).toBeLessThan(allowed(size));
          fft.data.set(samples);
          fft.inverse();
          const back = naiveComplexDft(samples, 1).map(x => x / size);
          expect(largestDifference(fft.data, back)).toBeLessThan(allowed(size) / size);
          fft.free();
        },
      ),
      { numRuns: 60 },
    );
  });

  const sizes = [10, 11, 14, 15, 17, ...(process.env.SUITE_TIER === 'long' ? [18, 19, 20] : [])];

  it.each(sizes)('is the transform in double precision at 2^%i', bits => {
    const size = 2 ** bits;
    // Real samples, whose spectrum the other transform of this library knows.
    const samples = Float64Array.from({ length: size }, (_, n) => Math.fround(Math.sin(n * n * 0.7 + n)));
    const fft = new ComplexFft(dsp, size);
    const { data } = fft;
    for (let n = 0; n < size; n++) [data[2 * n], data[2 * n + 1]] = [samples[n], 0];
    fft.forward();
    const expected = new RealFft(size).forward(samples);
    expect(largestDifference(data.subarray(0, size + 2), expected)).toBeLessThan(allowed(size) / 4);
    fft.inverse();
    let most = 0;
    for (let n = 0; n < size; n++) {
      most = Math.max(most, Math.abs(data[2 * n] - samples[n]), Math.abs(data[2 * n + 1]));
    }
    expect(most).toBeLessThan(3e-6);
    fft.free();
  });

  it('leaves what another plan of the same size holds alone, and takes freed buffers again', () => {
    const own = instantiateDsp(module);
    const first = new ComplexFft(own, 64);
    const second = new ComplexFft(own, 64);
    first.data.fill(0);
    second.data.fill(1);
    second.forward();
    expect(first.data.every(x => x === 0)).toBe(true);
    expect(second.data[0]).toBe(64);
    second.free();
    const { usedBytes } = own;
    for (let i = 0; i < 100; i++) new ComplexFft(own, 64).free();
    expect(own.usedBytes).toBe(usedBytes);
  });

  it('hands out a live view after the memory has grown', () => {
    const own = instantiateDsp(module);
    const fft = new ComplexFft(own, 8);
    fft.data.fill(0)[0] = 3;
    new ComplexFft(own, 2 ** 18);
    expect([...fft.data.subarray(0, 2)]).toEqual([3, 0]);
    fft.forward();
    expect(fft.data[14]).toBe(3);
  });

  it('says which sizes it has no plan for', () => {
    for (const size of [0, 1, 2, 4, 12, 1000, 2 ** 21, NaN, 8.5]) {
      expect(() => new ComplexFft(dsp, size)).toThrow(FftSizeError);
    }
    expect(() => new ComplexFft2d(dsp, 8, 4)).toThrow(FftSizeError);
    expect(() => new ComplexFft2d(dsp, 2 ** 13, 2 ** 12)).toThrow(FftSizeError);
  });
});

describe('ComplexFft2d', () => {
  it('is the transform by definition and its inverse, for pictures of every shape', () => {
    const shapes = fc.tuple(powersOfTwo(3, 5), powersOfTwo(3, 5));
    const pictures = shapes.chain(([width, height]) =>
      fc.tuple(fc.constant(width), fc.constant(height), numbers(2 * width * height)),
    );
    fc.assert(
      fc.property(pictures, ([width, height, pixels]) => {
        const fft = new ComplexFft2d(dsp, width, height);
        fft.data.set(pixels);
        fft.forward();
        const size = width * height;
        const expected = naiveComplexDft2d(pixels, width, height, -1);
        expect(largestDifference(fft.data, expected)).toBeLessThan(allowed(size));
        fft.inverse();
        expect(largestDifference(fft.data, pixels)).toBeLessThan(3e-6);
        fft.free();
      }),
      { numRuns: 25 },
    );
  });
});
