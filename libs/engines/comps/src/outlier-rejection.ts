import { median } from './weighted-median.js';

/** Deviations beyond so many scales are outliers (B. Iglewicz, D. Hoaglin, 1993). */
export const REJECTION_SCALES = 3.5;
/** 1 / Φ⁻¹(¾): makes the MAD of a normal distribution its standard deviation. */
const MAD_TO_SIGMA = 1.4826;
/**
 * The least scale, in log price: sales within 17.5 % of the median are never outliers, however close the others lie. It also
 * stands in where more than half of the prices are the same and the MAD is 0.
 */
export const SCALE_MIN = 0.05;
/** Rejection leaves so many, the nearest to the median. */
export const KEPT_MIN = 3;

export interface Rejection {
  /** Median of the logarithms, before rejection. */
  readonly centre: number;
  /** Deviations of a logarithm from the centre beyond this are outliers. */
  readonly deviationLimit: number;
  /** For each value whether it is kept. */
  readonly isKept: readonly boolean[];
}

/**
 * Which prices are no sales of this card: those whose logarithm is more than 3.5 × 1.4826 × MAD from the median.
 *
 * @param prices positive
 * @returns of prices of which fewer than three would be left, the nearest three are kept all the same
 */
export function rejectOutliers(prices: readonly number[]): Rejection {
  const logs = prices.map(Math.log);
  const centre = median(logs);
  const deviations = logs.map(log => Math.abs(log - centre));
  const scale = Math.max(SCALE_MIN, MAD_TO_SIGMA * median(deviations));
  const nearest = [...deviations].sort((a, b) => a - b);
  const deviationLimit = REJECTION_SCALES * scale;
  const keptTo = Math.max(deviationLimit, nearest[Math.min(KEPT_MIN, nearest.length) - 1]);
  return { centre, deviationLimit, isKept: deviations.map(deviation => deviation <= keptTo) };
}
