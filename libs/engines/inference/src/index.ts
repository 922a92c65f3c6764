export { activeInference, type ActiveInferenceResult, inferFrom } from './active-inference.js';
export {
  BINS_MAX,
  BINS_MIN,
  type BranchingRatio,
  branchingRatio,
  type BranchingRatioOptions,
  type DeterminedRatio,
  INTERVAL_WIDTH_MAX,
  SPIKES_MIN,
  type UndeterminedRatio,
  type UndeterminedReason,
} from './branching-ratio.js';
export {
  ACTIONS_MAX,
  type ActiveInferenceInput,
  type GenerativeModel,
  LOG_PREFERENCE_MAX,
  multiplyAdds,
  MULTIPLY_ADDS_MAX,
  OBSERVATIONS_MAX,
  POLICIES_MAX,
  POLICY_LENGTH_MAX,
  PRECISION_MAX,
  readGenerativeModel,
  READINGS_MAX,
  STATES_MAX,
  SUM_TOLERANCE,
} from './generative-model.js';
export { LAGS } from './correlation-model.js';
export { InferenceInputError, type InferenceInputFault } from './inference-input-error.js';
export {
  CONDUCTIVITY_MS_PER_M_MAX,
  CONDUCTIVITY_MS_PER_M_MIN,
  CONTOUR_POINTS_MAX,
  CONTOUR_POINTS_MIN,
  ELEVATION_M_MAX,
  evaluateParcel,
  HOMEOSTATIC_BELOW,
  type HomeostaticStatus,
  PARCEL_MODEL,
  type ParcelEvaluation,
  type ParcelInput,
} from './parcel.js';
export { type SpreadPrior, SurprisalHistory, WEAK_PRIOR } from './surprisal.js';
