import type { Air } from '@svc/stark-air';
import { type MaskingParameters, maskingRowCount } from './trace-length.js';

/** One masked chunk would have no other for its mask to cancel in. */
const MASKED_CHUNK_COUNT_MIN = 2;

/**
 * Chunks K of the composition over a multiplicative domain (docs/stark-format.md, section 6): the fewest of N − t coefficients
 * that hold it. Masked chunks are shorter than the trace by their masks; where these are few, that is one chunk more than
 * without, and where they take half of the trace, two or three.
 *
 * The transition part has degree d·(N − 1) + t + 1 − N, the exclusion of t + 1 rows included, a boundary quotient N − 2.
 */
export function multiplicativeChunkCount(
  { constraintDegree }: Pick<Air, 'constraintDegree'>,
  parameters: MaskingParameters & { readonly traceLength: number },
): number {
  const { traceLength, zeroKnowledge } = parameters;
  const masks = maskingRowCount(parameters);
  const transitionDegree = constraintDegree * (traceLength - 1) + masks + 1 - traceLength;
  const degree = Math.max(transitionDegree, traceLength - 2);
  const fewest = Math.ceil((degree + 1) / (traceLength - masks));
  return zeroKnowledge ? Math.max(MASKED_CHUNK_COUNT_MIN, fewest) : fewest;
}
