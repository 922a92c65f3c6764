import { InlineKernelExecutor } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import { exclusionCoefficients } from '../quotient-domain.js';
import { exclusionPolynomial } from './exclusion-polynomial.js';

const executor = new InlineKernelExecutor(await loadKernelModule());

it.each([
  [64, 64],
  [64, 62],
  [256, 200],
  [512, 384],
])('is the product of the lines: %i rows, of which an AIR sees %i', (traceLength, rowCount) => {
  const coefficients = exclusionPolynomial(executor, { traceLength, rowCount });
  const expected = exclusionCoefficients({ traceLength, rowCount });
  expect(coefficients.slice(0, expected.length)).toEqual(expected);
  expect(coefficients.slice(expected.length).every(c => c === 0n)).toBe(true);
});
