import fc from 'fast-check';
import { SeededRandom } from '@svc/kernels/testing';
import { boxMeanTwice, normaliseContrast } from './local-contrast.js';
import { parametersOf } from './modality.js';
import { resamplePatch } from './resample-square.js';
import { simulatedPicture } from './testing/picture-file.js';

/** By definition: the mean of the pixels of the box that there are. */
function naiveBoxMean(square: ArrayLike<number>, sidePx: number, radius: number): number[] {
  return Array.from({ length: sidePx * sidePx }, (_, at) => {
    const [x, y] = [at % sidePx, Math.floor(at / sidePx)];
    let sum = 0;
    let count = 0;
    for (let row = Math.max(0, y - radius); row <= Math.min(sidePx - 1, y + radius); row++) {
      for (let column = Math.max(0, x - radius); column <= Math.min(sidePx - 1, x + radius); column++) {
        sum += square[row * sidePx + column];
        count++;
      }
    }
    return sum / count;
  });
}

const noiseOf = (seed: number, sidePx: number, mean = 100, deviation = 20) => {
  const random = new SeededRandom(seed);
  return Float32Array.from({ length: sidePx * sidePx }, () => random.gaussian(mean, deviation));
};

describe('local contrast', () => {
  it('has running sums that give the mean of the box, at the edges too', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 0, max: 20 }),
        (seed, sidePx, radius) => {
          const square = noiseOf(seed, sidePx);
          const expected = naiveBoxMean(naiveBoxMean(square, sidePx, radius), sidePx, radius);
          const mean = boxMeanTwice(square, sidePx, radius);
          expect(
            expected.reduce((most, value, i) => Math.max(most, Math.abs(mean[i] - value)), 0),
          ).toBeLessThan(1e-3);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('comes out the same whatever the light: brighter, or brighter towards one side', () => {
    const sidePx = 128;
    const parameters = parametersOf('laser_speckle');
    const plain = normaliseContrast(noiseOf(1, sidePx), sidePx, parameters);
    const lit = noiseOf(1, sidePx).map((value, i) => value * (1.4 + 0.004 * (i % sidePx)));
    const again = normaliseContrast(lit, sidePx, parameters);
    let squares = 0;
    plain.values.forEach((value, i) => (squares += (value - again.values[i]) ** 2));
    expect(Math.sqrt(squares / plain.values.length)).toBeLessThan(0.05);
    expect(again.contrast).toBeCloseTo(plain.contrast, 1);
  });

  it('has mean nought and deviation one, and a contrast that is deviation by mean', () => {
    const sidePx = 128;
    const { values, contrast, flat } = normaliseContrast(
      noiseOf(2, sidePx),
      sidePx,
      parametersOf('laser_speckle'),
    );
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + value * value, 0) / values.length;
    expect(mean).toBeCloseTo(0, 1);
    expect(Math.sqrt(variance)).toBeCloseTo(1, 1);
    expect(contrast).toBeCloseTo(0.2, 2);
    expect(flat.reduce((sum, value) => sum + value, 0)).toBe(0);
  });

  it('calls flat what has less structure than the modality has, and does not blow it up', () => {
    const sidePx = 64;
    const { values, flat, contrast } = normaliseContrast(
      noiseOf(3, sidePx, 100, 0.2),
      sidePx,
      parametersOf('laser_speckle'),
    );
    expect(flat.every(value => value === 1)).toBe(true);
    expect(Math.max(...values.map(Math.abs))).toBeLessThan(0.2);
    expect(contrast).toBeLessThan(0.01);
    const black = normaliseContrast(new Float32Array(64 * 64), 64, parametersOf('laser_speckle'));
    expect(black.values.every(value => value === 0)).toBe(true);
    expect(black.contrast).toBe(0);
  });

  it('has a number for every pixel, also where running sums leave less than nought', async () => {
    const { width, pixels } = await simulatedPicture({ surface: 1_271, sidePx: 256 });
    // Its corner lies outside of the picture, whose last pixel goes on there.
    const found = {
      shiftXPx: 46.13087491974411,
      shiftYPx: 46.03911379384978,
      rotationDeg: 0.8667796162496351,
      scale: 1,
    };
    const { values: square } = resamplePatch(Float32Array.from(pixels), width, found);
    const { values } = normaliseContrast(square, width, parametersOf('laser_speckle'));
    expect(values.every(Number.isFinite)).toBe(true);
  });
});
