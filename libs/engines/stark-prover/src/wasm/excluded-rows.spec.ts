import { evaluatePolynomial, goldilocks as F, power, rootOfUnity } from '@svc/kernels';
import { excludedRowsPolynomial } from './excluded-rows.js';

it.each([
  [6, 64],
  [6, 63],
  [7, 100],
  [11, 1590],
])(
  'vanishes at the rows that are excluded of 2^%i when %i are used, and is their product elsewhere',
  (log2Size, rowCount) => {
    const h = rootOfUnity(log2Size);
    const coefficients = excludedRowsPolynomial(log2Size, rowCount);
    const size = 2 ** log2Size;
    expect(coefficients).toHaveLength(size - rowCount + 2);
    expect(coefficients[coefficients.length - 1]).toBe(1n);
    const valueAt = (x: bigint) => evaluatePolynomial(F, coefficients, x);
    const roots = Array.from({ length: size - rowCount + 1 }, (_, i) =>
      power(F, h, BigInt(rowCount - 1 + i)),
    );
    for (const i of [0, 1, roots.length >> 1, roots.length - 1]) {
      if (i < roots.length) expect(valueAt(roots[i])).toBe(0n);
    }
    expect(valueAt(power(F, h, BigInt(rowCount - 2)))).not.toBe(0n);
    const x = 0x1234_5678_9abc_def0n;
    expect(valueAt(x)).toBe(roots.reduce((product, root) => F.mul(product, F.sub(x, root)), 1n));
  },
);
