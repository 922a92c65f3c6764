import {
  circleGenerator,
  type Ext,
  type KernelExecutor,
  LEAF_KEY,
  log2Exact,
  NODE_KEY,
  powers,
  qm31,
} from '@svc/kernels';
import {
  FOLDING_FACTOR,
  openedLeaves,
  type OutOfDomainPoint,
  type OutOfDomainValues,
  type ProofGeometry,
  proofGeometry,
} from '@svc/stark-verifier';
import type { CompositionCommitment, ProverSession, SessionInput, TreeOpening } from '../../backend.js';
import type { ZeroKnowledgeMasks } from '../../masks.js';
import type { MerkleKeys } from '../../wasm/coset-commitment.js';
import { grindInParallel } from '../../wasm/grinding.js';
import { runTasks } from '../../wasm/small-work.js';
import { workRanges } from '../../wasm/work-ranges.js';
import { CircleCommitment } from './circle-commitment.js';
import {
  type CircleColumns,
  evaluateCircleOutOfDomain,
  formCircleDeepPolynomial,
  storeElements,
} from './circle-openings.js';
import {
  type CircleDomain,
  cosetOf,
  createCircleDomain,
  createInverseTwiddles,
  type TwinCoset,
} from './circle-twiddles.js';
import { writeCircleTrace } from './circle-trace.js';
import { computeCircleComposition } from './circle-wasm-composition.js';

const LOG2_FOLDING_FACTOR = 3;

/**
 * A proof of profile 3 on the kernels. Folds are sums of coefficients, and the DEEP polynomial is interpolated from one
 * twin-coset of N points, so that layer 0 of FRI is never evaluated.
 */
export class CircleWasmSession<PublicInputs, Witness> implements ProverSession<PublicInputs> {
  private readonly geometry: ProofGeometry;
  private readonly log2Size: number;
  private readonly mark: number;
  private readonly keys: MerkleKeys;
  /** Trees in the order they were committed: trace, composition, FRI layers 1 … r − 1. */
  private readonly trees: CircleCommitment[] = [];
  private traceCoefficients: readonly number[] = [];
  private compositionCoefficients: readonly number[] = [];
  private masks: ZeroKnowledgeMasks | undefined;
  private tables: { readonly domain: CircleDomain; readonly inverses: TwinCoset } | undefined;
  /** Coefficients of the current FRI layer, four planes, and log2 of their number. */
  private layer = { coefficients: 0, log2Size: 0 };

  /**
   * @param isRetained whether the whole low-degree extension is kept, or one pair of cosets at a time
   * @param release called by dispose, once the memory is free again
   */
  constructor(
    private readonly executor: KernelExecutor,
    private readonly input: SessionInput<PublicInputs, Witness>,
    private readonly isRetained: boolean,
    private readonly release: () => void,
  ) {
    this.geometry = proofGeometry(input.parameters, input.air);
    this.log2Size = log2Exact(this.geometry.traceLength);
    this.mark = executor.arena.usedBytes;
    this.keys = { leaf: executor.arena.storeBytes(LEAF_KEY), node: executor.arena.storeBytes(NODE_KEY) };
  }

  async execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs> {
    this.assertNotAborted();
    this.masks = masks;
    const { executor, log2Size } = this;
    const { arena } = executor;
    const plane = this.planeBytes;
    const coefficients = arena.allocate(this.geometry.columnCount * plane);
    this.traceCoefficients = Array.from(
      { length: this.geometry.columnCount },
      (_, c) => coefficients + c * plane,
    );
    const mark = arena.usedBytes;
    const trace = arena.allocate(this.geometry.columnCount * plane);
    const publicInputs = await this.writeTrace(trace);
    const { tree, root } = await createInverseTwiddles(executor, log2Size, circleGenerator(log2Size + 1));
    await runTasks(
      executor,
      8 * this.traceCoefficients.length * this.geometry.traceLength,
      this.traceCoefficients.map(
        (target, c) =>
          [
            ['circleOrderCopy', target, trace + c * plane, log2Size],
            ['circleInverseFft', target, log2Size, tree, root],
          ] as const,
      ),
    );
    arena.release(mark);
    return publicInputs;
  }

  async commitTrace(): Promise<Uint8Array> {
    this.assertNotAborted();
    const { executor, log2Size } = this;
    const log2Blowup = log2Exact(this.input.parameters.blowupFactor);
    const domain = await createCircleDomain(executor, log2Size, log2Blowup);
    const start = circleGenerator(log2Size + log2Blowup + 1);
    this.tables = { domain, inverses: await createInverseTwiddles(executor, log2Size + 1, start) };
    return this.commit(this.traceCoefficients, log2Size, this.masks?.traceSalts);
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment> {
    this.assertNotAborted();
    const { geometry, masks, executor } = this;
    const { air } = this.input;
    const { columns, overflow } = await computeCircleComposition(executor, {
      air,
      geometry,
      boundary: air.boundaryConstraints(publicInputs, geometry.rowCount),
      alpha,
      masks,
      trace: this.trees[0],
      traceCoefficients: this.traceCoefficients,
      ...this.domainTables,
    });
    this.compositionCoefficients = columns;
    return { cap: await this.commit(columns, this.log2Size, masks?.compositionSalts), overflow };
  }

  async evaluateOutOfDomain(point: OutOfDomainPoint): Promise<OutOfDomainValues> {
    this.assertNotAborted();
    const columns = { trace: this.traceCoefficients, composition: this.compositionCoefficients };
    return evaluateCircleOutOfDomain(this.executor, this.geometry, columns, point);
  }

  async startFri(point: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void> {
    this.assertNotAborted();
    const { domain, inverses } = this.domainTables;
    const coefficients = await formCircleDeepPolynomial(this.executor, {
      geometry: this.geometry,
      point,
      gamma,
      values,
      evaluations: await this.firstPairs(),
      coset: cosetOf(domain, 0),
      inverses: { tree: inverses.tree, root: 2 * inverses.root },
    });
    this.layer = { coefficients, log2Size: this.log2Size };
  }

  async foldLayer(lambda: Ext): Promise<Uint8Array> {
    this.assertNotAborted();
    await this.fold(lambda);
    const { coefficients, log2Size } = this.layer;
    return this.commit(
      [0, 1, 2, 3].map(c => coefficients + (c << (log2Size + 2))),
      log2Size,
    );
  }

  async foldFinal(lambda: Ext): Promise<readonly Ext[]> {
    this.assertNotAborted();
    await this.fold(lambda);
    const size = 2 ** this.layer.log2Size;
    const planes = this.executor.arena.words(this.layer.coefficients, 4 * size);
    return Array.from({ length: size }, (_, i) => [0, 1, 2, 3].map(c => BigInt(planes[c * size + i])));
  }

  async grind(seed: Uint8Array, grindingBits: number): Promise<bigint> {
    this.assertNotAborted();
    return grindInParallel(this.executor, seed, grindingBits, this.input.signal);
  }

  async open(positions: readonly number[]): Promise<readonly TreeOpening[]> {
    this.assertNotAborted();
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

  private get planeBytes(): number {
    return 4 << this.log2Size;
  }

  private get domainTables() {
    if (!this.tables) throw new Error('the trace has not been committed to');
    return this.tables;
  }

  /** Fills the columns at `trace` in the order of rows: the AIR's, then those of the masks. */
  private async writeTrace(trace: number): Promise<PublicInputs> {
    const { geometry, masks, executor } = this;
    const { rowCount, traceLength, columnCount } = geometry;
    const { air, witness } = this.input;
    const target = { columns: trace, traceLength, rowCount };
    const publicInputs = await writeCircleTrace(executor, air, witness, target);
    const maskCount = traceLength - rowCount;
    for (let c = 0; masks && c < columnCount; c++) {
      const maskRows = (masks.traceRows as Uint32Array).subarray(c * maskCount, (c + 1) * maskCount);
      executor.arena.words(trace + c * this.planeBytes + 4 * rowCount, maskCount).set(maskRows);
    }
    return publicInputs;
  }

  /** Where the columns' values on the first pair of the domain stand. */
  private async firstPairs(): Promise<CircleColumns> {
    const [trace, composition] = this.trees;
    const addresses = async (tree: CircleCommitment, width: number) => {
      const at = await tree.pair(0);
      return Array.from({ length: width }, (_, c) => at + c * tree.strideBytes);
    };
    return {
      trace: await addresses(trace, this.traceCoefficients.length),
      composition: await addresses(composition, this.compositionCoefficients.length),
    };
  }

  private async commit(
    coefficients: readonly number[],
    log2Length: number,
    saltBytes?: Uint8Array,
  ): Promise<Uint8Array> {
    const { executor, keys, isRetained } = this;
    const salts = saltBytes ? executor.arena.storeBytes(saltBytes) : 0;
    const columns = { coefficients, log2Length, salts };
    const tree = await CircleCommitment.create(executor, this.domainTables.domain, columns, keys, isRetained);
    this.trees.push(tree);
    return tree.cap;
  }

  private async fold(lambda: Ext): Promise<void> {
    const { executor } = this;
    const { arena } = executor;
    const from = this.layer;
    const log2Size = from.log2Size - LOG2_FOLDING_FACTOR;
    const folded = arena.allocate(16 << log2Size);
    const weights = storeElements(executor, powers(qm31, lambda, FOLDING_FACTOR));
    const planes = [folded, 4 << log2Size, from.coefficients, 4 << from.log2Size, weights] as const;
    await runTasks(
      executor,
      40 << log2Size,
      workRanges(2 ** log2Size, executor.concurrency).map(
        ({ first, count }) => ['qm31FoldByEight', ...planes, first, count] as const,
      ),
    );
    this.layer = { coefficients: folded, log2Size };
  }

  private assertNotAborted(): void {
    this.input.signal?.throwIfAborted();
  }
}
