import {
  type BaseField,
  batchInverse,
  type CirclePoint,
  evaluateOnCircle,
  type Ext,
  inverseCircleFft,
  m31,
  negatePoint,
  type QM31Extension,
  tracePoint,
  translatePoint,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import type { ProofGeometry } from '@svc/stark-verifier';
import { sumConstraints } from '../constraint-sum.js';
import { maskVectors, type ZeroKnowledgeMasks } from '../masks.js';
import { chunkDigits } from './chunk-digits.js';
import { circleQuotientTables } from './quotient-domain.js';

/** What the composition polynomial is made from. */
export interface CircleCompositionInput {
  readonly air: Air;
  readonly geometry: ProofGeometry;
  readonly boundary: readonly BoundaryConstraint[];
  readonly alpha: Ext;
  /** Coefficients of the trace's columns. */
  readonly coefficients: readonly (readonly bigint[])[];
  readonly masks: ZeroKnowledgeMasks | undefined;
}

/** The composition tree's columns, N coefficients each, and what the chunks have no room for. */
export interface CircleComposition {
  readonly columns: readonly (readonly Ext[])[];
  readonly overflow: readonly Ext[];
}

/** Chunks of the composition polynomial, masked and followed by the random polynomial in zero knowledge. */
export function circleComposition(
  field: BaseField,
  extension: QM31Extension,
  input: CircleCompositionInput,
): CircleComposition {
  const { geometry, masks } = input;
  const { traceLength, chunkCount, chunkMaskLength, overflowLength } = geometry;
  const composition = inverseCircleFft(extension, evaluateConstraints(field, extension, input));
  const room = chunkCount * traceLength;
  if (!masks) {
    const columns = Array.from({ length: chunkCount }, (_, k) =>
      composition.slice(k * traceLength, (k + 1) * traceLength),
    );
    return { columns, overflow: composition.slice(room, room + overflowLength) };
  }
  const chunks = splitByDigits(extension, composition, traceLength / 4, chunkCount);
  const chunkMasks = maskVectors(masks.chunkMasks, extension.degree, chunkMaskLength);
  const randomPolynomial = maskVectors(masks.randomPolynomial, extension.degree, traceLength);
  return { columns: [...maskChunks(extension, chunks, chunkMasks), ...randomPolynomial], overflow: [] };
}

// C = Σ_k σ^k·C_k: every block of N/4 coefficients of C goes to the places that its digits name.
function splitByDigits(
  e: QM31Extension,
  composition: readonly Ext[],
  quarter: number,
  chunkCount: number,
): Ext[][] {
  const chunks = Array.from({ length: chunkCount }, () => new Array<Ext>(4 * quarter).fill(e.zero));
  chunkDigits(chunkCount).forEach((digits, h) => {
    const block = composition.slice(h * quarter, (h + 1) * quarter);
    digits.forEach((digit, place) => {
      if (digit === 0n) return;
      const chunk = chunks[Math.floor(place / 3)];
      const start = (place % 3) * quarter;
      block.forEach((c, i) => (chunk[start + i] = e.add(chunk[start + i], e.scale(c, digit))));
    });
  });
  return chunks;
}

/** C_k + σ·r_k − r_(k−1): the masks cancel in Σ σ^k·C_k, and σ·b_j = b_(3N/4 + j). */
export function maskChunks(
  e: QM31Extension,
  chunks: readonly Ext[][],
  masks: readonly (readonly Ext[])[],
): Ext[][] {
  return chunks.map((chunk, k) => {
    const masked = [...chunk];
    if (k > 0) masks[k - 1].forEach((value, j) => (masked[j] = e.sub(masked[j], value)));
    if (k + 1 < chunks.length) {
      const start = (3 * chunk.length) / 4;
      masks[k].forEach((value, j) => (masked[start + j] = value));
    }
    return masked;
  });
}

// The composition polynomial on the standard coset that its degree needs.
function evaluateConstraints(field: BaseField, e: QM31Extension, input: CircleCompositionInput): Ext[] {
  const { air, geometry } = input;
  const { size, points, nextPositions, periodic, transitionDivisors } = circleQuotientTables(air, geometry);
  const columns = input.coefficients.map(column => evaluateOnCircle(field, column, size));
  return sumConstraints(field, e, input, {
    size,
    frameAt: position => ({
      current: columns.map(column => column[position]),
      next: columns.map(column => column[nextPositions[position]]),
      periodic: periodic.map(column => column[position]),
    }),
    transitionDivisors,
    rowDivisors: row => poleFactors(field, points, tracePoint(geometry.traceLength, row)),
  });
}

// (1 + x')/y' with (x', y') = point − row: a simple pole at the row.
function poleFactors(
  field: BaseField,
  points: readonly CirclePoint<bigint>[],
  row: CirclePoint<bigint>,
): bigint[] {
  const relative = points.map(point => translatePoint(field, point, negatePoint(m31, row)));
  const inverses = batchInverse(
    field,
    relative.map(({ y }) => y),
  );
  return relative.map(({ x }, i) => field.mul(field.add(x, 1n), inverses[i]));
}
