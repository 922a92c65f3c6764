import {
  type Ext,
  extToBytes,
  type KernelCall,
  type KernelExecutor,
  LEAF_KEY,
  log2Exact,
  NODE_KEY,
  powers,
  wordsToBytes,
} from '@svc/kernels';
import {
  FOLDING_FACTOR,
  openedLeaves,
  type OutOfDomainPoint,
  type OutOfDomainValues,
  type ProofGeometry,
  proofGeometry,
} from '@svc/stark-verifier';
import type { CompositionCommitment, ProverSession, SessionInput, TreeOpening } from '../backend.js';
import type { ZeroKnowledgeMasks } from '../masks.js';
import type { MerkleKeys } from './coset-commitment.js';
import { grindInParallel } from './grinding.js';
import { runTasks } from './small-work.js';
import { type WorkRange, workRanges } from './work-ranges.js';

export const LOG2_FOLDING_FACTOR = log2Exact(FOLDING_FACTOR);

/** Committed columns in kernel memory: a commitment of one domain or the other. */
interface CommittedTree {
  readonly cap: Uint8Array;
  open(indices: readonly number[]): Promise<TreeOpening>;
}

/** The folded layer, its plane, the layer, its plane, and the powers of the challenge. */
export type FoldPlanes = readonly [number, number, number, number, number];

/** What a proof on the kernels is over every domain: trees over columns in their memory, which is given back at the end. */
export abstract class KernelSession<
  PublicInputs,
  Witness,
  Tree extends CommittedTree,
> implements ProverSession<PublicInputs> {
  protected readonly geometry: ProofGeometry;
  protected readonly log2Size: number;
  protected readonly log2Blowup: number;
  protected readonly keys: MerkleKeys;
  /** Trees in the order they were committed: trace, composition, FRI layers 1 … r − 1. */
  protected readonly trees: Tree[] = [];
  protected masks: ZeroKnowledgeMasks | undefined;
  /** What an element of a folded layer takes, with what is made beside it. */
  protected abstract readonly foldNanoseconds: number;
  /** Coefficients of the current FRI layer, one plane a coordinate, and log2 of their number. */
  protected layer = { coefficients: 0, log2Size: 0 };
  private readonly mark: number;

  /**
   * @param isRetained whether the whole low-degree extension is kept, or a part of it at a time
   * @param release called by dispose, once the memory is free again
   */
  constructor(
    protected readonly executor: KernelExecutor,
    protected readonly input: SessionInput<PublicInputs, Witness>,
    protected readonly isRetained: boolean,
    private readonly release: () => void,
  ) {
    const { traceLength, blowupFactor } = input.parameters;
    this.geometry = proofGeometry(input.parameters, input.air);
    this.log2Size = log2Exact(traceLength);
    this.log2Blowup = log2Exact(blowupFactor);
    this.mark = executor.arena.usedBytes;
    this.keys = { leaf: executor.arena.storeBytes(LEAF_KEY), node: executor.arena.storeBytes(NODE_KEY) };
  }

  abstract execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs>;
  abstract commitTrace(): Promise<Uint8Array>;
  abstract commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment>;
  abstract evaluateOutOfDomain(point: OutOfDomainPoint): Promise<OutOfDomainValues>;
  abstract startFri(point: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void>;
  abstract foldLayer(lambda: Ext): Promise<Uint8Array>;
  /** The kernel's call for a part of a fold. */
  protected abstract foldCall(planes: FoldPlanes, part: WorkRange): KernelCall;

  async foldFinal(lambda: Ext): Promise<readonly Ext[]> {
    await this.fold(lambda);
    const { base, extension } = this.geometry.profile;
    const { arena } = this.executor;
    const { coefficients, log2Size } = this.layer;
    const size = 2 ** log2Size;
    const length = extension.degree * size;
    const words =
      base.elementBytes === 8 ? arena.elements(coefficients, length) : arena.words(coefficients, length);
    return Array.from({ length: size }, (_, i) => extension.one.map((__, c) => BigInt(words[c * size + i])));
  }

  async grind(seed: Uint8Array, grindingBits: number): Promise<bigint> {
    return grindInParallel(this.executor, seed, grindingBits, this.input.signal);
  }

  async open(positions: readonly number[]): Promise<readonly TreeOpening[]> {
    const leaves = openedLeaves(this.geometry, positions);
    const openings: TreeOpening[] = [];
    for (const [i, tree] of this.trees.entries()) openings.push(await tree.open(leaves[Math.max(0, i - 1)]));
    return openings;
  }

  dispose(): Promise<void> {
    this.executor.arena.release(this.mark);
    this.release();
    return Promise.resolve();
  }

  /** Bytes of a column of the trace. */
  protected get planeBytes(): number {
    return this.geometry.profile.base.elementBytes << this.log2Size;
  }

  /** Writes the rows of the masks below the AIR's in the columns at `trace`. */
  protected writeMaskRows(trace: number): void {
    const { traceLength, rowCount, columnCount, profile } = this.geometry;
    const { elementBytes } = profile.base;
    const count = traceLength - rowCount;
    for (let c = 0; this.masks && c < columnCount; c++) {
      const rows = wordsToBytes(this.masks.traceRows.subarray(c * count, (c + 1) * count), elementBytes);
      const at = trace + c * this.planeBytes + elementBytes * rowCount;
      this.executor.arena.bytes(at, rows.length).set(rows);
    }
  }

  /** Address of the salts, or 0 for none. */
  protected storeSalts(salts: Uint8Array | undefined): number {
    return salts ? this.executor.arena.storeBytes(salts) : 0;
  }

  protected keep(tree: Tree): Uint8Array {
    this.trees.push(tree);
    return tree.cap;
  }

  /**
   * A fold is a sum of eight strided parts of the coefficients.
   * @param beside calls to be made in the same round
   */
  protected async fold(lambda: Ext, beside: readonly KernelCall[] = []): Promise<void> {
    const { executor, layer } = this;
    const { base, extension } = this.geometry.profile;
    const log2Size = layer.log2Size - LOG2_FOLDING_FACTOR;
    const plane = base.elementBytes << log2Size;
    const folded = executor.arena.allocate(extension.degree * plane);
    const challenges = extToBytes(powers(extension, lambda, FOLDING_FACTOR), base);
    const planes = [
      folded,
      plane,
      layer.coefficients,
      base.elementBytes << layer.log2Size,
      executor.arena.storeBytes(challenges),
    ] as const;
    const parts = workRanges(2 ** log2Size, executor.concurrency).map(part => this.foldCall(planes, part));
    await runTasks(executor, this.foldNanoseconds * 2 ** log2Size, [...parts, ...beside]);
    this.layer = { coefficients: folded, log2Size };
  }
}
