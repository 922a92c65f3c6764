export type { RingPeak } from './ring-peak.js';
export { analyseRing, type RingAnalysis, type RingSpectrum } from './ring/analyse-ring.js';
export { RING_RECORDING_BOUNDS } from './ring/ring-bounds.js';
export {
  CHALLENGE_SECRET_BYTES_MIN,
  type ChallengeMatch,
  type ChallengeTone,
  findChallengeTone,
  makeChallengeTone,
} from './challenge-tone/challenge-tone.js';
export { type ExpectedMode, spectrumSvg } from './picture/spectrum-svg.js';
export { BAR_MODES, BAR_SLENDERNESS_MIN, BarShapeError, type BarModeName } from './beam/free-bar.js';
export {
  FINENESS_MIN,
  FinenessError,
  type Material,
  type MaterialId,
  materialOf,
  MATERIALS,
} from './material/material.js';
export { PRECIOUS_METALS, type PreciousMetal } from './material/conductivity.js';
export { IACS_MSM } from './material/conductivity.js';
export { measuredDensity, SubmergedMassError } from './material/specific-gravity.js';
export {
  DISC_MODES,
  discFrequencyHz,
  type DiscModeName,
  type ElasticSolid,
  freeDiscLambdaSquared,
  massEquivalentThicknessMm,
} from './plate/free-disc.js';
export { nearSlugs, type Product, PRODUCTS } from './product/product.js';
export {
  type MeasuredPiece,
  middleOf,
  modeFrequencyHz,
  type ModeName,
  pieceOfProduct,
  type ReferenceMode,
  referenceOfPiece,
  referenceOfProduct,
  type RingReference,
} from './product/reference.js';
export { type Judgement, judgeRing, typedPeaks, type Verdict } from './verdict/judge-ring.js';
export { type RingQuality, type RingTest } from './verdict/ring-test.js';
export {
  enrolledModes,
  EnrolmentError,
  type Specimen,
  type SpecimenMode,
  specimenModes,
} from './product/enrolment.js';
export { fineMassG, meltValue, type SpotAge, spotAge, TROY_OUNCE_G } from './product/melt-value.js';
export type { Check, DimensionCheck } from './verdict/piece-checks.js';
export {
  type AddedReading,
  canPass,
  pieceTest,
  type ProductMeasurement,
  productTest,
  readingsToPass,
} from './verdict/product-test.js';
export { RING_RULESET_ID, verdictRules } from './verdict/verdict-rules.js';
