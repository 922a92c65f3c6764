import { PATCH_PX } from './modality.js';

/** The patch lies within ± 4: a step is 1/31.75, a tenth of the noise of a good picture. */
const STEPS_A_UNIT = 127 / 4;

/** A byte a pixel, for keeping: 64 KiB. */
export function packPatch(patch: Float32Array): Int8Array {
  return Int8Array.from(patch, value => Math.max(-127, Math.min(127, Math.round(value * STEPS_A_UNIT))));
}

/** @throws RangeError for anything but 256 × 256 bytes */
export function unpackPatch(packed: Int8Array): Float32Array {
  if (packed.length !== PATCH_PX * PATCH_PX) {
    throw new RangeError(`a patch has ${PATCH_PX * PATCH_PX} pixels, got ${packed.length}`);
  }
  // No `from` with a function: it takes fifty times as long, for every picture that is compared.
  const patch = new Float32Array(packed.length);
  for (let i = 0; i < packed.length; i++) patch[i] = packed[i] / STEPS_A_UNIT;
  return patch;
}
