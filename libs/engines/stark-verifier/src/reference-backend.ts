import {
  batchInverse,
  blake3Many,
  type Cubic,
  cubicExtension as E,
  cubicsFromWords,
  GOLDILOCKS_MODULUS as P,
  goldilocks,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { DeepInput, VerifierBackend } from './backend.js';
import { FOLDING_FACTOR } from './security.js';

/** Σ weights[i]·words[i] with words in the base field; sums stay unreduced, since BigInt has no overflow. */
function combineBase(words: BigUint64Array, weights: readonly Cubic[], offset: number, count: number): Cubic {
  let c0 = 0n;
  let c1 = 0n;
  let c2 = 0n;
  for (let i = 0; i < count; i++) {
    const word = words[offset + i];
    const weight = weights[i];
    c0 += weight[0] * word;
    c1 += weight[1] * word;
    c2 += weight[2] * word;
  }
  return [c0 % P, c1 % P, c2 % P];
}

function deepValues(input: DeepInput): BigUint64Array {
  const { columnCount, chunkCount, traceRows, compositionRows, points, gammaPowers } = input;
  const { z, zNext, valueAtZ, valueAtZNext } = input;
  const rowCount = points.length;
  const differences: Cubic[] = [];
  for (const point of points) {
    const x = E.fromBase(point);
    differences.push(E.sub(x, z), E.sub(x, zNext));
  }
  const inverses = batchInverse(E, differences);
  const chunks = cubicsFromWords(compositionRows);
  const nextWeight = gammaPowers[columnCount + chunkCount];

  const values = new BigUint64Array(3 * rowCount);
  for (let row = 0; row < rowCount; row++) {
    const columns = combineBase(traceRows, gammaPowers, row * columnCount, columnCount);
    let composition = E.zero;
    for (let k = 0; k < chunkCount; k++) {
      composition = E.add(composition, E.mul(gammaPowers[columnCount + k], chunks[row * chunkCount + k]));
    }
    const atZ = E.mul(E.sub(E.add(columns, composition), valueAtZ), inverses[2 * row]);
    const atZNext = E.mul(E.sub(columns, valueAtZNext), inverses[2 * row + 1]);
    values.set(E.add(atZ, E.mul(nextWeight, atZNext)), 3 * row);
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

function foldCosets(values: BigUint64Array, points: BigUint64Array, lambda: Cubic): BigUint64Array {
  const folded = new BigUint64Array(3 * points.length);
  const inversePoints = batchInverse(goldilocks, [...points]);
  for (let coset = 0; coset < points.length; coset++) {
    const weights = powers(E, E.scale(lambda, inversePoints[coset]), FOLDING_FACTOR);
    const offset = coset * FOLDING_FACTOR * 3;
    let sum = E.zero;
    for (let j = 0; j < FOLDING_FACTOR; j++) {
      let c0 = 0n;
      let c1 = 0n;
      let c2 = 0n;
      for (let k = 0; k < FOLDING_FACTOR; k++) {
        const root = INVERSE_DFT[j][k];
        c0 += root * values[offset + 3 * k];
        c1 += root * values[offset + 3 * k + 1];
        c2 += root * values[offset + 3 * k + 2];
      }
      sum = E.add(sum, E.mul(weights[j], [c0 % P, c1 % P, c2 % P]));
    }
    folded.set(sum, 3 * coset);
  }
  return folded;
}

/** The portable backend: BigInt arithmetic and the hash of @noble/hashes. */
export const referenceVerifierBackend: VerifierBackend = {
  name: 'reference',
  hashMany: blake3Many,
  deepValues,
  foldCosets,
};
