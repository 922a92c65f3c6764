import type { Dsp } from '@svc/kernels';
import {
  compareSurface,
  type Decision,
  type EnrolledSurface,
  inconclusiveReasonOf,
} from './compare-surface.js';
import { extractFingerprint } from './extract-fingerprint.js';
import type { GreyImage, RegionOfInterest } from './grey-image.js';

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
  if (inconclusiveReasonOf(extractFingerprint(dsp, image, { modality, roi })) !== undefined) {
    return 'inconclusive';
  }
  return compareSurface(dsp, enrolled, image, { roi }).verdict === 'match' ? 'match' : 'mismatch';
}
