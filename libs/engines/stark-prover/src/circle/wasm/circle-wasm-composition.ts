import {
  circleGenerator,
  doubleX,
  type Ext,
  type KernelCall,
  type KernelExecutor,
  log2Exact,
  m31,
  M31_MODULUS,
  powers,
  qm31,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import type { ProofGeometry } from '@svc/stark-verifier';
import type { ZeroKnowledgeMasks } from '../../masks.js';
import { runTasks } from '../../wasm/small-work.js';
import { chunkDigits } from '../chunk-digits.js';
import { circleCompositionLength } from '../quotient-domain.js';
import type { CircleCommitment } from './circle-commitment.js';
import {
  BLOCK_POSITIONS,
  type ConstraintInput,
  type EvaluationPair,
  evaluateComposition,
} from './circle-constraint-evaluation.js';
import {
  type CircleDomain,
  cosetStart,
  createInverseTwiddles,
  createTwiddles,
  nodeValue,
  pairOf,
  type TwinCoset,
} from './circle-twiddles.js';

const COORDINATES = [0, 1, 2, 3] as const;

/** What the composition polynomial is made from. */
export interface CircleCompositionInput {
  readonly air: Air;
  readonly geometry: ProofGeometry;
  readonly boundary: readonly BoundaryConstraint[];
  readonly alpha: Ext;
  readonly masks: ZeroKnowledgeMasks | undefined;
  readonly trace: CircleCommitment;
  /** Addresses of the coefficients of the trace's columns. */
  readonly traceCoefficients: readonly number[];
  readonly domain: CircleDomain;
  /** Inverse twiddles of the domain's first pair. */
  readonly inverses: TwinCoset;
}

/** The composition tree's columns by the addresses of their coefficients, four a QM31 column, and what they have no room for. */
export interface CircleWasmComposition {
  readonly columns: readonly number[];
  readonly overflow: readonly Ext[];
}

/**
 * The composition's coefficients. Values on the first pair of the domain give them modulo v_2N − κ; those from 2N on, few without
 * zero knowledge and at most N/4 with it, follow from the first positions of another pair.
 */
export async function computeCircleComposition(
  executor: KernelExecutor,
  input: CircleCompositionInput,
): Promise<CircleWasmComposition> {
  const { arena } = executor;
  const { geometry, masks, air } = input;
  const { traceLength, chunkCount, overflowLength } = geometry;
  const plane = 8 * traceLength;
  const planes = arena.allocate(4 * plane);
  const weights = powers(qm31, input.alpha, air.transitionNames.length + input.boundary.length);
  const constraints: ConstraintInput = { ...input, weights };
  const first = await domainPair(input, 0);
  await evaluateComposition(executor, constraints, first, 2 * traceLength, planes);
  const log2Pair = log2Exact(2 * traceLength);
  const { tree, root } = input.inverses;
  await runTasks(
    executor,
    64 * traceLength,
    COORDINATES.map(c => ['circleInverseFft', planes + c * plane, log2Pair, tree, root] as const),
  );

  const beyondLength = circleCompositionLength(air, geometry) - 2 * traceLength;
  const beyond =
    beyondLength > 0 ? await reduceBeyond(executor, input, constraints, planes, beyondLength) : undefined;
  if (masks) return { columns: await maskChunks(executor, input, masks, planes, beyond), overflow: [] };

  const columns = Array.from({ length: chunkCount }, (_, k) =>
    COORDINATES.map(c => planes + c * plane + 4 * k * traceLength),
  );
  const room = chunkCount * traceLength;
  const overflow = Array.from({ length: overflowLength }, (_, i) =>
    COORDINATES.map(c => {
      const at = beyond ? beyond.planes + 4 * (c * beyond.length + i) : planes + c * plane + 4 * (room + i);
      return BigInt(arena.words(at, 1)[0]);
    }),
  );
  return { columns: columns.flat(), overflow };
}

async function domainPair({ domain, trace }: CircleCompositionInput, index: number): Promise<EvaluationPair> {
  return {
    coset: pairOf(domain, index),
    start: cosetStart(domain, 2 * index),
    columns: await trace.pair(index),
    strideBytes: trace.strideBytes,
  };
}

/** A pair beside the first one: the domain's second, or where it has none, one that no domain of the proof meets. */
async function secondPair(executor: KernelExecutor, input: CircleCompositionInput): Promise<EvaluationPair> {
  const { domain, traceCoefficients } = input;
  if (domain.log2Blowup > 1) return domainPair(input, 1);
  const { arena } = executor;
  const { log2Size } = domain;
  // Of order 8N, where the domain's points are of order 4N.
  const start = circleGenerator(log2Size + 3);
  const coset = await createTwiddles(executor, log2Size + 1, start);
  const strideBytes = 8 << log2Size;
  const columns = arena.allocate(traceCoefficients.length * strideBytes);
  await executor.run(
    traceCoefficients.flatMap((source, c) =>
      [0, 1].map((half): KernelCall => {
        const at = columns + c * strideBytes + half * (strideBytes / 2);
        return ['circleFft', at, source, log2Size, coset.tree, 2 * coset.root + half];
      }),
    ),
  );
  return { coset, start, columns, strideBytes };
}

/** The coefficients from 2N on, four planes. */
interface BeyondCoefficients {
  readonly planes: number;
  /** Words of a plane. */
  readonly length: number;
}

/**
 * C = I + (v_2N − κ)·A with I interpolated on the first pair, so that on another A = (C − I)/(κ' − κ). Turns the planes of I
 * into those of C below 2N, and returns A.
 */
async function reduceBeyond(
  executor: KernelExecutor,
  input: CircleCompositionInput,
  constraints: ConstraintInput,
  planes: number,
  beyondLength: number,
): Promise<BeyondCoefficients> {
  const { arena } = executor;
  const { traceLength } = input.geometry;
  const plane = 8 * traceLength;
  const log2Pair = log2Exact(2 * traceLength);
  const log2Length = Math.ceil(Math.log2(Math.max(beyondLength, BLOCK_POSITIONS)));
  const length = 2 ** log2Length;
  const values = arena.allocate(16 * length);
  const mark = arena.usedBytes;
  const second = await secondPair(executor, input);
  await evaluateComposition(executor, constraints, second, length, values);

  const kappa = doubleX(m31, nodeValue(executor, pairOf(input.domain, 0)));
  const kappaSecond = doubleX(m31, nodeValue(executor, second.coset));
  const factor = Number(m31.inverse(m31.sub(kappaSecond, kappa)));
  const inverses = await createInverseTwiddles(executor, log2Length, second.start);
  const { tree, root } = second.coset;
  await runTasks(
    executor,
    8 * traceLength + 64 * length,
    COORDINATES.map((c): KernelCall[] => {
      const [source, own] = [planes + c * plane, values + 4 * c * length];
      const work = arena.allocate(plane / 2);
      return [
        ['circleFftPrefix', work, source, log2Pair, log2Length, tree, root],
        ['m31VectorSub', own, own, work, length],
        ['m31VectorScale', own, own, factor, length],
        ['circleInverseFft', own, log2Length, inverses.tree, inverses.root],
        ['m31VectorAddScaled', source, own, Number(m31.sub(0n, kappa)), length],
      ];
    }),
  );
  arena.release(mark);
  return { planes: values, length };
}

/**
 * The chunks C_k of C = Σ σ^k·C_k, by the digits of its blocks of N/4 coefficients, masked, and the random polynomial after them.
 * @returns addresses of the columns' coefficients
 */
async function maskChunks(
  executor: KernelExecutor,
  { geometry }: CircleCompositionInput,
  masks: ZeroKnowledgeMasks,
  planes: number,
  beyond: BeyondCoefficients | undefined,
): Promise<number[]> {
  const { arena } = executor;
  const { traceLength, chunkCount } = geometry;
  const [plane, quarter] = [8 * traceLength, traceLength / 4];
  const chunks = arena.allocate(16 * chunkCount * traceLength);
  arena.words(chunks, 4 * chunkCount * traceLength).fill(0);
  const columnAt = (k: number, c: number) => chunks + 4 * traceLength * (4 * k + c);
  const blockAt = (h: number, c: number) => {
    if (h < 8) return { at: planes + c * plane + 4 * h * quarter, count: quarter };
    return beyond && { at: beyond.planes + 4 * c * beyond.length, count: beyond.length };
  };
  await runTasks(
    executor,
    16 * traceLength,
    COORDINATES.map(c =>
      chunkDigits(chunkCount).flatMap((digits, h) => {
        const block = blockAt(h, c);
        if (!block) return [];
        return digits.flatMap((digit, place): KernelCall[] => {
          if (digit === 0n) return [];
          const target = columnAt(Math.floor(place / 3), c) + 4 * (place % 3) * quarter;
          return [['m31VectorAddScaled', target, block.at, Number(digit), block.count]];
        });
      }),
    ),
  );
  for (let k = 0; k + 1 < chunkCount; k++) {
    for (const c of COORDINATES)
      addMask(executor, geometry, masks, k, c, [columnAt(k, c), columnAt(k + 1, c)]);
  }
  const randomPolynomial = arena.storeWords(masks.randomPolynomial as Uint32Array);
  const columnCount = 4 * (chunkCount + 1);
  return Array.from({ length: columnCount }, (_, i) =>
    i < 4 * chunkCount
      ? columnAt(Math.floor(i / 4), i % 4)
      : randomPolynomial + 4 * traceLength * (i - 4 * chunkCount),
  );
}

// C_k + σ·r_k, where σ·b_j = b_(3N/4 + j) and no coefficient stands yet, and C_(k+1) − r_k.
function addMask(
  { arena }: KernelExecutor,
  { traceLength, chunkMaskLength }: ProofGeometry,
  { chunkMasks }: ZeroKnowledgeMasks,
  k: number,
  coordinate: number,
  [chunk, nextChunk]: readonly [number, number],
): void {
  const start = (4 * k + coordinate) * chunkMaskLength;
  const mask = (chunkMasks as Uint32Array).subarray(start, start + chunkMaskLength);
  arena.words(chunk + 3 * traceLength, chunkMaskLength).set(mask);
  const next = arena.words(nextChunk, chunkMaskLength);
  mask.forEach((value, j) => (next[j] = next[j] >= value ? next[j] - value : next[j] - value + P));
}

const P = Number(M31_MODULUS);
