import fc from 'fast-check';
import { cm31 } from './cm31.js';
import { CountingField } from './counting-field.js';
import { type Ext, power } from './field.js';
import { m31, M31_MODULUS as P } from './m31.js';
import { imaginaryPart, qm31, QM31Extension, realPart } from './qm31.js';

const base = fc.oneof(
  fc.bigInt({ min: 0n, max: P - 1n }),
  fc.constantFrom(0n, 1n, 2n, P - 1n, P - 2n, 1n << 30n, 0xffffn),
);
const quartic: fc.Arbitrary<Ext> = fc.tuple(base, base, base, base);

it('reduces sums, differences and products to canonical representatives', () => {
  fc.assert(
    fc.property(base, base, (a, b) => {
      expect(m31.add(a, b)).toBe((a + b) % P);
      expect(m31.sub(a, b)).toBe((a - b + P) % P);
      expect(m31.mul(a, b)).toBe((a * b) % P);
    }),
  );
});

it('extends by i² = −1, and −1 is no square', () => {
  expect(cm31.mul([0n, 1n], [0n, 1n])).toEqual([P - 1n, 0n]);
  expect(power(m31, P - 1n, (P - 1n) / 2n)).toBe(P - 1n);
});

it('extends by u² = 2 + i, and 2 + i is no square', () => {
  expect(qm31.mul([0n, 0n, 1n, 0n], [0n, 0n, 1n, 0n])).toEqual([2n, 1n, 0n, 0n]);
  expect(power(cm31, [2n, 1n], (P * P - 1n) / 2n)).toEqual([P - 1n, 0n]);
});

it('conjugates by the Frobenius of the field between, which changes the sign of the imaginary part', () => {
  fc.assert(
    fc.property(quartic, a => {
      expect(power(qm31, a, P * P)).toEqual([...realPart(a), ...cm31.sub(cm31.zero, imaginaryPart(a))]);
    }),
    { numRuns: 10 },
  );
});

it('scales by an element of the field between as it multiplies by it', () => {
  fc.assert(
    fc.property(quartic, base, base, (a, re, im) => {
      expect(qm31.scaleComplex(a, [re, im])).toEqual(qm31.mul(a, [re, im, 0n, 0n]));
    }),
  );
});

it('counts 16 multiplications and 16 additions a product, 60 multiplications a base inversion, 80 and 18 an inversion', () => {
  const counting = new CountingField(m31);
  const field = new QM31Extension(counting);
  field.mul([1n, 2n, 3n, 4n], [5n, 6n, 7n, 8n]);
  expect([counting.multiplications, counting.additions]).toEqual([16, 16]);
  counting.inverse(5n);
  expect(counting.multiplications).toBe(16 + 60);
  field.inverse([1n, 2n, 3n, 4n]);
  expect([counting.multiplications, counting.additions]).toEqual([76 + 80, 16 + 18]);
});
