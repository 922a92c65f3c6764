import {
  type CirclePoint,
  doubleX,
  type Ext,
  type KernelCall,
  type KernelExecutor,
  log2Exact,
  nextRowStep,
  qm31,
  translatePoint,
} from '@svc/kernels';
import {
  circleDeepChallenge,
  deepPointWords,
  type OutOfDomainPoint,
  type OutOfDomainValues,
  type ProofGeometry,
} from '@svc/stark-verifier';
import { runTasks } from '../../wasm/small-work.js';
import type { TwinCoset } from './circle-twiddles.js';

/** The committed polynomials by the addresses of their coefficients, N each. */
export interface CircleColumns {
  readonly trace: readonly number[];
  /** Four coordinate columns a composition column. */
  readonly composition: readonly number[];
}

/** A part of the basis this long stays in the innermost cache, times four coordinates. */
const LOG2_LOW_MAX = 10;
const ELEMENT_BYTES = 16;

/** Values at z and at the next row's point: dot products with the circle basis there, a tensor product in two parts. */
export async function evaluateCircleOutOfDomain(
  executor: KernelExecutor,
  { traceLength, columnCount }: ProofGeometry,
  { trace, composition }: CircleColumns,
  [x, y]: OutOfDomainPoint,
): Promise<OutOfDomainValues> {
  const { arena } = executor;
  const mark = arena.usedBytes;
  const log2Size = log2Exact(traceLength);
  const z = { x, y };
  const next = translatePoint(qm31, z, nextRowStep(traceLength));
  const groups = [
    { columns: [...trace, ...composition], basis: await storeBasis(executor, log2Size, z) },
    { columns: trace, basis: await storeBasis(executor, log2Size, next) },
  ];
  const outs = groups.map(({ columns }) => arena.allocate(ELEMENT_BYTES * columns.length));
  await runTasks(
    executor,
    2 * traceLength * (trace.length + composition.length),
    groups.flatMap(({ columns, basis }, g) =>
      columns.map((column, i): KernelCall => ['qm31Evaluate', outs[g] + ELEMENT_BYTES * i, column, ...basis]),
    ),
  );
  const [atZ, traceAtZNext] = groups.map(({ columns }, g) => readElements(executor, outs[g], columns.length));
  arena.release(mark);
  return {
    traceAtZ: atZ.slice(0, columnCount),
    traceAtZNext,
    compositionAtZ: atZ.slice(columnCount),
  };
}

/** The last arguments of qm31Evaluate: low planes and their plane, log2 of a low part, high planes and their plane, parts. */
type BasisArguments = readonly [number, number, number, number, number, number];

async function storeBasis(
  { arena, kernels }: KernelExecutor,
  log2Size: number,
  point: CirclePoint<Ext>,
): Promise<BasisArguments> {
  const factors: Ext[] = [point.y, point.x];
  while (factors.length < log2Size) factors.push(doubleX(qm31, factors[factors.length - 1]));
  const log2Low = Math.min(LOG2_LOW_MAX, log2Size);
  const parts = 2 ** (log2Size - log2Low);
  const lowPlane = 4 << log2Low;
  const highPlane = Math.max(16, 4 * parts);
  const [low, high] = [arena.allocate(4 * lowPlane), arena.allocate(4 * highPlane)];
  const at = storeElements({ arena }, factors);
  kernels.qm31TensorBasis(low, lowPlane, at, log2Low);
  kernels.qm31TensorBasis(high, highPlane, at + ELEMENT_BYTES * log2Low, log2Size - log2Low);
  return [low, lowPlane, log2Low, high, highPlane, parts];
}

/** What the DEEP polynomial is made of. */
export interface CircleDeepInput {
  readonly geometry: ProofGeometry;
  readonly point: OutOfDomainPoint;
  readonly gamma: Ext;
  readonly values: OutOfDomainValues;
  /** Addresses of the columns' values on the twin-coset of N points. */
  readonly evaluations: CircleColumns;
  readonly coset: TwinCoset;
  /** Inverse twiddles of that twin-coset. */
  readonly inverses: TwinCoset;
}

const DEEP_BLOCK_POSITIONS = 512;
/** Blocks that a task takes: many enough to be worth handing out. */
const DEEP_BLOCKS_PER_TASK = 8;

/**
 * The coefficients of the DEEP polynomial, four planes: it is of N coefficients, so that its values on one twin-coset give them.
 * @returns their address
 */
export async function formCircleDeepPolynomial(
  executor: KernelExecutor,
  { geometry, point, gamma, values, evaluations, coset, inverses }: CircleDeepInput,
): Promise<number> {
  const { arena } = executor;
  const { traceLength } = geometry;
  const columnCount = evaluations.trace.length + evaluations.composition.length;
  const plane = 4 * traceLength;
  const out = arena.allocate(4 * plane);
  const mark = arena.usedBytes;
  const { gammaPowers, current, next } = circleDeepChallenge(qm31, geometry, point, gamma, values);
  const log2Size = log2Exact(traceLength);
  const job = arena.storeWords([
    arena.storeWords([...evaluations.trace, ...evaluations.composition]),
    evaluations.trace.length,
    evaluations.composition.length,
    storeElements(executor, gammaPowers),
    coset.tree,
    coset.root,
    log2Size,
    arena.storeWords([current, next].flatMap(deepPointWords)),
    out,
    plane,
  ]);
  const blocks = Math.max(1, traceLength / DEEP_BLOCK_POSITIONS);
  const tasks: KernelCall[] = [];
  for (let first = 0; first < blocks; first += DEEP_BLOCKS_PER_TASK) {
    tasks.push(['circleDeep', job, first, Math.min(DEEP_BLOCKS_PER_TASK, blocks - first)]);
  }
  await runTasks(executor, 3 * traceLength * (16 + columnCount), tasks);
  await runTasks(
    executor,
    32 * traceLength,
    [0, 1, 2, 3].map(
      c => ['circleInverseFft', out + c * plane, log2Size, inverses.tree, inverses.root] as const,
    ),
  );
  arena.release(mark);
  return out;
}

/** Stores QM31 elements one after the other. @returns their address */
export function storeElements({ arena }: Pick<KernelExecutor, 'arena'>, elements: readonly Ext[]): number {
  return arena.storeWords(elements.flat().map(Number));
}

/** Reads QM31 elements one after the other. */
export function readElements({ arena }: Pick<KernelExecutor, 'arena'>, at: number, count: number): Ext[] {
  const words = arena.words(at, 4 * count);
  return Array.from({ length: count }, (_, i) => Array.from(words.subarray(4 * i, 4 * i + 4), BigInt));
}
