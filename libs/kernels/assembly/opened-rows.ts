// What a verifier computes from opened rows: values of the DEEP polynomial, and folds of cosets of
// eight. Extension elements are 24 bytes here, one after the other.
import { batchInverse } from './batch-inverse';
import { product0, product1, product2 } from './cubic';
import { add, inverse, mul, sub } from './goldilocks';
import { rootOfUnity } from './ntt';
import { scratchArea } from './scratch';

const ELEMENT: usize = 24;

function multiply(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  store<u64>(out, product0(a0, a1, a2, b0, b1, b2));
  store<u64>(out, product1(a0, a1, a2, b0, b1, b2), 8);
  store<u64>(out, product2(a0, a1, a2, b0, b1, b2), 16);
}

function scale(out: usize, a: usize, factor: u64): void {
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(out + i, mul(load<u64>(a + i), factor));
}

function addTo(out: usize, a: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(out + i, add(load<u64>(out + i), load<u64>(a + i)));
}

function subtract(out: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(out + i, sub(load<u64>(a + i), load<u64>(b + i)));
}

/**
 * The adjugate m of a, with a·m = norm in the base field (Cramer's rule on x ↦ a·x), so that 1/a =
 * m/norm. Returns the norm.
 */
function adjugate(out: usize, a0: u64, a1: u64, a2: u64): u64 {
  const a02 = add(a0, a2);
  const a12 = add(a1, a2);
  const m0 = sub(mul(a02, a02), mul(a12, a1));
  const m1 = sub(mul(a12, a2), mul(a1, a02));
  const m2 = sub(mul(a1, a1), mul(a02, a2));
  store<u64>(out, m0);
  store<u64>(out, m1, 8);
  store<u64>(out, m2, 16);
  return add(add(mul(a0, m0), mul(a2, m1)), mul(a1, m2));
}

/** The adjugate of x - point, and its norm. */
function adjugateOfDifference(out: usize, x: u64, point: usize): u64 {
  return adjugate(out, sub(x, load<u64>(point)), sub(0, load<u64>(point, 8)), sub(0, load<u64>(point, 16)));
}

/**
 * deep(x) for each row: ((A + S)(x) - valueAtZ)/(x - z) + γ^(W+K)·(A(x) - valueAtNext)/(x - zNext), A
 * and S the columns and chunks weighed by powers of γ. The challenge holds z, zNext, valueAtZ,
 * valueAtNext, then γ^0 … γ^(W+K); the workspace is 4 elements of 8 bytes a row. z and zNext lie
 * outside the base field.
 */
export function deepValues(
  out: usize,
  traceRows: usize,
  compositionRows: usize,
  points: usize,
  rowCount: i32,
  columnCount: i32,
  chunkCount: i32,
  challenge: usize,
  workspace: usize,
): void {
  const sumAtZ = scratchArea();
  const sumAtNext = sumAtZ + ELEMENT;
  const term = sumAtNext + ELEMENT;
  const zNext = challenge + ELEMENT;
  const gammas = challenge + 4 * ELEMENT;
  const norms = workspace;
  const inverses = norms + (<usize>rowCount << 4);
  for (let row: usize = 0; row < <usize>rowCount; row++) {
    const x = load<u64>(points + (row << 3));
    store<u64>(norms + (row << 4), adjugateOfDifference(term, x, challenge));
    store<u64>(norms + (row << 4), adjugateOfDifference(term, x, zNext), 8);
  }
  batchInverse(inverses, norms, 2 * rowCount);
  for (let row: usize = 0; row < <usize>rowCount; row++, out += ELEMENT) {
    memory.fill(sumAtNext, 0, ELEMENT);
    let gamma = gammas;
    for (let c = 0; c < columnCount; c++, traceRows += 8, gamma += ELEMENT) {
      scale(term, gamma, load<u64>(traceRows));
      addTo(sumAtNext, term);
    }
    memory.copy(sumAtZ, sumAtNext, ELEMENT);
    for (let k = 0; k < chunkCount; k++, compositionRows += ELEMENT, gamma += ELEMENT) {
      multiply(term, gamma, compositionRows);
      addTo(sumAtZ, term);
    }
    const x = load<u64>(points + (row << 3));
    subtract(sumAtZ, sumAtZ, challenge + 2 * ELEMENT);
    adjugateOfDifference(term, x, challenge);
    multiply(out, sumAtZ, term);
    scale(out, out, load<u64>(inverses + (row << 4)));
    subtract(sumAtNext, sumAtNext, challenge + 3 * ELEMENT);
    multiply(sumAtNext, sumAtNext, gamma);
    adjugateOfDifference(term, x, zNext);
    multiply(sumAtNext, sumAtNext, term);
    scale(sumAtNext, sumAtNext, load<u64>(inverses + (row << 4), 8));
    addTo(out, sumAtNext);
  }
}

/**
 * Folds each coset of eight values at x·ζ^k, by halves with λ, λ², λ⁴: f(x) = e(x²) + x·o(x²) becomes
 * e + λ·o. The values are overwritten; inversePoints holds 1/x.
 */
export function foldCosets(out: usize, values: usize, inversePoints: usize, lambda: usize, count: i32): void {
  const challenge = scratchArea();
  const weight = challenge + ELEMENT;
  const difference = weight + ELEMENT;
  const eighth = inverse(8);
  for (let i = 0; i < count; i++, values += 8 * ELEMENT, inversePoints += 8, out += ELEMENT) {
    scale(challenge, lambda, load<u64>(inversePoints));
    let root = inverse(rootOfUnity(3));
    for (let half: usize = 4; half; half >>= 1) {
      memory.copy(weight, challenge, ELEMENT);
      for (let k: usize = 0; k < half; k++) {
        const low = values + k * ELEMENT;
        const high = low + half * ELEMENT;
        subtract(difference, low, high);
        addTo(low, high);
        multiply(difference, difference, weight);
        addTo(low, difference);
        scale(weight, weight, root);
      }
      root = mul(root, root);
      multiply(challenge, challenge, challenge);
    }
    scale(out, values, eighth);
  }
}
