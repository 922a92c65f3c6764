import {
  type Ext,
  type ExtensionField,
  extFromWords,
  goldilocks,
  log2Exact,
  power,
  powers,
  rootOfUnity,
} from '@svc/kernels';
import type { VerifierBackend } from './backend.js';

/** Rows of the trace, and how many of them the AIR sees: the others hold masks. */
export interface TraceRows {
  readonly traceLength: number;
  readonly rowCount: number;
}

/** Below so many factors the product is made one by one. */
const GROUPED_FACTORS_MIN = 64;

/** ∏ (z − h^r) over the rows r = U − 1 … N − 1, whose next row is a mask, or would wrap. */
export function exclusionByFactors(extension: ExtensionField, rows: TraceRows, z: Ext): Ext {
  return factors(extension, rows.traceLength, rows.rowCount - 1, rows.traceLength, z);
}

/**
 * The same product. The points of b neighbouring rows from s on are h^s times the first b powers of h, so their factors are
 * h^(s·b)·P(z·h^(−s)) with one P(X) = ∏ (X − h^j) of base coefficients p_j: as a polynomial with the coefficients p_j·z^j over
 * the extension it is evaluated at all the base points h^(−s) at once. With b near the root of the number of factors that
 * takes some hundred products in place of a thousand.
 */
export function evaluateExclusion(
  extension: ExtensionField,
  { traceLength, rowCount }: TraceRows,
  z: Ext,
  backend: Pick<VerifierBackend, 'evaluatePolynomial'>,
): Ext {
  const first = rowCount - 1;
  const count = traceLength - first;
  if (count < GROUPED_FACTORS_MIN) return exclusionByFactors(extension, { traceLength, rowCount }, z);
  const size = Math.floor(Math.sqrt(count));
  const groups = Math.floor(count / size);
  const generator = rootOfUnity(log2Exact(traceLength));
  const zPowers = powers(extension, z, size + 1);
  const { degree } = extension;
  const roots = firstRoots(generator, size);
  const coefficients = BigUint64Array.from(roots.flatMap((p, j) => extension.scale(zPowers[j], p)));
  const starts = Array.from({ length: groups }, (_, i) => first + i * size);
  const step = power(goldilocks, generator, BigInt(traceLength - size));
  let point = power(goldilocks, generator, BigInt(traceLength - first));
  const points = BigUint64Array.from(starts, () => {
    const here = point;
    point = goldilocks.mul(point, step);
    return here;
  });
  const values = extFromWords(backend.evaluatePolynomial({ degree, coefficients }, points), degree);
  const exponent = starts.reduce((sum, start) => sum + size * start, 0) % traceLength;
  const shift = power(goldilocks, generator, BigInt(exponent));
  const rest = factors(extension, traceLength, first + groups * size, traceLength, z);
  return values.reduce((product, value) => extension.mul(product, value), extension.scale(rest, shift));
}

function factors(extension: ExtensionField, traceLength: number, from: number, to: number, z: Ext): Ext {
  const generator = rootOfUnity(log2Exact(traceLength));
  let product = extension.one;
  let point = power(goldilocks, generator, BigInt(from));
  for (let row = from; row < to; row++) {
    product = extension.mul(product, extension.sub(z, extension.fromBase(point)));
    point = goldilocks.mul(point, generator);
  }
  return product;
}

/** The coefficients of ∏ (X − h^j) over j < count, lowest degree first. */
function firstRoots(generator: bigint, count: number): bigint[] {
  const coefficients = [goldilocks.one];
  let root = goldilocks.one;
  for (let j = 0; j < count; j++) {
    coefficients.push(goldilocks.zero);
    for (let k = j + 1; k >= 0; k--) {
      const lower = k > 0 ? coefficients[k - 1] : goldilocks.zero;
      coefficients[k] = goldilocks.sub(lower, goldilocks.mul(root, coefficients[k]));
    }
    root = goldilocks.mul(root, generator);
  }
  return coefficients;
}
