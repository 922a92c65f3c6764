import { circleBasis, circlePoints, doubleX, lineBasis, m31 } from '@svc/kernels';
import { evaluateCircleExclusion } from '@svc/stark-verifier';
import fc from 'fast-check';
import { chunkDigits } from './chunk-digits.js';
import { exclusionCoefficients } from './quotient-domain.js';

it.each([1, 2, 3, 4])('writes each block of %i chunks in digits of σ', chunkCount => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: m31.modulus - 1n }), x => {
      const places = [1n, x, doubleX(m31, x)];
      const sigma = m31.mul(x, places[2]);
      const blocks = lineBasis(m31, x, 16);
      chunkDigits(chunkCount).forEach((digits, h) => {
        let value = 0n;
        let power = 1n;
        for (let k = 0; k < chunkCount; k++) {
          places.forEach((place, j) => (value += digits[3 * k + j] * place * power));
          power = m31.mul(power, sigma);
        }
        expect(value % m31.modulus).toBe(blocks[h]);
      });
    }),
    { numRuns: 20 },
  );
});

it('has the exclusion in as many coefficients as its degree says', () => {
  for (const rowCount of [64, 62, 40]) {
    const shape = { traceLength: 64, rowCount };
    const coefficients = exclusionCoefficients(shape);
    expect(coefficients).toHaveLength(64 - rowCount + 3);
    for (const point of circlePoints(128)) {
      const basis = circleBasis(m31, point, 64);
      const value = coefficients.reduce((sum, c, j) => m31.add(sum, m31.mul(c, basis[j])), 0n);
      expect(value).toBe(evaluateCircleExclusion(m31, shape, point));
    }
  }
});
