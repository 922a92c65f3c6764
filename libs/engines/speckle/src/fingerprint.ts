import type { SpeckleModality } from './modality.js';

/** Of the way from pixels to bits: fingerprints of different versions cannot be compared. */
export const FINGERPRINT_VERSION = 'gabor31x31x2/1';

/** Whether a picture is good enough to speak about. */
export interface PictureQuality {
  /** Standard deviation by mean of the intensity, its slow changes divided out: 1 of fully developed laser speckle. */
  readonly contrast: number;
  /** Width of the autocorrelation at half its height. */
  readonly speckleSizePx: number;
  /** Pixels at white, per cent. */
  readonly saturatedPct: number;
  /** How much of what is read comes again and again, 0 to 1: weave, brush marks, ruled lines. */
  readonly regularity: number;
  /** Power of what is read, by that at the finest frequencies: about 1 of noise alone. */
  readonly structureToNoise: number;
}

/** What identifies a surface. */
export interface Fingerprint {
  readonly modality: SpeckleModality;
  /** 1,922 bits, the first in the highest place of the first byte; the places left in the last byte are 0. */
  readonly bits: Uint8Array;
  /** 1 where a bit is usable, packed alike. */
  readonly mask: Uint8Array;
  readonly bitCount: number;
  readonly usableBits: number;
  /** By bit: how far the filter's answer is from turning the bit over, as a multiple of its median; 0 of a masked bit. */
  readonly reliability: Float32Array;
  /** The 256 × 256 pixels without their illumination, row by row, within ± 4: what alignment needs. */
  readonly patch: Float32Array;
  readonly quality: PictureQuality;
}

/** Why nothing is said about a picture. */
export type InconclusiveReason =
  'LOW_CONTRAST' | 'SATURATED' | 'REGULAR' | 'TOO_FEW_BITS' | 'NOISY' | 'AMBIGUOUS';

/** Bits of a value each, the first in the highest place of the first byte. */
export function packBits(flags: ArrayLike<number | boolean>): Uint8Array {
  const packed = new Uint8Array(Math.ceil(flags.length / 8));
  for (let i = 0; i < flags.length; i++) if (flags[i]) packed[i >> 3] |= 0x80 >> (i & 7);
  return packed;
}

/** Bit `at` of what {@link packBits} packed. */
export const bitAt = (packed: Uint8Array, at: number): number => (packed[at >> 3] >> (7 - (at & 7))) & 1;
