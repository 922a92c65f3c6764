import { ComplexFft2d, type Dsp } from '@svc/kernels';
import { ALIGNMENTS_TRIED, alignPatch } from './align-patch.js';
import { fingerprintOf } from './extract-fingerprint.js';
import { falseMatchProbability, matchThreshold } from './false-match.js';
import { bitAt, type Fingerprint, type InconclusiveReason } from './fingerprint.js';
import { transformTapered } from './gabor.js';
import { copySquare, searchSquareOf, type GreyImage, type RegionOfInterest } from './grey-image.js';
import { FINGERPRINT_BITS, parametersOf, PATCH_PX } from './modality.js';
import type { Alignment } from './resample-square.js';
import { structureToNoiseOf } from './structure-to-noise.js';

/** What is kept of a surface: everything but the patch may be public. */
export type EnrolledSurface = Pick<Fingerprint, 'modality' | 'bits' | 'mask' | 'patch'>;

export interface FingerprintDistance {
  /** Of the bits that are usable in both, how many differ; ½ where none is. */
  readonly fhd: number;
  readonly usableBits: number;
}

export interface Decision extends FingerprintDistance {
  readonly verdict: 'match' | 'mismatch' | 'inconclusive';
  readonly reason?: InconclusiveReason;
  /** The greatest distance that is a match: the false match probability is within 1e-12 there. */
  readonly threshold: number;
  /** Degrees of freedom of the bits that were compared. */
  readonly dof: number;
  /** Of another surface of this kind at this distance or below, in any of the alignments tried. */
  readonly falseMatchProbability: number;
}

export interface SurfaceComparison extends Decision {
  readonly alignment: Alignment;
  /** The fresh picture’s, read where the enrolled patch was found. */
  readonly fresh: Fingerprint;
}

const SATURATED_PCT_MAX = 5;
const USABLE_SHARE_MIN = 0.6;
/** Other surfaces with as much of the same structure would differ in 0.40 of the bits: still beyond any threshold. */
const REGULARITY_MAX = 0.3;
/** Surfaces that were seen again stood out nine times and more, those that were not seven at most. */
const STRUCTURE_TO_NOISE_MIN = 8;

/** Why a picture is too poor to be enrolled or compared, if it is. */
export function inconclusiveReasonOf({
  modality,
  quality,
  usableBits,
}: Pick<Fingerprint, 'modality' | 'quality' | 'usableBits'>): InconclusiveReason | undefined {
  if (quality.saturatedPct > SATURATED_PCT_MAX) return 'SATURATED';
  if (!(quality.contrast >= parametersOf(modality).lowContrast)) return 'LOW_CONTRAST';
  if (quality.regularity > REGULARITY_MAX) return 'REGULAR';
  if (usableBits < USABLE_SHARE_MIN * FINGERPRINT_BITS) return 'TOO_FEW_BITS';
  return undefined;
}

/** Whether what is read of a picture is so much noise that the same surface may look like another. */
export const isMostlyNoise = ({
  quality,
}: {
  readonly quality: Pick<Fingerprint['quality'], 'structureToNoise'>;
}): boolean => !(quality.structureToNoise >= STRUCTURE_TO_NOISE_MIN);

/** Fractional Hamming distance under both masks. */
export function fractionalHammingDistance(
  a: Pick<Fingerprint, 'bits' | 'mask'>,
  b: Pick<Fingerprint, 'bits' | 'mask'>,
): FingerprintDistance {
  let usableBits = 0;
  let differing = 0;
  for (let bit = 0; bit < FINGERPRINT_BITS; bit++) {
    if (!bitAt(a.mask, bit) || !bitAt(b.mask, bit)) continue;
    usableBits++;
    differing += bitAt(a.bits, bit) ^ bitAt(b.bits, bit);
  }
  return { fhd: usableBits > 0 ? differing / usableBits : 0.5, usableBits };
}

/**
 * Whether two fingerprints are of one surface.
 *
 * @param tried alignments of the fresh picture of which this is the best; 1 where none was looked for
 * @throws RangeError where they are of different modalities
 */
export function compareFingerprints(
  enrolled: Pick<Fingerprint, 'modality' | 'bits' | 'mask'>,
  fresh: Fingerprint,
  tried = 1,
): Decision {
  if (enrolled.modality !== fresh.modality) {
    throw new RangeError(
      `a fingerprint of ${enrolled.modality} cannot be compared with one of ${fresh.modality}`,
    );
  }
  const { fhd, usableBits } = fractionalHammingDistance(enrolled, fresh);
  // Bits that are not compared take their share of the throws with them.
  const dof = (parametersOf(fresh.modality).degreesOfFreedom * usableBits) / FINGERPRINT_BITS;
  const threshold = matchThreshold(dof, tried);
  const reason = inconclusiveReasonOf({ modality: fresh.modality, quality: fresh.quality, usableBits });
  return {
    verdict: reason ? 'inconclusive' : fhd <= threshold ? 'match' : 'mismatch',
    ...(reason && { reason }),
    fhd,
    usableBits,
    threshold,
    dof,
    falseMatchProbability: falseMatchProbability(fhd, dof, tried),
  };
}

/**
 * Looks for an enrolled surface in a fresh picture, reads the fingerprint again where it lies and compares the two.
 *
 * @throws ImageError for a picture or region that is too small or a region outside the picture
 *
 * @example
 * const { verdict, fhd } = compareSurface(dsp, enrolled, image, {});
 */
export function compareSurface(
  dsp: Dsp,
  enrolled: EnrolledSurface,
  image: GreyImage,
  { roi }: { roi?: RegionOfInterest } = {},
): SurfaceComparison {
  const { sidePx, ...place } = searchSquareOf(image, roi);
  return compareSquare(dsp, enrolled, copySquare(image, { sidePx, ...place }), sidePx);
}

/**
 * {@link compareSurface} of a square that was cut out already.
 *
 * @param middle its fingerprint as it came, where that was read
 */
export function compareSquare(
  dsp: Dsp,
  enrolled: EnrolledSurface,
  square: Float32Array,
  sidePx: number,
  middle?: Fingerprint,
): SurfaceComparison {
  const { modality } = enrolled;
  const parameters = parametersOf(modality);
  const seen = middle && sidePx === PATCH_PX ? { sidePx, values: middle.patch } : undefined;
  const read = alignPatch(dsp, enrolled.patch, square, sidePx, parameters, seen).map(alignment => {
    const fresh = fingerprintOf(dsp, square, sidePx, { modality, alignment });
    return { ...compareFingerprints(enrolled, fresh, ALIGNMENTS_TRIED), alignment, fresh };
  });
  const [match, another] = read.filter(({ verdict }) => verdict === 'match');
  if (another) return { ...match, verdict: 'inconclusive', reason: 'AMBIGUOUS' };
  if (match) return match;
  const [best] = read;
  // Another surface seems to lie anywhere, also at an edge or a spoilt place: that says nothing of the picture, its middle does.
  const isElsewhere = best.falseMatchProbability > CHANCE;
  const judged = isElsewhere ? (middle ?? fingerprintOf(dsp, square, sidePx, { modality })) : best.fresh;
  const reason = isElsewhere ? inconclusiveReasonOf(judged) : best.reason;
  if (reason) return { ...best, verdict: 'inconclusive', reason };
  const isNoisy = isMostlyNoise(judged) || isNoisyPatch(dsp, enrolled);
  const { reason: _none, ...figures } = best;
  return { ...figures, ...(isNoisy ? NOISY : MISMATCH) };
}

/** What another surface comes to in some alignment or other, as a false match probability. */
const CHANCE = 1e-3;
const NOISY = { verdict: 'inconclusive', reason: 'NOISY' } as const;
const MISMATCH = { verdict: 'mismatch' } as const;

/** {@link isMostlyNoise} of an enrolled surface. */
export function isNoisyPatch(dsp: Dsp, { patch, modality }: EnrolledSurface): boolean {
  const plane = new ComplexFft2d(dsp, PATCH_PX, PATCH_PX);
  transformTapered(plane, patch);
  const structureToNoise = structureToNoiseOf(plane.data, parametersOf(modality).centreFrequency);
  plane.free();
  return isMostlyNoise({ quality: { structureToNoise } });
}
