import type { Air, OperationCount } from '@svc/stark-air';
import { FOLDING_FACTOR, type ProofGeometry } from '@svc/stark-verifier';
import { count, inversions, NO_OPERATIONS, sum, times } from '../operation-count.js';
import { chunkDigits } from './chunk-digits.js';
import { circleQuotientSize } from './quotient-domain.js';

/** a^(p−2) over M31: 30 squarings and 30 products. */
const BASE_INVERSE = count(0, 60);
const COMPLEX_ADD = count(2, 0);
const COMPLEX_MUL = count(2, 4);
const COMPLEX_INVERSE = sum(count(2, 4), BASE_INVERSE);
const DEGREE = 4;
const ADD = count(4, 0);
const SCALE = count(0, 4);
const SCALE_COMPLEX = count(4, 8);
const MUL = count(16, 16);
/** A point over the extension and one over the base, added. */
const TRANSLATE = sum(times(4, SCALE), times(2, ADD));

/** As `fieldOperations`, of a proof of profile 3. */
export function circleFieldOperations<PublicInputs>(
  air: Air<PublicInputs>,
  publicInputs: PublicInputs,
  geometry: ProofGeometry,
): OperationCount {
  const { traceLength, rowCount, domainSize, columnCount } = geometry;
  return sum(
    air.executionOperations(rowCount, publicInputs),
    times(columnCount, sum(interpolation(traceLength, 1), transform(domainSize, 1))),
    composition(air, publicInputs, geometry),
    outOfDomain(geometry),
    deep(geometry),
    fri(geometry),
  );
}

function composition<PublicInputs>(
  air: Air<PublicInputs>,
  publicInputs: PublicInputs,
  geometry: ProofGeometry,
): OperationCount {
  const { traceLength, rowCount, domainSize, columnCount, chunkCount, chunkMaskLength } = geometry;
  const boundary = air.boundaryConstraints(publicInputs, rowCount);
  const boundaryRowCount = new Set(boundary.map(({ row }) => row)).size;
  const transitionCount = air.transitionNames.length;
  const size = circleQuotientSize(air, geometry);
  const atPoint = sum(
    air.transitionOperations,
    times(transitionCount, sum(SCALE, ADD)),
    SCALE,
    times(boundary.length, sum(count(1, 0), SCALE, ADD)),
    times(boundaryRowCount, sum(SCALE, ADD)),
  );
  // Where the point stands as seen from the row, and (1 + x')/y' from it.
  const rowDivisors = sum(times(size, count(3, 5)), inversions(size, count(0, 1), BASE_INVERSE));
  const digits = chunkMaskLength > 0 ? chunkDigits(chunkCount).flat() : [];
  const digitCount = digits.filter(digit => digit !== 0n).length;
  return sum(
    times(transitionCount + boundary.length - 2, MUL),
    times(columnCount, transform(size, 1)),
    times(boundaryRowCount, rowDivisors),
    times(size, atPoint),
    interpolation(size, DEGREE),
    times((digitCount * traceLength) / 4, sum(SCALE, ADD)),
    times((chunkCount - 1) * chunkMaskLength, ADD),
    times(geometry.compositionColumnCount, transform(domainSize, DEGREE)),
  );
}

function outOfDomain({ traceLength, columnCount, compositionColumnCount }: ProofGeometry): OperationCount {
  const log2 = Math.log2(traceLength);
  const basis = sum(times(log2 - 2, sum(MUL, times(2, ADD))), times(traceLength - 1 - log2, MUL));
  const polynomialCount = 2 * columnCount + DEGREE * compositionColumnCount;
  return sum(TRANSLATE, times(2, basis), times(polynomialCount * traceLength, sum(SCALE, ADD)));
}

function deep({ domainSize, columnCount, compositionColumnCount }: ProofGeometry): OperationCount {
  const functionCount = columnCount + DEGREE * compositionColumnCount;
  const line = sum(times(2, COMPLEX_MUL), COMPLEX_ADD, times(2, sum(SCALE_COMPLEX, ADD)));
  const challenge = sum(
    TRANSLATE,
    times(functionCount - 1, MUL),
    times(2, COMPLEX_INVERSE),
    times(functionCount + columnCount, line),
  );
  const vanishing = sum(times(3, COMPLEX_ADD), times(2, COMPLEX_MUL));
  const atPoint = sum(
    times(2, vanishing),
    times(functionCount, sum(SCALE, ADD)),
    times(2, sum(SCALE, ADD, ADD, SCALE_COMPLEX)),
    MUL,
    ADD,
  );
  return sum(challenge, inversions(2 * domainSize, COMPLEX_MUL, COMPLEX_INVERSE), times(domainSize, atPoint));
}

function fri({ domainSize, foldCount }: ProofGeometry): OperationCount {
  const pair = sum(times(3, ADD), times(2, SCALE), MUL);
  let total = NO_OPERATIONS;
  let size = domainSize;
  for (let layer = 0; layer < foldCount; layer++) {
    total = sum(total, times(size - size / FOLDING_FACTOR, pair), times(2, MUL));
    size /= FOLDING_FACTOR;
  }
  return sum(total, interpolation(2 * size, DEGREE));
}

// A circle FFT of elements of `width` base elements.
function transform(size: number, width: number): OperationCount {
  const butterflies = (size / 2) * Math.log2(size);
  return count(2 * width * butterflies, width * butterflies);
}

// An inverse circle FFT: one scaling an element more.
function interpolation(size: number, width: number): OperationCount {
  return sum(transform(size, width), count(0, width * size));
}
