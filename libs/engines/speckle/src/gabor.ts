import { ComplexFft2d, type Dsp } from '@svc/kernels';
import {
  FINGERPRINT_BITS,
  GRID_POINTS,
  GRID_STEP_PX,
  ORIENTATIONS_RAD,
  PATCH_PX,
  type ModalityParameters,
} from './modality.js';

/**
 * The imaginary parts of Gabor filters at the points of the grid, orientation by orientation and row by row.
 *
 * A filter is a Gaussian around (f0 cos θ, f0 sin θ) in the frequency plane. Its imaginary part answers to what is odd about a
 * point, so that neither brightness nor contrast moves its sign; the sign is the bit.
 *
 * @param transformed the plane that {@link transformTapered} filled; it is left as it is
 */
export function gaborResponses(
  dsp: Dsp,
  transformed: ComplexFft2d,
  { centreFrequency, bandwidth }: ModalityParameters,
): Float32Array {
  const responses = new Float32Array(FINGERPRINT_BITS);
  const plane = new ComplexFft2d(dsp, PATCH_PX, PATCH_PX);
  // Only now: making a plane may take the views of the others away.
  const spectrum = transformed.data;
  let at = 0;
  for (const orientation of ORIENTATIONS_RAD) {
    const alongX = gaussianOf(centreFrequency * Math.cos(orientation), bandwidth);
    const alongY = gaussianOf(centreFrequency * Math.sin(orientation), bandwidth);
    const { data } = plane;
    for (let row = 0; row < PATCH_PX; row++) {
      for (let column = 0; column < PATCH_PX; column++) {
        const gain = alongX[column] * alongY[row];
        const i = 2 * (row * PATCH_PX + column);
        data[i] = gain * spectrum[i];
        data[i + 1] = gain * spectrum[i + 1];
      }
    }
    plane.inverse();
    for (let row = 1; row <= GRID_POINTS; row++) {
      for (let column = 1; column <= GRID_POINTS; column++) {
        responses[at++] = data[2 * (row * GRID_STEP_PX * PATCH_PX + column * GRID_STEP_PX) + 1];
      }
    }
  }
  plane.free();
  return responses;
}

/** One axis of the filter, at each frequency of the transform. */
export function gaussianOf(centre: number, deviation: number): Float64Array {
  return Float64Array.from({ length: PATCH_PX }, (_, k) => {
    const frequency = (k < PATCH_PX / 2 ? k : k - PATCH_PX) / PATCH_PX;
    return Math.exp(-((frequency - centre) ** 2) / (2 * deviation ** 2));
  });
}

/**
 * Pixels over which the edges of the patch go down to nought: a transform goes on at the opposite side, and the step there would
 * be the loudest thing in the picture. What is left of the other side is of the same surface, and so the same every time.
 */
const TAPER_PX = 8;

/** Spectrum of the patch with its edges taken down. The plane must be 256 × 256; its data is the spectrum. */
export function transformTapered(plane: ComplexFft2d, patch: Float32Array): void {
  const { data } = plane;
  for (let row = 0; row < PATCH_PX; row++) {
    for (let column = 0; column < PATCH_PX; column++) {
      const i = row * PATCH_PX + column;
      data[2 * i] = patch[i] * TAPER[row] * TAPER[column];
      data[2 * i + 1] = 0;
    }
  }
  plane.forward();
}

/** Weight of a pixel by its place along a side. */
export const TAPER = Float64Array.from({ length: PATCH_PX }, (_, i) => {
  const inside = Math.min(i, PATCH_PX - 1 - i) + 0.5;
  return inside >= TAPER_PX ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * inside) / TAPER_PX);
});
