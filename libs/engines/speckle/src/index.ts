export { ALIGNMENTS_TRIED, alignPatch } from './align-patch.js';
export {
  compareFingerprints,
  compareSurface,
  fractionalHammingDistance,
  inconclusiveReasonOf,
  isMostlyNoise,
  type Decision,
  type EnrolledSurface,
  type FingerprintDistance,
  type SurfaceComparison,
} from './compare-surface.js';
export { extractFingerprint, type ExtractionOptions } from './extract-fingerprint.js';
export {
  binomialTail,
  FALSE_MATCH_PROBABILITY_MAX,
  falseMatchProbability,
  matchThreshold,
} from './false-match.js';
export {
  bitAt,
  FINGERPRINT_VERSION,
  packBits,
  type Fingerprint,
  type InconclusiveReason,
  type PictureQuality,
} from './fingerprint.js';
export {
  enrolKey,
  KeyEnrolmentError,
  type EnrolledKey,
  type KeyEnrolmentOptions,
  reproduceKey,
  type ReproducedKey,
} from './fuzzy-extractor.js';
export {
  dimensionFor,
  KEY_DEGREES_OF_FREEDOM,
  RESIDUAL_ENTROPY_BITS_MIN,
  residualEntropyBits,
} from './key-entropy.js';
export { SEARCH_PX_MAX, type GreyImage, type RegionOfInterest } from './grey-image.js';
export { ImageError, type ImageErrorCode } from './image-error.js';
export { IMAGE_PIXELS_MAX, imageSize, refuseTooManyPixels, type ImageSize } from './image-size.js';
export {
  FINGERPRINT_BITS,
  MODALITIES,
  parametersOf,
  PATCH_PX,
  type ModalityParameters,
  type SpeckleModality,
} from './modality.js';
export { packPatch, unpackPatch } from './patch-codec.js';
export { UNMOVED, type Alignment } from './resample-square.js';
