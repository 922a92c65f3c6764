import fc from 'fast-check';
import { goldilocks, GOLDILOCKS_MODULUS as P, rootOfUnity } from '../field/goldilocks.js';
import { power } from '../field/field.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { naiveDft } from '../poly/dft.naive.js';
import { evaluateOnCoset } from '../poly/ntt.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const element = fc.oneof(
  fc.bigInt({ min: 0n, max: P - 1n }),
  fc.constantFrom(0n, 1n, P - 1n, 2n ** 32n - 1n),
);
const vectorOf = (log2Size: number) =>
  fc.array(element, { minLength: 2 ** log2Size, maxLength: 2 ** log2Size });

function reverseBits(value: number, width: number): number {
  return Number.parseInt(value.toString(2).padStart(width, '0').split('').reverse().join(''), 2);
}

function inNaturalOrder(values: readonly bigint[]): bigint[] {
  const width = Math.log2(values.length);
  return values.map((_, i) => values[reverseBits(i, width)]);
}

function tree(log2Size: number, shift: bigint, inverted: 0 | 1): number {
  const roots = arena.allocate(4 << log2Size);
  const at = arena.allocate(8 << log2Size);
  kernels.bitReversedRoots(roots, log2Size, inverted);
  kernels.twiddleTree(at, roots, log2Size, inverted ? goldilocks.inverse(shift) : shift);
  return at;
}

/** Evaluations on shift·⟨ω⟩ in natural order, by the kernel. */
function evaluate(coefficients: readonly bigint[], shift: bigint): bigint[] {
  const mark = arena.usedBytes;
  const size = coefficients.length;
  const log2Size = Math.log2(size);
  const input = arena.store(coefficients);
  const out = arena.allocate(8 * size);
  kernels.ntt(out, input, log2Size, tree(log2Size, shift, 0));
  expect([...arena.elements(input, size)]).toEqual(coefficients);
  const result = inNaturalOrder([...arena.elements(out, size)]);
  arena.release(mark);
  return result;
}

it.each([3, 4, 5, 6, 7])('transforms 2^%i coefficients as the definition does', log2Size => {
  fc.assert(
    fc.property(vectorOf(log2Size), coefficients => {
      expect(evaluate(coefficients, 1n)).toEqual(naiveDft(goldilocks, coefficients, rootOfUnity(log2Size)));
    }),
    { numRuns: 20 },
  );
});

it.each([3, 4, 5, 8, 9, 10, 11, 12])(
  'evaluates 2^%i coefficients on cosets as the reference does',
  log2Size => {
    const size = 2 ** log2Size;
    const coefficients = Array.from({ length: size }, (_, i) => (BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n) % P);
    for (const shift of [7n, P - 1n, power(goldilocks, 7n, 12_345n)]) {
      expect(evaluate(coefficients, shift)).toEqual(evaluateOnCoset(goldilocks, coefficients, shift, size));
    }
  },
);

it.each([3, 4, 5, 6, 9, 10])('takes the evaluations of 2^%i coefficients back to them', log2Size => {
  fc.assert(
    fc.property(
      vectorOf(log2Size),
      element.filter(x => x !== 0n),
      (coefficients, shift) => {
        const mark = arena.usedBytes;
        const at = arena.store(coefficients);
        kernels.ntt(at, at, log2Size, tree(log2Size, shift, 0));
        kernels.inverseNtt(at, log2Size, tree(log2Size, shift, 1));
        expect([...arena.elements(at, coefficients.length)]).toEqual(coefficients);
        arena.release(mark);
      },
    ),
    { numRuns: 10 },
  );
});

it.each([3, 8, 10, 11, 12, 13])('evaluates the groups of 2^%i points that it is asked for', log2Size => {
  const size = 2 ** log2Size;
  const mark = arena.usedBytes;
  const coefficients = Array.from({ length: size }, (_, i) => (BigInt(i + 1) * 0x9e37_79b9_7f4a_7c15n) % P);
  const input = arena.store(coefficients);
  const twiddles = tree(log2Size, 7n, 0);
  const [whole, part] = [arena.allocate(8 * size), arena.allocate(8 * size)];
  kernels.ntt(whole, input, log2Size, twiddles);
  const groups = [...new Set([0, size >> 6, (3 * size) >> 6, size / 8 - 1])];
  kernels.nttGroups(part, input, log2Size, twiddles, arena.storeWords(groups), groups.length);
  for (const group of groups) {
    expect(arena.elements(part + 64 * group, 8)).toEqual(arena.elements(whole + 64 * group, 8));
  }
  arena.release(mark);
});

it('leaves canonical elements alone behind', () => {
  const size = 4096;
  const mark = arena.usedBytes;
  const at = arena.store(new Array<bigint>(size).fill(P - 1n));
  kernels.ntt(at, at, 12, tree(12, 7n, 0));
  expect(arena.elements(at, size).every(value => value < P)).toBe(true);
  arena.release(mark);
});

it.each([1, 2, 5, 9])('copies 2^%i elements to bit-reversed order', log2Size => {
  const values = Array.from({ length: 2 ** log2Size }, (_, i) => BigInt(i));
  const mark = arena.usedBytes;
  const out = arena.allocate(8 * values.length);
  kernels.bitReverseCopy(out, arena.store(values), log2Size);
  expect([...arena.elements(out, values.length)]).toEqual(inNaturalOrder(values));
  arena.release(mark);
});
