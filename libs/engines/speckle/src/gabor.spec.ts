import { ComplexFft2d, instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { gaborResponses, transformTapered } from './gabor.js';
import { naiveGaborResponses } from './gabor.naive.js';
import { FINGERPRINT_BITS, GRID_POINTS, parametersOf, PATCH_PX, type SpeckleModality } from './modality.js';

const dsp = instantiateDsp(await loadDspModule());

function responsesOf(patch: Float32Array, modality: SpeckleModality): Float32Array {
  const plane = new ComplexFft2d(dsp, PATCH_PX, PATCH_PX);
  transformTapered(plane, patch);
  const responses = gaborResponses(dsp, plane, parametersOf(modality));
  plane.free();
  return responses;
}

describe('Gabor filters', () => {
  it.each(['laser_speckle', 'paper_texture'] as const)(
    'answer in the frequency plane what a Gaussian times a sine answers in space (%s)',
    modality => {
      const random = new SeededRandom(3);
      const patch = Float32Array.from({ length: PATCH_PX * PATCH_PX }, () => random.gaussian());
      const fast = responsesOf(patch, modality);
      const slow = naiveGaborResponses(patch, parametersOf(modality));
      const largest = Math.max(...slow.map(Math.abs));
      expect(fast).toHaveLength(FINGERPRINT_BITS);
      let farthest = 0;
      let otherSigns = 0;
      slow.forEach((value, i) => {
        farthest = Math.max(farthest, Math.abs(value - fast[i]));
        if (value > 0 !== fast[i] > 0 && Math.abs(value) > 1e-5 * largest) otherSigns++;
      });
      expect(farthest).toBeLessThan(3e-6 * largest);
      expect(otherSigns).toBe(0);
    },
  );

  it('hear a wave along x by the first half of the bits alone, and along y by the second', () => {
    const points = GRID_POINTS * GRID_POINTS;
    for (const [along, loud, silent] of [
      ['x', 0, points],
      ['y', points, 0],
    ] as const) {
      const wave = Float32Array.from({ length: PATCH_PX * PATCH_PX }, (_, i) =>
        Math.cos((2 * Math.PI * (along === 'x' ? i % PATCH_PX : Math.floor(i / PATCH_PX))) / 10),
      );
      const squares = responsesOf(wave, 'laser_speckle').map(value => value * value);
      const power = (from: number) =>
        squares.subarray(from, from + points).reduce((sum, value) => sum + value, 0);
      expect(power(loud)).toBeGreaterThan(100 * power(silent));
    }
  });
});
