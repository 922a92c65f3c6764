import {
  type Ext,
  type ExtensionDegree,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  type KernelCall,
  type KernelExecutor,
  LEAF_KEY,
  log2Exact,
  NODE_KEY,
  power,
  powers,
} from '@svc/kernels';
import {
  openedLeaves,
  type OutOfDomainPoint,
  type OutOfDomainValues,
  type ProofGeometry,
  proofGeometry,
} from '@svc/stark-verifier';
import type { CompositionCommitment, ProverSession, SessionInput, TreeOpening } from '../backend.js';
import type { ZeroKnowledgeMasks } from '../masks.js';
import { computeComposition } from './composition.js';
import { type CommittedColumns, CosetCommitment, type MerkleKeys } from './coset-commitment.js';
import { type CosetDomain, domainTables, layOutCosetDomain } from './coset-domain.js';
import {
  type CommittedPolynomials,
  evaluateOutOfDomain,
  formDeepPolynomial,
  kernelDegree,
} from './deep-polynomial.js';
import { grindInParallel } from './grinding.js';
import { writeTrace } from './trace-writers.js';
import { workRanges } from './work-ranges.js';

const FOLDING_FACTOR = 8;
const LOG2_FOLDING_FACTOR = 3;

/**
 * A proof on the kernels. Everything but the commitments happens on coefficients: out-of-domain values are dot products,
 * the DEEP quotients synthetic divisions, a fold a sum of eight strided parts. Layer 0 of FRI is never evaluated.
 */
export class WasmSession<PublicInputs, Witness> implements ProverSession<PublicInputs> {
  private readonly geometry: ProofGeometry;
  private readonly degree: ExtensionDegree;
  private readonly log2Size: number;
  private readonly log2Blowup: number;
  private readonly mark: number;
  private readonly keys: MerkleKeys;
  /** Trees in the order they were committed: trace, composition, FRI layers 1 … r − 1. */
  private readonly trees: CosetCommitment[] = [];
  private roots = 0;
  private inverseRoots = 0;
  private traceCoefficients = 0;
  private masks: ZeroKnowledgeMasks | undefined;
  private domain: CosetDomain | undefined;
  private polynomials: CommittedPolynomials | undefined;
  /** Coefficients of the current FRI layer, and log2 of their number. */
  private layer = { coefficients: 0, log2Size: 0 };

  /**
   * @param isRetained whether the whole low-degree extension is kept, or one coset of it at a time
   * @param release called by dispose, once the memory is free again
   */
  constructor(
    private readonly executor: KernelExecutor,
    private readonly input: SessionInput<PublicInputs, Witness>,
    private readonly isRetained: boolean,
    private readonly release: () => void,
  ) {
    const { traceLength, blowupFactor } = input.parameters;
    this.geometry = proofGeometry(input.parameters, input.air);
    this.degree = kernelDegree(this.geometry.profile.extension);
    this.log2Size = log2Exact(traceLength);
    this.log2Blowup = log2Exact(blowupFactor);
    this.mark = executor.arena.usedBytes;
    this.keys = { leaf: executor.arena.storeBytes(LEAF_KEY), node: executor.arena.storeBytes(NODE_KEY) };
  }

  async execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs> {
    this.assertNotAborted();
    this.masks = masks;
    const { executor, log2Size } = this;
    const { arena } = executor;
    const { columnCount } = this.input.air;
    const plane = this.planeBytes;
    this.roots = arena.allocate(plane / 2);
    this.inverseRoots = arena.allocate(plane / 2);
    this.traceCoefficients = arena.allocate(columnCount * plane);
    this.domain = this.layerDomain(0);
    const mark = arena.usedBytes;
    const inverseTree = arena.allocate(plane);
    const trace = arena.allocate(columnCount * plane);
    const publicInputs = await this.writeTrace(trace, [
      [['bitReversedRoots', this.roots, log2Size, 0], ...domainTables(this.domain)],
      [
        ['bitReversedRoots', this.inverseRoots, log2Size, 1],
        ['twiddleTree', inverseTree, this.inverseRoots, log2Size, 1n],
      ],
    ]);
    await executor.run(
      Array.from({ length: columnCount }, (_, c) => {
        const target = this.traceCoefficients + c * plane;
        return [
          ['bitReverseCopy', target, trace + c * plane, log2Size],
          ['inverseNtt', target, log2Size, inverseTree],
        ] as const;
      }),
    );
    arena.release(mark);
    return publicInputs;
  }

  async commitTrace(): Promise<Uint8Array> {
    this.assertNotAborted();
    const width = this.input.air.columnCount;
    const salts = this.storeSalts(this.masks?.traceSalts);
    return this.commit(this.traceDomain, { coefficients: this.traceCoefficients, width, salts });
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment> {
    this.assertNotAborted();
    const { geometry, masks, degree } = this;
    const { air } = this.input;
    const domain = this.traceDomain;
    const composition = await computeComposition(this.executor, {
      air,
      geometry,
      boundary: air.boundaryConstraints(publicInputs, geometry.rowCount),
      alpha,
      masks,
      trace: this.trees[0],
      traceCoefficients: this.traceCoefficients,
      domain,
      inverseRoots: this.inverseRoots,
    });
    this.polynomials = {
      extension: geometry.profile.extension,
      log2Size: this.log2Size,
      columnCount: air.columnCount,
      trace: this.traceCoefficients,
      compositionColumnCount: geometry.compositionColumnCount,
      composition,
    };
    const width = degree * geometry.compositionColumnCount;
    const salts = this.storeSalts(masks?.compositionSalts);
    return { cap: await this.commit(domain, { coefficients: composition, width, salts }), overflow: [] };
  }

  async evaluateOutOfDomain([z]: OutOfDomainPoint): Promise<OutOfDomainValues> {
    this.assertNotAborted();
    return evaluateOutOfDomain(this.executor, this.committedPolynomials, z);
  }

  async startFri([z]: OutOfDomainPoint, gamma: Ext): Promise<void> {
    this.assertNotAborted();
    const coefficients = await formDeepPolynomial(this.executor, this.committedPolynomials, z, gamma);
    this.layer = { coefficients, log2Size: this.log2Size };
  }

  async foldLayer(lambda: Ext): Promise<Uint8Array> {
    this.assertNotAborted();
    const domain = this.layerDomain(1 + (this.log2Size - this.layer.log2Size) / LOG2_FOLDING_FACTOR);
    await this.fold(lambda, domainTables(domain));
    const { coefficients } = this.layer;
    return this.commit(domain, { coefficients, width: this.degree, salts: 0 });
  }

  async foldFinal(lambda: Ext): Promise<readonly Ext[]> {
    this.assertNotAborted();
    await this.fold(lambda, []);
    const { degree } = this;
    const size = 2 ** this.layer.log2Size;
    const planes = this.executor.arena.elements(this.layer.coefficients, degree * size);
    return Array.from({ length: size }, (_, i) =>
      Array.from({ length: degree }, (__, c) => planes[c * size + i]),
    );
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
    return 8 << this.log2Size;
  }

  private get traceDomain(): CosetDomain {
    if (!this.domain) throw new Error('the trace has not been executed');
    return this.domain;
  }

  private get committedPolynomials(): CommittedPolynomials {
    if (!this.polynomials) throw new Error('the composition has not been committed to');
    return this.polynomials;
  }

  /** Fills the columns at `trace` in natural order: the AIR's rows, then those of the masks. */
  private async writeTrace(trace: number, beside: readonly KernelCall[][]): Promise<PublicInputs> {
    const { geometry, masks, executor } = this;
    const { rowCount, traceLength, columnCount } = geometry;
    const { air, witness } = this.input;
    const target = { columns: trace, traceLength, rowCount };
    const publicInputs = await writeTrace(executor, air, witness, target, beside);
    const maskRows = masks?.traceRows as BigUint64Array | undefined;
    for (let c = 0; maskRows && c < columnCount; c++) {
      const count = traceLength - rowCount;
      const target = executor.arena.elements(trace + c * this.planeBytes + 8 * rowCount, count);
      target.set(maskRows.subarray(c * count, (c + 1) * count));
    }
    return publicInputs;
  }

  private storeSalts(salts: Uint8Array | undefined): number {
    return salts ? this.executor.arena.storeBytes(salts) : 0;
  }

  private async commit(domain: CosetDomain, columns: CommittedColumns): Promise<Uint8Array> {
    const tree = await CosetCommitment.create(this.executor, domain, columns, this.keys, this.isRetained);
    this.trees.push(tree);
    return tree.cap;
  }

  /** D_i of docs/stark-format.md, section 3. */
  private layerDomain(index: number): CosetDomain {
    const shift = power(goldilocks, GOLDILOCKS_GENERATOR, BigInt(FOLDING_FACTOR) ** BigInt(index));
    const log2Size = this.log2Size - LOG2_FOLDING_FACTOR * index;
    return layOutCosetDomain(this.executor, this.roots, log2Size, this.log2Blowup, shift);
  }

  /** @param beside calls to be made in the same round */
  private async fold(lambda: Ext, beside: readonly KernelCall[]): Promise<void> {
    const { executor, degree } = this;
    const { arena } = executor;
    const from = this.layer;
    const log2Size = from.log2Size - LOG2_FOLDING_FACTOR;
    const plane = 8 << log2Size;
    const folded = arena.allocate(degree * plane);
    const weights = arena.store(powers(this.geometry.profile.extension, lambda, FOLDING_FACTOR).flat());
    const source = [from.coefficients, 8 << from.log2Size] as const;
    const parts = workRanges(2 ** log2Size, executor.concurrency).map(({ first, count }): KernelCall => [
      'foldByEight',
      degree,
      folded,
      plane,
      ...source,
      weights,
      first,
      count,
    ]);
    await executor.run([...parts, ...beside]);
    this.layer = { coefficients: folded, log2Size };
  }

  private assertNotAborted(): void {
    this.input.signal?.throwIfAborted();
  }
}
