import { DIGEST_BYTES } from '@svc/kernels';
import type { ProofGeometry } from '@svc/stark-verifier';

/** Fixed cost: scratch areas of four threads, the most there are, static data, alignment, openings. */
export const FIXED_BYTES = 1_450_000;
const COORDINATES = 4;

export interface CircleMemoryOptions {
  readonly constraintDegree: number;
  /** Distinct rows that boundary constraints fix. */
  readonly boundaryRowCount: number;
  readonly isRetained: boolean;
}

/**
 * Peak kernel memory of a proof of profile 3 in bytes: an upper bound.
 * @param isRetained whether the whole low-degree extension is kept, or one pair of cosets at a time
 */
export function estimateCircleMemoryBytes(
  geometry: ProofGeometry,
  { constraintDegree, boundaryRowCount, isRetained }: CircleMemoryOptions,
): number {
  const { columnCount, chunkCount, compositionColumnCount, saltBytes } = geometry;
  const { traceLength, rowCount, domainSize } = geometry;
  const isMasked = saltBytes > 0;
  const blowupFactor = domainSize / traceLength;
  const planeBytes = 4 * traceLength;
  const extensionPlanes = isRetained ? blowupFactor : 2;
  const [leafCount] = geometry.leafCounts;
  const treeBytes = leafCount * (2 * DIGEST_BYTES + saltBytes);

  const tables = blowupFactor + 2; // twiddles of the domain, inverses of its first pair
  const trace = columnCount * (1 + extensionPlanes);
  const composition = 2 * COORDINATES + (isMasked ? COORDINATES * (chunkCount + 1) : 0);
  // Divisors of the pair; then what lies beyond it, which at blowup 2 takes a pair of its own.
  const divisors = 2 + 2 * boundaryRowCount;
  const beyondShare = isMasked ? 0.25 * (COORDINATES + 2 + boundaryRowCount) : 0;
  const secondPair = blowupFactor === 2 ? 2 + 2 * columnCount : 0;
  const beyond = constraintDegree > 2 ? COORDINATES + beyondShare + secondPair : 0;
  const making = planeBytes * Math.max(divisors, beyond);
  const extended = planeBytes * COORDINATES * compositionColumnCount * extensionPlanes + treeBytes;

  const layerShare = 1 / 7; // layers of 1/8, 1/64, …
  const layers = layerShare * (planeBytes * COORDINATES * (1 + extensionPlanes) + treeBytes);
  const deep = COORDINATES * planeBytes;
  const masks = isMasked ? 4 * (traceLength - rowCount) : 0;
  const persistent = planeBytes * (tables + trace + composition) + treeBytes + masks;
  return Math.ceil(FIXED_BYTES + persistent + Math.max(making, extended + deep + layers));
}
