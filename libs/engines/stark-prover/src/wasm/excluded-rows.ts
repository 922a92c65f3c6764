import { batchInverse, goldilocks as F, power, rootOfUnity } from '@svc/kernels';
import { RecentValues } from './recent-values.js';

/**
 * Coefficients, lowest degree first, of ∏ (X − h^r) over the rows r = U − 1 … N − 1 that transition constraints say nothing
 * about. The roots are a geometric progression, so the q-binomial theorem gives each coefficient from the one before:
 * ∏_(j<m) (X − a·h^j) = Σ_k (−a)^k · h^(k(k−1)/2) · [m choose k]_h · X^(m−k).
 * @param log2Size log2 of the trace length N
 * @param rowCount rows U that the AIR sees
 */
export function excludedRowsPolynomial(log2Size: number, rowCount: number): readonly bigint[] {
  return recent.get(`${log2Size}/${rowCount}`, () => computePolynomial(log2Size, rowCount));
}

/** A service proves a few sizes over and over, and a thousand coefficients take a millisecond. */
const recent = new RecentValues<readonly bigint[]>(4);

function computePolynomial(log2Size: number, rowCount: number): bigint[] {
  const h = rootOfUnity(log2Size);
  const count = 2 ** log2Size - rowCount + 1;
  const minusFirst = F.sub(0n, power(F, h, BigInt(rowCount - 1)));
  const hPowers = [1n];
  for (let k = 1; k <= count; k++) hPowers.push(F.mul(hPowers[k - 1], h));
  const denominators = batchInverse(
    F,
    hPowers.slice(1).map(x => F.sub(1n, x)),
  );
  const coefficients = new Array<bigint>(count + 1);
  coefficients[count] = 1n;
  for (let k = 1; k <= count; k++) {
    const ratio = F.mul(F.sub(1n, hPowers[count - k + 1]), denominators[k - 1]);
    const factor = F.mul(minusFirst, F.mul(hPowers[k - 1], ratio));
    coefficients[count - k] = F.mul(coefficients[count - k + 1], factor);
  }
  return coefficients;
}
