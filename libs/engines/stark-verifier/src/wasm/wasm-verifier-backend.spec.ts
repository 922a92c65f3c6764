import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type Cubic, GOLDILOCKS_MODULUS as P, LEAF_KEY } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import type { DeepInput } from '../backend.js';
import { loadWasmVerifierBackend } from '../node/index.js';
import { referenceVerifierBackend as reference } from '../reference-backend.js';
import { type ProofClaim, verify, type VerifierPolicy } from '../verify.js';
import { wasmVerifierBackend } from './wasm-verifier-backend.js';

const wasm = wasmVerifierBackend(await loadKernelModule());
const base = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n, 2n ** 32n - 1n));
const cubic: fc.Arbitrary<Cubic> = fc.tuple(base, base, base);
const outsideBase = cubic.filter(([, c1, c2]) => c1 !== 0n || c2 !== 0n);
const words = (length: number) =>
  fc.array(base, { minLength: length, maxLength: length }).map(list => BigUint64Array.from(list));
const nonZero = (length: number) =>
  fc
    .array(
      base.filter(x => x !== 0n),
      { minLength: length, maxLength: length },
    )
    .map(list => BigUint64Array.from(list));

const deepInput: fc.Arbitrary<DeepInput> = fc
  .record({
    columnCount: fc.integer({ min: 1, max: 6 }),
    chunkCount: fc.integer({ min: 1, max: 3 }),
    rowCount: fc.integer({ min: 1, max: 9 }),
  })
  .chain(({ columnCount, chunkCount, rowCount }) =>
    fc.record({
      columnCount: fc.constant(columnCount),
      chunkCount: fc.constant(chunkCount),
      traceRows: words(rowCount * columnCount),
      compositionRows: words(3 * rowCount * chunkCount),
      points: words(rowCount),
      z: outsideBase,
      zNext: outsideBase,
      gammaPowers: fc.array(cubic, {
        minLength: columnCount + chunkCount + 1,
        maxLength: columnCount + chunkCount + 1,
      }),
      valueAtZ: cubic,
      valueAtZNext: cubic,
    }),
  );

it('hashes as the reference does, whatever the size and number of messages', () => {
  const message = fc.tuple(fc.integer({ min: 1, max: 7 }), fc.constantFrom(64, 192, 384, 1024, 1600, 2500));
  fc.assert(
    fc.property(message, fc.uint8Array({ minLength: 32, maxLength: 32 }), ([count, bytes], key) => {
      const messages = Uint8Array.from({ length: count * bytes }, (_, i) => (i * 31 + (i >> 7)) & 255);
      expect(wasm.hashMany(key, messages, bytes)).toEqual(reference.hashMany(key, messages, bytes));
    }),
    { numRuns: 40 },
  );
  expect(wasm.hashMany(LEAF_KEY, new Uint8Array(), 64)).toEqual(new Uint8Array());
});

it('derives the DEEP values that the reference derives', () => {
  fc.assert(
    fc.property(deepInput, input => {
      expect(wasm.deepValues(input)).toEqual(reference.deepValues(input));
    }),
  );
});

it('folds cosets as the reference does and leaves its input alone', () => {
  const cosets = fc
    .integer({ min: 1, max: 6 })
    .chain(count => fc.tuple(words(24 * count), nonZero(count), cubic));
  fc.assert(
    fc.property(cosets, ([values, points, lambda]) => {
      const before = values.slice();
      expect(wasm.foldCosets(values, points, lambda)).toEqual(reference.foldCosets(values, points, lambda));
      expect(values).toEqual(before);
    }),
  );
});

const vectors = JSON.parse(readFileSync(new URL('../proof.vectors.json', import.meta.url), 'utf8')) as {
  proofs: {
    airId: string;
    contextDomain: string;
    publicInputs: unknown;
    parameters: { blowupFactor: number; queryCount: number; grindingBits: number };
    proof: string;
  }[];
};

it.each(vectors.proofs)(
  'gives the verdict of the reference on a proof of $airId and on damaged ones',
  vector => {
    const { airId, contextDomain, publicInputs, parameters } = vector;
    const { blowupFactor, queryCount, grindingBits } = parameters;
    const policy: VerifierPolicy = {
      securityBitsMin: 0,
      parameterSets: [{ id: 'vector', grindingBits, queryCounts: { [blowupFactor]: queryCount } }],
    };
    const proof = new Uint8Array(Buffer.from(vector.proof, 'base64'));
    const claim = (bytes: Uint8Array): ProofClaim => ({ airId, contextDomain, publicInputs, proof: bytes });
    expect(verify(claim(proof), policy, wasm)).toEqual(verify(claim(proof), policy, reference));
    expect(verify(claim(proof), policy, wasm).valid).toBe(true);
    const damage = fc.tuple(fc.nat(proof.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(proof.length));
    fc.assert(
      fc.property(damage, fc.boolean(), ([position, mask, length], truncates) => {
        const damaged = truncates ? proof.slice(0, length) : proof.slice();
        if (position < damaged.length) damaged[position] ^= mask;
        expect(verify(claim(damaged), policy, wasm)).toEqual(verify(claim(damaged), policy, reference));
      }),
      { numRuns: 60 },
    );
  },
);

it('is made once a process', async () => {
  expect(await loadWasmVerifierBackend()).toBe(await loadWasmVerifierBackend());
});
