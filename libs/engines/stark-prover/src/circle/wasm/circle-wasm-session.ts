import { circleGenerator, type Ext, type KernelCall } from '@svc/kernels';
import type { OutOfDomainPoint, OutOfDomainValues } from '@svc/stark-verifier';
import type { CompositionCommitment } from '../../backend.js';
import type { ZeroKnowledgeMasks } from '../../masks.js';
import { type FoldPlanes, KernelSession } from '../../wasm/kernel-session.js';
import { runTasks } from '../../wasm/small-work.js';
import type { WorkRange } from '../../wasm/work-ranges.js';
import { CircleCommitment } from './circle-commitment.js';
import {
  type CircleColumns,
  evaluateCircleOutOfDomain,
  formCircleDeepPolynomial,
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

/**
 * A proof of profile 3 on the kernels. The DEEP polynomial is interpolated from one twin-coset of N points, so that layer 0
 * of FRI is never evaluated.
 */
export class CircleWasmSession<PublicInputs, Witness> extends KernelSession<
  PublicInputs,
  Witness,
  CircleCommitment
> {
  protected readonly foldNanoseconds = 40;
  private traceCoefficients: readonly number[] = [];
  private compositionCoefficients: readonly number[] = [];
  private tables: { readonly domain: CircleDomain; readonly inverses: TwinCoset } | undefined;

  async execute(masks?: ZeroKnowledgeMasks): Promise<PublicInputs> {
    this.masks = masks;
    const { executor, log2Size } = this;
    const { arena } = executor;
    const { air, witness } = this.input;
    const { columnCount, traceLength, rowCount } = this.geometry;
    const plane = this.planeBytes;
    const coefficients = arena.allocate(columnCount * plane);
    this.traceCoefficients = Array.from({ length: columnCount }, (_, c) => coefficients + c * plane);
    const mark = arena.usedBytes;
    const trace = arena.allocate(columnCount * plane);
    const target = { columns: trace, traceLength, rowCount };
    const publicInputs = await writeCircleTrace(executor, air, witness, target);
    this.writeMaskRows(trace);
    const { tree, root } = await createInverseTwiddles(executor, log2Size, circleGenerator(log2Size + 1));
    await runTasks(
      executor,
      8 * columnCount * traceLength,
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
    const { executor, log2Size, log2Blowup } = this;
    const domain = await createCircleDomain(executor, log2Size, log2Blowup);
    const start = circleGenerator(log2Size + log2Blowup + 1);
    this.tables = { domain, inverses: await createInverseTwiddles(executor, log2Size + 1, start) };
    return this.commit(this.traceCoefficients, log2Size, this.masks?.traceSalts);
  }

  async commitComposition(publicInputs: PublicInputs, alpha: Ext): Promise<CompositionCommitment> {
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
    const columns = { trace: this.traceCoefficients, composition: this.compositionCoefficients };
    return evaluateCircleOutOfDomain(this.executor, this.geometry, columns, point);
  }

  async startFri(point: OutOfDomainPoint, gamma: Ext, values: OutOfDomainValues): Promise<void> {
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
    await this.fold(lambda);
    const { coefficients, log2Size } = this.layer;
    return this.commit(
      [0, 1, 2, 3].map(c => coefficients + (c << (log2Size + 2))),
      log2Size,
    );
  }

  private get domainTables() {
    if (!this.tables) throw new Error('the trace has not been committed to');
    return this.tables;
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
    const columns = { coefficients, log2Length, salts: this.storeSalts(saltBytes) };
    const tree = await CircleCommitment.create(executor, this.domainTables.domain, columns, keys, isRetained);
    return this.keep(tree);
  }

  protected foldCall(planes: FoldPlanes, { first, count }: WorkRange): KernelCall {
    return ['qm31FoldByEight', ...planes, first, count];
  }
}
