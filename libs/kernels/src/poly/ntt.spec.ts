import fc from 'fast-check';
import { CountingField } from '../field/counting-field.js';
import { cubicExtension } from '../field/cubic-extension.js';
import { evaluatePolynomial, type Ext, power } from '../field/field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P, rootOfUnity } from '../field/goldilocks.js';
import { naiveDft } from './dft.naive.js';
import { evaluateOnCoset, interpolateOnCoset, inverseNtt, log2Exact, ntt } from './ntt.js';

const base = fc.bigInt({ min: 0n, max: P - 1n });
const vector = fc
  .integer({ min: 0, max: 5 })
  .chain(k => fc.array(base, { minLength: 2 ** k, maxLength: 2 ** k }));

it('transforms as the definition does', () => {
  fc.assert(
    fc.property(vector, values => {
      expect(ntt(goldilocks, values)).toEqual(
        naiveDft(goldilocks, values, rootOfUnity(log2Exact(values.length))),
      );
    }),
  );
});

it('interpolates what it evaluated', () => {
  fc.assert(
    fc.property(vector, values => {
      expect(inverseNtt(goldilocks, ntt(goldilocks, values))).toEqual(values);
      const coset = evaluateOnCoset(goldilocks, values, 7n, 2 * values.length);
      const padded = [...values, ...values.map(() => 0n)];
      expect(interpolateOnCoset(goldilocks, coset, 7n)).toEqual(padded);
    }),
  );
});

it('evaluates on a coset in natural order', () => {
  const coefficients = [3n, 1n, 4n, 1n];
  const evaluations = evaluateOnCoset(goldilocks, coefficients, 7n, 16);
  evaluations.forEach((value, i) => {
    const x = goldilocks.mul(7n, power(goldilocks, rootOfUnity(4), BigInt(i)));
    expect(value).toBe(evaluatePolynomial(goldilocks, coefficients, x));
  });
});

it('transforms extension elements coordinate by coordinate', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(base, base, base), { minLength: 8, maxLength: 8 }), values => {
      const whole = ntt(cubicExtension, values as Ext[]);
      for (const c of [0, 1, 2]) {
        expect(whole.map(value => value[c])).toEqual(
          ntt(
            goldilocks,
            values.map(value => value[c]),
          ),
        );
      }
    }),
  );
});

it('costs (n/2)·log2 n multiplications and n·log2 n additions', () => {
  const counting = new CountingField();
  ntt(counting, Array<bigint>(64).fill(1n));
  expect([counting.multiplications, counting.additions]).toEqual([32 * 6, 64 * 6]);
});

it('refuses sizes that are not powers of two', () => {
  expect(() => ntt(goldilocks, [1n, 2n, 3n])).toThrow('size must be a power of two, got 3');
  expect(() => log2Exact(0)).toThrow(RangeError);
});
