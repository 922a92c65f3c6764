import { ComplexFft2d, type Dsp } from '@svc/kernels';
import { gaussianOf } from './gabor.js';
import { ORIENTATIONS_RAD, PATCH_PX, type ModalityParameters } from './modality.js';

/** Periods of the filters’ centre beyond which the structure of a random surface is like itself no more. */
const APART_PERIODS = 2.4;

/**
 * How much of what the filters see comes again and again: the greatest autocorrelation of a filtered patch at a distance, 0 to 1.
 *
 * Weave, brush marks, ruled or printed lines are the same on many surfaces. Where they are the share s of what a filter sees,
 * bits of two such surfaces differ with the probability arccos(s)/π only, and not with ½: for s = 0.3 that is 0.40.
 *
 * @param transformed the spectrum of the patch; it is left as it is
 */
export function regularityOf(
  dsp: Dsp,
  transformed: ComplexFft2d,
  { centreFrequency, bandwidth }: ModalityParameters,
): number {
  const plane = new ComplexFft2d(dsp, PATCH_PX, PATCH_PX);
  // Only now: making a plane may take the views of the others away.
  const spectrum = transformed.data;
  let greatest = 0;
  for (const orientation of ORIENTATIONS_RAD) {
    const alongX = gaussianOf(centreFrequency * Math.cos(orientation), bandwidth);
    const alongY = gaussianOf(centreFrequency * Math.sin(orientation), bandwidth);
    const { data } = plane;
    for (let row = 0; row < PATCH_PX; row++) {
      for (let column = 0; column < PATCH_PX; column++) {
        const i = 2 * (row * PATCH_PX + column);
        const gain = alongX[column] * alongY[row];
        data[i] = gain * gain * (spectrum[i] * spectrum[i] + spectrum[i + 1] * spectrum[i + 1]);
        data[i + 1] = 0;
      }
    }
    plane.inverse();
    greatest = Math.max(greatest, greatestApart(data, APART_PERIODS / centreFrequency));
  }
  plane.free();
  return greatest;
}

/** Greatest magnitude at lags of `apartPx` and more, by that at no lag; 0 of an empty patch. */
function greatestApart(autocorrelation: Float32Array, apartPx: number): number {
  const whole = autocorrelation[0];
  if (!(whole > 0)) return 0;
  let squared = 0;
  for (let row = 0; row < PATCH_PX; row++) {
    const y = row < PATCH_PX / 2 ? row : row - PATCH_PX;
    for (let column = 0; column < PATCH_PX; column++) {
      const x = column < PATCH_PX / 2 ? column : column - PATCH_PX;
      if (x * x + y * y < apartPx * apartPx) continue;
      const i = 2 * (row * PATCH_PX + column);
      squared = Math.max(squared, autocorrelation[i] ** 2 + autocorrelation[i + 1] ** 2);
    }
  }
  return Math.min(1, Math.sqrt(squared) / whole);
}
