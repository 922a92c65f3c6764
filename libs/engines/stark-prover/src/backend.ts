import type { Ext } from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import type { OutOfDomainPoint, OutOfDomainValues, ProofParameters } from '@svc/stark-verifier';
import type { ZeroKnowledgeMasks } from './masks.js';

/** The opened leaves of one tree: leaf bytes in ascending index order, then the multiproof's nodes. */
export interface TreeOpening {
  /** Each leaf with its salt, where there is one. */
  readonly leaves: Uint8Array;
  readonly nodes: Uint8Array;
}

/** What a composition is committed to by. */
export interface CompositionCommitment {
  /** 32 bytes a node. */
  readonly cap: Uint8Array;
  /** Coefficients that the chunks have no room for, `overflowLength` of the geometry; none on a multiplicative domain. */
  readonly overflow: readonly Ext[];
}

/** What a session starts from. */
export interface SessionInput<PublicInputs = unknown, Witness = unknown> {
  readonly air: Air<PublicInputs, Witness>;
  readonly witness: Witness;
  readonly parameters: ProofParameters;
  /** Aborting makes a pending stage reject with the signal's reason, before its next batch of work if it has any. */
  readonly signal?: AbortSignal;
}

/**
 * One proof in the making. `prove` owns transcript, randomness and serialisation and calls the stages once each, in this
 * order (foldLayer once a fold); a session holds the polynomials and trees between them.
 */
export interface ProverSession<PublicInputs = unknown> {
  /**
   * Runs the computation on the rows that the AIR sees.
   * @param masks of a proof in zero knowledge; the session keeps them for the later stages
   * @throws WitnessError if the witness is invalid
   */
  execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs>;
  /** Low-degree extension and tree of the trace. @returns the cap, 32 bytes a node */
  commitTrace(): Promise<Uint8Array>;
  commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment>;
  evaluateOutOfDomain(point: OutOfDomainPoint): Promise<OutOfDomainValues>;
  /** Forms layer 0; `values` are those that evaluateOutOfDomain returned. */
  startFri(point: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void>;
  /** Folds the current layer and commits the result. @returns the cap of the new layer */
  foldLayer(lambda: Ext): Promise<Uint8Array>;
  /** The last fold. @returns the coefficients of the final polynomial, lowest degree first */
  foldFinal(lambda: Ext): Promise<readonly Ext[]>;
  /** The least nonce that satisfies section 5, step 10. */
  grind(seed: Uint8Array, grindingBits: number): Promise<bigint>;
  /** @param positions distinct positions of layer 0, ascending. @returns trace, composition, FRI layers 1 … r − 1 */
  open(positions: readonly number[]): Promise<readonly TreeOpening[]>;
  /** Frees what the session holds; called exactly once, also after a failure. */
  dispose(): Promise<void>;
}

/** An engine for the stages. Implementations must agree to the byte, given the same masks. */
export interface ProverBackend {
  readonly name: string;
  begin<PublicInputs, Witness>(
    input: SessionInput<PublicInputs, Witness>,
  ): Promise<ProverSession<PublicInputs>>;
}
