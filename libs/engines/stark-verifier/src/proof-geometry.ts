import { BASE_ELEMENT_BYTES, capNodeCount, CUBIC_ELEMENT_BYTES, DIGEST_BYTES, log2Exact } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import type { ProofParameters } from './parameters.js';
import { FINAL_LENGTH_MAX, FOLDING_FACTOR } from './security.js';

/** Sizes that follow from parameters and AIR (docs/stark-proof-format.md, sections 2 to 4). Byte sizes end in Bytes. */
export interface ProofGeometry {
  readonly traceLength: number;
  /** Points of the low-degree extension, n. */
  readonly domainSize: number;
  readonly columnCount: number;
  /** Composition chunks, K. */
  readonly chunkCount: number;
  /** Folds, r. */
  readonly foldCount: number;
  /** Leaves (cosets) of layer 0, which are those of the trace and the composition tree, and of layers 1 … r − 1. */
  readonly leafCounts: readonly number[];
  /** Coefficients of the final polynomial. */
  readonly finalLength: number;
  readonly traceLeafBytes: number;
  readonly compositionLeafBytes: number;
  readonly layerLeafBytes: number;
  readonly outOfDomainBytes: number;
}

/** Chunks of degree below the trace length that the composition polynomial of an AIR is split into. */
export function compositionChunkCount(air: Pick<Air, 'constraintDegree'>): number {
  return Math.max(1, air.constraintDegree - 1);
}

/** Folds until the polynomial has at most 32 coefficients. */
export function foldCountOf(traceLength: number): number {
  let count = 0;
  for (let length = traceLength; length > FINAL_LENGTH_MAX; length /= FOLDING_FACTOR) count++;
  return count;
}

/** @param parameters checked parameters */
export function proofGeometry(
  { traceLength, blowupFactor }: ProofParameters,
  air: Pick<Air, 'columnCount' | 'constraintDegree'>,
): ProofGeometry {
  const { columnCount } = air;
  const chunkCount = compositionChunkCount(air);
  const foldCount = foldCountOf(traceLength);
  const domainSize = traceLength * blowupFactor;
  return {
    traceLength,
    domainSize,
    columnCount,
    chunkCount,
    foldCount,
    leafCounts: Array.from({ length: foldCount }, (_, layer) => domainSize / FOLDING_FACTOR ** (layer + 1)),
    finalLength: traceLength / FOLDING_FACTOR ** foldCount,
    traceLeafBytes: FOLDING_FACTOR * columnCount * BASE_ELEMENT_BYTES,
    compositionLeafBytes: FOLDING_FACTOR * chunkCount * CUBIC_ELEMENT_BYTES,
    layerLeafBytes: FOLDING_FACTOR * CUBIC_ELEMENT_BYTES,
    outOfDomainBytes: (2 * columnCount + chunkCount) * CUBIC_ELEMENT_BYTES,
  };
}

/** Bytes of the cap of a tree. */
export function capBytes(leafCount: number): number {
  return capNodeCount(leafCount) * DIGEST_BYTES;
}

/** Bits of a position in layer 0. */
export function positionBits(geometry: ProofGeometry): number {
  return log2Exact(geometry.leafCounts[0]);
}

/** The distinct values, ascending. */
export function distinctAscending(positions: readonly number[]): number[] {
  return [...new Set(positions)].sort((a, b) => a - b);
}

/** The leaves of each layer that queries at `positions` of layer 0 open, ascending. */
export function openedLeaves(geometry: ProofGeometry, positions: readonly number[]): number[][] {
  return geometry.leafCounts.map(leafCount =>
    distinctAscending(positions.map(position => position % leafCount)),
  );
}
