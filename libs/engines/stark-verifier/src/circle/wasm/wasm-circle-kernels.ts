import { type Ext, type KernelExecutor, log2Exact, qm31 } from '@svc/kernels';
import { FOLDING_FACTOR } from '../../profile-facts.js';
import type {
  CircleDeepInput,
  CircleVerifierKernels,
  ConjugateLine,
  OpenedLeaves,
} from '../circle-kernels.js';

const ELEMENT_BYTES = 16;
const POINT_BYTES = 8;
const COORDINATES = 4;
const TWIDDLES_PER_LEAF = 7;
const WORKSPACE_BYTES_PER_ROW = 32;

/** The verifier's loops of profile 3 on the WebAssembly kernels. What a call allocates it gives back. */
export function wasmCircleKernels({ arena, kernels }: Kernels): CircleVerifierKernels {
  const memory = new KernelMemory({ arena, kernels });
  return {
    deepValues: input => memory.scoped(() => deepValues(memory, input)),
    foldLeaves: (values, opened, lambda) => memory.scoped(() => foldLeaves(memory, values, opened, lambda)),
    lineValues: (coefficients, lineSize, positions) =>
      memory.scoped(() => lineValues(memory, coefficients, lineSize, positions)),
  };
}

type Kernels = Pick<KernelExecutor, 'arena' | 'kernels'>;

/** Kernel memory, and what all calls put there. */
class KernelMemory {
  readonly arena: Kernels['arena'];
  readonly kernels: Kernels['kernels'];

  constructor({ arena, kernels }: Kernels) {
    this.arena = arena;
    this.kernels = kernels;
  }

  /** Runs `work` and takes back what it allocated. */
  scoped<T>(work: () => T): T {
    const mark = this.arena.usedBytes;
    try {
      return work();
    } finally {
      this.arena.release(mark);
    }
  }

  storeElements(elements: readonly Ext[]): number {
    return this.arena.storeWords(elements.flat().map(Number));
  }

  /** Points of a layer at positions; `log2Start` is that of the order of the first. */
  storePoints(positions: readonly number[], shift: number, log2Start: number): number {
    const points = this.arena.allocate(POINT_BYTES * positions.length);
    this.kernels.circlePointsAt(points, this.arena.storeWords(positions), positions.length, shift, log2Start);
    return points;
  }

  /** First points of leaves: on the circle a position is half of what the group is stepped by. */
  storeLeafPoints({ layer, layerSize, leaves }: OpenedLeaves): number {
    const log2Size = log2Exact(layerSize);
    return layer === 0
      ? this.storePoints(leaves, 2, log2Size + 1)
      : this.storePoints(leaves, 3, log2Size + 2);
  }

  /** A copy of QM31 elements. */
  readElements(at: number, count: number): Uint32Array {
    return this.arena.words(at, COORDINATES * count).slice();
  }
}

function deepValues(memory: KernelMemory, input: CircleDeepInput): Uint32Array {
  const { arena, kernels } = memory;
  const { leaves, columnCount, compositionColumnCount, current, next } = input;
  const rowCount = FOLDING_FACTOR * leaves.length;
  const first = memory.storeLeafPoints({ layer: 0, layerSize: input.domainSize, leaves });
  const points = arena.allocate(POINT_BYTES * rowCount);
  kernels.circleLeafPoints(points, first, leaves.length);
  const out = arena.allocate(ELEMENT_BYTES * rowCount);
  kernels.circleDeepRows(
    out,
    arena.storeWords(input.traceRows),
    columnCount,
    arena.storeWords(input.compositionRows),
    COORDINATES * compositionColumnCount,
    points,
    rowCount,
    memory.storeElements(input.gammaPowers),
    arena.storeWords([current, next].flatMap(deepPointWords)),
    arena.allocate(WORKSPACE_BYTES_PER_ROW * rowCount),
  );
  return memory.readElements(out, rowCount);
}

function foldLeaves(
  memory: KernelMemory,
  values: Uint32Array,
  opened: OpenedLeaves,
  lambda: Ext,
): Uint32Array {
  const { arena, kernels } = memory;
  const count = opened.leaves.length;
  const points = memory.storeLeafPoints(opened);
  // Inverses are taken in groups of eight: the last group is filled up with ones.
  const length = 8 * Math.ceil((TWIDDLES_PER_LEAF * count) / 8);
  const twiddles = arena.allocate(4 * length);
  const inverses = arena.allocate(4 * length);
  arena.words(twiddles, length).fill(1);
  kernels.circleLeafTwiddles(twiddles, points, count, opened.layer === 0 ? 0 : 1);
  kernels.m31BatchInverse(inverses, twiddles, length);
  const out = arena.allocate(ELEMENT_BYTES * count);
  kernels.circleFoldLeaves(out, arena.storeWords(values), inverses, memory.storeElements([lambda]), count);
  return memory.readElements(out, count);
}

function lineValues(
  memory: KernelMemory,
  coefficients: Uint32Array,
  lineSize: number,
  positions: readonly number[],
): Uint32Array {
  const points = memory.storePoints(positions, 0, log2Exact(lineSize) + 2);
  const out = memory.arena.allocate(ELEMENT_BYTES * positions.length);
  const source = memory.arena.storeWords(coefficients);
  const log2Length = log2Exact(coefficients.length / qm31.degree);
  memory.kernels.circleLineValues(out, source, log2Length, points, positions.length);
  return memory.readElements(out, positions.length);
}

/**
 * The sixteen words of a DeepPoint (kernels, assembly/circle-deep.ts): the line through ζ and its conjugate,
 * x·Im ζ_y − y·Im ζ_x + (Re ζ_y·Im ζ_x − Re ζ_x·Im ζ_y), its real and its imaginary part, and the line of the values.
 */
export function deepPointWords({ point: { x, y }, constant, slope }: ConjugateLine): number[] {
  const { complex } = qm31;
  const [reX, imX, reY, imY] = [x.slice(0, 2), x.slice(2), y.slice(0, 2), y.slice(2)];
  const alongY = complex.sub(complex.zero, imX);
  const offset = complex.sub(complex.mul(reY, imX), complex.mul(reX, imY));
  const lines = [0, 1].flatMap(part => [imY[part], alongY[part], offset[part]]);
  return [...lines, 0n, 0n, ...constant, ...slope].map(Number);
}
