import { InferenceInputError, requireInteger, requireNumber } from './inference-input-error.js';
import {
  type CorrelationModel,
  correlationModel,
  LAGS,
  type ModelFault,
  squaresOf,
} from './correlation-model.js';
import { type PairSums, pairSums, regressionSlopes } from './multistep-regression.js';
import { SeededWords } from './seeded-words.js';

/** A second in bins of 4 ms. */
export const BINS_MIN = 250;
export const BINS_MAX = 1_000_000;
export const STEPS_MAX = 100_000_000;
export const SPIKES_MIN = 100;
/** A wider interval says next to nothing about how near to 1 a ratio is. */
export const INTERVAL_WIDTH_MAX = 0.25;
const RESAMPLINGS = 200;
/** Blocks of a recording, and the 97.5 % point of Student's t with one degree of freedom less. */
const FEW_BLOCKS = { blocks: 10, studentPoint: 2.2621571627 };
const MANY_BLOCKS = { blocks: 20, studentPoint: 2.0930240544 };
/** From so many bins on a twentieth of them is longer than the time constants that can be told. */
const MANY_BLOCKS_BINS = 2_000;

/** Why no branching ratio can be told. */
export type UndeterminedReason =
  | 'TOO_SHORT'
  | 'TOO_FEW_SPIKES'
  /** The same number of spikes in every bin. */
  | 'CONSTANT'
  | ModelFault['reason']
  | 'WIDE_INTERVAL';

export interface BranchingRatioOptions {
  /** Duration of a step, milliseconds. */
  readonly dtMs: number;
  /** Duration of a bin, rounded to whole steps; 4 ms if absent. */
  readonly binMs?: number;
  /** Of the resampling, a whole number of 32 bits; 1 if absent. */
  readonly seed?: number;
}

interface Recording {
  readonly bins: number;
  /** What a bin really has. */
  readonly binMs: number;
  readonly spikes: number;
}

export interface DeterminedRatio extends Recording {
  readonly determined: true;
  /** Spikes that one spike brings about in the next bin, whatever part of the network was seen. */
  readonly sigma: number;
  /** 95 % interval, by resampled blocks; its upper end is at most 1. */
  readonly interval: readonly [number, number];
  /** b of r_k = b·σ^k: less where a part of the activity was seen. */
  readonly b: number;
  /** r_k, k = 1, 2, …, as measured. */
  readonly slopes: readonly number[];
  /** Root mean square of what the model leaves of the slopes. */
  readonly fitError: number;
  /** r_1: the ratio that one regression would give, too low where a part is seen. */
  readonly naive: number;
  /** −bin/ln σ, milliseconds. */
  readonly timeConstantMs: number;
  /**
   * Where correlation swings while it decays, how fast: then σ is the factor by which the swings' envelope decays in a bin, the
   * modulus of a pair of complex eigenvalues, and `b` the envelope's height. Absent where it decays as one exponential.
   */
  readonly oscillationHz?: number;
}

export interface UndeterminedRatio extends Recording {
  readonly determined: false;
  readonly reason: UndeterminedReason;
  /** One sentence for whoever asked. */
  readonly message: string;
}

export type BranchingRatio = DeterminedRatio | UndeterminedRatio;

/**
 * The branching ratio of a network from its spike counts, by multistep regression: the slopes r_k of A(t + k) on A(t) decay as
 * b·m^k, where what is not seen of the network lowers b and leaves m; in a network that swings, as m^k times a wave. Slopes that
 * decay as one exponential are corrected for the length of the recording.
 *
 * Source: J. Wilting and V. Priesemann: Inferring collective dynamical states from widely unobserved systems, 2018.
 *
 * @param spikesPerStep spikes of the whole network, or of any fixed part of it, in each step
 * @throws InferenceInputError with the path: counts that are none, durations out of bounds
 * @example
 * const ratio = branchingRatio(spikesPerStep, { dtMs: 0.1 });
 * if (ratio.determined) ratio.sigma; else ratio.message;
 */
export function branchingRatio(
  spikesPerStep: ArrayLike<number>,
  { dtMs, binMs = 4, seed = 1 }: BranchingRatioOptions,
): BranchingRatio {
  const { activity, recording } = binned(spikesPerStep, dtMs, binMs);
  requireInteger('seed', seed, 0, 2 ** 32 - 1);
  const { bins } = recording;
  const undetermined = (reason: UndeterminedReason, message: string): UndeterminedRatio => ({
    determined: false,
    reason,
    message,
    ...recording,
  });
  if (bins < BINS_MIN) return undetermined('TOO_SHORT', `${bins} bins are fewer than ${BINS_MIN}.`);
  if (recording.spikes < SPIKES_MIN) {
    return undetermined('TOO_FEW_SPIKES', `${recording.spikes} spikes are fewer than ${SPIKES_MIN}.`);
  }
  if (activity.every(value => value === activity[0])) {
    return undetermined(
      'CONSTANT',
      'Every bin has the same number of spikes: there is nothing to regress on.',
    );
  }
  const { blocks, studentPoint } = bins < MANY_BLOCKS_BINS ? FEW_BLOCKS : MANY_BLOCKS;
  const sums = pairSums(activity, LAGS, blocks);
  const slopes = regressionSlopes(sums);
  const model = correlationModel(slopes, bins);
  if ('reason' in model) return undetermined(model.reason, model.message);
  const half = studentPoint * resampledDeviation(sums, model, seed);
  const [low, high] = [model.ratio - half, model.ratio + half];
  if (!(high - low <= INTERVAL_WIDTH_MAX)) {
    const message = `The 95 % interval, ${low.toFixed(2)} to ${high.toFixed(2)}, is wider than ${INTERVAL_WIDTH_MAX}.`;
    return undetermined('WIDE_INTERVAL', message);
  }
  return {
    determined: true,
    ...recording,
    sigma: model.ratio,
    interval: [Math.max(0, low), Math.min(1, high)],
    b: model.amplitude,
    slopes: Array.from(slopes),
    fitError: Math.sqrt(squaresOf(model.leftOver) / LAGS),
    naive: slopes[0],
    timeConstantMs: -recording.binMs / Math.log(model.ratio),
    ...oscillationOf(model, recording.binMs),
  };
}

function oscillationOf({ angularFrequency }: CorrelationModel, binMs: number): { oscillationHz?: number } {
  if (angularFrequency === undefined) return {};
  return { oscillationHz: (1_000 * angularFrequency) / (2 * Math.PI * binMs) };
}

function binned(spikesPerStep: ArrayLike<number>, dtMs: number, binMs: number) {
  requireNumber('dtMs', dtMs, 1e-6, 1e6);
  requireNumber('binMs', binMs, dtMs, 1e6);
  const stepsPerBin = Math.round(binMs / dtMs);
  const steps = requireInteger('spikesPerStep.length', spikesPerStep.length, 0, STEPS_MAX);
  const bins = Math.floor(steps / stepsPerBin);
  if (bins > BINS_MAX) {
    const message = `makes ${bins} bins, at most ${BINS_MAX}`;
    throw new InferenceInputError('TOO_LARGE', 'spikesPerStep', message, { bound: BINS_MAX, got: bins });
  }
  const activity = new Float64Array(bins);
  let spikes = 0;
  for (let step = 0; step < steps; step++) {
    const count = spikesPerStep[step];
    if (!(Number.isInteger(count) && count >= 0 && count < 2 ** 32)) {
      requireInteger(`spikesPerStep[${step}]`, count, 0, 2 ** 32 - 1);
    }
    const bin = Math.floor(step / stepsPerBin);
    if (bin >= bins) break;
    activity[bin] += count;
    spikes += count;
  }
  return { activity, recording: { bins, binMs: stepsPerBin * dtMs, spikes } };
}

/** The standard deviation of the ratio over mixes of blocks, drawn with replacement. */
function resampledDeviation(sums: PairSums, { ratioOf }: CorrelationModel, seed: number): number {
  const words = new SeededWords(seed);
  let count = 0;
  let mean = 0;
  let squares = 0;
  for (let round = 0; round < RESAMPLINGS; round++) {
    const times = new Float64Array(sums.blocks);
    for (let draw = 0; draw < sums.blocks; draw++) times[words.below(sums.blocks)]++;
    // Where nothing of the model is left the ratio is 0, as far as that mix can tell.
    const ratio = ratioOf(regressionSlopes(sums, times)) ?? 0;
    count++;
    const apart = ratio - mean;
    mean += apart / count;
    squares += apart * (ratio - mean);
  }
  return Math.sqrt(squares / (count - 1));
}
