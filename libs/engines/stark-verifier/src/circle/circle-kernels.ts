import {
  addPoints,
  batchInverse,
  circleGenerator,
  type CirclePoint,
  circlePointAt,
  cm31,
  type CM31Extension,
  doubleX,
  type Ext,
  extFromWords,
  imaginaryPart,
  lineBasis,
  linePointAt,
  m31,
  M31_MODULUS as P,
  qm31,
  realPart,
} from '@svc/kernels';
import { FOLDING_FACTOR } from '../profile-facts.js';

/** The opening at an out-of-domain point, its columns already weighed by the powers of γ. */
export interface ConjugateLine {
  /** ζ, outside the circle over CM31. */
  readonly point: CirclePoint<Ext>;
  /** ᾱ and β̄: ᾱ + β̄·y runs through the weighed values at ζ and at its conjugate. */
  readonly constant: Ext;
  readonly slope: Ext;
}

/**
 * The rows of the opened layer-0 leaves and what turns them into values of the DEEP polynomial (docs/stark-format.md).
 * All arrays are flat; an extension element is four consecutive words. Every word is canonical.
 */
export interface CircleDeepInput {
  readonly columnCount: number;
  /** Chunks, and the random polynomial of a proof in zero knowledge. */
  readonly compositionColumnCount: number;
  /** `rowCount × columnCount` base elements, row by row. */
  readonly traceRows: Uint32Array;
  /** `rowCount × compositionColumnCount` extension elements, row by row. */
  readonly compositionRows: Uint32Array;
  /** Points of layer 0, and which of its leaves the rows are: eight a leaf, in the leaf's order. */
  readonly domainSize: number;
  readonly leaves: readonly number[];
  /** γ^0 … γ^V, V = columnCount + 4·compositionColumnCount: the last one weighs the quotient at `next`. */
  readonly gammaPowers: readonly Ext[];
  readonly current: ConjugateLine;
  readonly next: ConjugateLine;
}

/** Opened leaves of a layer of FRI. */
export interface OpenedLeaves {
  readonly layer: number;
  /** Values of the layer. */
  readonly layerSize: number;
  readonly leaves: readonly number[];
}

/**
 * The verifier's hot loops on the circle, so that a WASM build can replace them. Inputs are already checked to be canonical and
 * of the stated sizes. Results are exact, hence the same for every implementation.
 */
export interface CircleVerifierKernels {
  /** @returns one extension element a row */
  deepValues(input: CircleDeepInput): Uint32Array;
  /**
   * Folds leaves of 8 by λ, λ², λ⁴.
   * @param values 8 extension elements a leaf
   * @returns one extension element a leaf
   */
  foldLeaves(values: Uint32Array, opened: OpenedLeaves, lambda: Ext): Uint32Array;
  /**
   * A polynomial in the basis of a line of `lineSize` points.
   * @param coefficients extension elements, a power of two of them
   * @returns one extension element a position
   */
  lineValues(coefficients: Uint32Array, lineSize: number, positions: readonly number[]): Uint32Array;
}

/** The eight points of a leaf of layer 0, from its first. */
function pointsOfLeaf({ x, y }: CirclePoint<bigint>): CirclePoint<bigint>[] {
  const [minusX, minusY] = [m31.sub(0n, x), m31.sub(0n, y)];
  return [
    { x, y },
    { x, y: minusY },
    { x: minusX, y: minusY },
    { x: minusX, y },
    { x: y, y: minusX },
    { x: y, y: x },
    { x: minusY, y: x },
    { x: minusY, y: minusX },
  ];
}

const EIGHTH_TURN = circleGenerator(3);

/**
 * What the three halvings of a leaf divide by: four values for the first, two for the second, one for the third.
 * Layer 0 is halved along y, then along x; every other layer along x alone.
 */
export function leafTwiddles(layer: number, layerSize: number, leaf: number): bigint[] {
  const position = FOLDING_FACTOR * leaf;
  if (layer === 0) {
    const { x, y } = circlePointAt(layerSize, position);
    return [y, m31.sub(0n, y), m31.sub(0n, x), x, x, y, doubleX(m31, x)];
  }
  const first = linePointAt(layerSize, position);
  const turned = addPoints(m31, first, EIGHTH_TURN);
  // A quarter turn takes (x, y) to (y, −x).
  const second = [doubleX(m31, first.x), doubleX(m31, turned.x)];
  return [first.x, first.y, turned.x, turned.y, ...second, doubleX(m31, second[0])];
}

/** The line through ζ and its conjugate, at a point of the circle over M31; its values lie in CM31. */
export function conjugateVanishing(
  complex: CM31Extension,
  { x, y }: CirclePoint<bigint>,
  zeta: CirclePoint<Ext>,
): Ext {
  const alongX = complex.mul(complex.sub(complex.fromBase(x), realPart(zeta.x)), imaginaryPart(zeta.y));
  const alongY = complex.mul(complex.sub(complex.fromBase(y), realPart(zeta.y)), imaginaryPart(zeta.x));
  return complex.sub(alongX, alongY);
}

// Σ weights[i]·words[i]; sums stay unreduced, since BigInt has no overflow.
function combineBase(
  words: Uint32Array,
  offset: number,
  weights: readonly Ext[],
  first: number,
  count: number,
): Ext {
  let [a, b, c, d] = [0n, 0n, 0n, 0n];
  for (let i = 0; i < count; i++) {
    const word = BigInt(words[offset + i]);
    const weight = weights[first + i];
    a += weight[0] * word;
    b += weight[1] * word;
    c += weight[2] * word;
    d += weight[3] * word;
  }
  return [a % P, b % P, c % P, d % P];
}

function deepValues(input: CircleDeepInput): Uint32Array {
  const { columnCount, compositionColumnCount, traceRows, compositionRows, gammaPowers } = input;
  const coordinateCount = 4 * compositionColumnCount;
  const rows = input.leaves.flatMap(leaf =>
    pointsOfLeaf(circlePointAt(input.domainSize, FOLDING_FACTOR * leaf)),
  );
  const inverses = batchInverse(
    cm31,
    rows.flatMap(point => [
      conjugateVanishing(cm31, point, input.current.point),
      conjugateVanishing(cm31, point, input.next.point),
    ]),
  );
  const lineAt = ({ constant, slope }: ConjugateLine, y: bigint) => qm31.add(constant, qm31.scale(slope, y));
  const nextWeight = gammaPowers[columnCount + coordinateCount];

  const values = new Uint32Array(4 * rows.length);
  rows.forEach(({ y }, row) => {
    const columns = combineBase(traceRows, row * columnCount, gammaPowers, 0, columnCount);
    const offset = row * coordinateCount;
    const composition = combineBase(compositionRows, offset, gammaPowers, columnCount, coordinateCount);
    const all = qm31.sub(qm31.add(columns, composition), lineAt(input.current, y));
    const next = qm31.sub(columns, lineAt(input.next, y));
    const value = qm31.add(
      qm31.scaleComplex(all, inverses[2 * row]),
      qm31.mul(nextWeight, qm31.scaleComplex(next, inverses[2 * row + 1])),
    );
    values.set(value.map(Number), 4 * row);
  });
  return values;
}

const EIGHTH = m31.inverse(BigInt(FOLDING_FACTOR));

function foldLeaves(
  values: Uint32Array,
  { layer, layerSize, leaves }: OpenedLeaves,
  lambda: Ext,
): Uint32Array {
  const folded = new Uint32Array(4 * leaves.length);
  leaves.forEach((leaf, i) => {
    const inverses = batchInverse(m31, leafTwiddles(layer, layerSize, leaf));
    const start = 4 * FOLDING_FACTOR * i;
    let elements = extFromWords(values.subarray(start, start + 4 * FOLDING_FACTOR), 4);
    let twiddle = 0;
    let challenge = lambda;
    while (elements.length > 1) {
      const halved: Ext[] = [];
      for (let k = 0; k < elements.length; k += 2) {
        const difference = qm31.scale(qm31.sub(elements[k], elements[k + 1]), inverses[twiddle++]);
        halved.push(qm31.add(qm31.add(elements[k], elements[k + 1]), qm31.mul(challenge, difference)));
      }
      elements = halved;
      challenge = qm31.mul(challenge, challenge);
    }
    folded.set(qm31.scale(elements[0], EIGHTH).map(Number), 4 * i);
  });
  return folded;
}

function lineValues(words: Uint32Array, lineSize: number, positions: readonly number[]): Uint32Array {
  const coefficients = extFromWords(words, qm31.degree);
  const values = new Uint32Array(4 * positions.length);
  positions.forEach((position, i) => {
    const basis = lineBasis(m31, linePointAt(lineSize, position).x, coefficients.length);
    const value = coefficients.reduce((sum, c, j) => qm31.add(sum, qm31.scale(c, basis[j])), qm31.zero);
    values.set(value.map(Number), 4 * i);
  });
  return values;
}

/** The portable kernels: BigInt arithmetic. */
export const referenceCircleKernels: CircleVerifierKernels = { deepValues, foldLeaves, lineValues };
