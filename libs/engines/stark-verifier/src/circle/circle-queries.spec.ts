import type { ProofGeometry } from '../profile.js';
import {
  baseToBytes,
  batchInverse,
  circleBasis,
  type CirclePoint,
  circlePoints,
  cm31,
  evaluateOnCircle,
  type Ext,
  extToBytes,
  imaginaryPart,
  inverseCircleFft,
  lineBasis,
  linePointAt,
  m31,
  MerkleTree,
  nextRowStep,
  power,
  powers,
  qm31 as E,
  Transcript,
  translatePoint,
} from '@svc/kernels';
import { proofGeometry } from '../proof-geometry.js';
import { ProofReader } from '../proof-reader.js';
import { checkQueries, type QueryCheck } from '../queries.js';
import { referenceVerifierBackend } from '../reference-backend.js';
import { circleProfile, joinCoordinates } from './circle-profile.js';

// A prover of the opening argument alone, written from the definitions and not from the reference prover: DEEP is the sum of
// every column's own quotient, lines run through two points each, and folding takes the coefficients apart.
const ofFormat = proofGeometry(
  { profile: 'm31', traceLength: 512, blowupFactor: 2, queryCount: 6, grindingBits: 0, zeroKnowledge: false },
  { columnCount: 3, constraintDegree: 3 },
);
// Two folds, the first of them committed, at a length where the format has but one: so the test stays quick.
const geometry: ProofGeometry = { ...ofFormat, foldCount: 2, leafCounts: [128, 16], finalLength: 8 };
const POSITIONS = [5, 100, 5, 127, 37];
const DISTINCT = [5, 37, 100, 127];
const slots = [0, 1, 2, 3, 4, 5, 6, 7];
const { domainSize, traceLength } = geometry;

const source = new Transcript(m31);
source.absorb(0, new Uint8Array());
const columns = [0, 1, 2].map(() => Array.from({ length: traceLength }, () => source.drawBase()));
const chunks = [0, 1].map(() => Array.from({ length: traceLength }, () => source.drawExtension(4)));
const point = circleProfile.drawPoint(source, geometry);
const z: CirclePoint<Ext> = { x: point[0], y: point[1] };
const zNext = translatePoint(E, z, nextRowStep(traceLength));
const gamma = source.drawExtension(4);
const lambdas = [source.drawExtension(4), source.drawExtension(4)];

const columnRows = columns.map(column => evaluateOnCircle(m31, column, domainSize));
const chunkRows = chunks.map(chunk => evaluateOnCircle(E, chunk, domainSize));
const coordinates = chunks.flatMap(chunk => [0, 1, 2, 3].map(c => chunk.map(element => element[c])));
const evaluate = (column: readonly bigint[], at: CirclePoint<Ext>) => {
  const basis = circleBasis(E, at, column.length);
  return column.reduce((sum, c, j) => E.add(sum, E.scale(basis[j], c)), E.zero);
};
const values = {
  traceAtZ: columns.map(column => evaluate(column, z)),
  traceAtZNext: columns.map(column => evaluate(column, zNext)),
  compositionAtZ: coordinates.map(column => evaluate(column, z)),
};

const conjugate = ([a, b, c, d]: Ext): Ext => [a, b, m31.sub(0n, c), m31.sub(0n, d)];

/** (f(P) − the line through (ζ, w) and its conjugate, at P) over the line through ζ and its conjugate, both from two points. */
function quotient(value: Ext, { x, y }: CirclePoint<bigint>, zeta: CirclePoint<Ext>, w: Ext): Ext {
  const dx = E.sub(conjugate(zeta.x), zeta.x);
  const dy = E.sub(conjugate(zeta.y), zeta.y);
  const [toX, toY] = [E.sub(E.fromBase(x), zeta.x), E.sub(E.fromBase(y), zeta.y)];
  const slope = E.mul(E.sub(conjugate(w), w), E.inverse(dy));
  const numerator = E.sub(value, E.add(w, E.mul(slope, toY)));
  // Δx = −2u·Im x and Δy = −2u·Im y, and so −2u·V_ζ = toX·Δy − toY·Δx.
  const line = E.sub(E.mul(toX, dy), E.mul(toY, dx));
  return E.mul(numerator, E.mul([0n, 0n, m31.sub(0n, 2n), 0n], E.inverse(line)));
}

const domain = circlePoints(domainSize);

function deepAt(position: number): Ext {
  const at = domain[position];
  const rowValues = [
    ...columnRows.map(column => column[position]),
    ...chunkRows.flatMap(chunk => [...chunk[position]]),
  ].map(value => E.fromBase(value));
  const atZ = [...values.traceAtZ, ...values.compositionAtZ];
  const quotients = [
    ...atZ.map((w, i) => quotient(rowValues[i], at, z, w)),
    ...values.traceAtZNext.map((w, i) => quotient(rowValues[i], at, zNext, w)),
  ];
  const weights = powers(E, gamma, quotients.length);
  return quotients.reduce((sum, q, i) => E.add(sum, E.mul(weights[i], q)), E.zero);
}

/** Σ λ^k · F_k for f = Σ b_k · F_k, on coefficients: the same for the circle and for lines. */
function foldCoefficients(coefficients: readonly Ext[], lambda: Ext): Ext[] {
  const weights = powers(E, lambda, 8);
  return Array.from({ length: coefficients.length / 8 }, (_, i) =>
    weights.reduce((sum, weight, k) => E.add(sum, E.mul(weight, coefficients[8 * i + k])), E.zero),
  );
}

const deepCoefficients = inverseCircleFft(
  E,
  domain.map((_, position) => deepAt(position)),
);
const layer1 = foldCoefficients(deepCoefficients.slice(0, traceLength), lambdas[0]);
const layer1Rows = Array.from({ length: domainSize / 8 }, (_, position) => {
  const basis = lineBasis(m31, linePointAt(domainSize / 8, position).x, layer1.length);
  return layer1.reduce((sum, c, j) => E.add(sum, E.scale(c, basis[j])), E.zero);
});
const finalPolynomial = foldCoefficients(layer1, lambdas[1]);

interface Change {
  readonly columns?: readonly (readonly bigint[])[];
  readonly chunks?: readonly (readonly Ext[])[];
  readonly layer?: readonly Ext[];
  readonly final?: readonly Ext[];
  readonly gamma?: Ext;
  readonly lambdas?: readonly Ext[];
  readonly values?: Partial<typeof values>;
}

function check(change: Change = {}): ReturnType<typeof checkQueries> {
  const layer = change.layer ?? layer1Rows;
  const trace = domain.flatMap((_, row) => (change.columns ?? columnRows).map(column => column[row]));
  const composition = domain.flatMap((_, row) => (change.chunks ?? chunkRows).map(chunk => chunk[row]));
  const trees = [
    new MerkleTree(baseToBytes(trace, m31), geometry.traceLeafBytes),
    new MerkleTree(extToBytes(composition, m31), geometry.compositionLeafBytes),
    new MerkleTree(extToBytes(layer, m31), geometry.layerLeafBytes),
  ];
  const layerPositions = [...new Set(DISTINCT.map(q => q >> 3))].sort((a, b) => a - b);
  const opened = trees.map((tree, i) => tree.open(i < 2 ? DISTINCT : layerPositions));
  // Of a layer's leaves the proof holds what no query's fold gives.
  const sent = layerPositions
    .flatMap(leaf => slots.map(slot => 8 * leaf + slot))
    .filter(i => !DISTINCT.includes(i));
  opened[2] = {
    leaves: extToBytes(
      sent.map(i => layer[i]),
      m31,
    ),
    nodes: opened[2].nodes,
  };
  const input: QueryCheck = {
    geometry,
    positions: POSITIONS,
    caps: { trace: trees[0].cap, composition: trees[1].cap, layers: [trees[2].cap] },
    point,
    gamma: change.gamma ?? gamma,
    values: { ...values, ...change.values },
    lambdas: change.lambdas ?? lambdas,
    finalPolynomial: Uint32Array.from((change.final ?? finalPolynomial).flat(), Number),
    reader: new ProofReader(Uint8Array.from(opened.flatMap(({ leaves, nodes }) => [...leaves, ...nodes]))),
    backend: referenceVerifierBackend,
  };
  return checkQueries(input);
}

const bump = (a: Ext, coordinate = 0): Ext => a.map((c, i) => (i === coordinate ? m31.add(c, 1n) : c));
const replaceAt = <T>(list: readonly T[], at: number, change: (value: T) => T): T[] =>
  list.map((value, i) => (i === at ? change(value) : value));

it('accepts openings of an opening argument made from the definitions', () => {
  expect(check()).toBeUndefined();
});

it('has a DEEP polynomial in the FFT space, so that folding needs nothing besides', () => {
  expect(deepCoefficients.slice(traceLength)).toEqual(new Array(traceLength).fill(E.zero));
});

it('joins an element from its coordinate polynomials, outside the base field too', () => {
  const basis = circleBasis(E, z, traceLength);
  const direct = chunks[0].reduce((sum, c, j) => E.add(sum, E.mul(c, basis[j])), E.zero);
  expect(joinCoordinates(values.compositionAtZ.slice(0, 4))).toEqual(direct);
});

it.each(slots)(
  'rejects a trace whose row %i of an opened leaf is altered, though its path is made anew',
  slot => {
    for (const leaf of DISTINCT) {
      const altered = replaceAt(columnRows, slot % 3, column =>
        replaceAt(column, 8 * leaf + slot, value => m31.add(value, 1n)),
      );
      expect(check({ columns: altered })).toBe('layer-opening');
    }
  },
);

it.each(slots)(
  'rejects a composition whose row %i of an opened leaf is altered in any coordinate, though its path is made anew',
  slot => {
    for (const coordinate of [0, 1, 2, 3]) {
      const altered = replaceAt(chunkRows, slot % 2, chunk =>
        replaceAt(chunk, 8 * 100 + slot, value => bump(value, coordinate)),
      );
      expect(check({ chunks: altered })).toBe('layer-opening');
    }
  },
);

it.each(slots)('rejects a layer whose value %i of an opened leaf is altered in any coordinate', slot => {
  const index = 8 * 12 + slot;
  // Where a query folds into the value itself, the fold shows it; elsewhere the next fold does.
  const expected = DISTINCT.includes(index) ? 'layer-opening' : 'final-polynomial-mismatch';
  for (const coordinate of [0, 1, 2, 3]) {
    const altered = replaceAt(layer1Rows, index, value => bump(value, coordinate));
    expect(check({ layer: altered })).toBe(expected);
  }
});

it('rejects a final polynomial with any coefficient altered in any coordinate', () => {
  for (let i = 0; i < finalPolynomial.length; i++) {
    for (const coordinate of [0, 1, 2, 3]) {
      const altered = replaceAt(finalPolynomial, i, value => bump(value, coordinate));
      expect(check({ final: altered })).toBe('final-polynomial-mismatch');
    }
  }
});

it('rejects any out-of-domain value altered in any coordinate', () => {
  for (const [name, list] of Object.entries(values)) {
    for (let i = 0; i < list.length; i++) {
      for (const coordinate of [0, 1, 2, 3]) {
        const altered = { [name]: replaceAt(list, i, value => bump(value, coordinate)) };
        expect(check({ values: altered })).toBe('layer-opening');
      }
    }
  }
});

it('rejects another batching challenge, and another folding challenge of any layer', () => {
  expect(check({ gamma: bump(gamma) })).toBe('layer-opening');
  expect(check({ lambdas: [bump(lambdas[0]), lambdas[1]] })).toBe('layer-opening');
  expect(check({ lambdas: [lambdas[0], bump(lambdas[1])] })).toBe('final-polynomial-mismatch');
});

it.each([0, 1, 2, 8])('rejects a column with a coefficient %i beyond its length', beyond => {
  const tooHigh = Array.from({ length: domainSize }, (_, j) => (j === traceLength + beyond ? 1n : 0n));
  const added = evaluateOnCircle(m31, tooHigh, domainSize);
  const altered = replaceAt(columnRows, 0, column => column.map((value, i) => m31.add(value, added[i])));
  expect(check({ columns: altered })).toBe('layer-opening');
});

describe('elements of a proof', () => {
  const read = (bytes: Uint8Array) => circleProfile.readElements(bytes);

  it('are read the same from unaligned views, and from buffers that share their memory with others', () => {
    const bytes = baseToBytes([1n, m31.modulus - 1n, 77n], m31);
    const unaligned = new Uint8Array(bytes.length + 3);
    unaligned.set(bytes, 3);
    // Node takes a small Buffer from a pool; its slices are views.
    for (const same of [bytes, unaligned.subarray(3), Buffer.from(bytes)]) {
      expect([...(read(same) ?? [])]).toEqual([1, Number(m31.modulus) - 1, 77]);
    }
  });

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1])('are rejected where one is %i', word => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(4, word, true);
    expect(read(bytes)).toBeUndefined();
  });

  it('are rejected where their bytes are no whole number of them', () => {
    expect(read(new Uint8Array(6))).toBeUndefined();
  });
});

describe('the out-of-domain point', () => {
  const drawWith = (...elements: readonly Ext[]) => {
    const stubbed = new Transcript(m31);
    (stubbed as unknown as { words: bigint[] }).words = elements.flat();
    return circleProfile.drawPoint(stubbed, geometry);
  };
  const honest: Ext = [3n, 5n, 7n, 11n];

  it('lies on the circle and on no line that is vertical to its conjugate', () => {
    const [x, y] = drawWith(honest);
    expect(E.add(E.mul(x, x), E.mul(y, y))).toEqual(E.one);
    expect(imaginaryPart(y)).not.toEqual(cm31.zero);
  });

  it.each([
    ['a root of τ² + 1', [0n, 1n, 0n, 0n]],
    ['the other root of τ² + 1', [0n, m31.modulus - 1n, 0n, 0n]],
    ['a point over the base field', [9n, 0n, 0n, 0n]],
    ['the point (1, 0)', [0n, 0n, 0n, 0n]],
    ['a point over the field between', [9n, 4n, 0n, 0n]],
  ] as [string, Ext][])('is drawn again for %s', (_, slope) => {
    expect(drawWith(slope, honest)).toEqual(drawWith(honest));
  });

  it('is drawn again while its y, or that of the next row, has no imaginary part, though its x has', () => {
    const verticals = verticalSlopes();
    expect(verticals.length).toBeGreaterThan(0);
    for (const slope of verticals) expect(drawWith(slope, honest)).toEqual(drawWith(honest));
    const step = nextRowStep(traceLength);
    const back = { x: step.x, y: m31.sub(0n, step.y) };
    for (const slope of verticals) {
      const before = translatePoint(E, pointOf(slope), back);
      const slopeBefore = E.mul(before.y, E.inverse(E.add(E.one, before.x)));
      expect(imaginaryPart(before.y)).not.toEqual(cm31.zero);
      expect(drawWith(slopeBefore, honest)).toEqual(drawWith(honest));
    }
  });
});

function pointOf(slope: Ext): CirclePoint<Ext> {
  const square = E.mul(slope, slope);
  const [inverse] = batchInverse(E, [E.add(E.one, square)]);
  return { x: E.mul(E.sub(E.one, square), inverse), y: E.mul(E.add(slope, slope), inverse) };
}

// Slopes τ = y/(1 + x) of points with y in CM31 and x = w·u: 1 − (2 + i)·w² must be a square of CM31.
function verticalSlopes(): Ext[] {
  const slopes: Ext[] = [];
  for (let re = 1n; re < 40n; re++) {
    const w: Ext = [re, re + 1n];
    const x: Ext = [0n, 0n, ...w];
    const root = squareRootInCM31(E.sub(E.one, E.mul(x, x)).slice(0, 2));
    if (root) slopes.push(E.mul([...root, 0n, 0n], E.inverse(E.add(E.one, x))));
  }
  return slopes;
}

// Via the norm's root in M31, if there is any; p ≡ 3 mod 4, so a root in M31 is a power with exponent (p + 1)/4 = 2^29.
function squareRootInCM31([a, b]: Ext): Ext | undefined {
  const root = (value: bigint) => {
    const candidate = power(m31, value, 1n << 29n);
    return m31.mul(candidate, candidate) === value ? candidate : undefined;
  };
  const norm = root(m31.add(m31.mul(a, a), m31.mul(b, b)));
  if (norm === undefined) return undefined;
  for (const sign of [norm, m31.sub(0n, norm)]) {
    const re = root(m31.mul(m31.add(a, sign), m31.inverse(2n)));
    if (re === undefined || re === 0n) continue;
    const candidate: Ext = [re, m31.mul(b, m31.inverse(m31.add(re, re)))];
    if (cm31.equals(cm31.mul(candidate, candidate), [a, b])) return candidate;
  }
  return undefined;
}
