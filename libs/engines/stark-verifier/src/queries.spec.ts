import {
  baseToBytes,
  batchInverse,
  type Cubic,
  cubicExtension as E,
  cubicToBytes,
  evaluateOnCoset,
  evaluatePolynomial,
  goldilocks,
  interpolateOnCoset,
  MerkleTree,
  power,
  powers,
  rootOfUnity,
  Transcript,
} from '@svc/kernels';
import { checkQueries, type QueryCheck } from './queries.js';
import { type ProofGeometry, proofGeometry } from './proof-geometry.js';
import { ProofReader } from './proof-reader.js';
import { referenceVerifierBackend } from './reference-backend.js';
import { deepChallenge } from './verify.js';

// A prover of the opening argument alone, written from the definitions and not from the reference prover: polynomials are
// evaluated one by one, DEEP is divided pointwise, and folding takes the coefficients apart.
const geometry: ProofGeometry = proofGeometry(
  { traceLength: 512, blowupFactor: 2, queryCount: 6, grindingBits: 0 },
  { columnCount: 3, constraintDegree: 3 },
);
const POSITIONS = [5, 100, 5, 127, 37];
const DISTINCT = [5, 37, 100, 127];
const { domainSize, traceLength } = geometry;
const W = rootOfUnity(10);

const source = new Transcript();
source.absorb(0, new Uint8Array());
const randomBase = () => source.drawBase();
const columns = [0, 1, 2].map(() => Array.from({ length: traceLength }, randomBase));
const chunks = [0, 1].map(() => Array.from({ length: traceLength }, () => source.drawCubic()));
const z = source.drawOutsideBase();
const gamma = source.drawCubic();
const lambdas = [source.drawCubic(), source.drawCubic()];

const columnRows = columns.map(column => evaluateOnCoset(goldilocks, column, 7n, domainSize));
const chunkRows = chunks.map(chunk => evaluateOnCoset(E, chunk, 7n, domainSize));
const lift = (column: readonly bigint[]) => column.map(c => E.fromBase(c));
const zNext = E.scale(z, rootOfUnity(9));
const values = {
  traceAtZ: columns.map(column => evaluatePolynomial(E, lift(column), z)),
  traceAtZNext: columns.map(column => evaluatePolynomial(E, lift(column), zNext)),
  chunksAtZ: chunks.map(chunk => evaluatePolynomial(E, chunk, z)),
};

/** deep(x) as the sum over all quotients, each with its own power of γ. */
function deepAt(row: number): Cubic {
  const x = E.fromBase(goldilocks.mul(7n, power(goldilocks, W, BigInt(row))));
  const [atZ, atZNext] = batchInverse(E, [E.sub(x, z), E.sub(x, zNext)]);
  const quotients = [
    ...columnRows.map((column, i) => E.mul(E.sub(E.fromBase(column[row]), values.traceAtZ[i]), atZ)),
    ...chunkRows.map((chunk, k) => E.mul(E.sub(chunk[row], values.chunksAtZ[k]), atZ)),
    ...columnRows.map((column, i) => E.mul(E.sub(E.fromBase(column[row]), values.traceAtZNext[i]), atZNext)),
  ];
  const weights = powers(E, gamma, quotients.length);
  return quotients.reduce((sum, quotient, i) => E.add(sum, E.mul(weights[i], quotient)), E.zero);
}

/** Σ λ^k · F_k for f = Σ X^k · F_k(X^8), on coefficients. */
function foldCoefficients(coefficients: readonly Cubic[], lambda: Cubic): Cubic[] {
  const weights = powers(E, lambda, 8);
  return Array.from({ length: coefficients.length / 8 }, (_, i) =>
    weights.reduce((sum, weight, k) => E.add(sum, E.mul(weight, coefficients[8 * i + k])), E.zero),
  );
}

const deepCoefficients = interpolateOnCoset(
  E,
  Array.from({ length: domainSize }, (_, row) => deepAt(row)),
  7n,
).slice(0, traceLength);
const layer1 = foldCoefficients(deepCoefficients, lambdas[0]);
const layer1Rows = evaluateOnCoset(E, layer1, power(goldilocks, 7n, 8n), domainSize / 8);
const finalPolynomial = foldCoefficients(layer1, lambdas[1]);

const rowsOf = (coset: number, leafCount: number) => [0, 1, 2, 3, 4, 5, 6, 7].map(k => coset + k * leafCount);
const cosets = (leafCount: number) =>
  Array.from({ length: leafCount }, (_, coset) => rowsOf(coset, leafCount));

function check(
  change: { columns?: bigint[][]; chunks?: Cubic[][]; layer?: Cubic[]; final?: Cubic[]; extra?: number } = {},
): ReturnType<typeof checkQueries> {
  const {
    columns = columnRows,
    chunks = chunkRows,
    layer = layer1Rows,
    final = finalPolynomial,
    extra = 0,
  } = change;
  const trace = cosets(128).flatMap(rows => rows.flatMap(row => columns.map(column => column[row])));
  const composition = cosets(128).flatMap(rows => rows.flatMap(row => chunks.map(chunk => chunk[row])));
  const layerLeaves = cosets(16).flatMap(rows => rows.map(row => layer[row]));
  const trees = [
    new MerkleTree(baseToBytes(trace), geometry.traceLeafBytes),
    new MerkleTree(cubicToBytes(composition), geometry.compositionLeafBytes),
    new MerkleTree(cubicToBytes(layerLeaves), geometry.layerLeafBytes),
  ];
  const layerPositions = [...new Set(DISTINCT.map(q => q % 16))].sort((a, b) => a - b);
  const opened = trees.map((tree, i) => tree.open(i < 2 ? DISTINCT : layerPositions));
  const bytes = Uint8Array.from([
    ...opened.flatMap(({ leaves, nodes }) => [...leaves, ...nodes]),
    ...new Uint8Array(extra),
  ]);
  const input: QueryCheck = {
    geometry,
    positions: POSITIONS,
    caps: { trace: trees[0].cap, composition: trees[1].cap, layers: [trees[2].cap] },
    deep: deepChallenge(geometry, z, gamma, values),
    lambdas,
    finalPolynomial: final,
    reader: new ProofReader(bytes),
    backend: referenceVerifierBackend,
  };
  return checkQueries(input);
}

const UNITS: readonly Cubic[] = [
  [1n, 0n, 0n],
  [0n, 1n, 0n],
  [0n, 0n, 1n],
];
const bump = (a: Cubic, coordinate = 0): Cubic => E.add(a, UNITS[coordinate]);

it('accepts openings of an opening argument made from the definitions', () => {
  expect(deepCoefficients).toHaveLength(512);
  expect(check()).toBeUndefined();
});

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'rejects a trace whose row %i of an opened coset is altered, though its path is made anew',
  k => {
    for (const coset of DISTINCT) {
      const row = coset + 128 * k;
      const altered = columnRows.map((column, i) =>
        i === k % 3 ? column.map((value, r) => (r === row ? goldilocks.add(value, 1n) : value)) : column,
      );
      expect(check({ columns: altered })).toBe('fold-mismatch');
    }
  },
);

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'rejects a composition whose row %i of an opened coset is altered, though its path is made anew',
  k => {
    const row = 100 + 128 * k;
    const altered = chunkRows.map((chunk, i) =>
      i === k % 2 ? chunk.map((value, r) => (r === row ? bump(value) : value)) : chunk,
    );
    expect(check({ chunks: altered })).toBe('fold-mismatch');
  },
);

it.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'rejects a layer whose value %i of an opened coset is altered in any coordinate',
  slot => {
    const index = 5 + 16 * slot;
    // Where a query folds into the value itself, the fold shows it; elsewhere the next fold does.
    const expected = DISTINCT.includes(index) ? 'fold-mismatch' : 'final-polynomial-mismatch';
    for (const coordinate of [0, 1, 2]) {
      const altered = layer1Rows.map((value, i) => (i === index ? bump(value, coordinate) : value));
      expect(check({ layer: altered })).toBe(expected);
    }
  },
);

it('rejects a final polynomial with any coordinate of any coefficient altered', () => {
  for (let i = 0; i < finalPolynomial.length; i++) {
    for (const coordinate of [0, 1, 2]) {
      const altered = finalPolynomial.map((c, j) => (i === j ? bump(c, coordinate) : c));
      expect(check({ final: altered })).toBe('final-polynomial-mismatch');
    }
  }
});

it('rejects columns of too high a degree, whose layers and final polynomial are honest otherwise', () => {
  const tooHigh = Array.from({ length: domainSize }, (_, i) => (i === traceLength + 8 ? 1n : 0n));
  const added = evaluateOnCoset(goldilocks, tooHigh, 7n, domainSize);
  const altered = [columnRows[0].map((value, i) => goldilocks.add(value, added[i])), ...columnRows.slice(1)];
  expect(check({ columns: altered })).toBe('fold-mismatch');
});

it('leaves bytes behind the openings to its caller', () => {
  expect(check({ extra: 32 })).toBeUndefined();
});
