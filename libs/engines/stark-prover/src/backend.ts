import type { Cubic } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import type { OutOfDomainValues, ProofParameters } from '@svc/stark-verifier';

/** The opened leaves of one tree: leaf bytes in ascending index order, then the multiproof's nodes. */
export interface TreeOpening {
  readonly leaves: Uint8Array;
  readonly nodes: Uint8Array;
}

/** What a session starts from. */
export interface SessionInput<PublicInputs = unknown, Witness = unknown> {
  readonly air: Air<PublicInputs, Witness>;
  readonly witness: Witness;
  readonly parameters: ProofParameters;
  /** Aborting makes the pending or the next stage reject with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * One proof in the making. `prove` owns transcript and serialisation and calls the stages once each, in this order
 * (foldLayer once a fold); a session holds the polynomials and trees between them.
 */
export interface ProverSession<PublicInputs = unknown> {
  /** Runs the computation. @throws WitnessError if the witness is invalid */
  execute(): Promise<PublicInputs>;
  /** Low-degree extension and tree of the trace. @returns the cap, 32 bytes a node */
  commitTrace(): Promise<Uint8Array>;
  /** @returns the cap of the composition tree */
  commitComposition(publicInputs: PublicInputs, alpha: Cubic): Promise<Uint8Array>;
  evaluateOutOfDomain(z: Cubic): Promise<OutOfDomainValues>;
  /** Forms layer 0; `values` are those that evaluateOutOfDomain returned. */
  startFri(z: Cubic, gamma: Cubic, values: OutOfDomainValues): Promise<void>;
  /** Folds the current layer and commits the result. @returns the cap of the new layer */
  foldLayer(lambda: Cubic): Promise<Uint8Array>;
  /** The last fold. @returns the coefficients of the final polynomial, lowest degree first */
  foldFinal(lambda: Cubic): Promise<readonly Cubic[]>;
  /** The least nonce that satisfies section 5, step 10. */
  grind(seed: Uint8Array, grindingBits: number): Promise<bigint>;
  /** @param positions distinct positions of layer 0, ascending. @returns trace, composition, FRI layers 1 … r − 1 */
  open(positions: readonly number[]): Promise<readonly TreeOpening[]>;
  /** Frees what the session holds; called exactly once, also after a failure. */
  dispose(): Promise<void>;
}

/** An engine for the stages. Implementations must agree to the byte. */
export interface ProverBackend {
  readonly name: string;
  begin<PublicInputs, Witness>(
    input: SessionInput<PublicInputs, Witness>,
  ): Promise<ProverSession<PublicInputs>>;
}
