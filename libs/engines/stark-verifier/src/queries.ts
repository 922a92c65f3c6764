import {
  baseFromBytes,
  type Cubic,
  cubicExtension as E,
  cubicsFromWords,
  DIGEST_BYTES,
  goldilocks,
  GOLDILOCKS_GENERATOR,
  log2Exact,
  multiproofNodeCount,
  power,
  powers,
  rootOfUnity,
  verifyMultiproof,
} from '@svc/kernels';
import type { DeepInput, VerifierBackend } from './backend.js';
import { openedLeaves, type ProofGeometry } from './proof-geometry.js';
import type { ProofReader } from './proof-reader.js';
import { FOLDING_FACTOR } from './security.js';
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
  readonly deep: Pick<DeepInput, 'z' | 'zNext' | 'gammaPowers' | 'valueAtZ' | 'valueAtZNext'>;
  /** Folding challenges of layers 0 … r − 1. */
  readonly lambdas: readonly Cubic[];
  readonly finalPolynomial: readonly Cubic[];
  /** Stands at the first opening. */
  readonly reader: ProofReader;
  readonly backend: VerifierBackend;
}

const EIGHTH_ROOTS = powers(goldilocks, rootOfUnity(3), FOLDING_FACTOR);

/**
 * Reads and authenticates the openings, derives layer 0 from the opened rows, and follows every query down to the final
 * polynomial (docs/stark-proof-format.md, sections 8 to 10).
 * @returns why the openings are rejected, or undefined
 */
export function checkQueries(check: QueryCheck): RejectionReason | undefined {
  const { geometry, caps, lambdas, backend } = check;
  const leaves = openedLeaves(geometry, check.positions);
  const { traceLeafBytes, compositionLeafBytes, layerLeafBytes } = geometry;
  const traceRows = readOpening(check, caps.trace, 0, leaves[0], traceLeafBytes, 'trace-opening');
  if (typeof traceRows === 'string') return traceRows;
  const compositionRows = readOpening(
    check,
    caps.composition,
    0,
    leaves[0],
    compositionLeafBytes,
    'composition-opening',
  );
  if (typeof compositionRows === 'string') return compositionRows;

  let values = deriveLayer0(check, leaves[0], traceRows, compositionRows);
  for (let layer = 0; layer < geometry.foldCount; layer++) {
    const points = cosetPoints(layer, geometry, leaves[layer]);
    const folded = backend.foldCosets(values, points, lambdas[layer]);
    if (layer + 1 === geometry.foldCount) return checkFinal(check, leaves[layer], folded);
    const cap = caps.layers[layer];
    const opened = readOpening(check, cap, layer + 1, leaves[layer + 1], layerLeafBytes, 'layer-opening');
    if (typeof opened === 'string') return opened;
    if (!matchesLayer(folded, leaves[layer], opened, leaves[layer + 1], geometry.leafCounts[layer + 1])) {
      return 'fold-mismatch';
    }
    values = opened;
  }
  return undefined;
}

// Takes the leaves of one tree and their multiproof off the reader. Returns the leaves' elements.
function readOpening(
  { geometry, reader, backend }: QueryCheck,
  cap: Uint8Array,
  layer: number,
  indices: readonly number[],
  leafBytes: number,
  reason: RejectionReason,
): BigUint64Array | RejectionReason {
  const leafCount = geometry.leafCounts[layer];
  const leaves = reader.take(indices.length * leafBytes);
  const nodes = reader.take(multiproofNodeCount(indices, leafCount) * DIGEST_BYTES);
  if (!leaves || !nodes) return 'truncated';
  const elements = baseFromBytes(leaves);
  if (!elements) return 'non-canonical-element';
  const claim = { cap, leafCount, indices, leaves, leafBytes, nodes };
  return verifyMultiproof(claim, backend.hashMany.bind(backend)) ? elements : reason;
}

function deriveLayer0(
  { geometry, deep, backend }: QueryCheck,
  cosets: readonly number[],
  traceRows: BigUint64Array,
  compositionRows: BigUint64Array,
): BigUint64Array {
  const firstPoints = cosetPoints(0, geometry, cosets);
  const points = new BigUint64Array(cosets.length * FOLDING_FACTOR);
  firstPoints.forEach((x, i) => {
    EIGHTH_ROOTS.forEach((root, k) => (points[i * FOLDING_FACTOR + k] = goldilocks.mul(x, root)));
  });
  const { columnCount, chunkCount } = geometry;
  return backend.deepValues({ columnCount, chunkCount, traceRows, compositionRows, points, ...deep });
}

// The first point s·w^q of each coset q of a layer.
function cosetPoints(
  layer: number,
  { domainSize }: ProofGeometry,
  cosets: readonly number[],
): BigUint64Array {
  const { offset, generator } = layerDomain(layer, domainSize);
  return BigUint64Array.from(cosets, q => goldilocks.mul(offset, power(goldilocks, generator, BigInt(q))));
}

// Each folded value stands in the next layer at the index of the coset it was folded from.
function matchesLayer(
  folded: BigUint64Array,
  cosets: readonly number[],
  opened: BigUint64Array,
  openedCosets: readonly number[],
  leafCount: number,
): boolean {
  const ordinalOf = new Map(openedCosets.map((coset, ordinal) => [coset, ordinal]));
  return cosets.every((index, i) => {
    const ordinal = ordinalOf.get(index % leafCount) as number;
    const slot = Math.floor(index / leafCount);
    const offset = 3 * (ordinal * FOLDING_FACTOR + slot);
    return [0, 1, 2].every(c => folded[3 * i + c] === opened[offset + c]);
  });
}

function checkFinal(
  { geometry, finalPolynomial }: QueryCheck,
  cosets: readonly number[],
  folded: BigUint64Array,
): RejectionReason | undefined {
  const points = cosetPoints(geometry.foldCount, geometry, cosets);
  const matches = cubicsFromWords(folded).every((value, i) => {
    // The point is in the base field, so Horner's rule needs scalings alone.
    let expected = E.zero;
    for (let k = finalPolynomial.length - 1; k >= 0; k--) {
      expected = E.add(E.scale(expected, points[i]), finalPolynomial[k]);
    }
    return E.equals(value, expected);
  });
  return matches ? undefined : 'final-polynomial-mismatch';
}

/** Offset s and generator w of a layer's domain (docs/stark-proof-format.md, section 3). */
export function layerDomain(layer: number, domainSize: number): { offset: bigint; generator: bigint } {
  return {
    offset: power(goldilocks, GOLDILOCKS_GENERATOR, BigInt(FOLDING_FACTOR) ** BigInt(layer)),
    generator: rootOfUnity(log2Exact(domainSize / FOLDING_FACTOR ** layer)),
  };
}
