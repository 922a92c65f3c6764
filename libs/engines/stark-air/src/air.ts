import type { Field } from '@svc/kernels';

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

/** Counts of base-field operations. */
export interface OperationCount {
  readonly additions: number;
  readonly multiplications: number;
}

/** An execution trace, and the public inputs that it makes true. */
export interface Execution<PublicInputs> {
  /** One array a column, each of the trace length, canonical Goldilocks elements. */
  readonly columns: readonly BigUint64Array[];
  readonly publicInputs: PublicInputs;
}

/**
 * An algebraic intermediate representation: what a valid trace is, and how it is tied to public inputs.
 * The verifier needs everything but `execute`. See docs/stark-proof-format.md, section 6.
 */
export interface Air<PublicInputs = unknown, Witness = unknown> {
  /** Versioned name, ASCII, bound by the transcript. */
  readonly id: string;
  readonly columnCount: number;
  /** Greatest total degree of a transition constraint in columns and periodic columns, 1 … 3. */
  readonly constraintDegree: number;
  readonly transitionCount: number;
  /** Least trace length, a power of two of at least 64. */
  readonly traceLengthMin: number;
  /** Columns that repeat; each length is a power of two of at most `traceLengthMin`. */
  readonly periodicColumns: readonly (readonly bigint[])[];
  /** Base-field cost of `evaluateTransition` over the base field. */
  readonly transitionOperations: OperationCount;

  /** The `transitionCount` constraint values, all zero on two neighbouring rows of a valid trace. */
  evaluateTransition<E>(field: Field<E>, frame: TransitionFrame<E>): E[];

  /** @throws PublicInputError if no trace of this length can carry the public inputs */
  boundaryConstraints(publicInputs: PublicInputs, traceLength: number): BoundaryConstraint[];

  /** The public inputs as the transcript absorbs them. */
  publicInputElements(publicInputs: PublicInputs): bigint[];

  /** Reads public inputs from a decoded JSON value of unknown shape. @throws PublicInputError */
  publicInputsFromJson(json: unknown): PublicInputs;
  publicInputsToJson(publicInputs: PublicInputs): Record<string, unknown>;

  /** Runs the computation over `field` (which may count operations). @throws WitnessError */
  execute(field: Field<bigint>, witness: Witness, traceLength: number): Execution<PublicInputs>;

  /** Base-field cost of `execute`. */
  executionOperations(traceLength: number): OperationCount;
}
