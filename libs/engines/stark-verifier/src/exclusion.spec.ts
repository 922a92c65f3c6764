import { cubicExtension, type Ext, GOLDILOCKS_MODULUS as P, quadraticExtension } from '@svc/kernels';
import fc from 'fast-check';
import { evaluateExclusion, exclusionByFactors } from './exclusion.js';
import { loadWasmVerifierBackend } from './node/index.js';
import { referenceVerifierBackend } from './reference-backend.js';

const wasm = await loadWasmVerifierBackend();
const coordinate = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n));

it.each([
  ['gl2', quadraticExtension],
  ['gl3', cubicExtension],
] as const)('groups the factors of masked rows without changing their product over %s', (_, extension) => {
  const point = fc.array(coordinate, { minLength: extension.degree, maxLength: extension.degree });
  const rows = fc
    .constantFrom(64, 2_048, 4_096, 2 ** 20)
    .chain(traceLength => fc.tuple(fc.constant(traceLength), fc.integer({ min: 1, max: 1_000 })));
  fc.assert(
    fc.property(point, rows, (z: Ext, [traceLength, masks]) => {
      const trace = { traceLength, rowCount: Math.max(1, traceLength - masks) };
      const expected = exclusionByFactors(extension, trace, z);
      expect(evaluateExclusion(extension, trace, z, wasm)).toEqual(expected);
      expect(evaluateExclusion(extension, trace, z, referenceVerifierBackend)).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

it('vanishes at the rows that it excludes and at no other', () => {
  const trace = { traceLength: 2_048, rowCount: 1_900 };
  const root = (row: number) => cubicExtension.fromBase(powerOf(row));
  const value = (row: number) => evaluateExclusion(cubicExtension, trace, root(row), wasm);
  for (const row of [1_899, 1_900, 1_911, 1_912, 2_046, 2_047]) expect(value(row)).toEqual([0n, 0n, 0n]);
  for (const row of [0, 1, 1_898]) expect(value(row)).not.toEqual([0n, 0n, 0n]);
});

// h^row by the definition of h: 7^((p − 1)/2048).
function powerOf(row: number): bigint {
  let [result, base, exponent] = [1n, 7n, ((P - 1n) / 2_048n) * BigInt(row)];
  for (; exponent > 0n; exponent >>= 1n, base = (base * base) % P) {
    if (exponent & 1n) result = (result * base) % P;
  }
  return result;
}
