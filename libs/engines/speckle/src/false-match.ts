/**
 * What a verdict of match may be wrong in, of one comparison with another surface. The binomial is a model, and worth less the
 * farther out its tail is read: so the bound lies three powers of ten below what one would ask for.
 */
export const FALSE_MATCH_PROBABILITY_MAX = 1e-12;

/** Of a probability that a double has no number for: it is never nought. */
const SMALLEST = 1e-300;

/**
 * Chance that another surface comes as near as `distance`, in any of the alignments that were tried: the lower tail of the
 * binomial with p = ½ (Daugman, “How iris recognition works”, IEEE Trans. CSVT 14, 2004), times their number; at most 1.
 *
 * @param distance fraction of the bits that differ
 * @param degreesOfFreedom independent throws of a coin that the compared bits are worth
 */
export function falseMatchProbability(distance: number, degreesOfFreedom: number, tried: number): number {
  const throws = Math.floor(degreesOfFreedom);
  // Upwards, but not for the rounding of what is a whole number.
  const probability = tried * binomialTail(Math.ceil(distance * throws - 1e-9), throws);
  return Math.min(1, Math.max(SMALLEST, probability));
}

/**
 * The greatest distance, in whole throws, whose {@link falseMatchProbability} is within the bound; 0 where not even equality is
 * enough.
 */
export function matchThreshold(
  degreesOfFreedom: number,
  tried: number,
  bound = FALSE_MATCH_PROBABILITY_MAX,
): number {
  const throws = Math.floor(degreesOfFreedom);
  const limit = Math.log(bound / tried) + throws * Math.LN2;
  let sum = 0;
  let logTerm = 0;
  for (let heads = 0; heads < throws; heads++) {
    // Sums relative to the newest term, which is the largest below the middle.
    sum = heads === 0 ? 1 : sum * Math.exp(-logRatio(throws, heads)) + 1;
    if (heads > 0) logTerm += logRatio(throws, heads);
    if (logTerm + Math.log(sum) > limit) return Math.max(0, heads - 1) / throws;
  }
  return 1;
}

/** P(at most `heads` of `throws`), p = ½. */
export function binomialTail(heads: number, throws: number): number {
  if (heads < 0) return 0;
  if (heads >= throws) return 1;
  let logTerm = -throws * Math.LN2;
  for (let k = 1; k <= heads; k++) logTerm += logRatio(throws, k);
  let sum = 0;
  let relative = 1;
  for (let k = heads; k >= 0 && relative > 1e-18 * sum; k--) {
    sum += relative;
    relative *= k / (throws - k + 1);
  }
  return Math.min(1, Math.exp(logTerm + Math.log(sum)));
}

/** ln of (throws over k) / (throws over k − 1). */
const logRatio = (throws: number, k: number) => Math.log((throws - k + 1) / k);
