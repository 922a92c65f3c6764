import { ComplexFft2d, instantiateDsp } from '@svc/kernels';
import { loadDspModule } from '@svc/kernels/node';
import { SeededRandom } from '@svc/kernels/testing';
import { transformTapered } from './gabor.js';
import { PATCH_PX } from './modality.js';
import { structureToNoiseOf } from './structure-to-noise.js';

const dsp = instantiateDsp(await loadDspModule());
const CENTRE = 1 / 12;

/** Of waves at a frequency of the band in many directions, so strong beside noise of deviation one. */
function measured(strength: number): number {
  const random = new SeededRandom(7);
  const waves = Array.from({ length: 24 }, () => [random.uniform(0, 2 * Math.PI), random.uniform(0, 7)]);
  const patch = Float32Array.from({ length: PATCH_PX * PATCH_PX }, (_, at) => {
    const [x, y] = [at % PATCH_PX, Math.floor(at / PATCH_PX)];
    const sum = waves.reduce((value, [direction, phase]) => {
      const along = x * Math.cos(direction) + y * Math.sin(direction);
      return value + Math.sin(2 * Math.PI * CENTRE * along + phase);
    }, 0);
    return random.gaussian() + (strength === 0 ? 0 : (strength * sum) / Math.sqrt(waves.length / 2));
  });
  const plane = new ComplexFft2d(dsp, PATCH_PX, PATCH_PX);
  transformTapered(plane, patch);
  const ratio = structureToNoiseOf(plane.data, CENTRE);
  plane.free();
  return ratio;
}

it('is one of white noise, and grows with the power of what stands out of it in the band', () => {
  expect(measured(0)).toBeCloseTo(1, 1);
  // All of the power is in the band, which is 0.038 of all frequencies: π (1.4² − 0.5²) / 12².
  for (const strength of [0.5, 1, 2])
    expect((measured(strength) - 1) / (strength ** 2 / 0.0373)).toBeCloseTo(1, 0);
});
