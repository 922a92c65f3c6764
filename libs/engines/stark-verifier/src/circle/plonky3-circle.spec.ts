import { readFileSync } from 'node:fs';
import { circlePointAt, power } from '@svc/kernels';
import { cubicM31 } from '../../testing/plonky3-circle/cubic-m31.js';
import { pointAt, rejectionOfPlonky3Proof } from '../../testing/plonky3-circle/plonky3-circle-verifier.js';

// A proof that another implementation made: see testing/plonky3-circle/README.md.
const fixture = new URL('../../testing/plonky3-circle/fibonacci.postcard', import.meta.url);
const proof = new Uint8Array(readFileSync(fixture));
const statement = { logRows: 3, first: 0n, second: 1n, result: 21n };

/** Three witnesses of four bytes that nothing checks, since the configuration asks for no commit-phase grinding. */
const UNCHECKED = { start: 0x13e, end: 0x14a };

/** Every bit in the long tier; else one bit of each seventh byte, another one each time. */
const BITS = Array.from({ length: 8 * proof.length }, (_, bit) => bit).filter(
  bit => process.env.SUITE_TIER === 'long' || bit % 57 === 0,
);

function flipped(bit: number): Uint8Array {
  const altered = proof.slice();
  altered[bit >> 3] ^= 1 << (bit & 7);
  return altered;
}

function isMalleable(bit: number): boolean {
  const byte = bit >> 3;
  const isTopBit = (bit & 7) === 7 && (byte - UNCHECKED.start) % 4 === 3;
  return byte >= UNCHECKED.start && byte < UNCHECKED.end && !isTopBit;
}

it('accepts the proof that Plonky3 publishes', () => {
  expect(proof).toHaveLength(4236);
  expect(rejectionOfPlonky3Proof(proof, statement)).toBeUndefined();
});

it('rejects it with any bit flipped, but for 93 that Plonky3 does not look at either', () => {
  const accepted = BITS.filter(bit => rejectionOfPlonky3Proof(flipped(bit), statement) === undefined);
  expect(accepted).toEqual(BITS.filter(isMalleable));
});

it('accepts exactly the 93 malleable bits among the unchecked bytes', () => {
  const bits = Array.from({ length: 96 }, (_, i) => 8 * UNCHECKED.start + i);
  const accepted = bits.filter(bit => rejectionOfPlonky3Proof(flipped(bit), statement) === undefined);
  expect(accepted).toHaveLength(93);
  expect(accepted.every(isMalleable)).toBe(true);
});

it('rejects it truncated anywhere, and with bytes behind it', () => {
  for (let length = 0; length < proof.length; length += 13) {
    expect(rejectionOfPlonky3Proof(proof.subarray(0, length), statement)).toBe('decode');
  }
  expect(rejectionOfPlonky3Proof(Uint8Array.from([...proof, 0]), statement)).toBe('decode');
});

it.each([
  ['first', { ...statement, first: 1n }],
  ['second', { ...statement, second: 2n }],
  ['result', { ...statement, result: 34n }],
])('rejects it for another %s', (_, other) => {
  expect(rejectionOfPlonky3Proof(proof, other)).toBeDefined();
});

it('stands in our circle order: as far as the two generators agree, the points are the same', () => {
  for (let position = 0; position < 16; position++) {
    expect(pointAt(4, position)).toEqual(circlePointAt(16, position));
  }
});

it('extends M31 by an irreducible cubic: x³ = 5, and 5 is no cube', () => {
  const x = [0n, 1n, 0n];
  expect(power(cubicM31, x, 3n)).toEqual([5n, 0n, 0n]);
  expect(power(cubicM31, [5n, 0n, 0n], (2n ** 31n - 2n) / 3n)).not.toEqual(cubicM31.one);
  const element = [3n, 1n, 4n];
  expect(cubicM31.mul(element, cubicM31.inverse(element))).toEqual(cubicM31.one);
});
