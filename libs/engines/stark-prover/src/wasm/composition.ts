import {
  type Cubic,
  cubicExtension,
  evaluateOnCoset,
  goldilocks,
  inverseNtt,
  type KernelCall,
  type KernelExecutor,
  power,
  powers,
  rootOfUnity,
  SCRATCH_BYTES,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import { compileConstraints, type ConstraintProgram, INSTRUCTION_WORDS } from './constraint-program.js';
import type { CosetCommitment } from './coset-commitment.js';
import type { CosetDomain } from './coset-domain.js';
import { workRanges } from './work-ranges.js';

/** Points that the constraint kernel takes at a time. */
const BLOCK_POINTS = 32;
/** Chunks of a composition of constraints of degree 3: the kernels split no further. */
const CHUNKS_MAX = 2;
const EXTENSION_DEGREE = 3;

/** What the composition polynomial is made from. */
export interface CompositionInput {
  readonly air: Air;
  readonly boundary: readonly BoundaryConstraint[];
  readonly alpha: Cubic;
  readonly trace: CosetCommitment;
  /** Coefficients of the trace's columns. */
  readonly traceCoefficients: number;
  readonly domain: CosetDomain;
  /** Inverted bitReversedRoots of the trace's length. */
  readonly inverseRoots: number;
}

const programs = new WeakMap<Air, ConstraintProgram>();

/** K of docs/stark-proof-format.md, section 6. */
export function chunkCountOf(air: Air): number {
  return Math.max(1, air.constraintDegree - 1);
}

/**
 * The coefficients of the chunks C_0 … C_(K−1), three columns each.
 *
 * The transition part is evaluated on K cosets and taken back to coefficients modulo X^N − shift^N on each; as X^N is a
 * constant there, the chunks follow by interpolation in X^N. The boundary part needs no evaluation at all: each quotient
 * by X − h^row is a synthetic division of coefficients, and belongs to C_0.
 * @returns their address
 */
export async function computeComposition(executor: KernelExecutor, input: CompositionInput): Promise<number> {
  const { air, boundary, alpha, domain } = input;
  const chunkCount = chunkCountOf(air);
  if (chunkCount > CHUNKS_MAX) {
    throw new RangeError(`constraintDegree must be at most ${CHUNKS_MAX + 1}, got ${air.constraintDegree}`);
  }
  const { arena } = executor;
  const plane = 8 << domain.log2Size;
  const chunks = arena.allocate(chunkCount * EXTENSION_DEGREE * plane);
  const mark = arena.usedBytes;
  const weights = powers(cubicExtension, alpha, air.transitionNames.length + boundary.length);
  const transitionWeights = arena.store(weights.slice(0, air.transitionNames.length).flat());
  for (let coset = 0; coset < chunkCount; coset++) {
    await evaluateTransitions(
      executor,
      input,
      transitionWeights,
      coset,
      chunks + coset * EXTENSION_DEGREE * plane,
    );
  }
  await interpolateChunks(executor, input, chunkCount, chunks);
  await addBoundaryQuotients(executor, input, weights.slice(air.transitionNames.length), chunks);
  arena.release(mark);
  return chunks;
}

async function evaluateTransitions(
  executor: KernelExecutor,
  input: CompositionInput,
  weights: number,
  coset: number,
  out: number,
): Promise<void> {
  const { air, trace, domain } = input;
  const { arena } = executor;
  const program = programs.get(air) ?? compileConstraints(air);
  programs.set(air, program);
  const { instructions, constants, workingRegisterCount } = program;
  const registers = [
    air.columnCount,
    air.periodicColumns.length,
    constants.length,
    workingRegisterCount,
  ] as const;
  const scratch = executor.kernels.constraintScratchBytes(...registers);
  if (scratch > SCRATCH_BYTES) {
    throw new RangeError(
      `constraints of ${air.id} need ${scratch} bytes of registers, at most ${SCRATCH_BYTES}`,
    );
  }
  const columns = await trace.coset(coset);
  const fields = [
    columns,
    trace.strideBytes,
    air.columnCount,
    domain.log2Size,
    storePeriodicTables(executor, input, coset),
    air.periodicColumns.length,
    arena.store(constants),
    constants.length,
    arena.storeWords(instructions),
    instructions.length / INSTRUCTION_WORDS,
    workingRegisterCount,
    air.transitionNames.length,
    weights,
    domain.roots,
    out,
    8 << domain.log2Size,
    storeZerofier(executor, domain, coset),
  ];
  const job = arena.storeWords(fields);
  const ranges = workRanges(2 ** domain.log2Size, executor.concurrency);
  await executor.run(
    ranges.map(
      ({ first, count }) => ['evaluateConstraints', job, first / BLOCK_POINTS, count / BLOCK_POINTS] as const,
    ),
  );
}

/** Address of pairs (table, period − 1); a table holds the periodic column on the coset, in the order of its points. */
function storePeriodicTables(
  { arena }: KernelExecutor,
  { air, domain }: CompositionInput,
  coset: number,
): number {
  const pairs = air.periodicColumns.flatMap(values => {
    const period = values.length;
    const offset = power(goldilocks, domain.shifts[coset], BigInt(2 ** domain.log2Size / period));
    const table = evaluateOnCoset(goldilocks, inverseNtt(goldilocks, values), offset, period);
    return [arena.store(table), period - 1];
  });
  return arena.storeWords(pairs);
}

/** The coset's shift, h^(N−1), and 1 / (shift^N − 1), the inverse of the zerofier's denominator all over the coset. */
function storeZerofier({ arena }: KernelExecutor, domain: CosetDomain, coset: number): number {
  const shift = domain.shifts[coset];
  const lastRow = goldilocks.inverse(rootOfUnity(domain.log2Size));
  return arena.store([
    shift,
    lastRow,
    goldilocks.inverse(goldilocks.sub(cosetConstant(domain, coset), goldilocks.one)),
  ]);
}

/** X^N on a coset. */
function cosetConstant(domain: CosetDomain, coset: number): bigint {
  return power(goldilocks, domain.shifts[coset], BigInt(2 ** domain.log2Size));
}

/** From evaluations on K cosets to the chunks' coefficients, in place. */
async function interpolateChunks(
  executor: KernelExecutor,
  { domain, inverseRoots }: CompositionInput,
  chunkCount: number,
  chunks: number,
): Promise<void> {
  const { arena } = executor;
  const { log2Size, shifts } = domain;
  const plane = 8 << log2Size;
  const cosets = Array.from({ length: chunkCount }, (_, c) => c);
  const trees = cosets.map(() => arena.allocate(plane));
  await executor.run(
    cosets.map(
      c => ['twiddleTree', trees[c], inverseRoots, log2Size, goldilocks.inverse(shifts[c])] as const,
    ),
  );
  const planesOf = (chunk: number) => [0, 1, 2].map(i => chunks + (EXTENSION_DEGREE * chunk + i) * plane);
  await executor.run(
    cosets.flatMap(c => planesOf(c).map(at => ['inverseNtt', at, log2Size, trees[c]] as const)),
  );
  if (chunkCount === 1) return;
  const [a, b] = [cosetConstant(domain, 0), cosetConstant(domain, 1)];
  const inverseDifference = goldilocks.inverse(goldilocks.sub(a, b));
  const high = planesOf(1);
  await executor.run(
    planesOf(0).map(
      (low, i) => ['splitResidues', low, high[i], a, inverseDifference, 2 ** log2Size] as const,
    ),
  );
}

/** Adds Σ_j α^(T+j)·(f_j(X) − value_j)/(X − h^row_j) to C_0, one division for each distinct row. */
async function addBoundaryQuotients(
  executor: KernelExecutor,
  { boundary, domain, traceCoefficients }: CompositionInput,
  weights: readonly Cubic[],
  firstChunk: number,
): Promise<void> {
  const { arena } = executor;
  const size = 2 ** domain.log2Size;
  const plane = 8 * size;
  const ranges = workRanges(size, executor.concurrency);
  const sums: KernelCall[] = [];
  const divisions: KernelCall[] = [];
  const additions: KernelCall[][] = [];
  for (const row of new Set(boundary.map(constraint => constraint.row))) {
    const terms = boundary.flatMap(({ column, row: own }, j) =>
      own === row ? [{ column, weight: weights[j] }] : [],
    );
    const columns = arena.storeWords(terms.map(({ column }) => traceCoefficients + column * plane));
    const rowWeights = arena.store(terms.flatMap(({ weight }) => weight));
    const numerator = arena.allocate(EXTENSION_DEGREE * plane);
    arena.bytes(numerator, EXTENSION_DEGREE * plane).fill(0);
    for (const { first, count } of ranges) {
      sums.push(['accumulateColumns', numerator, plane, columns, terms.length, rowWeights, first, count]);
    }
    // The values only shift the constant coefficient, which reaches nothing but the remainder: zero in a valid trace.
    const point = power(goldilocks, rootOfUnity(domain.log2Size), BigInt(row));
    divisions.push(['divideByLinearBase', numerator, plane, point, size]);
    additions.push(
      [0, 1, 2].map(i => {
        const target = firstChunk + i * plane;
        return ['vectorAdd', target, target, numerator + i * plane, size] as const;
      }),
    );
  }
  await executor.run(sums);
  await executor.run(divisions);
  for (const calls of additions) await executor.run(calls);
}
