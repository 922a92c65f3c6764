import {
  batchInverse,
  blake3Hash,
  blake3Many,
  cubicExtension,
  type Ext,
  type ExtensionField,
  extFromWords,
  GOLDILOCKS_MODULUS as P,
  goldilocks,
  powers,
  quadraticExtension,
  rootOfUnity,
  verifyMultiproof,
} from '@svc/kernels';
import type { DeepInput, ExtensionPolynomial, VerifierBackend } from './backend.js';
import { referenceCircleKernels } from './circle/circle-kernels.js';
import { FOLDING_FACTOR } from './profile-facts.js';

const EXTENSIONS: readonly ExtensionField[] = [quadraticExtension, cubicExtension];

function extensionOfDegree(degree: number): ExtensionField {
  const extension = EXTENSIONS.find(candidate => candidate.degree === degree);
  if (!extension) throw new RangeError(`Goldilocks is extended by degree 2 or 3, got ${degree}`);
  return extension;
}

/** Σ weights[i]·words[i] with words in the base field; sums stay unreduced, since BigInt has no overflow. */
function combineBase(words: BigUint64Array, weights: readonly Ext[], offset: number, count: number): Ext {
  const { length } = weights[0];
  const sums = new Array<bigint>(length).fill(0n);
  for (let i = 0; i < count; i++) {
    const word = words[offset + i];
    for (let c = 0; c < length; c++) sums[c] += weights[i][c] * word;
  }
  return sums.map(sum => sum % P);
}

function deepValues(input: DeepInput): BigUint64Array {
  const { columnCount, compositionColumnCount, traceRows, compositionRows, points, gammaPowers } = input;
  const { z, zNext, valueAtZ, valueAtZNext } = input;
  const degree = z.length;
  const e = extensionOfDegree(degree);
  const rowCount = points.length;
  const differences: Ext[] = [];
  for (const point of points) {
    const x = e.fromBase(point);
    differences.push(e.sub(x, z), e.sub(x, zNext));
  }
  const inverses = batchInverse(e, differences);
  const composition = extFromWords(compositionRows, degree);
  const nextWeight = gammaPowers[columnCount + compositionColumnCount];

  const values = new BigUint64Array(degree * rowCount);
  for (let row = 0; row < rowCount; row++) {
    const columns = combineBase(traceRows, gammaPowers, row * columnCount, columnCount);
    let all = columns;
    for (let k = 0; k < compositionColumnCount; k++) {
      const value = composition[row * compositionColumnCount + k];
      all = e.add(all, e.mul(gammaPowers[columnCount + k], value));
    }
    const atZ = e.mul(e.sub(all, valueAtZ), inverses[2 * row]);
    const atZNext = e.mul(e.sub(columns, valueAtZNext), inverses[2 * row + 1]);
    values.set(e.add(atZ, e.mul(nextWeight, atZNext)), degree * row);
  }
  return values;
}

const EIGHTH_ROOT_INVERSE = goldilocks.inverse(rootOfUnity(3));
const EIGHTH = goldilocks.inverse(BigInt(FOLDING_FACTOR));
/** ζ^(−j·k)/8 at [j][k]. */
const INVERSE_DFT: readonly (readonly bigint[])[] = powers(
  goldilocks,
  EIGHTH_ROOT_INVERSE,
  FOLDING_FACTOR,
).map(step => powers(goldilocks, step, FOLDING_FACTOR).map(root => goldilocks.mul(root, EIGHTH)));

function foldCosets(values: BigUint64Array, points: BigUint64Array, lambda: Ext): BigUint64Array {
  const degree = lambda.length;
  const e = extensionOfDegree(degree);
  const folded = new BigUint64Array(degree * points.length);
  const inversePoints = batchInverse(goldilocks, [...points]);
  for (let coset = 0; coset < points.length; coset++) {
    const weights = powers(e, e.scale(lambda, inversePoints[coset]), FOLDING_FACTOR);
    const offset = coset * FOLDING_FACTOR * degree;
    let sum = e.zero;
    for (let j = 0; j < FOLDING_FACTOR; j++) {
      const part = new Array<bigint>(degree).fill(0n);
      for (let k = 0; k < FOLDING_FACTOR; k++) {
        const root = INVERSE_DFT[j][k];
        for (let c = 0; c < degree; c++) part[c] += root * values[offset + degree * k + c];
      }
      sum = e.add(
        sum,
        e.mul(
          weights[j],
          part.map(value => value % P),
        ),
      );
    }
    folded.set(sum, degree * coset);
  }
  return folded;
}

function evaluatePolynomial(polynomial: ExtensionPolynomial, points: BigUint64Array): BigUint64Array {
  const { degree } = polynomial;
  const coefficients = extFromWords(polynomial.coefficients, degree);
  const e = extensionOfDegree(degree);
  const values = new BigUint64Array(degree * points.length);
  points.forEach((x, i) => {
    // The point is in the base field, so Horner's rule needs scalings alone.
    let value = e.zero;
    for (let k = coefficients.length - 1; k >= 0; k--) value = e.add(e.scale(value, x), coefficients[k]);
    values.set(value, degree * i);
  });
  return values;
}

/** The portable backend: BigInt arithmetic and the hash of @noble/hashes. */
export const referenceVerifierBackend: VerifierBackend = {
  name: 'reference',
  hashMany: blake3Many,
  hash: blake3Hash,
  verifyMultiproof: claim => verifyMultiproof(claim),
  deepValues,
  foldCosets,
  evaluatePolynomial,
  circle: referenceCircleKernels,
};
