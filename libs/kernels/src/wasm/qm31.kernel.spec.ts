import fc from 'fast-check';
import { circleBasis } from '../circle/circle-fft.js';
import { type Ext, powers } from '../field/field.js';
import { M31_MODULUS as P } from '../field/m31.js';
import { qm31 as E } from '../field/qm31.js';
import { blake3Keyed } from '../hash/blake3.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { InlineKernelExecutor, SCRATCH_BYTES } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const base = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n));
const element = fc.tuple(base, base, base, base);
const elements = (length: number) => fc.array(element, { minLength: length, maxLength: length });
const bases = (length: number) => fc.array(base, { minLength: length, maxLength: length });

let mark = 0;
beforeEach(() => {
  mark = arena.usedBytes;
});
afterEach(() => arena.release(mark));

const store = (values: readonly bigint[]) => arena.storeWords(values.map(Number));
const storePlanes = (values: readonly Ext[]) =>
  store([0, 1, 2, 3].flatMap(c => values.map(value => value[c])));
const load = (at: number) => [...arena.words(at, 4)].map(BigInt);
const loadPlanes = (at: number, count: number) => {
  const words = arena.words(at, 4 * count);
  return Array.from({ length: count }, (_, i) => [0, 1, 2, 3].map(c => BigInt(words[c * count + i])));
};
const sum = (terms: readonly Ext[]) => terms.reduce((total, term) => E.add(total, term), E.zero);

it('multiplies elements as the reference does', () => {
  fc.assert(
    fc.property(element, element, (a, b) => {
      const at = store(a);
      kernels.qm31VectorMul(at, at, store(b), 1);
      expect(load(at)).toEqual(E.mul(a, b));
      arena.release(mark);
    }),
  );
});

it('lists the circle basis at a point of the extension', () => {
  fc.assert(
    fc.property(element, element, (x, y) => {
      const doubled = E.sub(E.scale(E.mul(x, x), 2n), E.one);
      const planes = arena.allocate(128);
      kernels.qm31TensorBasis(planes, 32, store([y, x, doubled].flat()), 3);
      expect(loadPlanes(planes, 8)).toEqual(circleBasis(E, { x, y }, 8));
      arena.release(mark);
    }),
  );
});

it('evaluates a polynomial in a tensor basis given in two parts', () => {
  fc.assert(
    fc.property(bases(32), elements(8), elements(4), (coefficients, low, high) => {
      const out = arena.allocate(16);
      kernels.qm31Evaluate(out, store(coefficients), storePlanes(low), 32, 3, storePlanes(high), 16, 4);
      const expected = sum(
        coefficients.map((c, i) => E.scale(E.mul(low[i % 8], high[Math.floor(i / 8)]), c)),
      );
      expect(load(out)).toEqual(expected);
      arena.release(mark);
    }),
  );
});

it('sums up to as many weighed columns as there are without overflow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      fc.infiniteStream(base),
      (width, isFull, stream) => {
        const next = () => (isFull ? P - 1n : (stream.next().value as bigint));
        const columns = Array.from({ length: width }, () => Array.from({ length: 8 }, next));
        const weights = Array.from({ length: width }, () => [next(), next(), next(), next()]);
        const out = arena.allocate(128);
        const addresses = arena.storeWords(columns.map(column => store([7n, 7n, 7n, 7n, ...column])));
        kernels.qm31Combine(out, 32, addresses, width, 16, store(weights.flat()), 32);
        expect(loadPlanes(out, 8)).toEqual(
          Array.from({ length: 8 }, (_, i) => sum(weights.map((w, c) => E.scale(w, columns[c][i])))),
        );
        arena.release(mark);
      },
    ),
  );
});

it('folds eight interleaved parts by powers of the challenge, in the range it is given', () => {
  fc.assert(
    fc.property(elements(64), element, (values, lambda) => {
      const weights = powers(E, lambda, 8);
      const out = storePlanes(Array.from({ length: 8 }, () => E.one));
      kernels.qm31FoldByEight(out, 32, storePlanes(values), 256, store(weights.flat()), 4, 4);
      const folded = Array.from({ length: 8 }, (_, i) =>
        i < 4 ? E.one : sum(weights.map((w, k) => E.mul(w, values[8 * i + k]))),
      );
      expect(loadPlanes(out, 8)).toEqual(folded);
      arena.release(mark);
    }),
    { numRuns: 30 },
  );
});

it.each([1, 3, 8, 31, 33, 70])(
  'hashes leaves of %i columns as rows in order, with and without salt',
  width => {
    const columns = Array.from({ length: width * 64 }, (_, i) => (i * 2_654_435_761) % Number(P));
    const at = arena.storeWords(columns);
    const salts = Uint8Array.from({ length: 8 * 16 }, (_, i) => i + 1);
    const key = Uint8Array.from({ length: 32 }, (_, i) => 7 * i);
    const [leaves, saltAddress, keyAddress] = [
      arena.allocate(256),
      arena.storeBytes(salts),
      arena.storeBytes(key),
    ];
    const rowOf = (position: number) => Array.from({ length: width }, (_, c) => columns[c * 64 + position]);
    for (const isSalted of [false, true]) {
      kernels.circleHashLeaves(leaves, at, 256, width, 0, 4, isSalted ? saltAddress : 0, keyAddress);
      kernels.circleHashLeaves(leaves, at, 256, width, 4, 4, isSalted ? saltAddress : 0, keyAddress);
      for (let leaf = 0; leaf < 8; leaf++) {
        const words = Array.from({ length: 8 }, (_, k) => rowOf(8 * leaf + k)).flat();
        const rows = new Uint8Array(Uint32Array.from(words).buffer);
        const salt = isSalted ? salts.slice(16 * leaf, 16 * leaf + 16) : [];
        const digest = arena.bytes(leaves + 32 * leaf, 32).slice();
        expect(digest).toEqual(blake3Keyed(key, Uint8Array.from([...rows, ...salt])));
        const packed = arena.allocate(rows.length);
        kernels.circlePackLeaf(packed, at, 256, width, leaf);
        expect(arena.bytes(packed, rows.length).slice()).toEqual(rows);
      }
    }
  },
);

it('needs no more scratch than every instance has', () => {
  expect(kernels.circleLeafScratchBytes()).toBeLessThanOrEqual(SCRATCH_BYTES);
});
