import fc from 'fast-check';
import { baseFromBytes, baseToBytes, extFromWords, extToBytes } from './field-bytes.js';
import { GOLDILOCKS_MODULUS as P } from './goldilocks.js';
import { m31 } from './m31.js';

const base = fc.bigInt({ min: 0n, max: P - 1n });

it('reads back what it wrote, little-endian', () => {
  expect([...baseToBytes([0x0102030405060708n])]).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  fc.assert(
    fc.property(fc.array(base, { maxLength: 8 }), elements => {
      expect([...(baseFromBytes(baseToBytes(elements)) ?? [])]).toEqual(elements);
    }),
  );
});

it('reads extension elements as their coordinates', () => {
  const elements = [
    [1n, 2n, 3n],
    [P - 1n, 0n, 5n],
  ];
  expect(extFromWords(baseFromBytes(extToBytes(elements)) as BigUint64Array, 3)).toEqual(elements);
  expect(extFromWords(Uint32Array.of(1, 2, 3, 4), 2)).toEqual([
    [1n, 2n],
    [3n, 4n],
  ]);
});

it('writes an element in as many bytes as its field takes', () => {
  expect([...baseToBytes([0x01020304n, 5n], m31)]).toEqual([4, 3, 2, 1, 5, 0, 0, 0]);
  expect([...extToBytes([[1n, 2n]], m31)]).toEqual([1, 0, 0, 0, 2, 0, 0, 0]);
});

it.each([P, P + 1n, 2n ** 64n - 1n])('rejects the word %s, which is not below p', word => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(8, word, true);
  expect(baseFromBytes(bytes)).toBeUndefined();
});

it('accepts p − 1, the largest canonical element', () => {
  expect(baseFromBytes(baseToBytes([P - 1n]))).toEqual(BigUint64Array.of(P - 1n));
});

it('rejects a length that is no multiple of 8, and reads from unaligned views', () => {
  expect(baseFromBytes(new Uint8Array(15))).toBeUndefined();
  const unaligned = new Uint8Array(11);
  unaligned.set(baseToBytes([77n]), 3);
  expect(baseFromBytes(unaligned.subarray(3))).toEqual(BigUint64Array.of(77n));
});
