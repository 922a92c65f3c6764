// What a verifier computes from opened rows: values of the DEEP polynomial, and folds of cosets of
// eight. Extension elements are their `degree` coordinates, one after the other.
import { batchInverse } from './batch-inverse';
import { extensionMul } from './extension';
import { add, inverse, mul, sub, timesSeven } from './goldilocks';
import { rootOfUnity } from './ntt';
import { scratchArea } from './scratch';

/** Room for an element of any degree. */
const ELEMENT_MAX: usize = 24;

// @ts-ignore: decorator
@inline
function scale(element: usize, out: usize, a: usize, factor: u64): void {
  for (let i: usize = 0; i < element; i += 8) store<u64>(out + i, mul(load<u64>(a + i), factor));
}

// @ts-ignore: decorator
@inline
function addTo(element: usize, out: usize, a: usize): void {
  for (let i: usize = 0; i < element; i += 8) store<u64>(out + i, add(load<u64>(out + i), load<u64>(a + i)));
}

// @ts-ignore: decorator
@inline
function subtract(element: usize, out: usize, a: usize, b: usize): void {
  for (let i: usize = 0; i < element; i += 8) store<u64>(out + i, sub(load<u64>(a + i), load<u64>(b + i)));
}

/**
 * The adjugate m of a, with a·m = norm in the base field, so that 1/a = m/norm: the conjugate for degree 2,
 * Cramer's rule on x ↦ a·x for degree 3. Returns the norm.
 */
function adjugate(degree: i32, out: usize, a0: u64, a1: u64, a2: u64): u64 {
  if (degree == 2) {
    store<u64>(out, a0);
    store<u64>(out, sub(0, a1), 8);
    return sub(mul(a0, a0), timesSeven(mul(a1, a1)));
  }
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
function adjugateOfDifference(degree: i32, out: usize, x: u64, point: usize): u64 {
  const c2: u64 = degree == 3 ? sub(0, load<u64>(point, 16)) : 0;
  return adjugate(degree, out, sub(x, load<u64>(point)), sub(0, load<u64>(point, 8)), c2);
}

/**
 * deep(x) for each row: ((A + S)(x) - valueAtZ)/(x - z) + γ^(W+K)·(A(x) - valueAtNext)/(x - zNext), A
 * and S the columns and chunks weighed by powers of γ. The challenge holds z, zNext, valueAtZ,
 * valueAtNext, then γ^0 … γ^(W+K); the workspace is 4 elements of 8 bytes a row. z and zNext lie
 * outside the base field.
 */
export function deepValues(
  degree: i32,
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
  const element = <usize>degree << 3;
  const sumAtZ = scratchArea();
  const sumAtNext = sumAtZ + ELEMENT_MAX;
  const term = sumAtNext + ELEMENT_MAX;
  const zNext = challenge + element;
  const gammas = challenge + 4 * element;
  const norms = workspace;
  const inverses = norms + (<usize>rowCount << 4);
  for (let row: usize = 0; row < <usize>rowCount; row++) {
    const x = load<u64>(points + (row << 3));
    store<u64>(norms + (row << 4), adjugateOfDifference(degree, term, x, challenge));
    store<u64>(norms + (row << 4), adjugateOfDifference(degree, term, x, zNext), 8);
  }
  batchInverse(inverses, norms, 2 * rowCount);
  for (let row: usize = 0; row < <usize>rowCount; row++, out += element) {
    memory.fill(sumAtNext, 0, element);
    let gamma = gammas;
    for (let c = 0; c < columnCount; c++, traceRows += 8, gamma += element) {
      scale(element, term, gamma, load<u64>(traceRows));
      addTo(element, sumAtNext, term);
    }
    memory.copy(sumAtZ, sumAtNext, element);
    for (let k = 0; k < chunkCount; k++, compositionRows += element, gamma += element) {
      extensionMul(degree, term, gamma, compositionRows);
      addTo(element, sumAtZ, term);
    }
    const x = load<u64>(points + (row << 3));
    subtract(element, sumAtZ, sumAtZ, challenge + 2 * element);
    adjugateOfDifference(degree, term, x, challenge);
    extensionMul(degree, out, sumAtZ, term);
    scale(element, out, out, load<u64>(inverses + (row << 4)));
    subtract(element, sumAtNext, sumAtNext, challenge + 3 * element);
    extensionMul(degree, sumAtNext, sumAtNext, gamma);
    adjugateOfDifference(degree, term, x, zNext);
    extensionMul(degree, sumAtNext, sumAtNext, term);
    scale(element, sumAtNext, sumAtNext, load<u64>(inverses + (row << 4), 8));
    addTo(element, out, sumAtNext);
  }
}

/**
 * Folds each coset of eight values at x·ζ^k, by halves with λ, λ², λ⁴: f(x) = e(x²) + x·o(x²) becomes
 * e + λ·o. The values are overwritten; inversePoints holds 1/x.
 */
export function foldCosets(
  degree: i32,
  out: usize,
  values: usize,
  inversePoints: usize,
  lambda: usize,
  count: i32,
): void {
  const element = <usize>degree << 3;
  const challenge = scratchArea();
  const weight = challenge + ELEMENT_MAX;
  const difference = weight + ELEMENT_MAX;
  const eighth = inverse(8);
  for (let i = 0; i < count; i++, values += 8 * element, inversePoints += 8, out += element) {
    scale(element, challenge, lambda, load<u64>(inversePoints));
    let root = inverse(rootOfUnity(3));
    for (let half: usize = 4; half; half >>= 1) {
      memory.copy(weight, challenge, element);
      for (let k: usize = 0; k < half; k++) {
        const low = values + k * element;
        const high = low + half * element;
        subtract(element, difference, low, high);
        addTo(element, low, high);
        extensionMul(degree, difference, difference, weight);
        addTo(element, low, difference);
        scale(element, weight, weight, root);
      }
      root = mul(root, root);
      extensionMul(degree, challenge, challenge, challenge);
    }
    scale(element, out, values, eighth);
  }
}

/**
 * The values at `pointCount` base points of the polynomial with these extension coefficients, lowest degree first. Horner's
 * rule waits for each product, so four points go side by side; past the last, that one is taken again.
 */
export function evaluateAtBasePoints(
  degree: i32,
  out: usize,
  coefficients: usize,
  coefficientCount: i32,
  points: usize,
  pointCount: i32,
): void {
  const element = <usize>degree << 3;
  const end = coefficients + <usize>coefficientCount * element;
  const count = <usize>pointCount;
  const last = count - 1;
  for (let i: usize = 0; i < count; i += 4) {
    const i1 = min(i + 1, last);
    const i2 = min(i + 2, last);
    const i3 = min(i + 3, last);
    const x0 = load<u64>(points + (i << 3));
    const x1 = load<u64>(points + (i1 << 3));
    const x2 = load<u64>(points + (i2 << 3));
    const x3 = load<u64>(points + (i3 << 3));
    for (let c: usize = 0; c < element; c += 8) {
      let v0: u64 = 0;
      let v1: u64 = 0;
      let v2: u64 = 0;
      let v3: u64 = 0;
      for (let at = end; at > coefficients; ) {
        at -= element;
        const coefficient = load<u64>(at + c);
        v0 = add(mul(v0, x0), coefficient);
        v1 = add(mul(v1, x1), coefficient);
        v2 = add(mul(v2, x2), coefficient);
        v3 = add(mul(v3, x3), coefficient);
      }
      store<u64>(out + i * element + c, v0);
      store<u64>(out + i1 * element + c, v1);
      store<u64>(out + i2 * element + c, v2);
      store<u64>(out + i3 * element + c, v3);
    }
  }
}
