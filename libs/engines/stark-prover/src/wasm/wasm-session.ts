import {
  type Cubic,
  cubicExtension,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  type KernelExecutor,
  LEAF_KEY,
  log2Exact,
  NODE_KEY,
  power,
  powers,
} from '@svc/kernels';
import { hashChainAir, type HashChainWitness } from '@svc/stark-air';
import { openedLeaves, type OutOfDomainValues, proofGeometry } from '@svc/stark-verifier';
import type { ProverSession, SessionInput, TreeOpening } from '../backend.js';
import { chunkCountOf, computeComposition } from './composition.js';
import { CosetCommitment, type MerkleKeys } from './coset-commitment.js';
import { type CosetDomain, createCosetDomain } from './coset-domain.js';
import { type CommittedPolynomials, evaluateOutOfDomain, formDeepPolynomial } from './deep-polynomial.js';
import { grindInParallel } from './grinding.js';
import { writeHashChainTrace } from './hash-chain-trace.js';
import { workRanges } from './work-ranges.js';

const EXTENSION_DEGREE = 3;
const FOLDING_FACTOR = 8;
const LOG2_FOLDING_FACTOR = 3;

/**
 * A proof on the kernels. Everything but the commitments happens on coefficients: out-of-domain values are dot products,
 * the DEEP quotients synthetic divisions, a fold a sum of eight strided parts. Layer 0 of FRI is never evaluated.
 */
export class WasmSession<PublicInputs, Witness> implements ProverSession<PublicInputs> {
  private readonly log2Size: number;
  private readonly log2Blowup: number;
  private readonly mark: number;
  private readonly keys: MerkleKeys;
  /** Trees in the order they were committed: trace, composition, FRI layers 1 … r − 1. */
  private readonly trees: CosetCommitment[] = [];
  private roots = 0;
  private inverseRoots = 0;
  private traceCoefficients = 0;
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
    this.log2Size = log2Exact(traceLength);
    this.log2Blowup = log2Exact(blowupFactor);
    this.mark = executor.arena.usedBytes;
    this.keys = { leaf: executor.arena.storeBytes(LEAF_KEY), node: executor.arena.storeBytes(NODE_KEY) };
  }

  async execute(): Promise<PublicInputs> {
    this.assertNotAborted();
    const { arena } = this.executor;
    const { columnCount } = this.input.air;
    const plane = this.planeBytes;
    this.roots = arena.allocate(plane / 2);
    this.inverseRoots = arena.allocate(plane / 2);
    this.traceCoefficients = arena.allocate(columnCount * plane);
    const mark = arena.usedBytes;
    const inverseTree = arena.allocate(plane);
    const trace = arena.allocate(columnCount * plane);
    const publicInputs = await this.writeTrace(trace);

    const columns = Array.from({ length: columnCount }, (_, c) => c * plane);
    await this.executor.run([
      ['bitReversedRoots', this.roots, this.log2Size, 0],
      ['bitReversedRoots', this.inverseRoots, this.log2Size, 1],
      ...columns.map(
        offset => ['bitReverseCopy', this.traceCoefficients + offset, trace + offset, this.log2Size] as const,
      ),
    ]);
    await this.executor.run([['twiddleTree', inverseTree, this.inverseRoots, this.log2Size, 1n]]);
    await this.executor.run(
      columns.map(
        offset => ['inverseNtt', this.traceCoefficients + offset, this.log2Size, inverseTree] as const,
      ),
    );
    arena.release(mark);
    return publicInputs;
  }

  async commitTrace(): Promise<Uint8Array> {
    this.assertNotAborted();
    this.domain = await this.layerDomain(0);
    return this.commit(this.domain, this.traceCoefficients, this.input.air.columnCount);
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Cubic): Promise<Uint8Array> {
    this.assertNotAborted();
    const { air, parameters } = this.input;
    const domain = this.traceDomain;
    const chunks = await computeComposition(this.executor, {
      air,
      boundary: air.boundaryConstraints(publicInputs, parameters.traceLength),
      alpha,
      trace: this.trees[0],
      traceCoefficients: this.traceCoefficients,
      domain,
      inverseRoots: this.inverseRoots,
    });
    const chunkCount = chunkCountOf(air);
    this.polynomials = {
      log2Size: this.log2Size,
      columnCount: air.columnCount,
      trace: this.traceCoefficients,
      chunkCount,
      chunks,
    };
    return this.commit(domain, chunks, EXTENSION_DEGREE * chunkCount);
  }

  async evaluateOutOfDomain(z: Cubic): Promise<OutOfDomainValues> {
    this.assertNotAborted();
    return evaluateOutOfDomain(this.executor, this.committedPolynomials, z);
  }

  async startFri(z: Cubic, gamma: Cubic): Promise<void> {
    this.assertNotAborted();
    const coefficients = await formDeepPolynomial(this.executor, this.committedPolynomials, z, gamma);
    this.layer = { coefficients, log2Size: this.log2Size };
  }

  async foldLayer(lambda: Cubic): Promise<Uint8Array> {
    this.assertNotAborted();
    await this.fold(lambda);
    const index = (this.log2Size - this.layer.log2Size) / LOG2_FOLDING_FACTOR;
    return this.commit(await this.layerDomain(index), this.layer.coefficients, EXTENSION_DEGREE);
  }

  async foldFinal(lambda: Cubic): Promise<readonly Cubic[]> {
    this.assertNotAborted();
    await this.fold(lambda);
    const size = 2 ** this.layer.log2Size;
    const planes = this.executor.arena.elements(this.layer.coefficients, EXTENSION_DEGREE * size);
    return Array.from({ length: size }, (_, i): Cubic => [planes[i], planes[size + i], planes[2 * size + i]]);
  }

  async grind(seed: Uint8Array, grindingBits: number): Promise<bigint> {
    this.assertNotAborted();
    return grindInParallel(this.executor, seed, grindingBits, this.input.signal);
  }

  async open(positions: readonly number[]): Promise<readonly TreeOpening[]> {
    this.assertNotAborted();
    const leaves = openedLeaves(proofGeometry(this.input.parameters, this.input.air), positions);
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
    if (!this.domain) throw new Error('the trace has not been committed to');
    return this.domain;
  }

  private get committedPolynomials(): CommittedPolynomials {
    if (!this.polynomials) throw new Error('the composition has not been committed to');
    return this.polynomials;
  }

  /** Fills the columns at `trace` in natural order; the known chain runs on the kernels, other AIRs run themselves. */
  private async writeTrace(trace: number): Promise<PublicInputs> {
    const { air, witness, parameters } = this.input;
    const { traceLength } = parameters;
    if ((air.id as string) === hashChainAir.id) {
      const { traceData } = witness as HashChainWitness;
      return (await writeHashChainTrace(this.executor, trace, traceData, traceLength)) as PublicInputs;
    }
    const { columns, publicInputs } = air.execute(goldilocks, witness, traceLength);
    columns.forEach((column, c) => {
      this.executor.arena.elements(trace + c * this.planeBytes, traceLength).set(column);
    });
    return publicInputs;
  }

  private async commit(domain: CosetDomain, coefficients: number, width: number): Promise<Uint8Array> {
    const tree = await CosetCommitment.create(
      this.executor,
      domain,
      coefficients,
      width,
      this.keys,
      this.isRetained,
    );
    this.trees.push(tree);
    return tree.cap;
  }

  /** D_i of docs/stark-proof-format.md, section 3. */
  private layerDomain(index: number): Promise<CosetDomain> {
    const shift = power(goldilocks, GOLDILOCKS_GENERATOR, BigInt(FOLDING_FACTOR) ** BigInt(index));
    const log2Size = this.log2Size - LOG2_FOLDING_FACTOR * index;
    return createCosetDomain(this.executor, this.roots, log2Size, this.log2Blowup, shift);
  }

  private async fold(lambda: Cubic): Promise<void> {
    const { arena } = this.executor;
    const from = this.layer;
    const log2Size = from.log2Size - LOG2_FOLDING_FACTOR;
    const plane = 8 << log2Size;
    const folded = arena.allocate(EXTENSION_DEGREE * plane);
    const weights = arena.store(powers(cubicExtension, lambda, FOLDING_FACTOR).flat());
    const ranges = workRanges(2 ** log2Size, this.executor.concurrency);
    await this.executor.run(
      ranges.map(
        ({ first, count }) =>
          [
            'foldByEight',
            folded,
            plane,
            from.coefficients,
            8 << from.log2Size,
            weights,
            first,
            count,
          ] as const,
      ),
    );
    this.layer = { coefficients: folded, log2Size };
  }

  private assertNotAborted(): void {
    this.input.signal?.throwIfAborted();
  }
}
