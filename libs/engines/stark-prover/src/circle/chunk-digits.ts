import { m31 } from '@svc/kernels';

/** Coefficients in X, lowest degree first. */
type Polynomial = readonly bigint[];

/** Places of a digit: 1, X and π(X). */
const PLACES = 3;

/**
 * The change from the circle basis to digits of σ, for chunks of 3N/4 coefficients (docs/stark-format.md). With X = v_(N/4)
 * a block of N/4 coefficients belongs to ℓ_h(X) = X^(h0)·π(X)^(h1)·π²(X)^(h2)…, a polynomial of degree h, and σ = X·π(X): so
 * ℓ_h = Σ_k σ^k·(a + b·X + c·π(X)), with constants that depend on nothing.
 * @returns at [h][3k + j] the constant of σ^k·ℓ_j, j < 3
 */
export function chunkDigits(chunkCount: number): readonly (readonly bigint[])[] {
  return Array.from({ length: PLACES * chunkCount }, (_, h) => {
    let rest: Polynomial = lineBasisPolynomial(h);
    const row: bigint[] = [];
    for (let k = 0; k < chunkCount; k++) {
      const [quotient, [a = 0n, b = 0n, c = 0n]] = divide(rest, SIGMA);
      // X² = (π(X) + 1)/2.
      const half = m31.mul(c, HALF);
      row.push(m31.add(a, half), b, half);
      rest = quotient;
    }
    return row;
  });
}

const HALF = m31.inverse(2n);
/** X·π(X) = 2X³ − X. */
const SIGMA: Polynomial = [0n, m31.sub(0n, 1n), 0n, 2n];

function lineBasisPolynomial(index: number): Polynomial {
  let product: Polynomial = [1n];
  let factor: Polynomial = [0n, 1n];
  for (let bits = index; bits > 0; bits >>= 1) {
    if (bits & 1) product = multiply(product, factor);
    const square = multiply(factor, factor);
    factor = square.map((c, i) => m31.sub(m31.add(c, c), i === 0 ? 1n : 0n));
  }
  return product;
}

function multiply(a: Polynomial, b: Polynomial): Polynomial {
  const product = new Array<bigint>(a.length + b.length - 1).fill(0n);
  a.forEach((x, i) => b.forEach((y, j) => (product[i + j] = m31.add(product[i + j], m31.mul(x, y)))));
  return product;
}

function divide(dividend: Polynomial, divisor: Polynomial): [quotient: Polynomial, remainder: Polynomial] {
  const remainder = [...dividend];
  const quotient: bigint[] = [];
  const inverseLead = m31.inverse(divisor[divisor.length - 1]);
  for (let shift = dividend.length - divisor.length; shift >= 0; shift--) {
    const factor = m31.mul(remainder[shift + divisor.length - 1], inverseLead);
    quotient.unshift(factor);
    divisor.forEach((c, i) => (remainder[shift + i] = m31.sub(remainder[shift + i], m31.mul(factor, c))));
  }
  return [quotient, remainder.slice(0, divisor.length - 1)];
}
