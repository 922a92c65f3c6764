import type { CosetDomain } from './coset-domain.js';
import type { CosetCommitment } from './coset-commitment.js';
import type { ZeroKnowledgeMasks } from '../masks.js';
import type { ProofGeometry } from '@svc/stark-verifier';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import {
  type Ext,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  type KernelCall,
  type KernelExecutor,
  power,
  rootOfUnity,
} from '@svc/kernels';
import { kernelDegree } from './deep-polynomial.js';
import { excludedRowsPolynomial } from './excluded-rows.js';
import { periodicTables } from './periodic-tables.js';
import { storeProgram } from './stored-program.js';
import { workRanges } from './work-ranges.js';

/** What the composition polynomial is made from. */
export interface CompositionInput {
  readonly air: Air;
  readonly geometry: ProofGeometry;
  readonly boundary: readonly BoundaryConstraint[];
  readonly alpha: Ext;
  readonly masks: ZeroKnowledgeMasks | undefined;
  readonly trace: CosetCommitment;
  /** Coefficients of the trace's columns. */
  readonly traceCoefficients: number;
  readonly domain: CosetDomain;
  /** Inverted bitReversedRoots of the trace's length. */
  readonly inverseRoots: number;
}

/** Points that the constraint kernel takes at a time. */
const BLOCK_POINTS = 32;

/** A coset shift·H that constraints have been evaluated on. */
export interface EvaluatedCoset {
  readonly shift: bigint;
}

interface EvaluationCoset extends EvaluatedCoset {
  /** Its place among the cosets of the extension, or after them. */
  readonly index: number;
  /** Address of its twiddle tree. */
  readonly tree: number;
}

/**
 * Evaluates Σ α^i·c_i·E/(X^N − 1), E the excluded rows' polynomial, on as many cosets as its degree asks for: those of the
 * low-degree extension while they last, then one beside it.
 * @param out address of the results: for each coset, one plane a coordinate
 * @param weights the powers of α
 */
export async function evaluateTransitions(
  executor: KernelExecutor,
  input: CompositionInput,
  cosetCount: number,
  weights: readonly Ext[],
  out: number,
): Promise<readonly EvaluatedCoset[]> {
  const { air, geometry, trace, domain } = input;
  const { arena } = executor;
  const mark = arena.usedBytes;
  const { log2Size } = domain;
  const plane = 8 << log2Size;
  const size = 2 ** log2Size;
  const degree = kernelDegree(geometry.profile.extension);
  const cosets = await layOutCosets(executor, input, cosetCount);
  const divisors = await evaluateDivisors(executor, input, cosets);
  const program = storeProgram(executor, air);
  const weightsAt = arena.store(weights.flat());
  const ranges = workRanges(size, executor.concurrency);
  const pending: KernelCall[] = [];
  for (const [i, coset] of cosets.entries()) {
    const columns =
      coset.index < domain.shifts.length
        ? await trace.coset(coset.index)
        : await extendTrace(executor, input, coset);
    const job = arena.storeWords([
      columns,
      plane,
      air.columnCount,
      log2Size,
      storePeriodicTables(executor, input, coset.shift),
      air.periodicColumns.length,
      ...program,
      weightsAt,
      divisors[i],
      out + i * degree * plane,
      plane,
      degree,
    ]);
    for (const { first, count } of ranges) {
      pending.push(['evaluateConstraints', job, first / BLOCK_POINTS, count / BLOCK_POINTS]);
    }
    if (!trace.isRetained) await executor.run(pending.splice(0));
  }
  await executor.run(pending);
  arena.release(mark);
  return cosets;
}

async function layOutCosets(
  executor: KernelExecutor,
  { domain }: CompositionInput,
  cosetCount: number,
): Promise<EvaluationCoset[]> {
  const { log2Size, log2Blowup, shifts, roots, trees } = domain;
  const cosets = shifts.slice(0, cosetCount).map((shift, index) => ({ index, shift, tree: trees[index] }));
  for (let index = cosets.length; index < cosetCount; index++) {
    // An odd power of a root of larger order: on no coset of the extension.
    const root = power(
      goldilocks,
      rootOfUnity(log2Size + log2Blowup + 1),
      BigInt(2 * (index - cosets.length) + 1),
    );
    const shift = goldilocks.mul(GOLDILOCKS_GENERATOR, root);
    const tree = executor.arena.allocate(8 << log2Size);
    await executor.run([['twiddleTree', tree, roots, log2Size, shift]]);
    cosets.push({ index, shift, tree });
  }
  return cosets;
}

/** Addresses of E(x) / (x^N − 1) on each coset; the denominator is a constant there. */
async function evaluateDivisors(
  executor: KernelExecutor,
  { geometry, domain }: CompositionInput,
  cosets: readonly EvaluationCoset[],
): Promise<number[]> {
  const { arena } = executor;
  const { log2Size } = domain;
  const size = 2 ** log2Size;
  const excluded = excludedRowsPolynomial(log2Size, geometry.rowCount);
  const addresses = cosets.map(({ shift }) => {
    const constant = power(goldilocks, shift, BigInt(size));
    const inverse = goldilocks.inverse(goldilocks.sub(constant, goldilocks.one));
    const at = arena.allocate(8 * size);
    const values = arena.elements(at, size).fill(0n);
    excluded.forEach((coefficient, k) => (values[k] = goldilocks.mul(coefficient, inverse)));
    return at;
  });
  await executor.run(
    cosets.map(({ tree }, i) => ['ntt', addresses[i], addresses[i], log2Size, tree] as const),
  );
  return addresses;
}

async function extendTrace(
  executor: KernelExecutor,
  { air, domain, traceCoefficients }: CompositionInput,
  { tree }: EvaluationCoset,
): Promise<number> {
  const { log2Size } = domain;
  const plane = 8 << log2Size;
  const at = executor.arena.allocate(air.columnCount * plane);
  await executor.run(
    Array.from(
      { length: air.columnCount },
      (_, c) => ['ntt', at + c * plane, traceCoefficients + c * plane, log2Size, tree] as const,
    ),
  );
  return at;
}

/** Address of pairs (table, period − 1); a table holds the periodic column on the coset, in the order of its points. */
function storePeriodicTables(
  { arena }: KernelExecutor,
  { air, domain }: CompositionInput,
  shift: bigint,
): number {
  const tables = periodicTables(air, domain.log2Size, shift);
  return arena.storeWords(tables.flatMap(table => [arena.store(table), table.length - 1]));
}
