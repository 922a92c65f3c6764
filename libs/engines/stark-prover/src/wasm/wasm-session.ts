import { type Ext, goldilocks, GOLDILOCKS_GENERATOR, type KernelCall, power } from '@svc/kernels';
import { FOLDING_FACTOR, type OutOfDomainPoint, type OutOfDomainValues } from '@svc/stark-verifier';
import type { CompositionCommitment } from '../backend.js';
import type { ZeroKnowledgeMasks } from '../masks.js';
import { computeComposition } from './composition.js';
import { type CommittedColumns, CosetCommitment } from './coset-commitment.js';
import { type CosetDomain, domainTables, layOutCosetDomain } from './coset-domain.js';
import {
  type CommittedPolynomials,
  evaluateOutOfDomain,
  formDeepPolynomial,
  kernelDegree,
} from './deep-polynomial.js';
import { type FoldPlanes, KernelSession, LOG2_FOLDING_FACTOR } from './kernel-session.js';
import { writeTrace } from './trace-writers.js';
import type { WorkRange } from './work-ranges.js';

/**
 * A proof over a multiplicative domain on the kernels. Everything but the commitments happens on coefficients: out-of-domain values are dot products,
 * the DEEP quotients synthetic divisions. Layer 0 of FRI is never evaluated.
 */
export class WasmSession<PublicInputs, Witness> extends KernelSession<
  PublicInputs,
  Witness,
  CosetCommitment
> {
  protected readonly foldNanoseconds = 200;
  private readonly degree = kernelDegree(this.geometry.profile.extension);
  private roots = 0;
  private inverseRoots = 0;
  private traceCoefficients = 0;
  private domain: CosetDomain | undefined;
  private polynomials: CommittedPolynomials | undefined;

  async execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs> {
    this.masks = masks;
    const { executor, log2Size } = this;
    const { arena } = executor;
    const { air, witness } = this.input;
    const { columnCount, traceLength, rowCount } = this.geometry;
    const plane = this.planeBytes;
    this.roots = arena.allocate(plane / 2);
    this.inverseRoots = arena.allocate(plane / 2);
    this.traceCoefficients = arena.allocate(columnCount * plane);
    this.domain = this.layerDomain(0);
    const mark = arena.usedBytes;
    const inverseTree = arena.allocate(plane);
    const trace = arena.allocate(columnCount * plane);
    const target = { columns: trace, traceLength, rowCount };
    const publicInputs = await writeTrace(executor, air, witness, target, [
      [['bitReversedRoots', this.roots, log2Size, 0], ...domainTables(this.domain)],
      [
        ['bitReversedRoots', this.inverseRoots, log2Size, 1],
        ['twiddleTree', inverseTree, this.inverseRoots, log2Size, 1n],
      ],
    ]);
    this.writeMaskRows(trace);
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
    const width = this.input.air.columnCount;
    const salts = this.storeSalts(this.masks?.traceSalts);
    return this.commit(this.traceDomain, { coefficients: this.traceCoefficients, width, salts });
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment> {
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
    return evaluateOutOfDomain(this.executor, this.committedPolynomials, z);
  }

  async startFri([z]: OutOfDomainPoint, gamma: Ext): Promise<void> {
    const coefficients = await formDeepPolynomial(this.executor, this.committedPolynomials, z, gamma);
    this.layer = { coefficients, log2Size: this.log2Size };
  }

  async foldLayer(lambda: Ext): Promise<Uint8Array> {
    const domain = this.layerDomain(1 + (this.log2Size - this.layer.log2Size) / LOG2_FOLDING_FACTOR);
    await this.fold(lambda, domainTables(domain));
    const { coefficients } = this.layer;
    return this.commit(domain, { coefficients, width: this.degree, salts: 0 });
  }

  private get traceDomain(): CosetDomain {
    if (!this.domain) throw new Error('the trace has not been executed');
    return this.domain;
  }

  private get committedPolynomials(): CommittedPolynomials {
    if (!this.polynomials) throw new Error('the composition has not been committed to');
    return this.polynomials;
  }

  private async commit(domain: CosetDomain, columns: CommittedColumns): Promise<Uint8Array> {
    const tree = await CosetCommitment.create(this.executor, domain, columns, this.keys, this.isRetained);
    return this.keep(tree);
  }

  /** D_i of docs/stark-format.md, section 3. */
  private layerDomain(index: number): CosetDomain {
    const shift = power(goldilocks, GOLDILOCKS_GENERATOR, BigInt(FOLDING_FACTOR) ** BigInt(index));
    const log2Size = this.log2Size - LOG2_FOLDING_FACTOR * index;
    return layOutCosetDomain(this.executor, this.roots, log2Size, this.log2Blowup, shift);
  }

  protected foldCall(planes: FoldPlanes, { first, count }: WorkRange): KernelCall {
    return ['foldByEight', this.degree, ...planes, first, count];
  }
}
