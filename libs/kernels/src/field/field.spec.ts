import fc from 'fast-check';
import { batchInverse } from './batch-inverse.js';
import { cm31 } from './cm31.js';
import { CountingField } from './counting-field.js';
import { cubicExtension, CubicExtension } from './cubic-extension.js';
import { type Ext, type Field, power, powers } from './field.js';
import {
  goldilocks,
  GOLDILOCKS_GENERATOR,
  GOLDILOCKS_MODULUS as P,
  GOLDILOCKS_TWO_ADICITY,
  rootOfUnity,
} from './goldilocks.js';
import { m31, M31_MODULUS } from './m31.js';
import { qm31 } from './qm31.js';
import { quadraticExtension, QuadraticExtension } from './quadratic-extension.js';

// Edges of the reduction as well as uniform elements.
const base = fc.oneof(
  fc.bigInt({ min: 0n, max: P - 1n }),
  fc.constantFrom(0n, 1n, P - 1n, P - 2n, 0xffff_ffffn, 0x1_0000_0000n, 0xffff_ffff_0000_0000n, 1n << 63n),
);
const small = fc.oneof(
  fc.bigInt({ min: 0n, max: M31_MODULUS - 1n }),
  fc.constantFrom(0n, 1n, M31_MODULUS - 1n, M31_MODULUS - 2n, 1n << 30n, 0xffffn),
);
const of = (coordinate: fc.Arbitrary<bigint>, degree: number): fc.Arbitrary<Ext> =>
  fc.array(coordinate, { minLength: degree, maxLength: degree });

describe.each([
  ['Goldilocks', goldilocks, base, base],
  ['its quadratic extension', quadraticExtension, of(base, 2), base],
  ['its cubic extension', cubicExtension, of(base, 3), base],
  ['M31', m31, small, small],
  ['its complex extension', cm31, of(small, 2), small],
  ['its quartic extension', qm31, of(small, 4), small],
] as [string, Field<unknown>, fc.Arbitrary<unknown>, fc.Arbitrary<bigint>][])(
  '%s',
  (_, field, element, base) => {
    it('is a commutative ring', () => {
      fc.assert(
        fc.property(element, element, element, (a, b, c) => {
          expect(field.add(a, b)).toEqual(field.add(b, a));
          expect(field.mul(a, b)).toEqual(field.mul(b, a));
          expect(field.add(field.add(a, b), c)).toEqual(field.add(a, field.add(b, c)));
          expect(field.mul(field.mul(a, b), c)).toEqual(field.mul(a, field.mul(b, c)));
          expect(field.mul(a, field.add(b, c))).toEqual(field.add(field.mul(a, b), field.mul(a, c)));
          expect(field.add(a, field.zero)).toEqual(a);
          expect(field.mul(a, field.one)).toEqual(a);
          expect(field.add(field.sub(a, b), b)).toEqual(a);
        }),
      );
    });

    it('inverts every element but zero', () => {
      fc.assert(
        fc.property(element, a => {
          if (field.equals(a, field.zero)) expect(() => field.inverse(a)).toThrow('zero has no inverse');
          else expect(field.mul(a, field.inverse(a))).toEqual(field.one);
        }),
      );
    });

    it('scales as it multiplies by an embedded base element', () => {
      fc.assert(
        fc.property(element, base, (a, c) => {
          expect(field.scale(a, c)).toEqual(field.mul(a, field.fromBase(c)));
        }),
      );
    });

    it('inverts a batch as it inverts one by one', () => {
      fc.assert(
        fc.property(fc.array(element, { maxLength: 9 }), elements => {
          const invertible = elements.filter(a => !field.equals(a, field.zero));
          expect(batchInverse(field, invertible)).toEqual(invertible.map(a => field.inverse(a)));
        }),
      );
    });
  },
);

it('reduces sums, differences and products to canonical representatives', () => {
  fc.assert(
    fc.property(base, base, (a, b) => {
      expect(goldilocks.add(a, b)).toBe((a + b) % P);
      expect(goldilocks.sub(a, b)).toBe((a - b + P) % P);
      expect(goldilocks.mul(a, b)).toBe((a * b) % P);
    }),
  );
});

it('refuses to invert a batch that holds a zero', () => {
  expect(() => batchInverse(goldilocks, [1n, 0n, 2n])).toThrow(RangeError);
});

it.each([
  ['cubic', cubicExtension, new CubicExtension(goldilocks), 3],
  ['quadratic', quadraticExtension, new QuadraticExtension(goldilocks), 2],
] as const)(
  'multiplies %s elements with one reduction a coordinate as with many',
  (_, once, many, degree) => {
    fc.assert(
      fc.property(of(base, degree), of(base, degree), (a, b) => {
        expect(once.mul(a, b)).toEqual(many.mul(a, b));
        expect(once.mul(a, a)).toEqual(many.mul(a, a));
      }),
    );
  },
);

it('multiplies extension elements modulo φ³ − φ − 1', () => {
  const phi: Ext = [0n, 1n, 0n];
  expect(power(cubicExtension, phi, 3n)).toEqual([1n, 1n, 0n]);
  expect(power(cubicExtension, phi, 4n)).toEqual([0n, 1n, 1n]);
});

it('multiplies elements of the quadratic extension modulo φ² − 7, of which 7 is no square', () => {
  expect(quadraticExtension.mul([0n, 1n], [0n, 1n])).toEqual([7n, 0n]);
  expect(power(goldilocks, 7n, (P - 1n) / 2n)).toBe(P - 1n);
});

it('extends by an irreducible polynomial: Frobenius moves φ and has order 3', () => {
  const frobenius = (a: Ext) => power(cubicExtension, a, P);
  const phi: Ext = [0n, 1n, 0n];
  expect(frobenius(phi)).not.toEqual(phi);
  expect(frobenius(frobenius(frobenius(phi)))).toEqual(phi);
});

it('has roots of unity of exactly the stated order, each the square of the next', () => {
  expect(rootOfUnity(GOLDILOCKS_TWO_ADICITY)).toBe(0x185629dcda58878cn);
  expect(rootOfUnity(0)).toBe(1n);
  expect(rootOfUnity(1)).toBe(P - 1n);
  for (let k = 1; k <= GOLDILOCKS_TWO_ADICITY; k++) {
    expect(goldilocks.mul(rootOfUnity(k), rootOfUnity(k))).toBe(rootOfUnity(k - 1));
  }
  expect(() => rootOfUnity(33)).toThrow('log2Order must be an integer in 0…32, got 33');
  expect(() => rootOfUnity(1.5)).toThrow(RangeError);
});

it('generates the multiplicative group with 7', () => {
  // p − 1 = 2^32 · 3 · 5 · 17 · 257 · 65537
  for (const prime of [2n, 3n, 5n, 17n, 257n, 65_537n]) {
    expect(power(goldilocks, GOLDILOCKS_GENERATOR, (P - 1n) / prime)).not.toBe(1n);
  }
});

it('raises to a power as repeated multiplication does', () => {
  fc.assert(
    fc.property(base, fc.integer({ min: 0, max: 20 }), (a, n) => {
      expect(power(goldilocks, a, BigInt(n))).toBe(powers(goldilocks, a, n + 1)[n]);
    }),
  );
  expect(() => power(goldilocks, 2n, -1n)).toThrow(RangeError);
});

it('counts 9 multiplications and 8 additions an extension product, and 126 multiplications a base inversion', () => {
  const counting = new CountingField();
  new CubicExtension(counting).mul([1n, 2n, 3n], [4n, 5n, 6n]);
  expect([counting.multiplications, counting.additions]).toEqual([9, 8]);
  counting.inverse(5n);
  expect(counting.multiplications).toBe(9 + 126);
});

it('counts 5 multiplications and 2 additions a quadratic product, as many beside the base inversion an inversion', () => {
  const counting = new CountingField();
  const field = new QuadraticExtension(counting);
  field.mul([1n, 2n], [3n, 4n]);
  expect([counting.multiplications, counting.additions]).toEqual([5, 2]);
  field.inverse([1n, 2n]);
  expect([counting.multiplications, counting.additions]).toEqual([10 + 126, 4]);
});
