import fc from 'fast-check';
import { circlePoints, linePointAt, reverseBits, tracePoint, traceRowAt } from '../circle/circle-domain.js';
import { circleBasis, circleFft, lineBasis } from '../circle/circle-fft.js';
import { naiveCircleEvaluation } from '../circle/circle-fft.naive.js';
import { addPoints, circleGenerator, doubleX, multiplyPoint, negatePoint } from '../circle/circle-group.js';
import { batchInverse } from '../field/batch-inverse.js';
import { m31, M31_MODULUS as P } from '../field/m31.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const element = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n, 2n ** 30n));
const vector = (length: number) => fc.array(element, { minLength: length, maxLength: length });

let mark = 0;
beforeEach(() => {
  mark = arena.usedBytes;
});
afterEach(() => arena.release(mark));

const store = (values: readonly bigint[]) => arena.storeWords(values.map(Number));
const load = (at: number, count: number) => [...arena.words(at, count)].map(BigInt);
const pseudorandom = (count: number, seed: bigint) => {
  let state = seed;
  return Array.from({ length: count }, () => (state = (state * 48271n + 11n) % P));
};

/** The heap of twiddles of the standard coset, made of its halves 2^(−log2Parts) as a prover makes it. */
function storeTwiddles(log2Size: number, log2Parts: number): number {
  const tree = arena.allocate(4 << log2Size);
  arena.words(tree, 1 << log2Size).fill(0);
  const start = circleGenerator(log2Size + 1);
  const log2Part = log2Size - log2Parts;
  for (let part = 0; part < 2 ** log2Parts; part++) {
    const shift = multiplyPoint(circleGenerator(log2Size - 1), reverseBits(part, log2Parts));
    const { x, y } = addPoints(m31, start, shift);
    kernels.circleTwiddles(tree, 2 ** log2Parts + part, log2Part, Number(x), Number(y));
  }
  for (let node = 2 ** log2Parts - 1; node > 0; node--) {
    arena.words(tree, 2 ** log2Parts)[node] = Number(
      doubleX(m31, BigInt(arena.words(tree + 8 * node, 1)[0])),
    );
  }
  return tree;
}

it('computes with vectors of M31 as the reference does', () => {
  fc.assert(
    fc.property(vector(8), vector(8), element, (a, b, factor) => {
      const [x, y, out] = [store(a), store(b), arena.allocate(32)];
      const pairs = a.map((value, i) => [value, b[i]] as const);
      kernels.m31VectorMul(out, x, y, 8);
      expect(load(out, 8)).toEqual(pairs.map(([v, w]) => m31.mul(v, w)));
      kernels.m31VectorAdd(out, x, y, 8);
      expect(load(out, 8)).toEqual(pairs.map(([v, w]) => m31.add(v, w)));
      kernels.m31VectorSub(out, x, y, 8);
      expect(load(out, 8)).toEqual(pairs.map(([v, w]) => m31.sub(v, w)));
      kernels.m31VectorScale(out, x, Number(factor), 8);
      expect(load(out, 8)).toEqual(a.map(v => m31.mul(v, factor)));
      kernels.m31VectorAddScaled(y, x, Number(factor), 8);
      expect(load(y, 8)).toEqual(pairs.map(([v, w]) => m31.add(w, m31.mul(v, factor))));
      arena.release(mark);
    }),
  );
});

it('inverts many elements at once', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 1n, max: P - 1n }), { minLength: 24, maxLength: 24 }), values => {
      const out = arena.allocate(96);
      kernels.m31BatchInverse(out, store(values), 24);
      expect(load(out, 24)).toEqual(batchInverse(m31, values));
      arena.release(mark);
    }),
  );
});

it.each([4, 5, 6, 7, 8, 9, 11, 12])(
  'transforms 2^%i coefficients to the standard coset and back',
  log2Size => {
    const size = 2 ** log2Size;
    const coefficients = pseudorandom(size, 7n);
    const tree = storeTwiddles(log2Size, Math.max(0, log2Size - 8));
    const values = arena.allocate(4 * size);
    kernels.circleFft(values, store(coefficients), log2Size, tree, 1);
    expect(load(values, size)).toEqual(circleFft(m31, coefficients));
    if (size <= 64) expect(load(values, size)).toEqual(naiveCircleEvaluation(m31, coefficients));
    const inverses = arena.allocate(4 * size);
    kernels.m31BatchInverse(inverses, tree, size);
    arena.words(tree, 1)[0] = 1;
    kernels.m31BatchInverse(inverses, tree, size);
    kernels.circleInverseFft(values, log2Size, inverses, 1);
    expect(load(values, size)).toEqual(coefficients);
  },
);

it('extends coefficients coset by coset, and to the first positions alone', () => {
  const coefficients = pseudorandom(256, 3n);
  const tree = storeTwiddles(10, 2);
  const source = store(coefficients);
  const whole = circleFft(m31, [...coefficients, ...new Array<bigint>(768).fill(0n)]);
  for (let coset = 0; coset < 4; coset++) {
    const values = arena.allocate(1024);
    kernels.circleFft(values, source, 8, tree, 4 + coset);
    expect(load(values, 256)).toEqual(whole.slice(256 * coset, 256 * (coset + 1)));
    for (const log2Kept of [4, 5, 6, 8]) {
      kernels.circleFftPrefix(values, source, 8, log2Kept, tree, 4 + coset);
      expect(load(values, 2 ** log2Kept)).toEqual(whole.slice(256 * coset, 256 * coset + 2 ** log2Kept));
    }
  }
});

it('transforms to the leaves that are asked for', () => {
  const coefficients = pseudorandom(1024, 13n);
  const tree = storeTwiddles(11, 1);
  const source = store(coefficients);
  const [whole, some] = [arena.allocate(4096), arena.allocate(4096)];
  kernels.circleFft(whole, source, 10, tree, 3);
  const leafOf = (at: number, leaf: number) => load(at + 32 * leaf, 8);
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(127), { maxLength: 6 }), chosen => {
      const leaves = [...chosen].sort((a, b) => a - b);
      kernels.circleFftLeaves(some, source, 10, tree, 3, arena.storeWords(leaves), leaves.length);
      for (const leaf of leaves) expect(leafOf(some, leaf)).toEqual(leafOf(whole, leaf));
    }),
    { numRuns: 40 },
  );
});

it('transforms on the lines that the circle is folded to, with the upper levels of the same twiddles', () => {
  const tree = storeTwiddles(12, 3);
  const coefficients = pseudorandom(64, 5n);
  const at = arena.allocate(256);
  for (const coset of [0, 1, 7]) {
    // 2^12 points fold to a line of 2^9, of which the coset holds the positions from 64·coset on.
    kernels.circleFft(at, store(coefficients), 6, tree, 8 + coset);
    const expected = Array.from({ length: 64 }, (_, i) => {
      const { x } = linePointAt(512, 64 * coset + i);
      return lineBasis(m31, x, 64).reduce((sum, b, k) => m31.add(sum, m31.mul(b, coefficients[k])), 0n);
    });
    expect(load(at, 64)).toEqual(expected);
  }
});

it('brings the rows of a trace into circle order', () => {
  const rows = pseudorandom(64, 9n);
  const at = arena.allocate(256);
  kernels.circleOrderCopy(at, store(rows), 6);
  expect(load(at, 64)).toEqual(rows.map((_, position) => rows[traceRowAt(64, position)]));
});

it('evaluates lines at the points of a coset', () => {
  const tree = storeTwiddles(6, 1);
  const points = circlePoints(64);
  const at = arena.allocate(128);
  fc.assert(
    fc.property(element, element, element, (a, b, c) => {
      for (const coset of [0, 1]) {
        kernels.circleLine(at, 5, tree, 2 + coset, Number(a), Number(b), Number(c));
        expect(load(at, 32)).toEqual(
          points
            .slice(32 * coset, 32 * coset + 32)
            .map(({ x, y }) => m31.add(m31.add(m31.mul(a, x), m31.mul(b, y)), c)),
        );
      }
    }),
    { numRuns: 20 },
  );
});

it('has the circle basis as its coefficients’ basis', () => {
  const points = circlePoints(16);
  const tree = storeTwiddles(4, 0);
  const at = arena.allocate(64);
  for (let j = 0; j < 16; j++) {
    const unit = Array.from({ length: 16 }, (_, i) => (i === j ? 1n : 0n));
    kernels.circleFft(at, store(unit), 4, tree, 1);
    expect(load(at, 16)).toEqual(points.map(point => circleBasis(m31, point, 16)[j]));
  }
});

it('makes the factor with a simple pole at a row', () => {
  const tree = storeTwiddles(11, 1);
  const points = circlePoints(2048);
  const row = tracePoint(64, 5);
  const at = arena.allocate(4096);
  for (const coset of [0, 1]) {
    kernels.circleRowFactor(at, 10, tree, 2 + coset, Number(row.x), Number(row.y));
    const relative = points
      .slice(1024 * coset, 1024 * (coset + 1))
      .map(point => addPoints(m31, point, negatePoint(m31, row)));
    expect(load(at, 1024)).toEqual(relative.map(({ x, y }) => m31.mul(m31.add(1n, x), m31.inverse(y))));
  }
});
