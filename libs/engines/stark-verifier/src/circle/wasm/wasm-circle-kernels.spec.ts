import fc from 'fast-check';
import { cm31, type Ext, imaginaryPart, InlineKernelExecutor, M31_MODULUS as P, qm31 } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import {
  type CircleDeepInput,
  type ConjugateLine,
  referenceCircleKernels as reference,
} from '../circle-kernels.js';
import { wasmCircleKernels } from './wasm-circle-kernels.js';

const executor = new InlineKernelExecutor(await loadKernelModule());
const wasm = wasmCircleKernels(executor);
const base = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n));
const element: fc.Arbitrary<Ext> = fc.tuple(base, base, base, base);
const elements = (length: number) => fc.array(element, { minLength: length, maxLength: length });
const words = (length: number) =>
  fc.array(base, { minLength: length, maxLength: length }).map(list => Uint32Array.from(list, Number));
const leavesBelow = (count: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 9 });

/** A point of the circle over QM31, and not over CM31. */
const point = element
  .filter(t => !qm31.equals(qm31.mul(t, t), qm31.sub(qm31.zero, qm31.one)))
  .map(t => {
    const square = qm31.mul(t, t);
    const inverse = qm31.inverse(qm31.add(qm31.one, square));
    return { x: qm31.mul(qm31.sub(qm31.one, square), inverse), y: qm31.mul(qm31.add(t, t), inverse) };
  })
  .filter(({ y }) => !cm31.equals(imaginaryPart(y), cm31.zero));
const line: fc.Arbitrary<ConjugateLine> = fc.record({ point, constant: element, slope: element });

const deepInput: fc.Arbitrary<CircleDeepInput> = fc
  .record({
    columnCount: fc.integer({ min: 1, max: 9 }),
    compositionColumnCount: fc.integer({ min: 1, max: 4 }),
    log2Size: fc.integer({ min: 7, max: 23 }),
  })
  .chain(({ columnCount, compositionColumnCount, log2Size }) =>
    leavesBelow(2 ** (log2Size - 3)).chain(leaves =>
      fc.record({
        columnCount: fc.constant(columnCount),
        compositionColumnCount: fc.constant(compositionColumnCount),
        traceRows: words(8 * leaves.length * columnCount),
        compositionRows: words(32 * leaves.length * compositionColumnCount),
        domainSize: fc.constant(2 ** log2Size),
        leaves: fc.constant(leaves),
        gammaPowers: elements(columnCount + 4 * compositionColumnCount + 1),
        current: line,
        next: line,
      }),
    ),
  );

it('derives the DEEP values that the reference derives', () => {
  fc.assert(
    fc.property(deepInput, input => {
      expect(wasm.deepValues(input)).toEqual(reference.deepValues(input));
    }),
    { numRuns: 60 },
  );
});

it('folds leaves of the circle and of lines as the reference does and leaves its input alone', () => {
  const opened = fc
    .record({ layer: fc.integer({ min: 0, max: 3 }), log2Size: fc.integer({ min: 7, max: 23 }) })
    .chain(({ layer, log2Size }) =>
      leavesBelow(2 ** (log2Size - 3)).chain(leaves =>
        fc.tuple(
          fc.constant({ layer, layerSize: 2 ** log2Size, leaves }),
          words(32 * leaves.length),
          element,
        ),
      ),
    );
  fc.assert(
    fc.property(opened, ([leaves, values, lambda]) => {
      const before = values.slice();
      expect(wasm.foldLeaves(values, leaves, lambda)).toEqual(reference.foldLeaves(values, leaves, lambda));
      expect(values).toEqual(before);
    }),
    { numRuns: 60 },
  );
});

it('evaluates final polynomials as the reference does', () => {
  const finals = fc
    .record({ log2Length: fc.integer({ min: 0, max: 8 }), log2Blowup: fc.integer({ min: 1, max: 5 }) })
    .chain(({ log2Length, log2Blowup }) =>
      fc.tuple(
        words(4 * 2 ** log2Length),
        fc.constant(2 ** (log2Length + log2Blowup)),
        fc.array(fc.nat(2 ** (log2Length + log2Blowup) - 1), { minLength: 1, maxLength: 5 }),
      ),
    );
  fc.assert(
    fc.property(finals, ([coefficients, lineSize, positions]) => {
      expect(wasm.lineValues(coefficients, lineSize, positions)).toEqual(
        reference.lineValues(coefficients, lineSize, positions),
      );
    }),
    { numRuns: 30 },
  );
});

it('gives its memory back after each call', () => {
  const before = executor.arena.usedBytes;
  wasm.foldLeaves(new Uint32Array(64), { layer: 1, layerSize: 128, leaves: [3, 9] }, qm31.one);
  expect(executor.arena.usedBytes).toBe(before);
});
