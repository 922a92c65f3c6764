import { type BaseField, type Ext, type ExtensionField, grind, MerkleTree } from '@svc/kernels';
import {
  openedLeaves,
  type OutOfDomainPoint,
  type OutOfDomainValues,
  type ProofGeometry,
  proofGeometry,
} from '@svc/stark-verifier';
import type { CompositionCommitment, ProverSession, SessionInput, TreeOpening } from './backend.js';
import type { ZeroKnowledgeMasks } from './masks.js';

/** What a proof by the definitions is over every domain: the trace's rows, the trees, their openings. */
export abstract class ReferenceStages<
  PublicInputs,
  Extension extends ExtensionField,
> implements ProverSession<PublicInputs> {
  protected readonly geometry: ProofGeometry;
  protected masks: ZeroKnowledgeMasks | undefined;
  /** Columns in natural order: the AIR's rows, then those of the masks. */
  protected trace: readonly (readonly bigint[])[] = [];
  protected coefficients: readonly (readonly bigint[])[] = [];
  protected extended: readonly (readonly bigint[])[] = [];
  protected compositionCoefficients: readonly (readonly Ext[])[] = [];
  protected extendedComposition: readonly (readonly Ext[])[] = [];
  protected layer: readonly Ext[] = [];
  protected layerIndex = 0;
  /** Trace, composition, FRI layers 1 … r − 1. */
  private readonly trees: MerkleTree[] = [];

  /**
   * @param field the profile's, or a double of it
   * @param extension over that field
   */
  constructor(
    protected readonly input: SessionInput<PublicInputs>,
    protected readonly field: BaseField,
    protected readonly extension: Extension,
  ) {
    this.geometry = proofGeometry(input.parameters, input.air);
  }

  abstract commitTrace(): Promise<Uint8Array>;
  abstract commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment>;
  abstract evaluateOutOfDomain(point: OutOfDomainPoint): Promise<OutOfDomainValues>;
  abstract startFri(point: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void>;
  abstract foldLayer(lambda: Ext): Promise<Uint8Array>;
  abstract foldFinal(lambda: Ext): Promise<readonly Ext[]>;

  async execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs> {
    const { traceLength, rowCount } = this.geometry;
    const { columns, publicInputs } = this.input.air.execute(this.field, this.input.witness, rowCount);
    this.masks = masks;
    const maskCount = traceLength - rowCount;
    this.trace = columns.map((rows, column) => {
      const maskRows = masks?.traceRows.subarray(column * maskCount, (column + 1) * maskCount) ?? [];
      return [...rows, ...Array.from<bigint | number, bigint>(maskRows, BigInt)];
    });
    return publicInputs;
  }

  async grind(seed: Uint8Array, grindingBits: number): Promise<bigint> {
    return grind(seed, grindingBits);
  }

  async open(positions: readonly number[]): Promise<readonly TreeOpening[]> {
    const leaves = openedLeaves(this.geometry, positions);
    return this.trees.map((tree, i) => tree.open(leaves[Math.max(0, i - 1)]));
  }

  async dispose(): Promise<void> {}

  /** @param salts of the leaves, where there are any: each follows the rows of its leaf */
  protected commit(rows: Uint8Array, leafBytes: number, salts?: Uint8Array): Uint8Array {
    const tree = new MerkleTree(salts ? this.withSalts(rows, salts) : rows, leafBytes);
    this.trees.push(tree);
    return tree.cap;
  }

  private withSalts(rows: Uint8Array, salts: Uint8Array): Uint8Array {
    const { leafCounts, saltBytes } = this.geometry;
    const rowBytes = rows.length / leafCounts[0];
    const leafBytes = rowBytes + saltBytes;
    const leaves = new Uint8Array(leafCounts[0] * leafBytes);
    for (let leaf = 0; leaf < leafCounts[0]; leaf++) {
      leaves.set(rows.subarray(leaf * rowBytes, (leaf + 1) * rowBytes), leaf * leafBytes);
      leaves.set(salts.subarray(leaf * saltBytes, (leaf + 1) * saltBytes), leaf * leafBytes + rowBytes);
    }
    return leaves;
  }
}
