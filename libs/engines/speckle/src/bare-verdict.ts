import type { Dsp } from '@svc/kernels';
import {
  compareSquare,
  type Decision,
  type EnrolledSurface,
  inconclusiveReasonOf,
  isMostlyNoise,
  isNoisyPatch,
} from './compare-surface.js';
import { fingerprintOf } from './extract-fingerprint.js';
import { copySquare, type GreyImage, type RegionOfInterest, searchSquareOf } from './grey-image.js';

/**
 * Whether a picture shows an enrolled surface, for whoever may learn nothing else of that surface.
 *
 * Whether the picture is inconclusive is said of its middle, as it came, before anything is compared. {@link compareSurface}
 * says it of the place where the enrolled patch was found and of the bits that both masks leave: a picture with one half spoilt would
 * be told by it which half is more like the enrolled surface.
 *
 * @throws ImageError as {@link compareSurface}
 */
export function bareVerdict(
  dsp: Dsp,
  enrolled: EnrolledSurface,
  image: GreyImage,
  { roi }: { roi?: RegionOfInterest } = {},
): Decision['verdict'] {
  const { modality } = enrolled;
  const { sidePx, ...place } = searchSquareOf(image, roi);
  const square = copySquare(image, { sidePx, ...place });
  const middle = fingerprintOf(dsp, square, sidePx, { modality });
  if (inconclusiveReasonOf(middle) !== undefined) return 'inconclusive';
  const { verdict, reason } = compareSquare(dsp, enrolled, square, sidePx, middle);
  if (verdict === 'match') return 'match';
  // Of the enrolled surface alone, of this picture's middle alone, or of two places that match, which tells no more than one.
  if (reason === 'AMBIGUOUS' || isMostlyNoise(middle)) return 'inconclusive';
  return isNoisyPatch(dsp, enrolled) ? 'inconclusive' : 'mismatch';
}
