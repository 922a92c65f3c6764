import fc from 'fast-check';
import { CountingField } from '../field/counting-field.js';
import { m31, M31_MODULUS } from '../field/m31.js';
import { qm31 } from '../field/qm31.js';
import { circlePoints, linePointAt } from './circle-domain.js';
import {
  circleBasis,
  circleFft,
  circleVanishing,
  evaluateOnCircle,
  inverseCircleFft,
  lineBasis,
} from './circle-fft.js';
import { naiveCircleEvaluation } from './circle-fft.naive.js';

const element = fc.bigInt({ min: 0n, max: M31_MODULUS - 1n });
const vector = fc
  .integer({ min: 1, max: 6 })
  .chain(log2 => fc.array(element, { minLength: 2 ** log2, maxLength: 2 ** log2 }));

it('evaluates as the definition of the basis does', () => {
  fc.assert(
    fc.property(vector, coefficients => {
      expect(circleFft(m31, coefficients)).toEqual(naiveCircleEvaluation(m31, coefficients));
    }),
    { numRuns: 25 },
  );
});

it('interpolates any values, and no others', () => {
  fc.assert(
    fc.property(vector, values => {
      const coefficients = inverseCircleFft(m31, values);
      expect(naiveCircleEvaluation(m31, coefficients)).toEqual(values);
      expect(inverseCircleFft(m31, circleFft(m31, values))).toEqual(values);
    }),
    { numRuns: 25 },
  );
});

it('transforms the coordinates of extension elements one by one', () => {
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      const size = Math.min(a.length, b.length);
      const elements = Array.from({ length: size }, (_, i) => [a[i], 0n, b[i], 1n]);
      const values = circleFft(qm31, elements);
      expect(values.map(v => v[0])).toEqual(circleFft(m31, a.slice(0, size)));
      expect(values.map(v => v[2])).toEqual(circleFft(m31, b.slice(0, size)));
    }),
    { numRuns: 10 },
  );
});

it('extends a polynomial to a larger coset without changing it', () => {
  const coefficients = Array.from({ length: 16 }, (_, i) => BigInt(i * i + 3));
  const extended = evaluateOnCircle(m31, coefficients, 64);
  circlePoints(64).forEach((point, position) => {
    const basis = circleBasis(m31, point, 16);
    const value = basis.reduce((sum, b, j) => m31.add(sum, m31.mul(b, coefficients[j])), 0n);
    expect(extended[position]).toBe(value);
  });
  expect(inverseCircleFft(m31, extended).slice(16)).toEqual(new Array(48).fill(0n));
});

it('vanishes on its own coset alone', () => {
  for (const size of [2, 4, 16]) {
    for (const { x } of circlePoints(size)) expect(circleVanishing(m31, x, size)).toBe(0n);
    for (const { x } of circlePoints(2 * size)) expect(circleVanishing(m31, x, size)).not.toBe(0n);
  }
});

it('has the vanishing polynomials among its basis: b_m = v_m, and b_(m+j) = v_m·b_j', () => {
  const [point] = circlePoints(256);
  const basis = circleBasis(m31, point, 64);
  for (const m of [2, 4, 8, 16, 32]) {
    const vanishing = circleVanishing(m31, point.x, m);
    for (let j = 0; j < m; j++) expect(basis[m + j]).toBe(m31.mul(vanishing, basis[j]));
  }
});

it('writes lines in the basis that folding leaves behind', () => {
  const { x } = linePointAt(32, 5);
  const [one, first, second, both] = lineBasis(m31, x, 4);
  expect([one, first, second]).toEqual([1n, x, m31.sub(m31.mul(2n, m31.mul(x, x)), 1n)]);
  expect(both).toBe(m31.mul(first, second));
});

it('costs what its closed formula says', () => {
  const counting = new CountingField(m31);
  circleFft(counting, new Array<bigint>(32).fill(1n));
  expect([counting.multiplications, counting.additions]).toEqual([16 * 5, 32 * 5]);
  inverseCircleFft(counting, new Array<bigint>(32).fill(1n));
  expect([counting.multiplications, counting.additions]).toEqual([2 * 16 * 5 + 32, 2 * 32 * 5]);
});
