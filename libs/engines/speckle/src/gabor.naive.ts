import { TAPER } from './gabor.js';
import {
  FINGERPRINT_BITS,
  GRID_POINTS,
  GRID_STEP_PX,
  ORIENTATIONS_RAD,
  PATCH_PX,
  type ModalityParameters,
} from './modality.js';

/**
 * The same answers by definition: a Gaussian of deviation 1/(2π·bandwidth) times a sine about each point of the grid, over the
 * patch with its edges taken down, which goes on at the opposite side.
 */
export function naiveGaborResponses(
  patch: Float32Array,
  { centreFrequency, bandwidth }: ModalityParameters,
): Float64Array {
  const tapered = Float64Array.from(patch, (value, i) => {
    return value * TAPER[i % PATCH_PX] * TAPER[Math.floor(i / PATCH_PX)];
  });
  const deviationPx = 1 / (2 * Math.PI * bandwidth);
  const reachPx = Math.ceil(6 * deviationPx);
  const responses = new Float64Array(FINGERPRINT_BITS);
  let bit = 0;
  for (const orientation of ORIENTATIONS_RAD) {
    const kernel = kernelOf(centreFrequency, orientation, deviationPx, reachPx);
    for (let row = 1; row <= GRID_POINTS; row++) {
      for (let column = 1; column <= GRID_POINTS; column++) {
        let at = 0;
        for (let dy = -reachPx; dy <= reachPx; dy++) {
          const start = ((row * GRID_STEP_PX - dy) & (PATCH_PX - 1)) * PATCH_PX;
          for (let dx = -reachPx; dx <= reachPx; dx++) {
            responses[bit] += kernel[at++] * tapered[start + ((column * GRID_STEP_PX - dx) & (PATCH_PX - 1))];
          }
        }
        bit++;
      }
    }
  }
  return responses;
}

function kernelOf(frequency: number, orientation: number, deviationPx: number, reachPx: number): number[] {
  const kernel: number[] = [];
  const [cos, sin] = [Math.cos(orientation), Math.sin(orientation)];
  for (let dy = -reachPx; dy <= reachPx; dy++) {
    for (let dx = -reachPx; dx <= reachPx; dx++) {
      const gauss =
        Math.exp(-(dx * dx + dy * dy) / (2 * deviationPx ** 2)) / (2 * Math.PI * deviationPx ** 2);
      kernel.push(gauss * Math.sin(2 * Math.PI * frequency * (dx * cos + dy * sin)));
    }
  }
  return kernel;
}
