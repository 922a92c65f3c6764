/**
 * The ring Z_q[X]/(X^256 + 1) of ML-DSA (FIPS 204, sections 2.3 and 7.5), and rounding for parameter set 65.
 *
 * Coefficients are integers in doubles, of either sign: products of two stay below 2^53, so they are exact, and sums are reduced
 * only where they are multiplied next. Every operation takes the same steps whatever the values.
 */
export const Q = 8_380_417;
export const DEGREE = 256;
/** γ2 = (q − 1)/32. */
export const GAMMA2 = (Q - 1) / 32;

/** 256 coefficients, or 256 values in the transformed domain. */
export type Polynomial = Float64Array;

const ROOT_OF_UNITY = 1_753;
const INVERSE_Q = 1 / Q;
/** 256^−1. */
const INVERSE_DEGREE = reduce(8_347_681);
const HIGH_BITS_COUNT = (Q - 1) / (2 * GAMMA2);

/** ζ^(the 8 bits of k in reverse), as the transform meets them. */
const ZETAS = Float64Array.from({ length: DEGREE }, (_, k) => {
  let exponent = 0;
  for (let bit = 0; bit < 8; bit++) exponent |= ((k >> bit) & 1) << (7 - bit);
  let power = 1;
  for (let i = 0; i < exponent; i++) power = reduce(power * ROOT_OF_UNITY);
  return power;
});

/** The representative between −q/2 and q/2. @param x an integer of magnitude below 2^53 */
export function reduce(x: number): number {
  return x - Math.floor(x * INVERSE_Q + 0.5) * Q;
}

/** To the transformed domain, in place (algorithm 41). Coefficients below 2q in magnitude become values below 10q. */
export function transform(w: Polynomial): Polynomial {
  let m = 0;
  for (let length = DEGREE / 2; length >= 1; length /= 2) {
    for (let start = 0; start < DEGREE; start += 2 * length) {
      const zeta = ZETAS[++m];
      for (let j = start; j < start + length; j++) {
        const x = zeta * w[j + length];
        const t = x - Math.floor(x * INVERSE_Q + 0.5) * Q;
        w[j + length] = w[j] - t;
        w[j] += t;
      }
    }
  }
  return w;
}

/** Back from it, in place (algorithm 42). @param w values between −q/2 and q/2; the coefficients are too */
export function transformBack(w: Polynomial): Polynomial {
  let m = DEGREE;
  for (let length = 1; length < DEGREE; length *= 2) {
    for (let start = 0; start < DEGREE; start += 2 * length) {
      const zeta = -ZETAS[--m];
      for (let j = start; j < start + length; j++) {
        const t = w[j];
        const x = zeta * (t - w[j + length]);
        w[j] = t + w[j + length];
        w[j + length] = x - Math.floor(x * INVERSE_Q + 0.5) * Q;
      }
    }
  }
  for (let j = 0; j < DEGREE; j++) w[j] = reduce(INVERSE_DEGREE * reduce(w[j]));
  return w;
}

/** Σ a_i·b_i of transformed polynomials, back from the transformed domain. Values of a lie between −q/2 and q/2. */
export function innerProduct(a: readonly Polynomial[], b: readonly Polynomial[]): Polynomial {
  const sum = new Float64Array(DEGREE);
  a.forEach((own, i) => {
    const other = b[i];
    for (let j = 0; j < DEGREE; j++) sum[j] += own[j] * other[j];
  });
  for (let j = 0; j < DEGREE; j++) sum[j] = reduce(sum[j]);
  return transformBack(sum);
}

/** Whether some coefficient, taken between −q/2 and q/2, has at least this magnitude. */
export function reachesNorm(w: Polynomial, bound: number): boolean {
  let largest = 0;
  for (let j = 0; j < DEGREE; j++) largest = Math.max(largest, Math.abs(reduce(w[j])));
  return largest >= bound;
}

/** r1 of each coefficient r = r1·2γ2 + r0, −γ2 < r0 ≤ γ2, modulo q: 0 … 15 (algorithms 36 and 37). */
export function highBits(w: Polynomial): Polynomial {
  const high = new Float64Array(DEGREE);
  for (let j = 0; j < DEGREE; j++) high[j] = bucketOf(positive(w[j])) % HIGH_BITS_COUNT;
  return high;
}

/** r0 of each (algorithms 36 and 38); at the top, where r1 would be 16, one less. */
export function lowBits(w: Polynomial): Polynomial {
  const low = new Float64Array(DEGREE);
  for (let j = 0; j < DEGREE; j++) {
    const r = positive(w[j]);
    const bucket = bucketOf(r);
    low[j] = r - bucket * 2 * GAMMA2 - (bucket === HIGH_BITS_COUNT ? 1 : 0);
  }
  return low;
}

function bucketOf(r: number): number {
  return Math.floor((r + GAMMA2 - 1) / (2 * GAMMA2));
}

function positive(r: number): number {
  // A quotient, for it is exact where r is a multiple.
  return r - Math.floor(r / Q) * Q;
}
