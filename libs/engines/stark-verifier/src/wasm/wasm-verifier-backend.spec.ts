import fc from 'fast-check';
import { type Ext, GOLDILOCKS_MODULUS as P, LEAF_KEY, MerkleTree } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import type { DeepInput } from '../backend.js';
import { loadWasmVerifierBackend } from '../node/index.js';
import { referenceVerifierBackend as reference } from '../reference-backend.js';
import { claimOf, laxPolicy, proofVectors } from '../testing/node/proof-vectors.js';
import { verify } from '../verify.js';
import { wasmVerifierBackend } from './wasm-verifier-backend.js';

const wasm = wasmVerifierBackend(await loadKernelModule());
const base = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n, 2n ** 32n - 1n));
const elementOf = (degree: number): fc.Arbitrary<Ext> =>
  fc.array(base, { minLength: degree, maxLength: degree });
const outsideBase = (degree: number) => elementOf(degree).filter(x => x.slice(1).some(c => c !== 0n));
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
    degree: fc.constantFrom(2, 3),
    columnCount: fc.integer({ min: 1, max: 6 }),
    compositionColumnCount: fc.integer({ min: 1, max: 4 }),
    rowCount: fc.integer({ min: 1, max: 9 }),
  })
  .chain(({ degree, columnCount, compositionColumnCount, rowCount }) =>
    fc.record({
      columnCount: fc.constant(columnCount),
      compositionColumnCount: fc.constant(compositionColumnCount),
      traceRows: words(rowCount * columnCount),
      compositionRows: words(degree * rowCount * compositionColumnCount),
      points: words(rowCount),
      z: outsideBase(degree),
      zNext: outsideBase(degree),
      gammaPowers: fc.array(elementOf(degree), {
        minLength: columnCount + compositionColumnCount + 1,
        maxLength: columnCount + compositionColumnCount + 1,
      }),
      valueAtZ: elementOf(degree),
      valueAtZNext: elementOf(degree),
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

it('hashes one message of any length as the reference does', () => {
  const chunk = 1024;
  for (const length of [0, 1, 63, 64, 65, chunk - 1, chunk, chunk + 1, 3 * chunk, 17 * chunk + 5, 250_001]) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 9)) & 255);
    expect(wasm.hash(message)).toEqual(reference.hash(message));
    if (length === 0) continue;
    message[length - 1] ^= 1;
    expect(wasm.hash(message)).toEqual(reference.hash(message));
  }
});

it('judges multiproofs as the reference does: true ones, and every part of them damaged', () => {
  const opening = fc
    .tuple(fc.constantFrom(8, 16, 32, 256), fc.constantFrom(64, 80, 1040))
    .chain(([leafCount, leafBytes]) => {
      const index = fc.nat(leafCount - 1);
      const indices = fc.uniqueArray(index, { minLength: 1, maxLength: 12 });
      return fc.tuple(fc.constant({ leafCount, leafBytes }), indices, fc.nat(), fc.nat(9));
    });
  fc.assert(
    fc.property(opening, ([{ leafCount, leafBytes }, list, position, kind]) => {
      const indices = list.sort((a, b) => a - b);
      const bytes = Uint8Array.from({ length: leafCount * leafBytes }, (_, i) => (i * 31 + (i >> 9)) & 255);
      const tree = new MerkleTree(bytes, leafBytes);
      const claim = { cap: tree.cap, leafCount, leafBytes, indices, ...tree.open(indices) };
      expect(wasm.verifyMultiproof(claim)).toBe(true);
      const flip = (data: Uint8Array) =>
        data.map((byte, i) => (i === position % data.length ? byte ^ 1 : byte));
      const damaged = [
        { ...claim, leaves: flip(claim.leaves) },
        { ...claim, nodes: flip(claim.nodes) },
        { ...claim, cap: flip(claim.cap) },
        { ...claim, nodes: claim.nodes.slice(32) },
        { ...claim, nodes: Uint8Array.from([...claim.nodes, ...new Uint8Array(32)]) },
        { ...claim, leaves: claim.leaves.slice(1) },
        { ...claim, cap: claim.cap.slice(32) },
        { ...claim, indices: indices.map(i => i ^ 1).sort((a, b) => a - b) },
        { ...claim, leaves: Uint8Array.from([...claim.leaves, 0]) },
        { ...claim, leaves: Uint8Array.from([...claim.leaves, ...claim.leaves.subarray(0, leafBytes)]) },
      ][kind];
      expect(wasm.verifyMultiproof(damaged)).toBe(reference.verifyMultiproof(damaged));
      if ([0, 5, 6, 8, 9].includes(kind)) expect(reference.verifyMultiproof(damaged)).toBe(false);
    }),
  );
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
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(2, 3))
    .chain(([count, degree]) => fc.tuple(words(8 * degree * count), nonZero(count), elementOf(degree)));
  fc.assert(
    fc.property(cosets, ([values, points, lambda]) => {
      const before = values.slice();
      expect(wasm.foldCosets(values, points, lambda)).toEqual(reference.foldCosets(values, points, lambda));
      expect(values).toEqual(before);
    }),
  );
});

it('evaluates polynomials as the reference does', () => {
  const polynomials = fc
    .tuple(fc.integer({ min: 1, max: 33 }), fc.constantFrom(2, 3), fc.integer({ min: 1, max: 5 }))
    .chain(([length, degree, count]) => fc.tuple(fc.constant(degree), words(length * degree), words(count)));
  fc.assert(
    fc.property(polynomials, ([degree, coefficients, points]) => {
      const polynomial = { degree, coefficients };
      expect(wasm.evaluatePolynomial(polynomial, points)).toEqual(
        reference.evaluatePolynomial(polynomial, points),
      );
    }),
  );
});

it.each(proofVectors.map(vector => [vector.name, vector] as const))(
  'gives the verdict of the reference on the proof "%s" and on damaged ones',
  (_, vector) => {
    const policy = laxPolicy(vector.parameters);
    const claim = claimOf(vector);
    const { proof } = claim;
    expect(verify(claim, policy, wasm)).toEqual(verify(claim, policy, reference));
    expect(verify(claim, policy, wasm).valid).toBe(true);
    const damage = fc.tuple(fc.nat(proof.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(proof.length));
    fc.assert(
      fc.property(damage, fc.boolean(), ([position, mask, length], truncates) => {
        const damaged = truncates ? proof.slice(0, length) : proof.slice();
        if (position < damaged.length) damaged[position] ^= mask;
        const damagedClaim = { ...claim, proof: damaged };
        expect(verify(damagedClaim, policy, wasm)).toEqual(verify(damagedClaim, policy, reference));
      }),
      { numRuns: 20 },
    );
  },
);

it('is made once a process', async () => {
  expect(await loadWasmVerifierBackend()).toBe(await loadWasmVerifierBackend());
});
