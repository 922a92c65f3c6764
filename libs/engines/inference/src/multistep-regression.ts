/** r_k ≈ b·m^k. */
export interface ExponentialFit {
  /** m, above 0 and below 1: the branching ratio. */
  readonly ratio: number;
  /** b: below 1 where only a part of the activity is seen. */
  readonly amplitude: number;
}

/** Sums over the pairs (A(t), A(t+k)) of one block of t: what a slope needs, so that slopes of any mix of blocks are sums. */
export interface PairSums {
  readonly blocks: number;
  readonly lags: number;
  /** At `block · lags + k − 1`. */
  readonly pairs: Float64Array;
  readonly sumX: Float64Array;
  readonly sumY: Float64Array;
  readonly sumXX: Float64Array;
  readonly sumXY: Float64Array;
}

/**
 * Prepares the regressions of A(t + k) on A(t), k = 1…lags, in blocks of consecutive t: no pair crosses from one block's past
 * into another's future, and no seam is ever correlated over.
 */
export function pairSums(activity: Float64Array, lags: number, blocks: number): PairSums {
  const count = activity.length;
  let mean = 0;
  for (const value of activity) mean += value / count;
  const centred = activity.map(value => value - mean);
  const zeros = () => new Float64Array(blocks * lags);
  const sums = { blocks, lags, pairs: zeros(), sumX: zeros(), sumY: zeros(), sumXX: zeros(), sumXY: zeros() };
  for (let block = 0; block < blocks; block++) {
    const from = Math.floor((block * count) / blocks);
    const to = Math.floor(((block + 1) * count) / blocks);
    for (let k = 1; k <= lags; k++) {
      const at = block * lags + k - 1;
      for (let t = from; t < Math.min(to, count - k); t++) {
        const x = centred[t];
        const y = centred[t + k];
        sums.pairs[at]++;
        sums.sumX[at] += x;
        sums.sumY[at] += y;
        sums.sumXX[at] += x * x;
        sums.sumXY[at] += x * y;
      }
    }
  }
  return sums;
}

/**
 * r_k, the slopes of A(t + k) on A(t) by least squares.
 *
 * @param times how often each block is taken; once, if absent
 */
export function regressionSlopes(sums: PairSums, times?: Float64Array): Float64Array {
  const { blocks, lags } = sums;
  return Float64Array.from({ length: lags }, (_, lag) => {
    let [n, x, y, xx, xy] = [0, 0, 0, 0, 0];
    for (let block = 0; block < blocks; block++) {
      const at = block * lags + lag;
      const weight = times === undefined ? 1 : times[block];
      n += weight * sums.pairs[at];
      x += weight * sums.sumX[at];
      y += weight * sums.sumY[at];
      xx += weight * sums.sumXX[at];
      xy += weight * sums.sumXY[at];
    }
    const spread = n * xx - x * x;
    return spread > 0 ? (n * xy - x * y) / spread : 0;
  });
}

const TIME_CONSTANTS = 80;
const TIME_CONSTANT_MIN = 0.15;
const GOLDEN_STEPS = 32;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const CORRECTION_ROUNDS = 8;
const SETTLED = 1e-6;

/**
 * Fits r_k = b·m^k, k = 1, 2, …, by least squares: for each m the best b is known, which leaves one dimension, searched on a grid
 * of time constants −1/ln m and then by golden sections. Bounded work, no start value, no random number.
 */
export class ExponentialFitter {
  private readonly grid: Float64Array;
  /** m^k of each time constant of the grid, scaled to a vector of length 1. */
  private readonly directions: Float64Array[];

  /** @param timeConstantMax in bins: the longest that is told from no decay at all */
  constructor(
    private readonly lags: number,
    timeConstantMax: number,
  ) {
    const step = Math.log(timeConstantMax / TIME_CONSTANT_MIN) / (TIME_CONSTANTS - 1);
    this.grid = Float64Array.from(
      { length: TIME_CONSTANTS },
      (_, i) => Math.log(TIME_CONSTANT_MIN) + i * step,
    );
    this.directions = Array.from(this.grid, logTime => {
      const powers = Float64Array.from({ length: lags }, (_, k) => Math.exp(-(k + 1) / Math.exp(logTime)));
      const length = Math.hypot(...powers);
      return powers.map(power => power / length);
    });
  }

  /** @returns undefined where no positive exponential is nearer to the slopes than 0 is */
  fitSlopes(slopes: Float64Array): ExponentialFit | undefined {
    let best = -1;
    let most = 0;
    this.directions.forEach((direction, i) => {
      let along = 0;
      for (let k = 0; k < this.lags; k++) along += direction[k] * slopes[k];
      if (along > most) [best, most] = [i, along];
    });
    if (best < 0) return undefined;
    let low = this.grid[Math.max(0, best - 1)];
    let high = this.grid[Math.min(TIME_CONSTANTS - 1, best + 1)];
    let left = high - GOLDEN * (high - low);
    let right = low + GOLDEN * (high - low);
    let atLeft = this.alongAt(left, slopes).along;
    let atRight = this.alongAt(right, slopes).along;
    for (let step = 0; step < GOLDEN_STEPS; step++) {
      if (atLeft > atRight) {
        [high, right, atRight] = [right, left, atLeft];
        left = high - GOLDEN * (high - low);
        atLeft = this.alongAt(left, slopes).along;
      } else {
        [low, left, atLeft] = [left, right, atRight];
        right = low + GOLDEN * (high - low);
        atRight = this.alongAt(right, slopes).along;
      }
    }
    const logTime = (low + high) / 2;
    return {
      ratio: Math.exp(-1 / Math.exp(logTime)),
      amplitude: Math.max(0, this.alongAt(logTime, slopes).amplitude),
    };
  }

  /**
   * The fit of slopes that are short of the truth by what `slopeBias` expects of the fit itself, found by a fixed number of
   * rounds at most.
   *
   * @param bins of the recording
   */
  fitUnbiased(slopes: Float64Array, bins: number): ExponentialFit | undefined {
    let fit = this.fitSlopes(slopes);
    for (let round = 0; round < CORRECTION_ROUNDS && fit !== undefined; round++) {
      const assumed: ExponentialFit = fit;
      const next = this.fitSlopes(slopes.map((slope, k) => slope - slopeBias(assumed, bins, k + 1)));
      const settled = next !== undefined && Math.abs(next.ratio - assumed.ratio) < SETTLED;
      fit = next;
      if (settled) break;
    }
    return fit;
  }

  private alongAt(logTime: number, slopes: Float64Array): { along: number; amplitude: number } {
    const ratio = Math.exp(-1 / Math.exp(logTime));
    let power = 1;
    let product = 0;
    let square = 0;
    for (let k = 0; k < this.lags; k++) {
      power *= ratio;
      product += power * slopes[k];
      square += power * power;
    }
    return { along: product / Math.sqrt(square), amplitude: product / square };
  }
}

/**
 * How far a measured r_k is expected to be from ρ_k = b·m^k in a recording of that many bins, to first order in 1/bins: the
 * mean is that of the recording, whose variance lacks in both covariances, and a ratio of two estimates is not the ratio of
 * their means. For b = 1 it is Marriott and Pope's −[(1 + m)/(1 − m)·(1 − m^k) + 2k·m^k]/bins.
 *
 * Source: F. H. C. Marriott and J. A. Pope: Bias in the estimation of autocorrelations, 1954, with M. S. Bartlett's covariances of
 * covariances summed for ρ_0 = 1, ρ_j = b·m^|j|.
 */
export function slopeBias({ ratio, amplitude }: ExponentialFit, bins: number, k: number): number {
  // Time constants of a third of the recording and more would make the expansion meaningless.
  const m = Math.min(ratio, 1 - 3 / bins);
  const b = Math.min(amplitude, 1);
  const correlation = b * m ** k;
  const varianceOfMean = (1 + (2 * b * m) / (1 - m)) / bins;
  const squares = 1 + (2 * b * b * m * m) / (1 - m * m);
  const products = m ** k * (2 * b + b * b * ((1 + m * m) / (1 - m * m) + k - 2));
  return -varianceOfMean * (1 - correlation) - (2 / bins) * (products - correlation * squares);
}
