import fc from 'fast-check';
import { deinterleave, interleave } from './block-interleaver.js';
import { crc32, crc8 } from './crc.js';
import { mSequence, primitivePolynomial } from './m-sequence.js';

const ascii = (text: string) => Uint8Array.from(text, char => char.charCodeAt(0));
const DIGITS = ascii('123456789');
const bytes = fc.uint8Array({ maxLength: 80 });

describe('checksums', () => {
  it('have the check values of the catalogue of parametrised CRC algorithms', () => {
    expect(crc8(DIGITS)).toBe(0xf4);
    expect(crc32(DIGITS)).toBe(0xcbf43926);
    expect([crc8(new Uint8Array()), crc32(new Uint8Array())]).toEqual([0, 0]);
    expect(crc32(ascii('The quick brown fox jumps over the lazy dog'))).toBe(0x414fa339);
  });

  /** Long division of the message by the polynomial, bit after bit. */
  function remainder(
    message: readonly number[],
    polynomial: number,
    degree: number,
    initial: bigint,
  ): bigint {
    let value = message.reduce((high, bit) => (high << 1n) | BigInt(bit), 0n) << BigInt(degree);
    value ^= initial << BigInt(message.length);
    const divisor = (1n << BigInt(degree)) | BigInt(polynomial);
    for (let top = message.length + degree - 1; top >= degree; top--) {
      if ((value >> BigInt(top)) & 1n) value ^= divisor << BigInt(top - degree);
    }
    return value;
  }

  it('are the remainders that long division leaves, in one part or in several', () => {
    fc.assert(
      fc.property(bytes, bytes, (head, tail) => {
        const whole = Uint8Array.from([...head, ...tail]);
        const high = [...whole].flatMap(byte => [7, 6, 5, 4, 3, 2, 1, 0].map(i => (byte >> i) & 1));
        const low = [...whole].flatMap(byte => [0, 1, 2, 3, 4, 5, 6, 7].map(i => (byte >> i) & 1));
        expect(BigInt(crc8(whole))).toBe(remainder(high, 0x07, 8, 0n));
        const reflected = remainder(low, 0x04c11db7, 32, 0xffffffffn) ^ 0xffffffffn;
        const turned = [...reflected.toString(2).padStart(32, '0')].reverse().join('');
        expect(crc32(whole)).toBe(Number.parseInt(turned, 2));
        expect(crc8(tail, crc8(head))).toBe(crc8(whole));
        expect(crc32(tail, crc32(head))).toBe(crc32(whole));
      }),
      { numRuns: 100 },
    );
  });

  it('see every change of up to three bits in a header of two bytes, and every burst of 32 bits', () => {
    for (let change = 1; change < 2 ** 16; change++) {
      const bits = [...change.toString(2)].filter(bit => bit === '1').length;
      if (bits <= 3) expect(crc8(Uint8Array.of(change >> 8, change & 0xff))).not.toBe(0);
    }
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 64 }),
        fc.nat(59),
        fc.integer(),
        (message, at, burst) => {
          fc.pre(burst !== 0);
          const heard = message.slice();
          for (let i = 0; i < 4; i++) heard[(at % (message.length - 3)) + i] ^= (burst >> (8 * i)) & 0xff;
          expect(crc32(heard)).not.toBe(crc32(message));
        },
      ),
    );
  });
});

describe('the interleaver', () => {
  it('sends the first bit of every word first', () => {
    const words = Uint8Array.from('abcdefghABCDEFGH', char => char.charCodeAt(0));
    expect(String.fromCharCode(...interleave(words))).toBe('aAbBcCdDeEfFgGhH');
    expect(String.fromCharCode(...interleave(words, 4))).toBe('aeAEbfBFcgCGdhDH');
  });

  it('is undone, of bits as of likelihoods, and keeps their kind', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 16 }), (words, wordBits) => {
        const ratios = Float32Array.from({ length: words * wordBits }, (_, i) => i - 0.5);
        expect(deinterleave(interleave(ratios, wordBits), wordBits)).toEqual(ratios);
        expect(interleave(deinterleave(ratios, wordBits), wordBits)).toEqual(ratios);
      }),
    );
  });

  it('spreads a burst of as many bits as there are words to one bit of each', () => {
    const words = 34;
    for (let from = 0; from <= 7 * words; from++) {
      const sent = new Uint8Array(8 * words).fill(1, from, from + words);
      const hurt = deinterleave(sent);
      for (let word = 0; word < words; word++) {
        expect(hurt.subarray(8 * word, 8 * word + 8).reduce((sum, bit) => sum + bit, 0)).toBe(1);
      }
    }
  });

  it('refuses words that are not whole', () => {
    expect(() => interleave(new Uint8Array(9))).toThrow(RangeError);
    expect(() => deinterleave(new Uint8Array(15))).toThrow('15 bits are no whole words of 8');
  });
});

describe('maximum-length sequences', () => {
  it('begin with their seed and follow x^5 + x^2 + 1', () => {
    const bits = [...mSequence(5, 0b00001)].map(sign => (sign + 1) / 2).join('');
    // s[n + 5] = s[n + 2] + s[n].
    expect(bits).toBe('0000100101100111110001101110101');
    expect([...mSequence(5, 0b10110).subarray(0, 5)]).toEqual([1, -1, 1, 1, -1]);
  });

  it.each([2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'of degree %i add up to −1 against every shift of themselves',
    degree => {
      const sequence = mSequence(degree, 1);
      const length = 2 ** degree - 1;
      expect(sequence.length).toBe(length);
      for (let shift = 1; shift < length; shift++) {
        let sum = 0;
        for (let n = 0; n < length; n++) sum += sequence[n] * sequence[(n + shift) % length];
        if (sum !== -1) throw new Error(`shifted by ${shift} the sum is ${sum}`);
      }
      expect(sequence.reduce((sum, sign) => sum + sign, 0)).toBe(1);
    },
  );

  it('are not made of a degree or a seed that gives none', () => {
    expect(() => mSequence(1)).toThrow('degree must be an integer in 2…10, got 1');
    expect(() => primitivePolynomial(2.5)).toThrow(RangeError);
    for (const seed of [0, 32, 1.5, Number.NaN]) expect(() => mSequence(5, seed)).toThrow(RangeError);
  });
});
