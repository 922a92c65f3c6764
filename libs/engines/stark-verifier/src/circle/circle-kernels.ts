import {
  batchInverse,
  type CirclePoint,
  cm31,
  type CM31Extension,
  type Ext,
  extFromWords,
  imaginaryPart,
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
  /** x, y of each row. */
  readonly points: Uint32Array;
  /** γ^0 … γ^V, V = columnCount + 4·compositionColumnCount: the last one weighs the quotient at `next`. */
  readonly gammaPowers: readonly Ext[];
  readonly current: ConjugateLine;
  readonly next: ConjugateLine;
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
   * @param inverseTwiddles 7 a leaf: 1/t of the first halving at slots 0, 2, 4, 6, of the second at 0, 4, of the third
   * @returns one extension element a leaf
   */
  foldLeaves(values: Uint32Array, inverseTwiddles: Uint32Array, lambda: Ext): Uint32Array;
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
  const { columnCount, compositionColumnCount, traceRows, compositionRows, points, gammaPowers } = input;
  const coordinateCount = 4 * compositionColumnCount;
  const rowCount = points.length / 2;
  const rows = Array.from({ length: rowCount }, (_, row) => ({
    x: BigInt(points[2 * row]),
    y: BigInt(points[2 * row + 1]),
  }));
  const inverses = batchInverse(
    cm31,
    rows.flatMap(point => [
      conjugateVanishing(cm31, point, input.current.point),
      conjugateVanishing(cm31, point, input.next.point),
    ]),
  );
  const lineAt = ({ constant, slope }: ConjugateLine, y: bigint) => qm31.add(constant, qm31.scale(slope, y));
  const nextWeight = gammaPowers[columnCount + coordinateCount];

  const values = new Uint32Array(4 * rowCount);
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

function foldLeaves(values: Uint32Array, inverseTwiddles: Uint32Array, lambda: Ext): Uint32Array {
  const leafCount = inverseTwiddles.length / 7;
  const folded = new Uint32Array(4 * leafCount);
  for (let leaf = 0; leaf < leafCount; leaf++) {
    const start = 4 * FOLDING_FACTOR * leaf;
    let layer = extFromWords(values.subarray(start, start + 4 * FOLDING_FACTOR), 4);
    let twiddle = 7 * leaf;
    let challenge = lambda;
    while (layer.length > 1) {
      const halved: Ext[] = [];
      for (let i = 0; i < layer.length; i += 2) {
        const difference = qm31.scale(qm31.sub(layer[i], layer[i + 1]), BigInt(inverseTwiddles[twiddle++]));
        halved.push(qm31.add(qm31.add(layer[i], layer[i + 1]), qm31.mul(challenge, difference)));
      }
      layer = halved;
      challenge = qm31.mul(challenge, challenge);
    }
    folded.set(qm31.scale(layer[0], EIGHTH).map(Number), 4 * leaf);
  }
  return folded;
}

/** The portable kernels: BigInt arithmetic. */
export const referenceCircleKernels: CircleVerifierKernels = { deepValues, foldLeaves };
