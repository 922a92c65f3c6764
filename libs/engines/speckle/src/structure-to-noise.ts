import { PATCH_PX } from './modality.js';

/** Where pictures have next to nothing but noise: the finest third of an octave, cycles a pixel. */
const FINEST = [0.38, 0.5] as const;
/** About the filters’ centre, as parts of it. */
const BAND = [0.5, 1.4] as const;

/**
 * How far what the filters see stands out of the noise: mean power of the patch in their band, by that at the finest frequencies. Noise
 * of a camera is alike at all of them, so that of noise alone it is about 1. A picture that was smoothed or packed hard shows less
 * noise than it has.
 *
 * @param spectrum of the patch, 256 × 256 complex numbers
 * @param centreFrequency of the filters, cycles a pixel
 */
export function structureToNoiseOf(spectrum: Float32Array, centreFrequency: number): number {
  const [from, to] = [BAND[0] * centreFrequency, BAND[1] * centreFrequency];
  const [structure, noise] = [
    { power: 0, count: 0 },
    { power: 0, count: 0 },
  ];
  for (let row = 0; row < PATCH_PX; row++) {
    const v = signed(row);
    for (let column = 0; column < PATCH_PX; column++) {
      const u = signed(column);
      const squared = u * u + v * v;
      const isBand = squared > from * from && squared < to * to;
      if (!isBand && (squared < FINEST[0] ** 2 || squared > FINEST[1] ** 2)) continue;
      const at = 2 * (row * PATCH_PX + column);
      const sum = isBand ? structure : noise;
      sum.power += spectrum[at] ** 2 + spectrum[at + 1] ** 2;
      sum.count++;
    }
  }
  return structure.power / structure.count / Math.max(noise.power / noise.count, Number.MIN_VALUE);
}

const signed = (k: number) => (k < PATCH_PX / 2 ? k : k - PATCH_PX) / PATCH_PX;
