import type { BaseField, BaseFieldName, Field } from '@svc/kernels';

/** One value of a column fixed by the statement: the trace must hold `value` in `column` at `row`. */
export interface BoundaryConstraint {
  readonly column: number;
  readonly row: number;
  readonly value: bigint;
}

/** What a transition constraint may look at: two neighbouring rows, and the periodic columns at the first. */
export interface TransitionFrame<E> {
  readonly current: readonly E[];
  readonly next: readonly E[];
  readonly periodic: readonly E[];
}

/** Whether proofs of a statement hide its trace: never, when asked for, or always. */
export type ZeroKnowledge = 'never' | 'optional' | 'always';

/** Counts of base-field operations. */
export interface OperationCount {
  readonly additions: number;
  readonly multiplications: number;
}

/** An execution trace, and the public inputs that it makes true. */
export interface Execution<PublicInputs> {
  /** One array a column, each of `rowCount` canonical elements. */
  readonly columns: readonly BigUint64Array[];
  readonly publicInputs: PublicInputs;
}

/**
 * An algebraic intermediate representation: what a valid trace is, and how it is tied to public inputs.
 * The verifier needs everything but `execute`. See docs/stark-format.md, section 6.
 */
export interface Air<PublicInputs = unknown, Witness = unknown> {
  /** Versioned name, ASCII, bound by the transcript. */
  readonly id: string;
  /** 32 bytes that stand for its constraints in proofs, of an AIR that somebody else has defined: the hash of its definition. */
  readonly definitionDigest?: Uint8Array;
  /** The field of its trace. An id may stand for one AIR a field: the same statement over each. */
  readonly field: BaseFieldName;
  readonly zeroKnowledge: ZeroKnowledge;
  /** What a proof might be taken to show and does not: a sentence that verdicts repeat, of an AIR that another has replaced. */
  readonly doesNotProve?: string;
  readonly columnCount: number;
  /** Greatest total degree of a transition constraint in columns and periodic columns, 1 … 3. */
  readonly constraintDegree: number;
  /** What each transition constraint demands, in the order of `evaluateTransition`. */
  readonly transitionNames: readonly string[];
  /** Least trace length, a power of two of at least 64. */
  readonly traceLengthMin: number;
  /** Columns that repeat; each length is a power of two of at most `traceLengthMin`. */
  readonly periodicColumns: readonly (readonly bigint[])[];
  /** Distinct rows that boundary constraints fix, where there may be more than four. */
  readonly boundaryRowCount?: number;
  /** Base-field cost of `evaluateTransition` over the base field. */
  readonly transitionOperations: OperationCount;

  /** The constraints' values, all zero on two neighbouring rows of a valid trace. */
  evaluateTransition<E>(field: Field<E>, frame: TransitionFrame<E>): E[];

  /**
   * @param rowCount rows that the statement may use: the trace's, less the masking rows of a proof in zero knowledge
   * @throws PublicInputError if no trace of so many rows can carry the public inputs
   */
  boundaryConstraints(publicInputs: PublicInputs, rowCount: number): BoundaryConstraint[];

  /** The public inputs as the transcript absorbs them. */
  publicInputElements(publicInputs: PublicInputs): bigint[];

  /** Reads public inputs from a decoded JSON value of unknown shape. @throws PublicInputError */
  publicInputsFromJson(json: unknown): PublicInputs;
  publicInputsToJson(publicInputs: PublicInputs): Record<string, unknown>;

  /** Least number of rows that this witness can be proved in. @throws WitnessError */
  rowsNeeded(witness: Witness): number;

  /**
   * Runs the computation over `field` (which may count operations).
   * @param rowCount rows to fill, at least `rowsNeeded`; a power of two only where nothing is masked
   * @throws WitnessError
   */
  execute(field: BaseField, witness: Witness, rowCount: number): Execution<PublicInputs>;

  /**
   * Reads a witness from a decoded JSON value of unknown shape; only AIRs whose proofs can be asked for from outside have it.
   * @throws WitnessError naming the field, and the bound where there is one
   */
  witnessFromJson?(json: unknown): Witness;

  /** What the holder of a witness must keep to open the commitment that its public inputs show. */
  opening?(witness: Witness): Record<string, string>;

  /** Base-field cost of `execute`, whose witness made `publicInputs` true. */
  executionOperations(rowCount: number, publicInputs: PublicInputs): OperationCount;
}
