import { OscillationFitter } from './damped-oscillation.js';
import { type ExponentialFit, ExponentialFitter, slopeBias } from './multistep-regression.js';

/** Lags of the regressions: 160 ms in bins of 4 ms. */
export const LAGS = 40;
/** Standard deviations of white noise by which a model must stand out. */
const SIGNIFICANCE = 4;
/** The same, of the lags in which the decay shows: without them there is none to fit. */
const DECAY_SIGNIFICANCE = 3;
/** Share of the slopes' squares that a model may leave, beside what sampling explains. */
const MISFIT_SHARE_MAX = 0.1;
/** Nearer to an end of the searched frequencies than this the end was found, and no frequency. */
const END_OF_RANGE = 1e-3;

/** How correlation decays with the lag. */
export interface CorrelationModel {
  /** m: the factor of decay in a bin. */
  readonly ratio: number;
  readonly amplitude: number;
  /** Radians a bin, of a damped oscillation. */
  readonly angularFrequency?: number;
  /** What it leaves of each slope. */
  readonly leftOver: Float64Array;
  /** m of other slopes by the same model; undefined where they have none of it. */
  readonly ratioOf: (slopes: Float64Array) => number | undefined;
}

/** Why slopes have no model. */
export interface ModelFault {
  readonly reason:
    /** As uncorrelated as independent noise: a ratio of 0, or one that is hidden in it. */
    | 'UNCORRELATED'
    /** Correlated with the next bin alone: how fast that decays, which is the ratio, cannot be told from how high it is. */
    | 'NO_DECAY_SEEN'
    /** A drift, or a time constant of a third of the recording or more. */
    | 'NOT_STATIONARY'
    /** The slopes decay neither as one exponential nor as one damped oscillation. */
    | 'POOR_FIT';
  readonly message: string;
}

/**
 * One exponential, b·m^k, and only where that does not do, one damped oscillation, m^k·(α·cos ωk + β·sin ωk): the mark of a
 * network whose inhibition swings back. In both m is the modulus of the leading eigenvalue of what one bin's spikes bring about
 * in the next.
 */
export function correlationModel(slopes: Float64Array, bins: number): CorrelationModel | ModelFault {
  const decay = decayModel(slopes, bins);
  if (!('reason' in decay) || decay.reason === 'NOT_STATIONARY' || decay.reason === 'NO_DECAY_SEEN') {
    return decay;
  }
  return oscillationModel(slopes, bins) ?? decay;
}

function decayModel(slopes: Float64Array, bins: number): CorrelationModel | ModelFault {
  const fitter = new ExponentialFitter(LAGS, bins);
  const raw = fitter.fitSlopes(slopes);
  const isSeen = raw !== undefined && standsOut(curveOf(raw), 1, SIGNIFICANCE, bins);
  const fit = isSeen ? fitter.fitUnbiased(slopes, bins) : undefined;
  if (fit === undefined) {
    const message = 'Bins are not positively correlated with later ones: the ratio is 0, or noise hides it.';
    return { reason: 'UNCORRELATED', message };
  }
  if (!isStationary(fit.ratio, bins)) {
    const message = 'Activity drifts: its correlation lasts a third of the recording or longer.';
    return { reason: 'NOT_STATIONARY', message };
  }
  const curve = curveOf(fit);
  const leftOver = slopes.map((slope, lag) => slope - slopeBias(fit, bins, lag + 1) - curve[lag]);
  if (isPoor(slopes, leftOver, bins, 2 * squaresOfEnvelope(fit))) {
    const message =
      'Correlations decay neither as one exponential nor as one damped oscillation: they have several time scales, or a rhythm from outside.';
    return { reason: 'POOR_FIT', message };
  }
  if (!standsOut(curve, 2, DECAY_SIGNIFICANCE, bins)) {
    const message =
      'Correlation is gone after one bin: its decay cannot be told from its height. Shorter bins may tell it.';
    return { reason: 'NO_DECAY_SEEN', message };
  }
  return { ...fit, leftOver, ratioOf: others => fitter.fitUnbiased(others, bins)?.ratio };
}

/** @returns undefined where the slopes are no damped oscillation that is seen for half a period at least */
function oscillationModel(slopes: Float64Array, bins: number): CorrelationModel | undefined {
  const fitter = new OscillationFitter(LAGS, bins);
  const fit = fitter.fitOscillation(slopes);
  if (fit === undefined) return undefined;
  const { ratio, amplitude, angularFrequency, fitted } = fit;
  const leftOver = slopes.map((slope, lag) => slope - fitted[lag]);
  const halfPeriod = Math.ceil(Math.PI / angularFrequency);
  const isSeen =
    standsOut(fitted, 1, SIGNIFICANCE, bins) && standsOut(fitted, halfPeriod, DECAY_SIGNIFICANCE, bins);
  const [least, most] = fitter.frequencyRange;
  const isInside = angularFrequency > least + END_OF_RANGE && angularFrequency < most - END_OF_RANGE;
  // A cosine's squares are half of its envelope's.
  const isGood = !isPoor(slopes, leftOver, bins, squaresOfEnvelope(fit));
  if (!isSeen || !isInside || !isGood || !isStationary(ratio, bins)) return undefined;
  const ratioOf = (others: Float64Array) => fitter.fitOscillation(others)?.ratio;
  return { ratio, amplitude, angularFrequency, leftOver, ratioOf };
}

const isStationary = (ratio: number, bins: number) => -1 / Math.log(ratio) < bins / 3;

const curveOf = ({ ratio, amplitude }: ExponentialFit) =>
  Float64Array.from({ length: LAGS }, (_, lag) => amplitude * ratio ** (lag + 1));

/** Σ (b·m^k)² over all k > 0. */
const squaresOfEnvelope = ({ ratio, amplitude }: ExponentialFit) =>
  (amplitude * ratio) ** 2 / (1 - ratio ** 2);

/** Whether a curve, from a lag on, is that many standard deviations off the slopes of white noise, each of variance 1/bins. */
function standsOut(curve: Float64Array, fromLag: number, deviations: number, bins: number): boolean {
  return squaresOf(curve.subarray(fromLag - 1)) * bins >= deviations ** 2;
}

/** @param persistence Σ ρ² over all lags but 0: Bartlett's variance of a correlation that has died away is (1 + it)/bins */
function isPoor(slopes: Float64Array, leftOver: Float64Array, bins: number, persistence: number): boolean {
  const sampling = (LAGS / bins) * (1 + persistence);
  return squaresOf(leftOver) > MISFIT_SHARE_MAX * squaresOf(slopes) + 2 * sampling;
}

export function squaresOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return sum;
}
