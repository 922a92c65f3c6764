import { type Ext, goldilocks, type KernelExecutor, powers, reverseBits } from '@svc/kernels';
import { type Air, checkOwnTrace, ownAir, type TraceCheck } from '@svc/stark-air';
import { PROFILE_FACTS, profileOf } from '@svc/stark-verifier';
import { storeProgram } from '../wasm/stored-program.js';

/** Points that the constraint kernel takes at a time. */
const BLOCK_POINTS = 32;
const { degree: DEGREE } = profileOf('gl3').extension;

/**
 * A check of traces over Goldilocks whose constraints the kernels evaluate, all of a row as one sum that is weighed by powers of a random
 * element of the cubic extension: a row that breaks one is missed with a chance below 2^−180. What breaks is then looked at as any check does.
 */
export function kernelCheck(executor: KernelExecutor): TraceCheck {
  return (definition, columns, publicInputs, rows, rowCount) => {
    if (definition.field !== PROFILE_FACTS.gl3.base)
      return checkOwnTrace(definition, columns, publicInputs, rows, rowCount);
    const air = ownAir(definition, publicInputs) as Air;
    const suspect = firstBrokenRow(executor, air, columns as readonly BigUint64Array[], rowCount) ?? rowCount;
    return checkOwnTrace(definition, columns, publicInputs, rows, rowCount, suspect);
  };
}

/** The first row of `rowCount`, but for the last, at which a constraint is not zero. */
function firstBrokenRow(
  executor: KernelExecutor,
  air: Air,
  columns: readonly BigUint64Array[],
  rowCount: number,
): number | undefined {
  const { arena, kernels } = executor;
  const log2Size = Math.max(Math.log2(BLOCK_POINTS), Math.ceil(Math.log2(rowCount)));
  const size = 2 ** log2Size;
  const plane = 8 * size;
  const mark = arena.usedBytes;
  try {
    const natural = arena.allocate(plane);
    const reversed = arena.allocate(columns.length * plane);
    columns.forEach((column, c) => {
      arena.elements(natural, size).fill(0n).set(column);
      kernels.bitReverseCopy(reversed + c * plane, natural, log2Size);
    });
    const selector = arena.allocate(plane);
    arena.elements(selector, size).fill(1n);
    const out = arena.allocate(DEGREE * plane);
    const { extension } = profileOf('gl3');
    const program = storeProgram(executor, air);
    const tables = air.periodicColumns.flatMap(values => [arena.store(values), values.length - 1]);
    const job = arena.storeWords([
      ...[reversed, plane, columns.length, log2Size],
      ...[arena.storeWords(tables), air.periodicColumns.length],
      ...program,
      arena.store(powers(extension, randomElement(), air.transitionNames.length).flat()),
      ...[selector, out, plane, DEGREE],
    ]);
    kernels.evaluateConstraints(job, 0, size / BLOCK_POINTS);
    return firstNonZero(arena.elements(out, DEGREE * size), log2Size, rowCount - 1);
  } finally {
    arena.release(mark);
  }
}

/** The least row below `end` of which a plane has something but 0, planes being in bit-reversed order. */
function firstNonZero(planes: BigUint64Array, log2Size: number, end: number): number | undefined {
  const size = 2 ** log2Size;
  let first = end;
  planes.forEach((value, at) => {
    if (value !== 0n) first = Math.min(first, reverseBits(at % size, log2Size));
  });
  return first < end ? first : undefined;
}

/** An element of the extension that the author of a definition could not foresee. */
function randomElement(): Ext {
  const words = globalThis.crypto.getRandomValues(new BigUint64Array(DEGREE));
  return [...words].map(word => word % goldilocks.modulus);
}
