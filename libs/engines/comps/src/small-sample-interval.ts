import type { MedianInterval } from './sign-test-interval.js';
import { totalWeight, type WeightedValue } from './weighted-median.js';

/**
 * What is known of the spread of one card's prices before a sale is seen: about 0.25 in log price, as sure as five sales
 * would make it. Three sales alone say next to nothing about their spread.
 */
export const PRIOR_SPREAD = 0.25;
const PRIOR_DEGREES = 4;
/** 97.5 % quantiles of Student's t by degrees of freedom. */
const STUDENT_975: Readonly<Record<number, number>> = { 6: 2.4469, 7: 2.3646, 8: 2.306 };
/** Variance of a normal sample's median over that of its mean, for three to five values about the middle of 1.35 … 1.43. */
const MEDIAN_VARIANCE = 1.4;

/**
 * A 95 % interval for three to five prices, where no interval by order statistics reaches 95 %: Student's t around the median
 * in log price, the spread estimated from the prices and the prior together. Unlike the one by order statistics it assumes a
 * shape: log-normal prices.
 *
 * @throws RangeError for another number of values
 */
export function smallSampleInterval(values: readonly WeightedValue[], median: number): MedianInterval {
  const degrees = PRIOR_DEGREES + values.length - 1;
  const quantile = STUDENT_975[degrees];
  if (quantile === undefined) throw new RangeError(`three to five values, got ${values.length}`);
  const logs = values.map(({ value }) => Math.log(value));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const variance = (squares + PRIOR_DEGREES * PRIOR_SPREAD ** 2) / degrees;
  const half = quantile * Math.sqrt((variance * MEDIAN_VARIANCE) / effectiveCount(values));
  return { low: median * Math.exp(-half), high: median * Math.exp(half), coverage: 0.95 };
}

/** How many values of equal weight say as much (L. Kish): (Σw)² / Σw². */
export function effectiveCount(values: readonly WeightedValue[]): number {
  const squares = values.reduce((sum, { weight }) => sum + weight * weight, 0);
  return totalWeight(values) ** 2 / squares;
}
