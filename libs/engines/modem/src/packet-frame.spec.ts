import { crc8, secded84Encode } from '@svc/kernels';
import fc from 'fast-check';
import { decodeBody, decodeHeader } from './decode-frame.js';
import {
  bodyNibbles,
  encodeFrame,
  frameBits,
  HEADER_BITS,
  headerNibbles,
  parseBody,
  parseHeader,
  PILOT,
  PILOT_BITS,
} from './packet-frame.js';

const payloads = fc.uint8Array({ minLength: 1, maxLength: 300 });
const ratiosOf = (bits: Uint8Array) => Float32Array.from(bits, bit => (bit === 1 ? 4 : -4));
const BODY_FROM = PILOT_BITS + HEADER_BITS;

/** The format as its description says it, with strings of 0 and 1 and nothing of the encoder. */
function describedFrame(payload: Uint8Array): string {
  const binary = (value: number, digits: number) => value.toString(2).padStart(digits, '0');
  const word = (nibble: number) => {
    const [d1, d2, d3, d4] = binary(nibble, 4).split('').map(Number);
    const seven = [d1 ^ d2 ^ d4, d1 ^ d3 ^ d4, d1, d2 ^ d3 ^ d4, d2, d3, d4];
    return [...seven, seven.reduce((sum, bit) => sum ^ bit)].join('');
  };
  const interleaved = (hex: string) => {
    const words = hex.split('').map(digit => word(Number.parseInt(digit, 16)));
    return [0, 1, 2, 3, 4, 5, 6, 7].map(bit => words.map(each => each[bit]).join('')).join('');
  };
  const sequence = (degree: number, tap: number, seed: string, length: number) => {
    const bits = seed.split('').map(Number);
    while (bits.length < length) bits.push(bits[bits.length - degree] ^ bits[bits.length - degree + tap]);
    return bits.slice(0, length).join('');
  };
  const remainderOf = (value: bigint, polynomial: bigint, degree: number) => {
    let left = value;
    for (let at = BigInt(left.toString(2).length - 1); at >= BigInt(degree); at--) {
      if ((left >> at) & 1n) left ^= polynomial << (at - BigInt(degree));
    }
    return left;
  };
  const hex = (value: bigint | number, digits: number) => value.toString(16).padStart(digits, '0');
  const announced = hex(0x1000 | (payload.length - 1), 4);
  const header = announced + hex(remainderOf(BigInt(`0x${announced}`) << 8n, 0x107n, 8), 2);
  // CRC-32: of bytes with their lowest bit first, the first 32 bits changed, the remainder changed and turned round.
  const message = [...payload].map(byte => binary(byte, 8).split('').reverse().join('')).join('');
  const changed = (BigInt(`0b${message}`) << 32n) ^ (0xffffffffn << BigInt(message.length));
  const divided = remainderOf(changed, 0x104c11db7n, 32) ^ 0xffffffffn;
  const check = BigInt(`0b${divided.toString(2).padStart(32, '0').split('').reverse().join('')}`);
  const body = interleaved([...payload].map(byte => hex(byte, 2)).join('') + hex(check, 8));
  const whitening = sequence(9, 4, '111111111', body.length);
  const whitened = body.split('').map((bit, at) => Number(bit) ^ Number(whitening[at]));
  return `${sequence(5, 2, '00001', 31)}0${interleaved(header).repeat(2)}${whitened.join('')}`;
}

describe('a frame', () => {
  it('is, bit for bit, what its description says', () => {
    fc.assert(
      fc.property(payloads, payload => {
        expect(encodeFrame(payload).join('')).toBe(describedFrame(payload));
      }),
      { numRuns: 40 },
    );
  });

  it('of "Hello" is this one', () => {
    const bits = encodeFrame(Uint8Array.from('Hello', char => char.charCodeAt(0)));
    expect(bits.length).toBe(frameBits(5));
    const hex = [...bits]
      .join('')
      .match(/.{8}/g)
      ?.map(byte => Number.parseInt(byte, 2).toString(16).padStart(2, '0'));
    expect(hex?.join('')).toMatchInlineSnapshot(
      `"0967c6ea9a10661818469a1066181846156d40ee865ff4c43272729b7ac4c31701ae"`,
    );
  });

  it('begins with a pilot of as many ones as zeros', () => {
    expect(PILOT.join('')).toBe('00001001011001111100011011101010');
    expect(PILOT.reduce((sum, bit) => sum + bit, 0)).toBe(16);
  });

  it('is read again, and its header apart, of every length', () => {
    for (let bytes = 1; bytes <= 4_096; bytes++) expect(parseHeader(headerNibbles(bytes))).toBe(bytes);
    fc.assert(
      fc.property(payloads, payload => {
        const ratios = ratiosOf(encodeFrame(payload));
        expect(decodeHeader(ratios.subarray(PILOT_BITS, BODY_FROM))).toBe(payload.length);
        const body = decodeBody(ratios.subarray(BODY_FROM));
        expect(body?.payload).toEqual(payload);
        expect(body).toMatchObject({ correctedWords: 0, doubleErrorWords: 0, secdedSyndrome: 0 });
      }),
      { numRuns: 60 },
    );
  });

  it('of another version, or with any nibble of its header changed, announces nothing', () => {
    for (let at = 0; at < 6; at++) {
      for (let by = 1; by < 16; by++) {
        const nibbles = headerNibbles(777);
        nibbles[at] ^= by;
        expect(parseHeader(nibbles)).toBeUndefined();
      }
    }
    const ofVersion2 = Uint8Array.of(0x20, 0x04);
    const check = crc8(ofVersion2);
    expect(parseHeader([2, 0, 0, 4, check >> 4, check & 15])).toBeUndefined();
    expect(parseHeader([1, 0, 0, 4, ...headerNibbles(5).subarray(4)])).toBe(5);
  });

  it('has a header that is read of both its copies together, though neither could be read alone', () => {
    const ratios = ratiosOf(encodeFrame(new Uint8Array(1_234))).subarray(PILOT_BITS, BODY_FROM);
    // Two words of one copy and two of the other are turned round, at less than their worth.
    for (const [copy, word] of [
      [0, 1],
      [0, 3],
      [1, 2],
      [1, 5],
    ]) {
      for (let bit = 0; bit < 8; bit++) ratios[48 * copy + 6 * bit + word] *= -0.5;
    }
    expect(decodeHeader(ratios)).toBe(1_234);
    const alone = (copy: number) =>
      Float32Array.from({ length: 96 }, (_, at) => ratios[48 * copy + (at % 48)]);
    expect([decodeHeader(alone(0)), decodeHeader(alone(1))]).toEqual([undefined, undefined]);
  });

  it('with any one bit of its body changed is no valid body', () => {
    const nibbles = bodyNibbles(Uint8Array.of(1, 2, 3, 4, 5));
    for (let at = 0; at < nibbles.length * 4; at++) {
      const changed = nibbles.slice();
      changed[at >> 2] ^= 1 << (at & 3);
      expect(parseBody(changed).crcValid).toBe(false);
    }
  });

  it('has no long run of one tone, whatever its payload', () => {
    const longest = (bits: Uint8Array) =>
      Math.max(
        ...bits
          .join('')
          .split(/(?<=0)(?=1)|(?<=1)(?=0)/)
          .map(run => run.length),
      );
    for (const fill of [0x00, 0xff, 0x55]) {
      expect(longest(encodeFrame(new Uint8Array(4_096).fill(fill)).subarray(BODY_FROM))).toBeLessThan(20);
    }
  });

  it('is refused of no byte and of more than 4,096', () => {
    expect(() => encodeFrame(new Uint8Array())).toThrow(expect.objectContaining({ code: 'PAYLOAD_EMPTY' }));
    expect(() => encodeFrame(new Uint8Array(4_097))).toThrow(
      expect.objectContaining({ code: 'PAYLOAD_TOO_LONG', limits: { max: 4_096, got: 4_097 } }),
    );
  });
});

describe('reading a body', () => {
  const payload = Uint8Array.from({ length: 16 }, (_, at) => 37 * at);
  const sent = encodeFrame(payload).subarray(BODY_FROM);
  const words = sent.length / 8;
  /** Likelihoods in which some bits of words are wrong, and weak. */
  const hurt = (bitsOfWords: readonly (readonly [word: number, bits: readonly number[]])[]) => {
    const ratios = ratiosOf(sent);
    for (const [word, bits] of bitsOfWords) for (const bit of bits) ratios[bit * words + word] *= -0.5;
    return ratios;
  };

  it('counts words with one wrong bit and with two, and says the syndrome of the worst', () => {
    const one = decodeBody(
      hurt([
        [3, [0]],
        [9, [6]],
      ]),
    );
    expect(one?.payload).toEqual(payload);
    expect(one).toMatchObject({ codewords: 40, correctedWords: 2, doubleErrorWords: 0, secdedSyndrome: 14 });
    const two = decodeBody(
      hurt([
        [3, [2]],
        [5, [1, 4]],
      ]),
    );
    expect(two?.payload).toEqual(payload);
    expect(two).toMatchObject({ correctedWords: 1, doubleErrorWords: 1 });
    expect(two?.secdedSyndrome).toBeGreaterThan(0);
    expect(two?.secdedSyndrome).toBeLessThan(8);
  });

  it('finds the right reading among the second best of the least sure words', () => {
    // In each, the bits in which a neighbour at distance 4 differs speak for the neighbour, by a little.
    const ratios = ratiosOf(sent);
    const nibbles = bodyNibbles(payload);
    const wrong = nibbles.slice();
    for (const word of [0, 7, 21, 39]) {
      wrong[word] ^= 5;
      const differ = secded84Encode(nibbles[word]) ^ secded84Encode(wrong[word]);
      for (let bit = 0; bit < 8; bit++) if ((differ >> (7 - bit)) & 1) ratios[bit * words + word] *= -0.1;
    }
    expect(parseBody(wrong).crcValid).toBe(false);
    const body = decodeBody(ratios);
    expect(body?.payload).toEqual(payload);
  });

  it('gives nothing where the CRC-32 of no reading is right', () => {
    const ratios = ratiosOf(sent);
    for (let at = 0; at < ratios.length; at += 3) ratios[at] *= -1;
    expect(decodeBody(ratios)).toBeUndefined();
    expect(decodeBody(new Float32Array(sent.length))).toBeUndefined();
  });
});
