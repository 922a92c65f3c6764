import {
  type Ext,
  type ExtensionDegree,
  type ExtensionField,
  type KernelCall,
  type KernelExecutor,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { OutOfDomainValues } from '@svc/stark-verifier';
import { workRanges } from './work-ranges.js';

/** The committed polynomials, by their coefficients. */
export interface CommittedPolynomials {
  readonly extension: ExtensionField;
  readonly log2Size: number;
  readonly columnCount: number;
  /** Address of the trace's columns. */
  readonly trace: number;
  /** Chunks, and the random polynomial of a proof in zero knowledge. */
  readonly compositionColumnCount: number;
  /** Their address; each is one column a coordinate. */
  readonly composition: number;
}

/** An extension that the kernels know, by its degree. */
export function kernelDegree({ degree }: ExtensionField): ExtensionDegree {
  if (degree !== 2 && degree !== 3) throw new RangeError(`degree must be 2 or 3, got ${degree}`);
  return degree;
}

/** φ^0 … φ^(degree − 1): what the coordinate columns of an extension polynomial are weighed with. */
export function coordinateWeights(extension: ExtensionField): Ext[] {
  return extension.one.map((_, i) => extension.one.map((__, c) => (c === i ? 1n : 0n)));
}

/** The point that the next row is opened at: h·z. */
export function nextPoint({ extension, log2Size }: CommittedPolynomials, z: Ext): Ext {
  return extension.scale(z, rootOfUnity(log2Size));
}

/** Section 7 of docs/stark-format.md: each polynomial's dot product with the powers of its point. */
export async function evaluateOutOfDomain(
  executor: KernelExecutor,
  polynomials: CommittedPolynomials,
  z: Ext,
): Promise<OutOfDomainValues> {
  const { extension, log2Size, columnCount, trace, compositionColumnCount, composition } = polynomials;
  const degree = kernelDegree(extension);
  const { arena } = executor;
  const mark = arena.usedBytes;
  const size = 2 ** log2Size;
  const plane = 8 * size;
  const points = [z, nextPoint(polynomials, z)].map(x => arena.store(x));
  const tables = points.map(() => arena.allocate(degree * plane));
  await executor.run(points.map((x, i) => ['extensionPowers', degree, tables[i], plane, x, size] as const));

  const evaluate = (columns: number, width: number, table: number) => {
    const out = arena.allocate(8 * degree * width);
    const calls = Array.from({ length: width }, (_, c): KernelCall => {
      const target = out + 8 * degree * c;
      return ['evaluateAtPowers', degree, target, columns + c * plane, plane, 1, table, plane, size];
    });
    return { out, width, calls };
  };
  const groups = [
    evaluate(trace, columnCount, tables[0]),
    evaluate(trace, columnCount, tables[1]),
    evaluate(composition, degree * compositionColumnCount, tables[0]),
  ];
  await executor.run(groups.flatMap(group => group.calls));
  const [traceAtZ, traceAtZNext, planesAtZ] = groups.map(({ out, width }) =>
    elementsOf([...arena.elements(out, degree * width)], degree),
  );
  arena.release(mark);
  return { traceAtZ, traceAtZNext, compositionAtZ: joinPlanes(extension, planesAtZ) };
}

function elementsOf(words: readonly bigint[], degree: number): Ext[] {
  return Array.from({ length: words.length / degree }, (_, i) => words.slice(degree * i, degree * (i + 1)));
}

/** An extension polynomial's value from those of its coordinate columns: Σ φ^i·p_i. */
function joinPlanes(extension: ExtensionField, values: readonly Ext[]): Ext[] {
  const { degree } = extension;
  const weights = coordinateWeights(extension);
  return Array.from({ length: values.length / degree }, (_, k) =>
    weights.reduce(
      (sum, weight, i) => extension.add(sum, extension.mul(weight, values[degree * k + i])),
      extension.zero,
    ),
  );
}

/**
 * The coefficients of the DEEP polynomial (section 8), one column a coordinate: both quotients are synthetic divisions
 * whose remainders are the out-of-domain values.
 * @returns their address
 */
export async function formDeepPolynomial(
  executor: KernelExecutor,
  polynomials: CommittedPolynomials,
  z: Ext,
  gamma: Ext,
): Promise<number> {
  const { extension, log2Size, columnCount, trace, compositionColumnCount, composition } = polynomials;
  const degree = kernelDegree(extension);
  const { arena } = executor;
  const size = 2 ** log2Size;
  const plane = 8 * size;
  const deep = arena.allocate(degree * plane);
  const mark = arena.usedBytes;
  const atNext = arena.allocate(degree * plane);
  const gammas = powers(extension, gamma, columnCount + compositionColumnCount + 1);
  const coordinates = coordinateWeights(extension);
  const columnsAt = (address: number, count: number) =>
    arena.storeWords(Array.from({ length: count }, (_, c) => address + c * plane));
  const weighed = (factors: readonly Ext[]) =>
    arena.store(factors.flatMap(factor => coordinates.flatMap(phi => extension.mul(factor, phi))));

  const traceColumns = columnsAt(trace, columnCount);
  const traceWeights = arena.store(gammas.slice(0, columnCount).flat());
  const chunkWidth = degree * compositionColumnCount;
  const chunkColumns = columnsAt(composition, chunkWidth);
  const chunkWeights = weighed(gammas.slice(columnCount, -1));
  const ranges = workRanges(size, executor.concurrency);
  await executor.run(
    ranges.map(({ first, count }): KernelCall[] => [
      ['combineColumns', degree, atNext, plane, traceColumns, columnCount, traceWeights, first, count, 0],
      ['combineColumns', degree, deep, plane, chunkColumns, chunkWidth, chunkWeights, first, count, 0],
      ...coordinates.map((_, i): KernelCall => {
        const at = deep + i * plane + 8 * first;
        return ['vectorAdd', at, at, atNext + i * plane + 8 * first, count];
      }),
    ]),
  );
  await executor.run([
    ['divideByLinear', degree, deep, plane, arena.store(z), size],
    ['divideByLinear', degree, atNext, plane, arena.store(nextPoint(polynomials, z)), size],
  ]);
  const nextColumns = columnsAt(atNext, degree);
  const nextWeights = weighed(gammas.slice(-1));
  await executor.run(
    ranges.map(
      ({ first, count }) =>
        ['combineColumns', degree, deep, plane, nextColumns, degree, nextWeights, first, count, 1] as const,
    ),
  );
  arena.release(mark);
  return deep;
}
