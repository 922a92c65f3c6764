import type { Ext, MultiproofClaim } from '@svc/kernels';
import type { CircleVerifierKernels } from './circle/circle-kernels.js';

/**
 * The rows of the opened layer-0 cosets and what turns them into values of the DEEP polynomial.
 * All arrays are flat; extension elements are as many consecutive words as z has coordinates. Every word is canonical.
 */
export interface DeepInput {
  readonly columnCount: number;
  /** Chunks, and the random polynomial of a proof in zero knowledge. */
  readonly compositionColumnCount: number;
  /** `rowCount × columnCount` base elements, row by row. */
  readonly traceRows: BigUint64Array;
  /** `rowCount × compositionColumnCount` extension elements, row by row. */
  readonly compositionRows: BigUint64Array;
  /** The points x of the rows, base elements. */
  readonly points: BigUint64Array;
  readonly z: Ext;
  readonly zNext: Ext;
  /** γ^0 … γ^(columnCount + compositionColumnCount): the last one weighs the quotient at `zNext`. */
  readonly gammaPowers: readonly Ext[];
  /** A(z) + S(z). */
  readonly valueAtZ: Ext;
  /** A(h·z). */
  readonly valueAtZNext: Ext;
}

/** A polynomial over an extension of Goldilocks. */
export interface ExtensionPolynomial {
  /** Of the extension, 2 or 3. */
  readonly degree: number;
  /** `degree` words each, lowest degree of the polynomial first; at least one. */
  readonly coefficients: BigUint64Array;
}

/**
 * The verifier's hot loops, those of Goldilocks for either extension, so that a WASM build can replace them. Inputs are already checked to be canonical and
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
  /** BLAKE3 of one message, 32 bytes. */
  hash(message: Uint8Array): Uint8Array;
  /** Whether opened leaves lie under a cap. Never throws on wrong sizes: they are a false claim. */
  verifyMultiproof(claim: MultiproofClaim): boolean;
  /** deep(x) for every row (docs/stark-format.md, section 8). @returns one extension element a row */
  deepValues(input: DeepInput): BigUint64Array;
  /**
   * Folds cosets of 8 (section 9).
   * @param values 8 extension elements a coset; lambda tells the extension by its coordinates
   * @param points the coset's first point x, one base element a coset
   * @returns one extension element a coset
   */
  foldCosets(values: BigUint64Array, points: BigUint64Array, lambda: Ext): BigUint64Array;
  /**
   * A polynomial over the extension at points of the base field.
   * @returns one extension element a point
   */
  evaluatePolynomial(polynomial: ExtensionPolynomial, points: BigUint64Array): BigUint64Array;
  /** The same loops for profile 3. */
  readonly circle: CircleVerifierKernels;
}
