import fc from 'fast-check';
import { secded84Decode, secded84Encode, secded84SoftDecode } from './secded84.js';

const NIBBLES = Array.from({ length: 16 }, (_, nibble) => nibble);
const weightOf = (word: number) => [...word.toString(2)].filter(bit => bit === '1').length;
const bitsOf = (word: number) => [...word.toString(2).padStart(8, '0')].map(Number);

it('has the words of the extended Hamming code, worked out by hand', () => {
  // p1 p2 d1 p3 d2 d3 d4 and the parity over them.
  const words = [
    '00000000',
    '11010010',
    '01010101',
    '10000111',
    '10011001',
    '01001011',
    '11001100',
    '00011110',
  ];
  expect(NIBBLES.slice(0, 8).map(secded84Encode)).toEqual(words.map(word => Number.parseInt(word, 2)));
  // All ones are a word, so that the other eight are these turned round.
  for (const nibble of NIBBLES) expect(secded84Encode(15 - nibble)).toBe(255 - secded84Encode(nibble));
  expect(secded84Encode(16)).toBe(secded84Encode(0));
});

it('keeps any two words four bits apart: 1 word of weight 0, 14 of weight 4, 1 of weight 8', () => {
  const words = NIBBLES.map(secded84Encode);
  for (const one of words) {
    const distances = words.map(other => weightOf(one ^ other));
    expect([0, 4, 8].map(weight => distances.filter(got => got === weight).length)).toEqual([1, 14, 1]);
  }
});

it('puts every single error right and says where it was', () => {
  for (const nibble of NIBBLES) {
    const word = secded84Encode(nibble);
    expect(secded84Decode(word)).toEqual({ nibble, syndrome: 0, status: 'clean' });
    for (let position = 0; position < 8; position++) {
      const heard = word ^ (1 << (7 - position));
      expect(secded84Decode(heard)).toEqual({ nibble, syndrome: 8 + position, status: 'corrected' });
    }
  }
});

it('sees every double error and takes none for a single one', () => {
  for (const nibble of NIBBLES) {
    for (let i = 0; i < 8; i++) {
      for (let j = 0; j < i; j++) {
        const { status, syndrome } = secded84Decode(secded84Encode(nibble) ^ (1 << i) ^ (1 << j));
        expect(status).toBe('double-error');
        expect(syndrome).toBeGreaterThanOrEqual(1);
        expect(syndrome).toBeLessThanOrEqual(7);
      }
    }
  }
});

const ratios = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 11, maxLength: 11 });

it('finds the likeliest word and the one after it, as a search over all of them does', () => {
  fc.assert(
    fc.property(ratios, fc.nat(3), (llr, at) => {
      const likelihood = (nibble: number) =>
        bitsOf(secded84Encode(nibble)).reduce((sum, bit, i) => sum + (bit ? llr[at + i] : -llr[at + i]), 0);
      const sorted = NIBBLES.map(likelihood).sort((a, b) => b - a);
      const soft = secded84SoftDecode(llr, at);
      expect(soft.metric).toBeCloseTo(sorted[0], 9);
      expect(soft.runnerUpMetric).toBeCloseTo(sorted[1], 9);
      expect(likelihood(soft.nibble)).toBeCloseTo(soft.metric, 9);
      expect(likelihood(soft.runnerUp)).toBeCloseTo(soft.runnerUpMetric, 9);
      expect(soft.runnerUp).not.toBe(soft.nibble);
    }),
    { numRuns: 500 },
  );
});

it('decodes softly what hard decisions decode, where all bits are as sure as one another', () => {
  for (let word = 0; word < 256; word++) {
    const { nibble, status } = secded84Decode(word);
    const soft = secded84SoftDecode(bitsOf(word).map(bit => 2 * bit - 1));
    expect(soft.metric).toBe({ clean: 8, corrected: 6, 'double-error': 4 }[status]);
    if (status === 'double-error') expect(soft.runnerUpMetric).toBe(soft.metric);
    else expect(soft.nibble).toBe(nibble);
  }
});

it('outvotes two errors that were unsure by bits that were sure', () => {
  for (const nibble of NIBBLES) {
    const llr = bitsOf(secded84Encode(nibble)).map((bit, i) => (2 * bit - 1) * (i < 2 ? -0.4 : 1));
    expect(secded84Decode(llr.reduce((word, x) => (word << 1) | Number(x > 0), 0)).status).toBe(
      'double-error',
    );
    expect(secded84SoftDecode(llr)).toMatchObject({ nibble });
  }
});

it('returns a nibble for whatever it is given', () => {
  for (const llr of [
    new Float32Array(8).fill(NaN),
    new Float32Array(8),
    [Infinity, -Infinity, 0, 0, 0, 0, 0, 0],
  ]) {
    const { nibble, runnerUp } = secded84SoftDecode(llr);
    expect(NIBBLES).toContain(nibble);
    expect(NIBBLES).toContain(runnerUp);
  }
});
