import { CUBIC_ELEMENT_BYTES, DIGEST_BYTES } from '@svc/kernels';

/** Most kernel memory that one proof may take: 1.5 GB. */
export const PROVER_MEMORY_BYTES_MAX = 1_500_000_000;
/** Up to here a proof keeps its whole low-degree extension by default; above, one coset of it at a time. */
export const RETAINED_MEMORY_BYTES_MAX = 768_000_000;

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
export interface ProverMemoryParameters {
  readonly columnCount: number;
  /** Degree of the transition constraints, 1 … 3. */
  readonly constraintDegree: number;
  /** Rows of the trace. */
  readonly traceLength: number;
  readonly blowupFactor: number;
}

/** Fixed cost: scratch areas, static data, alignment, openings. */
const FIXED_BYTES = 2 << 20;
/** Distinct rows that boundary constraints are allowed for in the estimate. */
const BOUNDARY_ROWS = 4;

/**
 * Peak kernel memory of a proof in bytes, at the cheaper of the two ways to hold its extension that its size allows.
 * An upper bound of what the WASM backend allocates for AIRs with at most four distinct boundary rows.
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
  const { columnCount, constraintDegree, traceLength, blowupFactor } = parameters;
  const chunkCount = Math.max(1, constraintDegree - 1);
  const chunkColumns = 3 * chunkCount;
  const extensionCosets = isRetained ? blowupFactor : 1;
  const leafCount = (traceLength * blowupFactor) / 8;
  const treeBytes = 2 * leafCount * DIGEST_BYTES;
  // Inverse twiddles and boundary quotients are gone when the chunks are extended.
  const compositionColumns = Math.max(chunkCount + 3 * BOUNDARY_ROWS, chunkColumns * extensionCosets);
  const elementColumns =
    1 + // both tables of roots
    blowupFactor + // twiddle trees of the cosets
    columnCount * (1 + extensionCosets) +
    chunkColumns +
    compositionColumns;
  const extensionVectors = 2; // powers of z and of its successor, later both DEEP quotients
  const vectorBytes = traceLength * CUBIC_ELEMENT_BYTES;
  const friShare = 1 / 7; // layers of 1/8, 1/64, …
  const friBytes = friShare * (vectorBytes * (1 + blowupFactor) + treeBytes + 8 * traceLength * blowupFactor);
  return Math.ceil(
    FIXED_BYTES +
      8 * traceLength * elementColumns +
      extensionVectors * vectorBytes +
      2 * treeBytes +
      friBytes,
  );
}
