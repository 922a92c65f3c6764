import {
  type BaseField,
  batchInverse,
  evaluateOnCoset,
  type Ext,
  type ExtensionField,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  interpolateOnCoset,
  log2Exact,
  power,
  rootOfUnity,
} from '@svc/kernels';
import type { Air, BoundaryConstraint } from '@svc/stark-air';
import type { ProofGeometry } from '@svc/stark-verifier';
import { sumConstraints } from './constraint-sum.js';
import { maskVectors, type ZeroKnowledgeMasks } from './masks.js';
import { quotientTables } from './quotient-tables.js';

/** What the composition polynomial is made from. */
export interface CompositionInput {
  readonly air: Air;
  readonly geometry: ProofGeometry;
  readonly boundary: readonly BoundaryConstraint[];
  readonly alpha: Ext;
  /** The trace's columns: coefficients, and evaluations on the domain of layer 0. */
  readonly coefficients: readonly (readonly bigint[])[];
  readonly extended: readonly (readonly bigint[])[];
  readonly masks: ZeroKnowledgeMasks | undefined;
}

/**
 * Coefficients of the composition tree's columns: the chunks, masked in zero knowledge, and then the random polynomial
 * (docs/stark-format.md, section 6).
 */
export function compositionColumns(
  field: BaseField,
  extension: ExtensionField,
  input: CompositionInput,
): readonly (readonly Ext[])[] {
  const evaluations = evaluateConstraints(field, extension, input);
  const composition = interpolateOnCoset(extension, evaluations, GOLDILOCKS_GENERATOR);
  const { chunkCount, rowCount, traceLength, chunkMaskLength } = input.geometry;
  const chunks = Array.from({ length: chunkCount }, (_, k) => {
    const chunk = composition.slice(k * rowCount, (k + 1) * rowCount);
    while (chunk.length < rowCount) chunk.push(extension.zero);
    return chunk;
  });
  if (!input.masks) return chunks;
  const { degree } = extension;
  const masks = maskVectors(input.masks.chunkMasks, degree, chunkMaskLength);
  const randomPolynomial = maskVectors(input.masks.randomPolynomial, degree, traceLength);
  return [...maskChunks(extension, chunks, masks), ...randomPolynomial];
}

/** C_k + X^S·r_k − r_(k−1): the masks cancel in Σ X^(k·S)·C_k. */
export function maskChunks(
  extension: ExtensionField,
  chunks: readonly (readonly Ext[])[],
  masks: readonly (readonly Ext[])[],
): Ext[][] {
  const noMask = masks[0].map(() => extension.zero);
  return chunks.map((chunk, k) => {
    const low = chunk.slice();
    if (k > 0) masks[k - 1].forEach((value, i) => (low[i] = extension.sub(low[i], value)));
    return [...low, ...(k + 1 < chunks.length ? masks[k] : noMask)];
  });
}

// The composition polynomial on the coset 7·⟨ω⟩ that its degree needs.
function evaluateConstraints(field: BaseField, extension: ExtensionField, input: CompositionInput): Ext[] {
  const { air, geometry } = input;
  const { traceLength } = geometry;
  const { size, points, periodic, transitionDivisors } = quotientTables(air, geometry);
  const rowAt = rowReader(field, input, size);
  return sumConstraints(field, extension, input, {
    size,
    frameAt: i => ({
      current: rowAt(i),
      next: rowAt((i + size / traceLength) % size),
      periodic: periodic.map(p => p[i % p.length]),
    }),
    transitionDivisors,
    rowDivisors(row) {
      const rowPoint = power(goldilocks, rootOfUnity(log2Exact(traceLength)), BigInt(row));
      return batchInverse(
        field,
        points.map(x => field.sub(x, rowPoint)),
      );
    },
  });
}

/** Rows of the trace on the coset of `size` points: every so-manieth of the extension, where that is large enough. */
function rowReader(
  field: BaseField,
  { geometry, coefficients, extended }: CompositionInput,
  size: number,
): (index: number) => bigint[] {
  const { domainSize } = geometry;
  if (size <= domainSize) return index => extended.map(column => column[(index * domainSize) / size]);
  const columns = coefficients.map(column => evaluateOnCoset(field, column, GOLDILOCKS_GENERATOR, size));
  return index => columns.map(column => column[index]);
}
