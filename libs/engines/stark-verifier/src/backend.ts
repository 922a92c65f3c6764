import type { Cubic } from '@svc/kernels';

/**
 * The rows of the opened layer-0 cosets and what turns them into values of the DEEP polynomial.
 * All arrays are flat; extension elements are three consecutive words. Every word is canonical.
 */
export interface DeepInput {
  readonly columnCount: number;
  readonly chunkCount: number;
  /** `rowCount × columnCount` base elements, row by row. */
  readonly traceRows: BigUint64Array;
  /** `rowCount × chunkCount` extension elements, row by row. */
  readonly compositionRows: BigUint64Array;
  /** The points x of the rows, base elements. */
  readonly points: BigUint64Array;
  readonly z: Cubic;
  readonly zNext: Cubic;
  /** γ^0 … γ^(columnCount + chunkCount): the last one weighs the quotient at `zNext`. */
  readonly gammaPowers: readonly Cubic[];
  /** A(z) + S(z). */
  readonly valueAtZ: Cubic;
  /** A(h·z). */
  readonly valueAtZNext: Cubic;
}

/**
 * The verifier's three hot loops, so that a WASM build can replace them. Inputs are already checked to be canonical and
 * of the stated sizes; an implementation allocates no more than a small multiple of its input. Results are exact, hence
 * the same for every implementation.
 */
export interface VerifierBackend {
  readonly name: string;
  /**
   * Keyed BLAKE3 of each message; the messages are of `messageBytes` each, laid end to end.
   * @returns the 32-byte digests end to end
   */
  hashMany(key: Uint8Array, messages: Uint8Array, messageBytes: number): Uint8Array;
  /** deep(x) for every row (docs/stark-proof-format.md, section 8). @returns three words a row */
  deepValues(input: DeepInput): BigUint64Array;
  /**
   * Folds cosets of 8 (section 9).
   * @param values 8 extension elements a coset (24 words)
   * @param points the coset's first point x, one base element a coset
   * @returns one extension element a coset
   */
  foldCosets(values: BigUint64Array, points: BigUint64Array, lambda: Cubic): BigUint64Array;
}
