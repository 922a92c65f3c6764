import {
  type Cubic,
  cubicExtension,
  cubicsFromWords,
  type KernelCall,
  type KernelExecutor,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { OutOfDomainValues } from '@svc/stark-verifier';
import { workRanges } from './work-ranges.js';

const EXTENSION_DEGREE = 3;
const PHI: Cubic = [0n, 1n, 0n];

/** The committed polynomials, by their coefficients. */
export interface CommittedPolynomials {
  readonly log2Size: number;
  readonly columnCount: number;
  /** Address of the trace's columns. */
  readonly trace: number;
  readonly chunkCount: number;
  /** Address of the chunks, three columns each. */
  readonly chunks: number;
}

/** The point that the next row is opened at: h·z. */
export function nextPoint(z: Cubic, log2Size: number): Cubic {
  return cubicExtension.scale(z, rootOfUnity(log2Size));
}

/** Section 7 of docs/stark-proof-format.md: each polynomial's dot product with the powers of its point. */
export async function evaluateOutOfDomain(
  executor: KernelExecutor,
  polynomials: CommittedPolynomials,
  z: Cubic,
): Promise<OutOfDomainValues> {
  const { log2Size, columnCount, trace, chunkCount, chunks } = polynomials;
  const { arena } = executor;
  const mark = arena.usedBytes;
  const size = 2 ** log2Size;
  const plane = 8 * size;
  const points = [z, nextPoint(z, log2Size)];
  const tables = points.map(() => arena.allocate(EXTENSION_DEGREE * plane));
  await executor.run(points.map((x, i) => ['cubicPowers', tables[i], plane, ...x, size] as const));

  const evaluate = (columns: number, width: number, table: number) => {
    const out = arena.allocate(24 * width);
    const calls = Array.from({ length: width }, (_, c): KernelCall => {
      return ['evaluateAtPowers', out + 24 * c, columns + c * plane, plane, 1, table, plane, size];
    });
    return { out, width, calls };
  };
  const groups = [
    evaluate(trace, columnCount, tables[0]),
    evaluate(trace, columnCount, tables[1]),
    evaluate(chunks, EXTENSION_DEGREE * chunkCount, tables[0]),
  ];
  await executor.run(groups.flatMap(group => group.calls));
  const [traceAtZ, traceAtZNext, planesAtZ] = groups.map(({ out, width }) =>
    cubicsFromWords(arena.elements(out, EXTENSION_DEGREE * width)),
  );
  arena.release(mark);
  return { traceAtZ, traceAtZNext, chunksAtZ: joinPlanes(planesAtZ) };
}

/** An extension polynomial's value from those of its three base columns: p0 + φ·p1 + φ²·p2. */
function joinPlanes(values: readonly Cubic[]): Cubic[] {
  const f = cubicExtension;
  return Array.from({ length: values.length / EXTENSION_DEGREE }, (_, k) => {
    const [p0, p1, p2] = values.slice(EXTENSION_DEGREE * k, EXTENSION_DEGREE * (k + 1));
    return f.add(p0, f.mul(PHI, f.add(p1, f.mul(PHI, p2))));
  });
}

/**
 * The coefficients of the DEEP polynomial (section 8), three columns: both quotients are synthetic divisions whose
 * remainders are the out-of-domain values.
 * @returns their address
 */
export async function formDeepPolynomial(
  executor: KernelExecutor,
  polynomials: CommittedPolynomials,
  z: Cubic,
  gamma: Cubic,
): Promise<number> {
  const { log2Size, columnCount, trace, chunkCount, chunks } = polynomials;
  const { arena } = executor;
  const size = 2 ** log2Size;
  const plane = 8 * size;
  const deep = arena.allocate(EXTENSION_DEGREE * plane);
  const mark = arena.usedBytes;
  const atNext = arena.allocate(EXTENSION_DEGREE * plane);
  arena.bytes(deep, EXTENSION_DEGREE * plane).fill(0);
  arena.bytes(atNext, EXTENSION_DEGREE * plane).fill(0);
  const gammas = powers(cubicExtension, gamma, columnCount + chunkCount + 1);
  const weights = gammas.map(weight => arena.store(weight));
  const traceWeights = arena.store(gammas.slice(0, columnCount).flat());
  const columns = arena.storeWords(Array.from({ length: columnCount }, (_, c) => trace + c * plane));
  const ranges = workRanges(size, executor.concurrency);

  await executor.run(
    ranges.map(
      ({ first, count }) =>
        ['accumulateColumns', atNext, plane, columns, columnCount, traceWeights, first, count] as const,
    ),
  );
  const addScaled = (input: number, weight: number): KernelCall[] =>
    ranges.map(({ first, count }) => ['accumulateScaled', deep, plane, input, plane, weight, first, count]);
  await executor.run(addScaled(atNext, arena.store(cubicExtension.one)));
  for (let k = 0; k < chunkCount; k++) {
    await executor.run(addScaled(chunks + k * EXTENSION_DEGREE * plane, weights[columnCount + k]));
  }
  await executor.run([
    ['divideByLinear', deep, plane, ...z, size],
    ['divideByLinear', atNext, plane, ...nextPoint(z, log2Size), size],
  ]);
  await executor.run(addScaled(atNext, weights[columnCount + chunkCount]));
  arena.release(mark);
  return deep;
}
