import { totalWeight, type WeightedValue } from './weighted-median.js';

/** Up to so many values the distribution is counted out; beyond it the normal one differs by less than a rank. */
const EXACT_VALUES_MAX = 128;
const NORMAL_QUANTILE_975 = 1.959963984540054;

export interface MedianInterval {
  readonly low: number;
  readonly high: number;
  /** Probability that the interval holds the median of what the values were drawn from, 0 … 1. */
  readonly coverage: number;
}

/**
 * An interval for the median that holds it with the asked probability whatever the values' distribution: the medians that a
 * sign test with these weights does not reject. Each value lies below the true median with probability ½, so the weight that
 * does is distributed as Σ wᵢ·Bernoulli(½), which is counted out. With equal weights it is the interval by order statistics
 * (n = 9: second to eighth, 96.1 %).
 *
 * Needs six values: with fewer, even lowest to highest holds the median in less than 95 of 100 cases.
 *
 * @param values weights are positive integers that do not depend on the values
 * @param coverageMin such as 0.95
 * @returns null where even the lowest and the highest value hold the median less often than asked
 * @throws RangeError for weights that are no positive integers
 *
 * @see H. A. David, H. N. Nagaraja: Order Statistics (2003), 7.1; for weights the sign test of E. L. Lehmann: Nonparametrics
 * (1975), 4.
 */
export function signTestInterval(
  values: readonly WeightedValue[],
  coverageMin: number,
): MedianInterval | null {
  if (values.some(({ weight }) => !Number.isInteger(weight) || weight < 1)) {
    throw new RangeError('weights must be positive integers');
  }
  const tail = lowerTail(
    values.map(({ weight }) => weight),
    (1 - coverageMin) / 2,
  );
  if (tail === null) return null;
  const ascending = [...values].sort((a, b) => a.value - b.value);
  return {
    low: firstBeyond(ascending, tail.weight),
    high: firstBeyond(ascending.reverse(), tail.weight),
    coverage: 1 - 2 * tail.probability,
  };
}

/** The value at which the weight so far is first more than `weight`. */
function firstBeyond(values: readonly WeightedValue[], weight: number): number {
  let sum = 0;
  for (const { value, weight: own } of values) {
    sum += own;
    if (sum > weight) return value;
  }
  throw new RangeError('a tail is less than the whole');
}

/** The largest weight whose tail has at most the probability, and that tail's. */
function lowerTail(
  weights: readonly number[],
  probabilityMax: number,
): { weight: number; probability: number } | null {
  return weights.length <= EXACT_VALUES_MAX
    ? exactTail(weights, probabilityMax)
    : normalTail(weights, probabilityMax);
}

function exactTail(weights: readonly number[], probabilityMax: number) {
  const distribution = subsetSumDistribution(weights);
  let probability = 0;
  let weight = -1;
  while (probability + distribution[weight + 1] <= probabilityMax) probability += distribution[++weight];
  return weight < 0 ? null : { weight, probability };
}

/** P(Σ wᵢ·Bernoulli(½) = s) for every s. */
export function subsetSumDistribution(weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  // How many of the 2^n subsets have the sum: exact up to 53 weights, within 2^-46 beyond.
  const subsets = new Float64Array(total + 1);
  subsets[0] = 1;
  let reached = 0;
  for (const weight of weights) {
    reached += weight;
    for (let sum = reached; sum >= weight; sum--) subsets[sum] += subsets[sum - weight];
  }
  return subsets.map(count => count * 2 ** -weights.length);
}

function normalTail(weights: readonly number[], probabilityMax: number) {
  if (probabilityMax !== 0.025 && Math.abs(probabilityMax - 0.025) > 1e-12) {
    throw new RangeError(`more than ${EXACT_VALUES_MAX} values have an interval of 95 % alone`);
  }
  const mean = totalWeight(weights.map(weight => ({ value: 0, weight }))) / 2;
  const deviation = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) / 2;
  return { weight: Math.floor(mean - NORMAL_QUANTILE_975 * deviation), probability: probabilityMax };
}
