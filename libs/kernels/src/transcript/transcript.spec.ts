import type { BaseField } from '../field/field.js';
import { goldilocks, GOLDILOCKS_MODULUS } from '../field/goldilocks.js';
import { m31, M31_MODULUS } from '../field/m31.js';
import { blake3Keyed, domainKey } from '../hash/blake3.js';
import { grind, GRINDING_KEY, isGrindingNonce } from './grinding.js';
import { Transcript } from './transcript.js';

const absorbed = (tag: number, ...data: number[]) => {
  const transcript = new Transcript();
  transcript.absorb(tag, Uint8Array.from(data));
  return transcript;
};

it('is the hash chain that the format document defines', () => {
  const transcript = absorbed(9, 1, 2, 3);
  const message = Uint8Array.from([...new Uint8Array(32), 9, 3, 0, 0, 0, 1, 2, 3]);
  const state = blake3Keyed(domainKey('svc/stark/v2/transcript'), message);
  expect(transcript.digest()).toEqual(state);

  const blocks = [0, 1].map(j =>
    blake3Keyed(domainKey('svc/stark/v2/challenge'), Uint8Array.from([...state, j, 0, 0, 0, 0, 0, 0, 0])),
  );
  const words = blocks.flatMap(block =>
    [0, 8, 16, 24].map(offset => new DataView(block.buffer, block.byteOffset).getBigUint64(offset, true)),
  );
  const accepted = words.filter(word => word < GOLDILOCKS_MODULUS);
  expect(transcript.drawExtension(3)).toEqual(accepted.slice(0, 3));
  expect(transcript.drawBase()).toBe(accepted[3]);
  expect(transcript.drawPositions(2, 5)).toEqual(accepted.slice(4, 6).map(word => Number(word & 31n)));
});

it('draws the same positions one by one as together, wherever a block ends', () => {
  for (let drawn = 0; drawn < 5; drawn++) {
    const [together, alone] = [absorbed(1, 5), absorbed(1, 5)];
    for (let i = 0; i < drawn; i++) expect(alone.drawBase()).toBe(together.drawBase());
    const positions = Array.from({ length: 42 }, () => alone.drawPositions(1, 20)[0]);
    expect(together.drawPositions(42, 20)).toEqual(positions);
    expect(together.drawBase()).toBe(alone.drawBase());
  }
});

it('draws other challenges after any other message', () => {
  const draws = [absorbed(1, 5), absorbed(2, 5), absorbed(1, 6), absorbed(1, 5, 0), absorbed(1)].map(t =>
    t.drawBase(),
  );
  expect(new Set(draws).size).toBe(5);
});

it('separates one message from two with the same bytes', () => {
  const two = absorbed(1, 5);
  two.absorb(1, Uint8Array.of(6));
  expect(two.drawBase()).not.toBe(absorbed(1, 5, 6).drawBase());
});

it('discards unread words when it absorbs', () => {
  const a = absorbed(1, 5);
  a.drawBase();
  a.absorb(2, new Uint8Array());
  const b = absorbed(1, 5);
  b.absorb(2, new Uint8Array());
  expect(a.drawBase()).toBe(b.drawBase());
});

it('draws as many coordinates as the extension has', () => {
  const transcript = absorbed(9);
  const words = absorbed(9);
  expect(transcript.drawExtension(2)).toEqual([words.drawBase(), words.drawBase()]);
});

// A transcript whose stream of words is given, for cases that chance does not reach.
function withWords(...words: bigint[]): Transcript {
  return withWordsOver(goldilocks, ...words);
}

function withWordsOver(field: BaseField, ...words: bigint[]): Transcript {
  const transcript = new Transcript(field);
  (transcript as unknown as { words: bigint[] }).words = words;
  return transcript;
}

it('skips words that are not below p', () => {
  expect(withWords(GOLDILOCKS_MODULUS, 2n ** 64n - 1n, 5n).drawBase()).toBe(5n);
  expect(withWords(GOLDILOCKS_MODULUS - 1n).drawBase()).toBe(GOLDILOCKS_MODULUS - 1n);
});

it('takes the low 31 bits of a word over M31, and skips the word where they are p', () => {
  const high = 0xabcd_ef01_8000_0000n;
  expect(withWordsOver(m31, high | 5n).drawBase()).toBe(5n);
  expect(withWordsOver(m31, high | M31_MODULUS, high | (M31_MODULUS - 1n)).drawBase()).toBe(M31_MODULUS - 1n);
  // Positions read whole words all the same.
  expect(withWordsOver(m31, M31_MODULUS).drawPositions(1, 5)).toEqual([31]);
});

it('draws an out-of-domain point again while it lies in the base field', () => {
  expect(withWords(7n, 0n, 0n, 8n, 0n, 1n).drawOutsideBase(3)).toEqual([8n, 0n, 1n]);
  expect(withWords(7n, 1n, 0n).drawOutsideBase(3)).toEqual([7n, 1n, 0n]);
  expect(withWords(7n, 0n, 8n, 9n).drawOutsideBase(2)).toEqual([8n, 9n]);
});

it('grinds to the least nonce whose hash ends in the asked number of zero bits', () => {
  const seed = new Uint8Array(32).fill(3);
  const nonce = grind(seed, 8);
  for (let smaller = 0n; smaller < nonce; smaller++) expect(isGrindingNonce(seed, smaller, 8)).toBe(false);
  const message = new Uint8Array(40);
  message.set(seed);
  new DataView(message.buffer).setBigUint64(32, nonce, true);
  expect(blake3Keyed(GRINDING_KEY, message)[0]).toBe(0);
  expect(isGrindingNonce(seed, nonce, 8)).toBe(true);
  expect(grind(seed, 0)).toBe(0n);
});
