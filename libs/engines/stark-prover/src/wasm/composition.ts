import {
  type Ext,
  goldilocks,
  type KernelCall,
  type KernelExecutor,
  power,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { Air } from '@svc/stark-air';
import type { ProofGeometry } from '@svc/stark-verifier';
import { kernelDegree } from './deep-polynomial.js';
import { writeMaskedChunks } from './masked-chunks.js';
import { type EvaluatedCoset, evaluateTransitions, type CompositionInput } from './transition-evaluation.js';
import { workRanges } from './work-ranges.js';

/** Cosets that a composition is interpolated from: degree 3 with masking rows. The kernels know no more. */
const COSETS_MAX = 3;

/** Multiples of N that hold the coefficients of the transition constraints' quotient. */
export function compositionCosetCount(
  { constraintDegree }: Pick<Air, 'constraintDegree'>,
  { traceLength, rowCount }: Pick<ProofGeometry, 'traceLength' | 'rowCount'>,
): number {
  const excludedRows = traceLength - rowCount + 1;
  const degree = constraintDegree * (traceLength - 1) + excludedRows - traceLength;
  return Math.floor(degree / traceLength) + 1;
}

/**
 * The coefficients of the composition's columns: the chunks C_0 … C_(K−1), masked in zero knowledge, and then the random
 * polynomial; one column a coordinate.
 *
 * The transition part is evaluated on a few cosets and taken back to coefficients modulo X^N − shift^N on each; as X^N is
 * a constant there, the whole follows by interpolation in X^N. The boundary part needs no evaluation at all: each quotient
 * by X − h^row is a synthetic division of coefficients, of degree below N.
 * @returns their address
 */
export async function computeComposition(executor: KernelExecutor, input: CompositionInput): Promise<number> {
  const { air, geometry, boundary, alpha, domain, masks } = input;
  const { extension } = geometry.profile;
  const cosetCount = compositionCosetCount(air, geometry);
  if (cosetCount > COSETS_MAX) {
    throw new RangeError(`constraintDegree must be at most ${COSETS_MAX}, got ${air.constraintDegree}`);
  }
  const { arena } = executor;
  const plane = 8 << domain.log2Size;
  const columns = arena.allocate(geometry.compositionColumnCount * extension.degree * plane);
  const mark = arena.usedBytes;
  // Without masks, the chunks are the coefficients as they come, N at a time.
  const whole = masks ? arena.allocate(cosetCount * extension.degree * plane) : columns;
  const transitionCount = air.transitionNames.length;
  const weights = powers(extension, alpha, transitionCount + boundary.length);
  const transitionWeights = weights.slice(0, transitionCount);
  const cosets = await evaluateTransitions(executor, input, cosetCount, transitionWeights, whole);
  await interpolate(executor, input, cosets, whole);
  await addBoundaryQuotients(executor, input, weights.slice(transitionCount), whole);
  if (masks) writeMaskedChunks(executor, geometry, masks, cosetCount, whole, columns);
  arena.release(mark);
  return columns;
}

/** From evaluations on cosets to coefficients, in place: those from c·N on replace the coset c. */
async function interpolate(
  executor: KernelExecutor,
  { geometry, domain, inverseRoots }: CompositionInput,
  cosets: readonly EvaluatedCoset[],
  whole: number,
): Promise<void> {
  const { arena } = executor;
  const { log2Size } = domain;
  const { degree } = geometry.profile.extension;
  const plane = 8 << log2Size;
  const mark = arena.usedBytes;
  const trees = cosets.map(() => arena.allocate(plane));
  await executor.run(
    cosets.map(
      ({ shift }, c) => ['twiddleTree', trees[c], inverseRoots, log2Size, goldilocks.inverse(shift)] as const,
    ),
  );
  const coordinates = Array.from({ length: degree }, (_, i) =>
    cosets.map((_, c) => whole + (degree * c + i) * plane),
  );
  await executor.run(
    coordinates.flatMap(planes => planes.map((at, c) => ['inverseNtt', at, log2Size, trees[c]] as const)),
  );
  const constants = cosets.map(({ shift }) => power(goldilocks, shift, BigInt(2 ** log2Size)));
  await splitResidues(executor, coordinates, constants, 2 ** log2Size);
  arena.release(mark);
}

/** Of each coordinate, residues modulo X^N − y_c for several constants y_c to the coefficients. */
async function splitResidues(
  executor: KernelExecutor,
  coordinates: readonly (readonly number[])[],
  constants: readonly bigint[],
  size: number,
): Promise<void> {
  const [y0, y1, y2] = constants;
  const inverseDifference = (a: bigint, b: bigint) => goldilocks.inverse(goldilocks.sub(a, b));
  if (constants.length === 2) {
    const inverse = inverseDifference(y1, y0);
    await executor.run(
      coordinates.map(([r0, r1]) => ['splitTwoResidues', r0, r1, y0, inverse, size] as const),
    );
  } else if (constants.length === 3) {
    const table = executor.arena.store([
      y0,
      inverseDifference(y1, y0),
      inverseDifference(y2, y0),
      inverseDifference(y2, y1),
      goldilocks.mul(y0, y1),
      goldilocks.add(y0, y1),
    ]);
    await executor.run(
      coordinates.map(([r0, r1, r2]) => ['splitThreeResidues', r0, r1, r2, table, size] as const),
    );
  }
}

/** Adds Σ_j α^(T+j)·(f_j(X) − value_j)/(X − h^row_j), one division for each distinct row. */
async function addBoundaryQuotients(
  executor: KernelExecutor,
  { boundary, geometry, domain, traceCoefficients }: CompositionInput,
  weights: readonly Ext[],
  target: number,
): Promise<void> {
  const { arena } = executor;
  const degree = kernelDegree(geometry.profile.extension);
  const size = 2 ** domain.log2Size;
  const plane = 8 * size;
  const mark = arena.usedBytes;
  const ranges = workRanges(size, executor.concurrency);
  const coordinates = Array.from({ length: degree }, (_, i) => i);
  const sums: KernelCall[] = [];
  const divisions: KernelCall[] = [];
  const additions: KernelCall[][] = coordinates.map(() => []);
  for (const row of new Set(boundary.map(constraint => constraint.row))) {
    const terms = boundary.flatMap(({ column, row: own }, j) =>
      own === row ? [{ column, weight: weights[j] }] : [],
    );
    const columns = arena.storeWords(terms.map(({ column }) => traceCoefficients + column * plane));
    const rowWeights = arena.store(terms.flatMap(({ weight }) => weight));
    const numerator = arena.allocate(degree * plane);
    for (const { first, count } of ranges) {
      sums.push([
        'combineColumns',
        degree,
        numerator,
        plane,
        columns,
        terms.length,
        rowWeights,
        first,
        count,
        0,
      ]);
    }
    // The values only shift the constant coefficient, which reaches nothing but the remainder: zero in a valid trace.
    const point = power(goldilocks, rootOfUnity(domain.log2Size), BigInt(row));
    for (const i of coordinates) {
      divisions.push(['divideByLinearBase', numerator + i * plane, point, size]);
      additions[i].push(['vectorAdd', target + i * plane, target + i * plane, numerator + i * plane, size]);
    }
  }
  await executor.run(sums);
  await executor.run(divisions);
  await executor.run(additions);
  arena.release(mark);
}
