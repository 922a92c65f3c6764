/** A value that counts with a weight. */
export interface WeightedValue {
  readonly value: number;
  /** Positive. */
  readonly weight: number;
}

/**
 * The value with at most half of the weight below it and at most half above it. Where the weight divides evenly between two
 * values it is their geometric mean, since prices are compared by their ratio.
 *
 * @param values of at least one positive value
 * @example
 * weightedMedian([{ value: 1, weight: 1 }, { value: 4, weight: 1 }, { value: 9, weight: 5 }]); // 9
 *
 * @throws RangeError for no values
 */
export function weightedMedian(values: readonly WeightedValue[]): number {
  if (values.length === 0) throw new RangeError('no values have no median');
  const ascending = [...values].sort((a, b) => a.value - b.value);
  const half = totalWeight(ascending) / 2;
  let below = 0;
  for (const [i, { value, weight }] of ascending.entries()) {
    below += weight;
    if (below > half || i === ascending.length - 1) return value;
    if (below === half) return Math.sqrt(value * ascending[i + 1].value);
  }
  throw new RangeError('weights must be positive numbers');
}

/** The median where every value counts the same: the mean of the middle two of an even number. @throws RangeError for none */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values have no median');
  const ascending = [...values].sort((a, b) => a - b);
  const upper = ascending.length >> 1;
  return ascending.length % 2 === 1 ? ascending[upper] : (ascending[upper - 1] + ascending[upper]) / 2;
}

export function totalWeight(values: readonly WeightedValue[]): number {
  return values.reduce((sum, { weight }) => sum + weight, 0);
}
