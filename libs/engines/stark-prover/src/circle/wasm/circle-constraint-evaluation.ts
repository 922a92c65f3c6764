import {
  addPoints,
  type CirclePoint,
  circleGenerator,
  doublePointTimes,
  type Ext,
  type KernelCall,
  type KernelExecutor,
  log2Exact,
  m31,
  multiplyPoint,
  negatePoint,
  qm31,
  reverseBits,
  tracePoint,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import { circlePeriodicPolynomials, evaluateCirclePeriodic, type ProofGeometry } from '@svc/stark-verifier';
import { runTasks } from '../../wasm/small-work.js';
import { storeProgram } from '../../wasm/stored-program.js';
import { workRanges } from '../../wasm/work-ranges.js';
import { storeElements } from './circle-openings.js';
import { exclusionPolynomial } from './exclusion-polynomial.js';
import { createTwiddles, nodeValue, type TwinCoset } from './circle-twiddles.js';

/** Positions that the constraint kernel takes at a time. */
export const BLOCK_POSITIONS = 64;
/** Twin-cosets below this size have no transform. */
const TRANSFORM_SIZE_MIN = 16;
/** What one transform of the exclusion covers, where its degree allows for less. */
const EXCLUSION_PART_MIN = 4096;

/** A twin-coset of 2N points that adding g_N maps to itself, and the trace's columns on it. */
export interface EvaluationPair {
  readonly coset: TwinCoset;
  /** Its first point. */
  readonly start: CirclePoint<bigint>;
  readonly columns: number;
  readonly strideBytes: number;
}

/** What the composition is evaluated from. */
export interface ConstraintInput {
  readonly air: Air;
  readonly geometry: ProofGeometry;
  readonly boundary: readonly BoundaryConstraint[];
  /** Powers of α, one a constraint, those of the boundary last. */
  readonly weights: readonly Ext[];
}

/**
 * The composition polynomial at the first `count` positions of a pair.
 * @param out address of four planes of `count` words
 */
export async function evaluateComposition(
  executor: KernelExecutor,
  input: ConstraintInput,
  pair: EvaluationPair,
  count: number,
  out: number,
): Promise<void> {
  const { arena } = executor;
  const mark = arena.usedBytes;
  const { air, geometry, weights } = input;
  const selector = await evaluateSelector(executor, geometry, pair, count);
  const groups = await storeBoundaryGroups(executor, input, pair, count);
  const job = arena.storeWords([
    pair.columns,
    pair.strideBytes,
    air.columnCount,
    log2Exact(2 * geometry.traceLength),
    await storePeriodicTables(executor, air, geometry, pair),
    air.periodicColumns.length,
    ...storeProgram(executor, air),
    storeElements(executor, weights.slice(0, air.transitionNames.length)),
    selector,
    out,
    4 * count,
    ...groups,
  ]);
  await runTasks(
    executor,
    count * (air.columnCount + air.transitionNames.length) * 3,
    workRanges(count, executor.concurrency).map(
      range =>
        ['circleConstraints', job, range.first / BLOCK_POSITIONS, range.count / BLOCK_POSITIONS] as const,
    ),
  );
  arena.release(mark);
}

/**
 * The exclusion over v_N: on the halves of a pair v_N is a constant and its negative. The exclusion is of so few coefficients
 * that it is transformed part by part.
 * @returns the address of `count` values
 */
async function evaluateSelector(
  executor: KernelExecutor,
  geometry: ProofGeometry,
  { coset }: EvaluationPair,
  count: number,
): Promise<number> {
  const { arena } = executor;
  const { traceLength } = geometry;
  const inverse = m31.inverse(nodeValue(executor, coset));
  const coefficients = exclusionPolynomial(executor, geometry);
  const part = Math.max(coefficients.length, Math.min(count, traceLength, EXCLUSION_PART_MIN));
  const sources = [inverse, m31.sub(0n, inverse)].map(factor => {
    const at = arena.allocate(4 * part);
    arena
      .words(at, part)
      .fill(0)
      .set(coefficients.map(value => Number(m31.mul(value, factor))));
    return at;
  });
  const out = arena.allocate(4 * count);
  const root = (coset.root * 2 * traceLength) / part;
  await runTasks(
    executor,
    8 * count,
    Array.from({ length: count / part }, (_, i): KernelCall => {
      const source = sources[i * part < traceLength ? 0 : 1];
      return ['circleFft', out + 4 * i * part, source, log2Exact(part), coset.tree, root + i];
    }),
  );
  return out;
}

/** The address of the BoundaryGroups (assembly/circle-constraints.ts), one a row, and their number. */
async function storeBoundaryGroups(
  executor: KernelExecutor,
  { air, geometry, boundary, weights }: ConstraintInput,
  pair: EvaluationPair,
  count: number,
): Promise<[address: number, count: number]> {
  const { arena } = executor;
  const log2Pair = log2Exact(2 * geometry.traceLength);
  const ownWeights = weights.slice(air.transitionNames.length);
  const rows = [...new Set(boundary.map(({ row }) => row))];
  const calls: KernelCall[] = [];
  const groups = rows.map(row => {
    const terms = boundary.flatMap((constraint, j) =>
      constraint.row === row ? [{ ...constraint, weight: ownWeights[j] }] : [],
    );
    const constant = terms.reduce(
      (sum, { value, weight }) => qm31.add(sum, qm31.scale(weight, value)),
      qm31.zero,
    );
    const factor = arena.allocate(4 * count);
    const { x, y } = tracePoint(geometry.traceLength, row);
    const ranges = workRanges(count, executor.concurrency);
    const log2Part = log2Exact(ranges[0].count);
    const root = pair.coset.root * 2 ** (log2Pair - log2Part);
    ranges.forEach(({ first }, i) => {
      const part = [log2Part, pair.coset.tree, root + i] as const;
      calls.push(['circleRowFactor', factor + 4 * first, ...part, Number(x), Number(y)]);
    });
    return [
      arena.storeWords(terms.map(({ column }) => pair.columns + column * pair.strideBytes)),
      terms.length,
      storeElements(
        executor,
        terms.map(({ weight }) => weight),
      ),
      storeElements(executor, [constant]),
      factor,
    ];
  });
  await runTasks(executor, 5 * count * rows.length, calls);
  return [arena.storeWords(groups.flat()), rows.length];
}

/** Address of pairs (table, period − 1): a table holds the column's values at the steps t = 0, 1, … of the pair, then at their negatives. */
async function storePeriodicTables(
  executor: KernelExecutor,
  air: Air,
  { traceLength }: ProofGeometry,
  pair: EvaluationPair,
): Promise<number> {
  const transforms = new Map<number, TwinCoset>();
  const words: number[] = [];
  for (const coefficients of circlePeriodicPolynomials(air)) {
    const period = coefficients.length;
    if (2 * period < TRANSFORM_SIZE_MIN) {
      const values = periodicValuesNaive(coefficients, traceLength, pair.start);
      words.push(executor.arena.storeWords(values.map(Number)), period - 1);
      continue;
    }
    const coset =
      transforms.get(period) ??
      (await createTwiddles(
        executor,
        log2Exact(2 * period),
        doublePointTimes(m31, pair.start, log2Exact(traceLength / period)),
      ));
    transforms.set(period, coset);
    words.push(storePeriodicTable(executor, coefficients, coset), period - 1);
  }
  return executor.arena.storeWords(words);
}

function storePeriodicTable(
  { arena, kernels }: KernelExecutor,
  coefficients: readonly bigint[],
  { tree, root }: TwinCoset,
): number {
  const period = coefficients.length;
  const log2Size = log2Exact(2 * period);
  const table = arena.allocate(8 * period);
  const mark = arena.usedBytes;
  const values = arena.allocate(8 * period);
  arena
    .words(values, 2 * period)
    .fill(0)
    .set(coefficients.map(Number));
  kernels.circleFft(values, values, log2Size, tree, root);
  const [from, to] = [arena.words(values, 2 * period), arena.words(table, 2 * period)];
  for (let t = 0; t < period; t++) {
    const position = 2 * reverseBits(t, log2Size - 1);
    to[t] = from[position];
    to[period + t] = from[position + 1];
  }
  arena.release(mark);
  return table;
}

function periodicValuesNaive(
  coefficients: readonly bigint[],
  traceLength: number,
  start: CirclePoint<bigint>,
): bigint[] {
  const step = circleGenerator(log2Exact(traceLength));
  const points = coefficients.map((_, t) => addPoints(m31, start, multiplyPoint(step, t)));
  return [...points, ...points.map(point => negatePoint(m31, point))].map(point =>
    evaluateCirclePeriodic(m31, coefficients, traceLength, point),
  );
}
