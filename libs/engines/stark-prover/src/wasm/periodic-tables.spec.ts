import { evaluatePolynomial, goldilocks as F, GOLDILOCKS_GENERATOR, power, rootOfUnity } from '@svc/kernels';
import { type Air, rulesAir, spatialBoxAir } from '@svc/stark-air';
import { periodicPolynomials } from '@svc/stark-verifier';
import { periodicTables } from './periodic-tables.js';

it.each([rulesAir as Air, spatialBoxAir as Air])(
  'holds each periodic column of $id at each point of a coset, whichever cosets were asked for before',
  air => {
    const cosets = [11, 12, 11].flatMap(log2Size =>
      [0n, 1n, 5n].map(exponent => {
        const turn = power(F, rootOfUnity(log2Size + 3), exponent);
        return { log2Size, shift: F.mul(GOLDILOCKS_GENERATOR, turn) };
      }),
    );
    for (const { log2Size, shift } of cosets) {
      const tables = periodicTables(air, log2Size, shift);
      expect(tables).toHaveLength(air.periodicColumns.length);
      periodicPolynomials(air).forEach((coefficients, column) => {
        const period = coefficients.length;
        for (const i of [0, 1, 77, 2 ** log2Size - 1]) {
          const x = F.mul(shift, power(F, rootOfUnity(log2Size), BigInt(i)));
          const expected = evaluatePolynomial(F, coefficients, power(F, x, BigInt(2 ** log2Size / period)));
          expect(tables[column][i % period]).toBe(expected);
        }
      });
    }
  },
);

it('keeps the tables of a coset, apart from those of another coset or AIR', () => {
  const air = rulesAir as Air;
  const tables = periodicTables(air, 11, 7n);
  expect(periodicTables(air, 11, 7n)).toBe(tables);
  expect(periodicTables(air, 12, 7n)).not.toEqual(tables);
  expect(periodicTables(air, 11, 49n)).not.toEqual(tables);
  expect(periodicTables({ ...air }, 11, 7n)).not.toBe(tables);
});
