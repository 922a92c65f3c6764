import fc from 'fast-check';
import { type Cubic, cubicExtension as E } from '../field/cubic-extension.js';
import { cubicsFromWords } from '../field/field-bytes.js';
import { evaluatePolynomial, powers } from '../field/field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P } from '../field/goldilocks.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const base = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n, 2n ** 32n - 1n));
const cubic = fc.tuple(base, base, base);
const cubics = (length: number) => fc.array(cubic, { minLength: length, maxLength: length });

let mark = 0;
beforeEach(() => {
  mark = arena.usedBytes;
});
afterEach(() => arena.release(mark));

/** Stores three planes end to end. */
function storePlanes(values: readonly Cubic[]): number {
  return arena.store([0, 1, 2].flatMap(c => values.map(value => value[c])));
}

function readPlanes(at: number, count: number): Cubic[] {
  const planes = arena.elements(at, 3 * count);
  return Array.from({ length: count }, (_, i) => [planes[i], planes[count + i], planes[2 * count + i]]);
}

it('multiplies extension elements as the reference does', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(cubic, cubic), { minLength: 1, maxLength: 8 }), pairs => {
      const a = arena.store(pairs.flatMap(([x]) => x));
      kernels.cubicVectorMul(a, a, arena.store(pairs.flatMap(([, y]) => y)), pairs.length);
      expect(cubicsFromWords(arena.elements(a, 3 * pairs.length))).toEqual(
        pairs.map(([x, y]) => E.mul(x, y)),
      );
    }),
  );
});

it('lists the powers of an element', () => {
  fc.assert(
    fc.property(cubic, fc.integer({ min: 0, max: 6 }), (x, log2Count) => {
      const count = 2 ** log2Count;
      const at = arena.allocate(24 * count);
      kernels.cubicPowers(at, 8 * count, ...x, count);
      expect(readPlanes(at, count)).toEqual(powers(E, x, count));
    }),
  );
});

it('evaluates base polynomials at an extension point', () => {
  const columns = fc.array(fc.array(base, { minLength: 16, maxLength: 16 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(columns, cubic, (list, x) => {
      const at = arena.store(list.flat());
      const out = arena.allocate(24 * list.length);
      kernels.evaluateAtPowers(out, at, 128, list.length, storePlanes(powers(E, x, 16)), 128, 16);
      const expected = list.map(column =>
        evaluatePolynomial(
          E,
          column.map(c => E.fromBase(c)),
          x,
        ),
      );
      expect(cubicsFromWords(arena.elements(out, 3 * list.length))).toEqual(expected);
    }),
  );
});

it('adds weighted columns and scaled vectors in the range it is given, and nowhere else', () => {
  const columns = fc.array(fc.array(base, { minLength: 8, maxLength: 8 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(columns, cubics(3), cubics(8), cubics(8), cubic, (list, weights, start, input, weight) => {
      const inRange = (i: number) => i >= 2 && i < 6;
      const out = storePlanes(start);
      const addresses = arena.storeWords(list.map(column => arena.store(column)));
      kernels.accumulateColumns(out, 64, addresses, 3, arena.store(weights.flat()), 2, 4);
      const summed = start.map((value, i) =>
        inRange(i) ? weights.reduce<Cubic>((sum, w, c) => E.add(sum, E.scale(w, list[c][i])), value) : value,
      );
      expect(readPlanes(out, 8)).toEqual(summed);
      kernels.accumulateScaled(out, 64, storePlanes(input), 64, arena.store(weight), 2, 4);
      expect(readPlanes(out, 8)).toEqual(
        summed.map((value, i) => (inRange(i) ? E.add(value, E.mul(weight, input[i])) : value)),
      );
    }),
  );
});

it('divides by a linear factor and drops the remainder', () => {
  fc.assert(
    fc.property(cubics(8), cubic, base, (quotient, point, basePoint) => {
      // (X − point)·quotient + remainder, lowest degree first.
      const times = (x: Cubic, remainder: Cubic) =>
        [...quotient, E.zero].map((_, i) => {
          const shifted = i > 0 ? quotient[i - 1] : remainder;
          return i < 8 ? E.sub(shifted, E.mul(x, quotient[i])) : shifted;
        });
      for (const x of [point, E.fromBase(basePoint)]) {
        const at = storePlanes(times(x, [5n, 6n, 7n]));
        if (x === point) kernels.divideByLinear(at, 72, ...x, 9);
        else kernels.divideByLinearBase(at, 72, basePoint, 9);
        expect(readPlanes(at, 9)).toEqual([...quotient, E.zero]);
      }
    }),
  );
});

it('folds eight interleaved parts by powers of the challenge', () => {
  fc.assert(
    fc.property(cubics(32), cubic, (values, lambda) => {
      const weights = powers(E, lambda, 8);
      const out = arena.allocate(24 * 4);
      kernels.foldByEight(out, 32, storePlanes(values), 256, arena.store(weights.flat()), 0, 4);
      expect(readPlanes(out, 4)).toEqual(
        [0, 1, 2, 3].map(i => weights.reduce((sum, w, k) => E.add(sum, E.mul(w, values[8 * i + k])), E.zero)),
      );
    }),
    { numRuns: 50 },
  );
});

it('recovers both halves of a polynomial from two residues', () => {
  const half = fc.array(base, { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(half, half, base, base, (low, high, a, b) => {
      fc.pre(a !== b);
      // Modulo X^8 − a, X^8 is a.
      const residue = (constant: bigint) =>
        low.map((c, i) => goldilocks.add(c, goldilocks.mul(high[i], constant)));
      const [ra, rb] = [arena.store(residue(a)), arena.store(residue(b))];
      kernels.splitResidues(ra, rb, a, goldilocks.inverse(goldilocks.sub(a, b)), 8);
      expect([...arena.elements(ra, 8)]).toEqual(low);
      expect([...arena.elements(rb, 8)]).toEqual(high);
    }),
  );
});
