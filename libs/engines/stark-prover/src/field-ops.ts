import type { Air, OperationCount } from '@svc/stark-air';
import { FOLDING_FACTOR, type ProofGeometry, type ProofParameters, proofGeometry } from '@svc/stark-verifier';
import { circleFieldOperations } from './circle/circle-field-ops.js';
import { count, inversions, NO_OPERATIONS, sum, times } from './operation-count.js';
import { quotientSize } from './quotient-tables.js';

/** a^(p−2) over Goldilocks: 63 squarings and 63 products. */
const BASE_INVERSE = count(0, 126);

/** Base-field cost of an extension's operations; see the classes that implement them. */
interface ExtensionCosts {
  readonly degree: number;
  readonly add: OperationCount;
  readonly scale: OperationCount;
  readonly mul: OperationCount;
  readonly inverse: OperationCount;
}

const COSTS: Readonly<Record<number, ExtensionCosts>> = {
  2: {
    degree: 2,
    add: count(2, 0),
    scale: count(0, 2),
    mul: count(2, 5),
    inverse: sum(count(2, 5), BASE_INVERSE),
  },
  3: {
    degree: 3,
    add: count(3, 0),
    scale: count(0, 3),
    mul: count(8, 9),
    inverse: sum(count(7, 12), BASE_INVERSE),
  },
};

/**
 * Base-field operations of the reference prover, in closed form: running the computation,
 * extensions, constraints, masking, opening values, DEEP and folding. Grinding and hashing are no field operations; tables that
 * depend on the parameters alone are not counted.
 */
export function fieldOperations<PublicInputs>(
  air: Air<PublicInputs>,
  publicInputs: PublicInputs,
  parameters: ProofParameters,
): OperationCount {
  const geometry = proofGeometry(parameters, air);
  if (geometry.profile.facts.domain === 'circle') return circleFieldOperations(air, publicInputs, geometry);
  const { traceLength, rowCount, domainSize, columnCount, compositionColumnCount, foldCount } = geometry;
  const costs = COSTS[geometry.profile.extension.degree];
  const extendTrace = sum(interpolation(traceLength, 1), evaluation(traceLength, domainSize, 1));
  const outOfDomain = sum(
    costs.scale,
    times(2 * (traceLength - 2), costs.mul),
    times(2 * columnCount * traceLength, sum(costs.scale, costs.add)),
    times(compositionColumnCount * traceLength, sum(costs.mul, costs.add)),
  );
  return sum(
    air.executionOperations(rowCount, publicInputs),
    times(columnCount, extendTrace),
    composition(air, publicInputs, geometry, costs),
    outOfDomain,
    deep(domainSize, columnCount, compositionColumnCount, costs),
    fri(domainSize, foldCount, costs),
  );
}

function composition<PublicInputs>(
  air: Air<PublicInputs>,
  publicInputs: PublicInputs,
  geometry: ProofGeometry,
  costs: ExtensionCosts,
): OperationCount {
  const { traceLength, rowCount, domainSize, columnCount, chunkCount, chunkMaskLength } = geometry;
  const boundary = air.boundaryConstraints(publicInputs, rowCount);
  const boundaryRowCount = new Set(boundary.map(({ row }) => row)).size;
  const size = quotientSize(air, geometry);
  const atPoint = sum(
    air.transitionOperations,
    times(air.transitionNames.length, sum(costs.scale, costs.add)),
    costs.scale,
    times(boundary.length, sum(count(1, 0), costs.scale, costs.add)),
    times(boundaryRowCount, sum(costs.scale, costs.add)),
  );
  const rowDivisors = sum(times(size, count(1, 0)), inversions(size, count(0, 1), BASE_INVERSE));
  const extendForConstraints = size > domainSize ? evaluation(traceLength, size, 1) : NO_OPERATIONS;
  // Chunks reach N coefficients only with their masks.
  const chunkLength = rowCount + chunkMaskLength;
  return sum(
    times(air.transitionNames.length + boundary.length - 2, costs.mul),
    times(boundaryRowCount, rowDivisors),
    times(columnCount, extendForConstraints),
    times(size, atPoint),
    interpolation(size, costs.degree),
    times(size, costs.scale),
    times((chunkCount - 1) * chunkMaskLength, costs.add),
    times(geometry.compositionColumnCount, evaluation(chunkLength, domainSize, costs.degree)),
  );
}

function deep(
  domainSize: number,
  columnCount: number,
  compositionColumnCount: number,
  costs: ExtensionCosts,
): OperationCount {
  const challenge = sum(
    costs.scale,
    times(columnCount + compositionColumnCount - 1, costs.mul),
    times(2 * columnCount + compositionColumnCount, sum(costs.mul, costs.add)),
  );
  const atPoint = sum(
    times(2, costs.add),
    times(columnCount, sum(costs.scale, costs.add)),
    times(compositionColumnCount, sum(costs.mul, costs.add)),
    times(2, sum(costs.add, costs.mul)),
    costs.mul,
    costs.add,
  );
  return sum(challenge, inversions(2 * domainSize, costs.mul, costs.inverse), times(domainSize, atPoint));
}

function fri(domainSize: number, foldCount: number, costs: ExtensionCosts): OperationCount {
  const pair = sum(times(3, costs.add), times(2, costs.scale), costs.mul);
  let total = NO_OPERATIONS;
  let size = domainSize;
  for (let layer = 0; layer < foldCount; layer++) {
    total = sum(total, times(size - size / FOLDING_FACTOR, pair), times(2, costs.mul));
    size /= FOLDING_FACTOR;
  }
  return sum(total, interpolation(size, costs.degree), times(size, costs.scale));
}

// An NTT of elements of `width` base elements.
function transform(size: number, width: number): OperationCount {
  const butterflies = (size / 2) * Math.log2(size);
  return count(2 * width * butterflies, width * butterflies);
}

// Evaluations on a coset: one scaling a coefficient, then an NTT.
function evaluation(length: number, size: number, width: number): OperationCount {
  return sum(count(0, width * length), transform(size, width));
}

// An inverse NTT: one scaling an element more.
function interpolation(size: number, width: number): OperationCount {
  return sum(transform(size, width), count(0, width * size));
}
