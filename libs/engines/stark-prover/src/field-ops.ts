import type { Air, OperationCount } from '@svc/stark-air';
import { FOLDING_FACTOR, type ProofParameters, proofGeometry } from '@svc/stark-verifier';

const NONE: OperationCount = { additions: 0, multiplications: 0 };
const EXTENSION_ADD = count(3, 0);
const EXTENSION_SCALE = count(0, 3);
const EXTENSION_MUL = count(8, 9);
/** a^(p−2): 63 squarings and 63 products. */
const BASE_INVERSE = count(0, 126);
const EXTENSION_INVERSE = count(7, 12 + 126);

/**
 * Base-field operations of the reference prover, in closed form: running the computation, extensions, constraints, opening
 * values, DEEP and folding. Grinding and hashing are no field operations; tables that depend on the parameters alone are
 * not counted.
 */
export function fieldOperations<PublicInputs>(
  air: Air<PublicInputs>,
  publicInputs: PublicInputs,
  parameters: ProofParameters,
): OperationCount {
  const { traceLength, domainSize, columnCount, chunkCount, foldCount } = proofGeometry(parameters, air);
  const boundary = air.boundaryConstraints(publicInputs, traceLength);
  const rowCount = new Set(boundary.map(({ row }) => row)).size;
  const quotientSize = 2 ** Math.ceil(Math.log2(chunkCount)) * traceLength;

  const extendTrace = sum(
    interpolation(traceLength, 1),
    times(traceLength, count(0, 1)),
    transform(domainSize, 1),
  );
  const atQuotientPoint = sum(
    air.transitionOperations,
    times(air.transitionNames.length, sum(EXTENSION_SCALE, EXTENSION_ADD)),
    EXTENSION_SCALE,
    times(boundary.length, sum(count(1, 0), EXTENSION_SCALE, EXTENSION_ADD)),
    times(rowCount, sum(EXTENSION_SCALE, EXTENSION_ADD)),
  );
  const rowDivisors = sum(
    times(quotientSize, count(1, 0)),
    inversions(quotientSize, count(0, 1), BASE_INVERSE),
  );
  const composition = sum(
    times(air.transitionNames.length + boundary.length - 2, EXTENSION_MUL),
    times(rowCount, rowDivisors),
    times(quotientSize, atQuotientPoint),
    interpolation(quotientSize, 3),
    times(quotientSize, EXTENSION_SCALE),
    times(chunkCount, sum(times(traceLength, EXTENSION_SCALE), transform(domainSize, 3))),
  );
  const outOfDomain = sum(
    EXTENSION_SCALE,
    times(2 * (traceLength - 2), EXTENSION_MUL),
    times(2 * columnCount * traceLength, sum(EXTENSION_SCALE, EXTENSION_ADD)),
    times(chunkCount * traceLength, sum(EXTENSION_MUL, EXTENSION_ADD)),
  );
  return sum(
    air.executionOperations(traceLength),
    times(columnCount, extendTrace),
    composition,
    outOfDomain,
    deep(domainSize, columnCount, chunkCount),
    fri(domainSize, foldCount),
  );
}

function deep(domainSize: number, columnCount: number, chunkCount: number): OperationCount {
  const challenge = sum(
    EXTENSION_SCALE,
    times(columnCount + chunkCount - 1, EXTENSION_MUL),
    times(2 * columnCount + chunkCount, sum(EXTENSION_MUL, EXTENSION_ADD)),
  );
  const atPoint = sum(
    times(2, EXTENSION_ADD),
    times(columnCount, sum(EXTENSION_SCALE, EXTENSION_ADD)),
    times(chunkCount, sum(EXTENSION_MUL, EXTENSION_ADD)),
    times(2, sum(EXTENSION_ADD, EXTENSION_MUL)),
    EXTENSION_MUL,
    EXTENSION_ADD,
  );
  return sum(
    challenge,
    inversions(2 * domainSize, EXTENSION_MUL, EXTENSION_INVERSE),
    times(domainSize, atPoint),
  );
}

function fri(domainSize: number, foldCount: number): OperationCount {
  const pair = sum(times(3, EXTENSION_ADD), times(2, EXTENSION_SCALE), EXTENSION_MUL);
  let total = NONE;
  let size = domainSize;
  for (let layer = 0; layer < foldCount; layer++) {
    total = sum(total, times(size - size / FOLDING_FACTOR, pair), times(2, EXTENSION_MUL));
    size /= FOLDING_FACTOR;
  }
  return sum(total, interpolation(size, 3), times(size, EXTENSION_SCALE));
}

// An NTT of elements of `width` base elements.
function transform(size: number, width: number): OperationCount {
  const butterflies = (size / 2) * Math.log2(size);
  return count(2 * width * butterflies, width * butterflies);
}

// An inverse NTT: one scaling an element more.
function interpolation(size: number, width: number): OperationCount {
  return sum(transform(size, width), count(0, width * size));
}

// Montgomery's trick.
function inversions(size: number, multiplication: OperationCount, inversion: OperationCount): OperationCount {
  return sum(times(3 * (size - 1), multiplication), inversion);
}

function count(additions: number, multiplications: number): OperationCount {
  return { additions, multiplications };
}

function times(factor: number, { additions, multiplications }: OperationCount): OperationCount {
  return count(factor * additions, factor * multiplications);
}

function sum(...counts: readonly OperationCount[]): OperationCount {
  return counts.reduce(
    (total, { additions, multiplications }) =>
      count(total.additions + additions, total.multiplications + multiplications),
    NONE,
  );
}
