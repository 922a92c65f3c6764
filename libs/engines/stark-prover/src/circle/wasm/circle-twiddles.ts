import {
  addPoints,
  circleGenerator,
  type CirclePoint,
  doubleX,
  type KernelCall,
  type KernelExecutor,
  m31,
  multiplyPoint,
  reverseBits,
} from '@svc/kernels';
import { runTasks } from '../../wasm/small-work.js';

/** A node of a heap of twiddles in kernel memory: a twin-coset, and every one below it (assembly/circle-fft.ts). */
export interface TwinCoset {
  /** Address of the heap. */
  readonly tree: number;
  readonly root: number;
}

/** The domain of the low-degree extension: β twin-cosets of N points, two and two neighbours a pair that +g_N maps to itself. */
export interface CircleDomain {
  /** log2 of N. */
  readonly log2Size: number;
  readonly log2Blowup: number;
  /** Address of the heap of twiddles. Lines that the domain is folded to use its upper levels. */
  readonly tree: number;
}

/** The domain's coset c, N points from position c·N on. */
export function cosetOf({ tree, log2Blowup }: CircleDomain, coset: number): TwinCoset {
  return { tree, root: 2 ** log2Blowup + coset };
}

/** The domain's pair, 2N points from position 2N·pair on. */
export function pairOf({ tree, log2Blowup }: CircleDomain, pair: number): TwinCoset {
  return { tree, root: 2 ** (log2Blowup - 1) + pair };
}

/** Where coset c begins: Q + bitrev(c)·g_(n/2). */
export function cosetStart(
  { log2Size, log2Blowup }: Omit<CircleDomain, 'tree'>,
  coset: number,
): CirclePoint<bigint> {
  const log2Domain = log2Size + log2Blowup;
  const shift = multiplyPoint(circleGenerator(log2Domain - 1), reverseBits(coset, log2Blowup));
  return addPoints(m31, circleGenerator(log2Domain + 1), shift);
}

/** The value that a node's next basis function takes on its first half; on the second it is the negative. */
export function nodeValue({ arena }: KernelExecutor, { tree, root }: TwinCoset): bigint {
  return BigInt(arena.words(tree + 4 * root, 1)[0]);
}

/** Twiddles of the domain, down from its pairs. */
export async function createCircleDomain(
  executor: KernelExecutor,
  log2Size: number,
  log2Blowup: number,
): Promise<CircleDomain> {
  const domain = { log2Size, log2Blowup, tree: executor.arena.allocate(4 << (log2Size + log2Blowup)) };
  await runTasks(
    executor,
    2 ** (log2Size + log2Blowup),
    Array.from({ length: 2 ** log2Blowup }, (_, coset) => {
      const { x, y } = cosetStart(domain, coset);
      const { tree, root } = cosetOf(domain, coset);
      return ['circleTwiddles', tree, root, log2Size, Number(x), Number(y)] as const;
    }),
  );
  for (let pair = 0; pair < 2 ** (log2Blowup - 1); pair++) {
    const value = doubleX(m31, nodeValue(executor, cosetOf(domain, 2 * pair)));
    executor.arena.words(domain.tree + 4 * pairOf(domain, pair).root, 1)[0] = Number(value);
  }
  return domain;
}

/** Elements that one call inverts: few enough for the threads to share a table, many enough to repay an inversion. */
const INVERSES_PER_CALL = 65_536;

/**
 * A heap of the inverse twiddles of the twin-coset of 2^log2Size points that begins at `start`; its root is node 1.
 */
export async function createInverseTwiddles(
  executor: KernelExecutor,
  log2Size: number,
  start: CirclePoint<bigint>,
): Promise<TwinCoset> {
  const { arena } = executor;
  const size = 2 ** log2Size;
  const tree = arena.allocate(4 * size);
  const mark = arena.usedBytes;
  const twiddles = arena.allocate(4 * size);
  arena.words(twiddles, 1)[0] = 1;
  await runTasks(executor, size, [
    ['circleTwiddles', twiddles, 1, log2Size, Number(start.x), Number(start.y)],
  ]);
  const calls: KernelCall[] = [];
  for (let first = 0; first < size; first += INVERSES_PER_CALL) {
    const count = Math.min(INVERSES_PER_CALL, size - first);
    calls.push(['m31BatchInverse', tree + 4 * first, twiddles + 4 * first, count]);
  }
  await runTasks(executor, size, calls);
  arena.release(mark);
  return { tree, root: 1 };
}

/** Twiddles of a twin-coset by itself; its root is node 1. */
export async function createTwiddles(
  executor: KernelExecutor,
  log2Size: number,
  start: CirclePoint<bigint>,
): Promise<TwinCoset> {
  const tree = executor.arena.allocate(4 << log2Size);
  await runTasks(executor, 2 ** log2Size, [
    ['circleTwiddles', tree, 1, log2Size, Number(start.x), Number(start.y)],
  ]);
  return { tree, root: 1 };
}
