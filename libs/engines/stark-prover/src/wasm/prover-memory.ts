import { DIGEST_BYTES } from '@svc/kernels';
import { type ProofParameters, proofGeometry } from '@svc/stark-verifier';
import { estimateCircleMemoryBytes, FIXED_BYTES } from '../circle/wasm/circle-memory.js';
import { compositionCosetCount } from './composition.js';

/** Most kernel memory that one proof may take: 1.5 GB. */
export const PROVER_MEMORY_BYTES_MAX = 1_500_000_000;
/** Up to here a proof keeps its whole low-degree extension by default; above, one coset of it at a time. */
export const RETAINED_MEMORY_BYTES_MAX = 896_000_000;

/** A statement whose proof would take more memory than a prover may have. */
export class ProverMemoryError extends Error {
  readonly code = 'PROVER_MEMORY_EXCEEDED';

  constructor(
    readonly max: number,
    readonly got: number,
  ) {
    super(`a proof may take ${max} bytes of memory (degree × blowup × columns), this one needs ${got}`);
    this.name = 'ProverMemoryError';
  }
}

/** What the memory of a proof depends on. */
export interface ProverMemoryParameters extends Omit<ProofParameters, 'grindingBits'> {
  readonly columnCount: number;
  /** Degree of the transition constraints, 1 … 3. */
  readonly constraintDegree: number;
  /** Distinct rows that boundary constraints fix. Default: 4, which no statement of ours has more of. */
  readonly boundaryRowCount?: number;
}

const BOUNDARY_ROWS = 4;

/**
 * Peak kernel memory of a proof in bytes, at the cheaper of the two ways to hold its extension that its size allows.
 * An upper bound of what the WASM backend allocates.
 */
export function estimateProverMemoryBytes(
  parameters: ProverMemoryParameters,
  retainedBytesMax = RETAINED_MEMORY_BYTES_MAX,
): number {
  return estimate(parameters, retainsExtension(parameters, retainedBytesMax));
}

/** Whether the whole extension is kept, so that openings need not compute it again. */
export function retainsExtension(
  parameters: ProverMemoryParameters,
  retainedBytesMax = RETAINED_MEMORY_BYTES_MAX,
): boolean {
  return estimate(parameters, true) <= retainedBytesMax;
}

/**
 * Refuses what does not fit, before anything is allocated.
 * @throws ProverMemoryError past PROVER_MEMORY_BYTES_MAX
 */
export function assertProverMemory(parameters: ProverMemoryParameters, retainedBytesMax?: number): void {
  const got = estimateProverMemoryBytes(parameters, retainedBytesMax);
  if (got > PROVER_MEMORY_BYTES_MAX) throw new ProverMemoryError(PROVER_MEMORY_BYTES_MAX, got);
}

function estimate(parameters: ProverMemoryParameters, isRetained: boolean): number {
  const { columnCount, traceLength, blowupFactor, constraintDegree } = parameters;
  const { boundaryRowCount = BOUNDARY_ROWS } = parameters;
  const geometry = proofGeometry({ ...parameters, grindingBits: 0 }, parameters);
  if (geometry.profile.facts.domain === 'circle') {
    return estimateCircleMemoryBytes(geometry, { constraintDegree, boundaryRowCount, isRetained });
  }
  const { degree } = geometry.profile.extension;
  const planeBytes = geometry.profile.base.elementBytes * traceLength;
  const [leafCount] = geometry.leafCounts;
  const treeBytes = leafCount * (2 * DIGEST_BYTES + geometry.saltBytes);
  const extensionCosets = isRetained ? blowupFactor : 1;

  const compositionColumns = degree * geometry.compositionColumnCount;
  const cosetCount = compositionCosetCount(parameters, geometry);
  const cosetsBeside = Math.max(0, cosetCount - blowupFactor);
  const transitionPlanes = cosetCount + cosetsBeside * (1 + columnCount);
  const makingPlanes =
    (parameters.zeroKnowledge ? degree * cosetCount : 0) +
    Math.max(transitionPlanes, degree * boundaryRowCount);
  const committedBytes = planeBytes * compositionColumns * extensionCosets + treeBytes;
  const planes =
    1 + // both tables of roots
    blowupFactor + // twiddle trees of the cosets
    columnCount * (1 + extensionCosets) +
    compositionColumns;
  const friShare = 1 / 7; // layers of 1/8, 1/64, …
  const friBytes = friShare * (planeBytes * (degree * (1 + extensionCosets) + blowupFactor) + treeBytes);
  // Powers of both points are gone when the DEEP quotients are formed, the second quotient when layers are.
  const deepBytes = degree * planeBytes + Math.max(degree * planeBytes, friBytes);
  // What making the composition takes is given back before it is committed to.
  const laterBytes = Math.max(planeBytes * makingPlanes, committedBytes + deepBytes);
  return Math.ceil(FIXED_BYTES + planeBytes * planes + treeBytes + laterBytes);
}
