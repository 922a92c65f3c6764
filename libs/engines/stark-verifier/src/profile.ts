import type { ProofParameters } from './proof-parameters.js';
import type { BaseField, ElementWords, Ext, ExtensionField, Transcript } from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import type { VerifierBackend } from './backend.js';
import type { ProfileFacts } from './profile-facts.js';

/** Sizes that follow from parameters and AIR (docs/stark-format.md, sections 2 to 4). Byte sizes end in Bytes. */
export interface ProofGeometry extends CompositionShape {
  readonly profile: Profile;
  readonly traceLength: number;
  /** Rows that the AIR sees, U: the trace's, less the masking rows. */
  readonly rowCount: number;
  /** Points of the low-degree extension, n. */
  readonly domainSize: number;
  readonly columnCount: number;
  /** Columns of the composition tree: the chunks, and the random polynomial of a proof in zero knowledge. */
  readonly compositionColumnCount: number;
  /** Folds, r. */
  readonly foldCount: number;
  /** Leaves (cosets) of layer 0, which are those of the trace and the composition tree, and of layers 1 … r − 1. */
  readonly leafCounts: readonly number[];
  /** Coefficients of the final polynomial. */
  readonly finalLength: number;
  /** Salt at the end of a trace or composition leaf: 16, or 0 without zero knowledge. */
  readonly saltBytes: number;
  /** The salt included. */
  readonly traceLeafBytes: number;
  readonly compositionLeafBytes: number;
  readonly layerLeafBytes: number;
  readonly overflowBytes: number;
  readonly outOfDomainBytes: number;
  /** Bytes of an extension element. */
  readonly extensionBytes: number;
}

/** The point that every polynomial is opened at, by its coordinates: one on a multiplicative domain, (x, y) on the circle. */
export type OutOfDomainPoint = readonly Ext[];

/** What the prover says its polynomials take at the out-of-domain point z and at the point of the next row. */
export interface OutOfDomainValues {
  readonly traceAtZ: readonly Ext[];
  readonly traceAtZNext: readonly Ext[];
  /** Chunks, then the random polynomial of a proof in zero knowledge; `valuesPerCompositionColumn` each. */
  readonly compositionAtZ: readonly Ext[];
}

/** How a profile splits the composition polynomial. */
export interface CompositionShape {
  /** Chunks K. */
  readonly chunkCount: number;
  /** Uniform extension elements in the mask of a chunk; 0 without zero knowledge. */
  readonly chunkMaskLength: number;
  /** Coefficients that the chunks have no room for and that the proof carries in clear. */
  readonly overflowLength: number;
}

/** What the composition identity is checked on. */
export interface ConstraintCheck {
  readonly air: Air;
  readonly boundary: readonly BoundaryConstraint[];
  readonly geometry: ProofGeometry;
  readonly alpha: Ext;
  readonly point: OutOfDomainPoint;
  readonly values: OutOfDomainValues;
  readonly overflow: readonly Ext[];
}

/** The authenticated rows of the opened layer-0 cosets, and what DEEP is made of besides them. */
export interface OpenedRows {
  readonly geometry: ProofGeometry;
  readonly point: OutOfDomainPoint;
  readonly gamma: Ext;
  readonly values: OutOfDomainValues;
  /** Opened leaves of layer 0, ascending. */
  readonly cosets: readonly number[];
  /** 8 rows a coset, `columnCount` base elements a row. */
  readonly traceRows: ElementWords;
  /** 8 rows a coset, `compositionColumnCount` extension elements a row. */
  readonly compositionRows: ElementWords;
}

/** One layer's opened values on the way to the next. */
export interface FoldStep {
  readonly geometry: ProofGeometry;
  /** Layer that is folded, 0 … r − 1. */
  readonly layer: number;
  /** Its opened leaves, ascending. */
  readonly cosets: readonly number[];
  /** 8 extension elements a coset. */
  readonly values: ElementWords;
  readonly lambda: Ext;
}

/** Where a value of a layer stands in the layer's leaves. */
export interface LeafSlot {
  readonly leaf: number;
  /** 0 … 7. */
  readonly slot: number;
}

/**
 * What differs between the profiles of the format (docs/stark-format.md, section 1); message order, trees, transcript and
 * serialisation are the same in all. Methods see only what has been checked to be canonical and of the stated size.
 */
export interface Profile {
  readonly facts: ProfileFacts;
  readonly base: BaseField;
  readonly extension: ExtensionField;
  /** The same extension over a double of the base field, for provers that count. */
  extensionOver(base: BaseField): ExtensionField;

  /** Out-of-domain values that the proof carries for each composition column. */
  readonly valuesPerCompositionColumn: number;
  compositionShape(air: Pick<Air, 'constraintDegree'>, parameters: ProofParameters): CompositionShape;

  /** Reads base elements from untrusted bytes; undefined if one is not canonical. */
  readElements(bytes: Uint8Array): ElementWords | undefined;
  /** Draws z where no divisor vanishes. */
  drawPoint(transcript: Transcript, geometry: ProofGeometry): OutOfDomainPoint;
  /** Whether the values at z satisfy the constraints, weighed by powers of α. */
  satisfiesConstraints(check: ConstraintCheck, backend: VerifierBackend): boolean;

  /** The 8 values of layer 0 on each opened coset. @returns 8 extension elements a coset */
  deriveLayer0(rows: OpenedRows, backend: VerifierBackend): ElementWords;
  /** @returns one extension element a coset: value `coset` of the next layer */
  foldCosets(step: FoldStep, backend: VerifierBackend): ElementWords;
  /** Where value `index` of a layer of `leafCount` leaves stands. */
  locate(index: number, leafCount: number): LeafSlot;
  /**
   * The final polynomial at each index of the last layer's domain.
   * @param coefficients extension elements, as their values
   */
  evaluateFinal(
    geometry: ProofGeometry,
    coefficients: ElementWords,
    indices: readonly number[],
    backend: VerifierBackend,
  ): ElementWords;
}
