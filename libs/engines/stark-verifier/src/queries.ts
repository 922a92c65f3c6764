import { DIGEST_BYTES, type ElementWords, type Ext, multiproofNodeCount } from '@svc/kernels';
import type { VerifierBackend } from './backend.js';
import { foldedSlots, sentBytes, withFolds } from './folded-slots.js';
import type { OutOfDomainPoint, OutOfDomainValues, ProofGeometry } from './profile.js';
import { openedLeaves } from './proof-geometry.js';
import type { ProofReader } from './proof-reader.js';
import type { RejectionReason } from './verdict.js';

/** Everything the openings are checked against. */
export interface QueryCheck {
  readonly geometry: ProofGeometry;
  /** As drawn: unordered, possibly repeated. */
  readonly positions: readonly number[];
  readonly caps: {
    readonly trace: Uint8Array;
    readonly composition: Uint8Array;
    /** Layers 1 … r − 1. */
    readonly layers: readonly Uint8Array[];
  };
  readonly point: OutOfDomainPoint;
  readonly gamma: Ext;
  readonly values: OutOfDomainValues;
  /** Folding challenges of layers 0 … r − 1. */
  readonly lambdas: readonly Ext[];
  /** Extension elements. */
  readonly finalPolynomial: ElementWords;
  /** Stands at the first opening. */
  readonly reader: ProofReader;
  readonly backend: VerifierBackend;
}

/** One tree's opening. */
interface OpeningShape {
  readonly cap: Uint8Array;
  readonly layer: number;
  readonly indices: readonly number[];
  readonly leafBytes: number;
  /** Bytes at the end of a leaf that are no elements. */
  readonly saltBytes: number;
  /** What an opening that does not lie under the cap is rejected for. */
  readonly reason: RejectionReason;
}

/**
 * Reads and authenticates the openings, derives layer 0 from the opened rows, and follows every query down to the final
 * polynomial (docs/stark-format.md, sections 8 to 10).
 * @returns why the openings are rejected, or undefined
 */
export function checkQueries(check: QueryCheck): RejectionReason | undefined {
  const { geometry, caps, lambdas, backend } = check;
  const { profile, saltBytes } = geometry;
  const leaves = openedLeaves(geometry, check.positions);
  const traceRows = readOpening(check, {
    cap: caps.trace,
    layer: 0,
    indices: leaves[0],
    leafBytes: geometry.traceLeafBytes,
    saltBytes,
    reason: 'trace-opening',
  });
  if (typeof traceRows === 'string') return traceRows;
  const compositionRows = readOpening(check, {
    cap: caps.composition,
    layer: 0,
    indices: leaves[0],
    leafBytes: geometry.compositionLeafBytes,
    saltBytes,
    reason: 'composition-opening',
  });
  if (typeof compositionRows === 'string') return compositionRows;

  const { point, gamma } = check;
  const rows = {
    geometry,
    point,
    gamma,
    values: check.values,
    cosets: leaves[0],
    traceRows,
    compositionRows,
  };
  let values = profile.deriveLayer0(rows, backend);
  for (let layer = 0; layer < geometry.foldCount; layer++) {
    const step = { geometry, layer, cosets: leaves[layer], values, lambda: lambdas[layer] };
    const folded = profile.foldCosets(step, backend);
    if (layer + 1 === geometry.foldCount) return checkFinal(check, leaves[layer], folded);
    const opened = readLayer(check, layer + 1, leaves[layer], leaves[layer + 1], folded);
    if (typeof opened === 'string') return opened;
    values = opened;
  }
  return undefined;
}

// Takes the leaves of the trace's or the composition's tree and their multiproof off the reader. Returns their elements.
function readOpening(check: QueryCheck, shape: OpeningShape): ElementWords | RejectionReason {
  const { indices, leafBytes, saltBytes } = shape;
  const leaves = check.reader.take(indices.length * leafBytes);
  if (!leaves) return 'truncated';
  const elements = check.geometry.profile.readElements(withoutSalts(leaves, leafBytes, saltBytes));
  if (!elements) return 'non-canonical-element';
  return authenticate(check, shape, leaves) ?? elements;
}

// Takes what the proof holds of a layer's leaves and puts the folds into their places: a wrong fold is a wrong leaf.
function readLayer(
  check: QueryCheck,
  layer: number,
  above: readonly number[],
  indices: readonly number[],
  folded: ElementWords,
): ElementWords | RejectionReason {
  const { geometry, caps, reader } = check;
  const slots = foldedSlots(geometry, layer, above, indices);
  const sent = reader.take(sentBytes(geometry, slots));
  if (!sent) return 'truncated';
  const leaves = withFolds(geometry, slots, sent, folded);
  const elements = geometry.profile.readElements(leaves);
  if (!elements) return 'non-canonical-element';
  const leafBytes = geometry.layerLeafBytes;
  const shape = { cap: caps.layers[layer - 1], layer, indices, leafBytes, saltBytes: 0 };
  return authenticate(check, { ...shape, reason: 'layer-opening' }, leaves) ?? elements;
}

// Takes the multiproof off the reader. Returns why whole leaves do not lie under the cap, or undefined.
function authenticate(
  { geometry, reader, backend }: QueryCheck,
  { cap, layer, indices, leafBytes, reason }: OpeningShape,
  leaves: Uint8Array,
): RejectionReason | undefined {
  const leafCount = geometry.leafCounts[layer];
  const nodes = reader.take(multiproofNodeCount(indices, leafCount) * DIGEST_BYTES);
  if (!nodes) return 'truncated';
  const claim = { cap, leafCount, indices, leaves, leafBytes, nodes };
  return backend.verifyMultiproof(claim) ? undefined : reason;
}

function withoutSalts(leaves: Uint8Array, leafBytes: number, saltBytes: number): Uint8Array {
  if (saltBytes === 0) return leaves;
  const rowBytes = leafBytes - saltBytes;
  const leafCount = leaves.length / leafBytes;
  const rows = new Uint8Array(leafCount * rowBytes);
  for (let i = 0; i < leafCount; i++) {
    rows.set(leaves.subarray(i * leafBytes, i * leafBytes + rowBytes), i * rowBytes);
  }
  return rows;
}

function checkFinal(
  { geometry, finalPolynomial, backend }: QueryCheck,
  cosets: readonly number[],
  folded: ElementWords,
): RejectionReason | undefined {
  const expected = geometry.profile.evaluateFinal(geometry, finalPolynomial, cosets, backend);
  // Canonical words are equal where elements are.
  const matches = folded.length === expected.length && folded.every((word, i) => word === expected[i]);
  return matches ? undefined : 'final-polynomial-mismatch';
}
