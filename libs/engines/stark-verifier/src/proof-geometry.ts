import type { ProofParameters } from './proof-parameters.js';
import type { ProofGeometry } from './profile.js';
import { capNodeCount, DIGEST_BYTES, log2Exact } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import { FINAL_LENGTH_MAX, FOLDING_FACTOR } from './profile-facts.js';
import { profileOf } from './profiles.js';
import { maskingRowCount } from './trace-length.js';

/** Bytes at the end of a trace or composition leaf that hide its rows' hash; FRI layers need none. */
export const SALT_BYTES = 16;
export const NONCE_BYTES = 8;

/** Folds until the polynomial has at most 256 coefficients; one at least. */
export function foldCountOf(traceLength: number): number {
  let count = 1;
  while (traceLength / FOLDING_FACTOR ** count > FINAL_LENGTH_MAX) count++;
  return count;
}

/** @param parameters checked parameters */
export function proofGeometry(
  parameters: ProofParameters,
  air: Pick<Air, 'columnCount' | 'constraintDegree'>,
): ProofGeometry {
  const { traceLength, blowupFactor, zeroKnowledge } = parameters;
  const { columnCount } = air;
  const profile = profileOf(parameters.profile);
  const { chunkCount, chunkMaskLength, overflowLength } = profile.compositionShape(air, parameters);
  const compositionColumnCount = chunkCount + (zeroKnowledge ? 1 : 0);
  const foldCount = foldCountOf(traceLength);
  const domainSize = traceLength * blowupFactor;
  const saltBytes = zeroKnowledge ? SALT_BYTES : 0;
  const extensionBytes = profile.extension.degree * profile.base.elementBytes;
  const valueCount = 2 * columnCount + profile.valuesPerCompositionColumn * compositionColumnCount;
  // Written out: a spread in front of a long literal costs V8 more than a hash of the whole statement.
  return {
    chunkCount,
    chunkMaskLength,
    overflowLength,
    profile,
    traceLength,
    rowCount: traceLength - maskingRowCount(parameters),
    domainSize,
    columnCount,
    compositionColumnCount,
    foldCount,
    leafCounts: Array.from({ length: foldCount }, (_, layer) => domainSize / FOLDING_FACTOR ** (layer + 1)),
    finalLength: traceLength / FOLDING_FACTOR ** foldCount,
    saltBytes,
    traceLeafBytes: FOLDING_FACTOR * columnCount * profile.base.elementBytes + saltBytes,
    compositionLeafBytes: FOLDING_FACTOR * compositionColumnCount * extensionBytes + saltBytes,
    layerLeafBytes: FOLDING_FACTOR * extensionBytes,
    overflowBytes: overflowLength * extensionBytes,
    outOfDomainBytes: valueCount * extensionBytes,
    extensionBytes,
  };
}

/** Bytes of the cap of a tree. */
export function capBytes(leafCount: number): number {
  return capNodeCount(leafCount) * DIGEST_BYTES;
}

/** Bytes after the header that every proof has, whatever it opens: caps, values, final polynomial and nonce. */
export function fixedBytes(geometry: ProofGeometry): number {
  const { leafCounts, overflowBytes, outOfDomainBytes, finalLength, extensionBytes } = geometry;
  // Layer 0 stands for the trace's and the composition's trees.
  const caps = [leafCounts[0], ...leafCounts].reduce((sum, leafCount) => sum + capBytes(leafCount), 0);
  return caps + overflowBytes + outOfDomainBytes + finalLength * extensionBytes + NONCE_BYTES;
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
export function openedLeaves(
  { profile, leafCounts }: ProofGeometry,
  positions: readonly number[],
): number[][] {
  let opened = distinctAscending(positions);
  return leafCounts.map((leafCount, layer) => {
    // A coset's fold stands in the next layer at the coset's own number.
    if (layer > 0) opened = distinctAscending(opened.map(coset => profile.locate(coset, leafCount).leaf));
    return opened;
  });
}
