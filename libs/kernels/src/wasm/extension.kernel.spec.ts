import fc from 'fast-check';
import { cubicExtension } from '../field/cubic-extension.js';
import { evaluatePolynomial, type Ext, powers } from '../field/field.js';
import { goldilocks, GOLDILOCKS_MODULUS as P } from '../field/goldilocks.js';
import { quadraticExtension } from '../field/quadratic-extension.js';
import { loadKernelModule } from '../node/kernel-module.js';
import { InlineKernelExecutor } from './kernel-executor.js';

const { arena, kernels } = new InlineKernelExecutor(await loadKernelModule());
const base = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n, 2n ** 32n - 1n));
const basePolynomial = (length: number) => fc.array(base, { minLength: length, maxLength: length });

let mark = 0;
beforeEach(() => {
  mark = arena.usedBytes;
});
afterEach(() => arena.release(mark));

describe.each([
  [2, quadraticExtension],
  [3, cubicExtension],
] as const)('of degree %i', (degree, E) => {
  const element: fc.Arbitrary<Ext> = basePolynomial(degree);
  const elements = (length: number) => fc.array(element, { minLength: length, maxLength: length });
  const elementBytes = 8 * degree;

  /** Stores the planes end to end. */
  function storePlanes(values: readonly Ext[]): number {
    return arena.store(E.one.flatMap((_, c) => values.map(value => value[c])));
  }

  function readPlanes(at: number, count: number): Ext[] {
    const planes = arena.elements(at, degree * count);
    return Array.from({ length: count }, (_, i) => E.one.map((_, c) => planes[c * count + i]));
  }

  function readElements(at: number, count: number): Ext[] {
    const words = [...arena.elements(at, degree * count)];
    return Array.from({ length: count }, (_, i) => words.slice(degree * i, degree * (i + 1)));
  }

  it('multiplies as the reference does, also in place', () => {
    fc.assert(
      fc.property(element, element, (a, b) => {
        const [x, y] = [arena.store(a), arena.store(b)];
        const out = arena.allocate(elementBytes);
        kernels.extensionMul(degree, out, x, y);
        expect(readElements(out, 1)).toEqual([E.mul(a, b)]);
        kernels.extensionMul(degree, x, x, x);
        expect(readElements(x, 1)).toEqual([E.mul(a, a)]);
      }),
    );
  });

  it('lists the powers of an element', () => {
    fc.assert(
      fc.property(element, fc.integer({ min: 1, max: 6 }), (x, log2Count) => {
        const count = 2 ** log2Count;
        const at = arena.allocate(elementBytes * count);
        const point = arena.store(x);
        kernels.extensionPowers(degree, at, 8 * count, point, count);
        expect(readPlanes(at, count)).toEqual(powers(E, x, count));
        expect(readElements(point, 1)).toEqual([x]);
      }),
    );
  });

  it('evaluates base polynomials at an extension point', () => {
    const columns = fc.array(basePolynomial(16), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(columns, element, (list, x) => {
        const at = arena.store(list.flat());
        const out = arena.allocate(elementBytes * list.length);
        const table = storePlanes(powers(E, x, 16));
        kernels.evaluateAtPowers(degree, out, at, 128, list.length, table, 128, 16);
        const expected = list.map(column =>
          evaluatePolynomial(
            E,
            column.map(c => E.fromBase(c)),
            x,
          ),
        );
        expect(readElements(out, list.length)).toEqual(expected);
      }),
    );
  });

  it('adds and combines weighted columns in the range it is given, and nowhere else', () => {
    const size = 2048;
    const [first, count] = [6, 1700];
    const values = (seed: bigint, step: bigint) =>
      Array.from({ length: size }, (_, i) => (seed + BigInt(i) * step) % P);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(base, base, element), { minLength: 1, maxLength: 3 }),
        element,
        (list, start) => {
          const out = storePlanes(new Array<Ext>(size).fill(start));
          const columns = list.map(([seed, step]) => values(seed, step));
          const addresses = arena.storeWords(columns.map(column => arena.store(column)));
          const weights = list.map(([, , weight]) => weight);
          const table = arena.store(weights.flat());
          for (const isAdded of [1, 0] as const) {
            kernels.combineColumns(
              degree,
              out,
              8 * size,
              addresses,
              list.length,
              table,
              first,
              count,
              isAdded,
            );
            const got = readPlanes(out, size);
            for (const i of [0, 5, 6, 7, 1029, 1030, 1704, 1705, 1706, 2047]) {
              const inRange = i >= first && i < first + count;
              const from = isAdded ? start : E.zero;
              const sum = weights.reduce((s, w, c) => E.add(s, E.scale(w, columns[c][i])), from);
              expect(got[i]).toEqual(inRange ? sum : start);
            }
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('divides by a linear factor and drops the remainder', () => {
    fc.assert(
      fc.property(elements(8), element, element, (quotient, point, remainder) => {
        // (X − point)·quotient + remainder, lowest degree first.
        const product = [...quotient, E.zero].map((_, i) => {
          const shifted = i > 0 ? quotient[i - 1] : remainder;
          return i < 8 ? E.sub(shifted, E.mul(point, quotient[i])) : shifted;
        });
        const at = storePlanes(product);
        kernels.divideByLinear(degree, at, 72, arena.store(point), 9);
        expect(readPlanes(at, 9)).toEqual([...quotient, E.zero]);
      }),
    );
  });

  it('folds eight interleaved parts by powers of the challenge, in the range it is given', () => {
    fc.assert(
      fc.property(elements(32), element, (values, lambda) => {
        const weights = powers(E, lambda, 8);
        const out = storePlanes(new Array<Ext>(4).fill(E.zero));
        const input = storePlanes(values);
        const table = arena.store(weights.flat());
        const folded = [0, 1, 2, 3].map(i =>
          weights.reduce((sum, w, k) => E.add(sum, E.mul(w, values[8 * i + k])), E.zero),
        );
        kernels.foldByEight(degree, out, 32, input, 256, table, 2, 2);
        expect(readPlanes(out, 4)).toEqual([E.zero, E.zero, folded[2], folded[3]]);
        kernels.foldByEight(degree, out, 32, input, 256, table, 0, 4);
        expect(readPlanes(out, 4)).toEqual(folded);
      }),
      { numRuns: 50 },
    );
  });
});

it('divides a base polynomial by a linear factor', () => {
  fc.assert(
    fc.property(basePolynomial(8), base, base, (quotient, point, remainder) => {
      const product = [...quotient, 0n].map((_, i) => {
        const shifted = i > 0 ? quotient[i - 1] : remainder;
        return i < 8 ? goldilocks.sub(shifted, goldilocks.mul(point, quotient[i])) : shifted;
      });
      const at = arena.store(product);
      kernels.divideByLinearBase(at, point, 9);
      expect([...arena.elements(at, 9)]).toEqual([...quotient, 0n]);
    }),
  );
});

it.each([2, 3])('recovers %i parts of a polynomial from as many residues', partCount => {
  const parts = fc.array(basePolynomial(8), { minLength: partCount, maxLength: partCount });
  const constants = fc.uniqueArray(base, { minLength: partCount, maxLength: partCount });
  const inverseDifference = (a: bigint, b: bigint) => goldilocks.inverse(goldilocks.sub(a, b));
  fc.assert(
    fc.property(parts, constants, (list, ys) => {
      // Modulo X^8 − y, X^8 is y.
      const residues = ys.map(y =>
        arena.store(
          list[0].map((_, i) =>
            evaluatePolynomial(
              goldilocks,
              list.map(part => part[i]),
              y,
            ),
          ),
        ),
      );
      const [y0, y1, y2] = ys;
      if (partCount === 2) {
        kernels.splitTwoResidues(residues[0], residues[1], y0, inverseDifference(y1, y0), 8);
      } else {
        const inverses = [inverseDifference(y1, y0), inverseDifference(y2, y0), inverseDifference(y2, y1)];
        const table = arena.store([y0, ...inverses, goldilocks.mul(y0, y1), goldilocks.add(y0, y1)]);
        kernels.splitThreeResidues(residues[0], residues[1], residues[2], table, 8);
      }
      expect(residues.map(at => [...arena.elements(at, 8)])).toEqual(list);
    }),
  );
});
