import fc from 'fast-check';
import { goldilocks, GOLDILOCKS_MODULUS as P, rootOfUnity } from '../field/goldilocks.js';
import { power } from '../field/field.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const unsigned = (value: bigint) => BigInt.asUintN(64, value);

// Both ends of the field and of 32-bit words, where carries and borrows change.
const EDGES = [
  0n,
  1n,
  2n,
  0xffff_fffen,
  0xffff_ffffn,
  0x1_0000_0000n,
  0x1_0000_0001n,
  0x7fff_ffff_ffff_ffffn,
  0x8000_0000_0000_0000n,
  0xffff_fffe_ffff_ffffn,
  0xffff_ffff_0000_0000n - 1n,
  0xffff_ffff_0000_0000n,
];
const PAIRS = EDGES.flatMap(a => EDGES.map(b => [a, b] as const));
const element = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(...EDGES));

function onVectors(
  kernel: 'vectorMul' | 'vectorAdd' | 'vectorSub',
  pairs: readonly (readonly [bigint, bigint])[],
): bigint[] {
  const mark = arena.usedBytes;
  const [a, b] = [arena.store(pairs.map(([x]) => x)), arena.store(pairs.map(([, y]) => y))];
  const out = arena.allocate(8 * pairs.length);
  kernels[kernel](out, a, b, pairs.length);
  const result = [...arena.elements(out, pairs.length)];
  arena.release(mark);
  return result;
}

it('multiplies, adds and subtracts every pair of edge values as BigInt does', () => {
  const scalar = (f: (a: bigint, b: bigint) => bigint) => PAIRS.map(([a, b]) => unsigned(f(a, b)));
  expect(scalar(kernels.glMul)).toEqual(PAIRS.map(([a, b]) => goldilocks.mul(a, b)));
  expect(scalar(kernels.glAdd)).toEqual(PAIRS.map(([a, b]) => goldilocks.add(a, b)));
  expect(scalar(kernels.glSub)).toEqual(PAIRS.map(([a, b]) => goldilocks.sub(a, b)));
  expect(onVectors('vectorMul', PAIRS)).toEqual(PAIRS.map(([a, b]) => goldilocks.mul(a, b)));
  expect(onVectors('vectorAdd', PAIRS)).toEqual(PAIRS.map(([a, b]) => goldilocks.add(a, b)));
  expect(onVectors('vectorSub', PAIRS)).toEqual(PAIRS.map(([a, b]) => goldilocks.sub(a, b)));
});

it('agrees with BigInt on any elements, one at a time and two at a time', () => {
  const pairs = fc
    .array(fc.tuple(element, element), { minLength: 2, maxLength: 16 })
    .map(list => (list.length % 2 ? list.slice(1) : list));
  fc.assert(
    fc.property(pairs, element, (list, factor) => {
      const products = list.map(([a, b]) => goldilocks.mul(a, b));
      expect(list.map(([a, b]) => unsigned(kernels.glMul(a, b)))).toEqual(products);
      expect(onVectors('vectorMul', list)).toEqual(products);
      expect(onVectors('vectorAdd', list)).toEqual(list.map(([a, b]) => goldilocks.add(a, b)));
      expect(onVectors('vectorSub', list)).toEqual(list.map(([a, b]) => goldilocks.sub(a, b)));
      const mark = arena.usedBytes;
      const at = arena.store(list.map(([a]) => a));
      kernels.vectorScale(at, at, factor, list.length);
      expect([...arena.elements(at, list.length)]).toEqual(list.map(([a]) => goldilocks.mul(a, factor)));
      arena.release(mark);
    }),
    { numRuns: 300 },
  );
});

it('takes any 64-bit word for the element it is congruent to', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      (a, b) => {
        expect(unsigned(kernels.glMul(a, b))).toBe((a * b) % P);
        expect(unsigned(kernels.glAdd(a, b))).toBe((a + b) % P);
      },
    ),
  );
});

it('inverts what can be inverted and leaves zero zero', () => {
  fc.assert(
    fc.property(fc.array(element, { minLength: 1, maxLength: 20 }), values => {
      const expected = values.map(value => (value === 0n ? 0n : goldilocks.inverse(value)));
      expect(values.map(value => unsigned(kernels.glInverse(value)))).toEqual(expected);
      const mark = arena.usedBytes;
      const input = arena.store(values);
      const out = arena.allocate(8 * values.length);
      kernels.batchInverse(out, input, values.length);
      expect([...arena.elements(out, values.length)]).toEqual(expected);
      arena.release(mark);
    }),
  );
});

it('raises to powers and knows every root of unity', () => {
  fc.assert(
    fc.property(element, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (base, exponent) => {
      expect(unsigned(kernels.glPow(base, exponent))).toBe(power(goldilocks, base, exponent));
    }),
  );
  for (let k = 0; k <= 32; k++) expect(unsigned(kernels.rootOfUnity(k))).toBe(rootOfUnity(k));
});
