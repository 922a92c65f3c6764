import { BLOCK_BITS, BLOCK_DIMENSIONS, type BlockDimension, KEY_BLOCKS } from './helper-data.js';
import type { SpeckleModality } from './modality.js';

/** A key that leaves less unknown to whoever has its helper data is not made. */
export const RESIDUAL_ENTROPY_BITS_MIN = 128;

/**
 * How many independent throws of a coin the 1,020 most reliable bits of a fingerprint are worth: their number divided by one
 * plus the sum, over the others among them, of the squared correlation of their signs. By simulation, rounded down; the spec
 * beside this file measures it again.
 *
 * Fewer than their share of the degrees of freedom of the whole fingerprint, 850 of 1,600 for laser speckle: answers that are
 * far from zero agree with their neighbours' more often (0.61 instead of 0.31 between the nearest), and which bits are far
 * from zero is public.
 */
export const KEY_DEGREES_OF_FREEDOM: Readonly<Record<SpeckleModality, number>> = {
  laser_speckle: 700,
  paper_texture: 360,
  surface_texture: 400,
};

/**
 * What a key leaves unknown to whoever has its helper data: the throws of a coin that its bits are worth, less the bits of
 * check that the offset gives away, at most n − k of each word (Dodis, Ostrovsky, Reyzin, Smith, Fuzzy Extractors, SIAM J.
 * Computing 38, 2008, section 5, with the degrees of freedom in place of the min-entropy).
 *
 * An estimate: degrees of freedom are of typical surfaces, min-entropy would be of the likeliest one. The key is derived by a
 * hash that is taken for a random oracle; as a strong extractor of 32 bytes within 2⁻⁶⁴ it would ask for 382 bits.
 *
 * @param degreesOfFreedom of the bits that the key is made of, together
 */
export function residualEntropyBits(degreesOfFreedom: number, dimension: BlockDimension): number {
  return degreesOfFreedom - KEY_BLOCKS * (BLOCK_BITS - dimension);
}

/** From (255, 131) on the code that corrects the most and leaves enough unknown; the one that leaves the most, if none does. */
export function dimensionFor(degreesOfFreedom: number): BlockDimension {
  const allowed = BLOCK_DIMENSIONS.filter(dimension => dimension >= 131);
  const enough = (dimension: BlockDimension) =>
    residualEntropyBits(degreesOfFreedom, dimension) >= RESIDUAL_ENTROPY_BITS_MIN;
  return allowed.find(enough) ?? allowed[allowed.length - 1];
}
