import fc from 'fast-check';
import { SeededRandom } from '../testing/seeded-random.js';
import { BchCode } from './bch-code.js';
import { GaloisField } from './galois-field.js';

const weightOf = (bits: Uint8Array) => bits.reduce((sum, bit) => sum + bit, 0);
const distance = (a: Uint8Array, b: Uint8Array) => weightOf(a.map((bit, i) => bit ^ b[i]));
const octal = (bits: Uint8Array) => BigInt(`0b${bits.join('')}`).toString(8);
const bitsOf = (value: number, length: number) =>
  Uint8Array.from(value.toString(2).padStart(length, '0'), Number);

function randomBits(random: SeededRandom, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => (random.uniform() < 0.5 ? 0 : 1));
}

/** Turns so many different bits over. */
function hurt(random: SeededRandom, codeword: Uint8Array, errors: number): Uint8Array {
  const word = codeword.slice();
  const places = Array.from(word.keys());
  for (let i = 0; i < errors; i++) {
    const j = i + Math.floor(random.uniform() * (places.length - i));
    [places[i], places[j]] = [places[j], places[i]];
    word[places[i]] ^= 1;
  }
  return word;
}

// Lin and Costello, Error Control Coding, 2nd edition, appendix C: n, k, t and the generator in octal.
it.each([
  [7, 4, 1, '13'],
  [15, 11, 1, '23'],
  [15, 7, 2, '721'],
  [15, 5, 3, '2467'],
  [31, 21, 2, '3551'],
  [31, 16, 3, '107657'],
  [31, 11, 5, '5423325'],
  [31, 6, 7, '313365047'],
  [63, 45, 3, '1701317'],
  [63, 36, 5, '1033500423'],
  [127, 64, 10, '1206534025570773100045'],
  [255, 239, 2, '267543'],
  [255, 131, 18, '215713331471510151261250277442142024165471'],
])('has the published generator of (%i, %i)', (length, dimension, correctable, generator) => {
  const code = BchCode.of(length, dimension);
  expect(code.correctable).toBe(correctable);
  expect(octal(code.generator)).toBe(generator);
});

it.each([
  [255, 131, 18],
  [255, 87, 26],
  [1023, 513, 57],
])('(%i, %i) has a generator that vanishes at α … α^2t, and that divides x^n − 1', (length, dimension, t) => {
  const code = BchCode.of(length, dimension);
  const field = GaloisField.of(Math.log2(length + 1));
  expect(code.correctable).toBe(t);
  expect(code.generator.length).toBe(1 + length - dimension);
  for (let exponent = 1; exponent <= 2 * t; exponent++) {
    const value = code.generator.reduce(
      (sum, coefficient) => field.multiply(sum, field.alphaTo(exponent)) ^ coefficient,
      0,
    );
    expect(value).toBe(0);
  }
  const rest = new Uint8Array(length + 1);
  rest[0] = rest[length] = 1;
  for (let i = 0; i < rest.length - code.generator.length + 1; i++) {
    if (rest[i]) code.generator.forEach((coefficient, j) => (rest[i + j] ^= coefficient));
  }
  expect(weightOf(rest)).toBe(0);
});

it('computes in a field: powers of α come round, inverses are inverses, products distribute', () => {
  const field = GaloisField.of(8);
  // Of 0x11d, which AES does not use: α^8 = α^4 + α^3 + α^2 + 1.
  expect([field.alphaTo(8), field.alphaTo(255), field.alphaTo(-1)]).toEqual([0x1d, 1, 0x8e]);
  const element = fc.nat(255);
  fc.assert(
    fc.property(element, element, element, (a, b, c) => {
      expect(field.multiply(a, b ^ c)).toBe(field.multiply(a, b) ^ field.multiply(a, c));
      expect(field.multiply(field.multiply(a, b), c)).toBe(field.multiply(a, field.multiply(b, c)));
      if (b !== 0) expect(field.multiply(field.divide(a, b), b)).toBe(a);
    }),
  );
  expect(() => field.divide(3, 0)).toThrow(RangeError);
});

it('decodes each of all 2^15 words of (15, 5) as a search over the 32 codewords does', () => {
  const code = BchCode.of(15, 5);
  const codewords = Array.from({ length: 32 }, (_, message) => code.encode(bitsOf(message, 5)));
  let decodable = 0;
  for (let value = 0; value < 2 ** 15; value++) {
    const word = bitsOf(value, 15);
    const near = codewords.find(codeword => distance(codeword, word) <= 3);
    const decoded = code.decode(word);
    if (decoded.ok !== (near !== undefined)) throw new Error(`word ${value} decodes: ${decoded.ok}`);
    if (!decoded.ok || !near) continue;
    decodable++;
    if (distance(decoded.codeword, near) !== 0) throw new Error(`word ${value} decodes to another codeword`);
    if (decoded.corrected !== distance(near, word)) throw new Error(`word ${value} has other errors`);
  }
  // Spheres of radius 3 around 32 codewords: 1 + 15 + 105 + 455 words each.
  expect(decodable).toBe(32 * 576);
});

const TRIES = process.env.SUITE_TIER === 'long' ? 200 : 4;

it.each([
  [31, 16],
  [127, 64],
  [255, 131],
  [255, 87],
])('(%i, %i) is rid of any number of errors up to its bound', (length, dimension) => {
  const code = BchCode.of(length, dimension);
  const random = new SeededRandom(dimension);
  for (let errors = 0; errors <= code.correctable; errors++) {
    for (let i = 0; i < TRIES; i++) {
      const message = randomBits(random, dimension);
      const codeword = code.encode(message);
      expect(codeword.subarray(0, dimension)).toEqual(message);
      const decoded = code.decode(hurt(random, codeword, errors));
      expect(decoded).toEqual({ ok: true, codeword, message, corrected: errors });
    }
  }
});

it('is rid of bursts, and of errors in its checks alone', () => {
  const code = BchCode.of(255, 131);
  const message = randomBits(new SeededRandom(3), 131);
  const codeword = code.encode(message);
  for (const from of [0, 100, 122, 131, 237]) {
    const word = codeword.map((bit, i) => (i >= from && i < from + 18 ? bit ^ 1 : bit));
    expect(code.decode(word)).toMatchObject({ ok: true, message, corrected: 18 });
  }
});

it.each([
  [31, 16],
  [255, 131],
  [255, 87],
])('(%i, %i) takes more errors for none, or for a codeword within its bound', (length, dimension) => {
  const code = BchCode.of(length, dimension);
  const random = new SeededRandom(length + dimension);
  let none = 0;
  const words = 40 * TRIES;
  for (let i = 0; i < words; i++) {
    const codeword = code.encode(randomBits(random, dimension));
    // All ones are a codeword: so many errors that they are near it would be few.
    const errors = Math.floor(random.uniform(code.correctable + 1, length - code.correctable));
    const word = hurt(random, codeword, errors);
    const decoded = code.decode(word);
    if (!decoded.ok) {
      none++;
      continue;
    }
    expect(code.encode(decoded.message)).toEqual(decoded.codeword);
    expect(distance(decoded.codeword, word)).toBe(decoded.corrected);
    expect(decoded.corrected).toBeLessThanOrEqual(code.correctable);
  }
  // About 1/t! of far words lie within the bound of a codeword; (31, 16) is nearly perfect, the long ones are far from it.
  expect(none / words).toBeGreaterThan(length === 31 ? 0.5 : 0.99);
});

it('answers a bit more than its bound by none or another codeword, never by the one that was sent', () => {
  const code = BchCode.of(255, 131);
  const random = new SeededRandom(11);
  for (let i = 0; i < 10 * TRIES; i++) {
    const codeword = code.encode(randomBits(random, 131));
    const decoded = code.decode(hurt(random, codeword, 19));
    if (decoded.ok) expect(distance(decoded.codeword, codeword)).toBeGreaterThanOrEqual(37);
  }
});

it('is made only where there is such a code, and works on its own lengths only', () => {
  expect(() => BchCode.of(255, 130)).toThrow('no BCH code of 255 bits has 130 bits of message');
  expect(() => BchCode.of(255, 0)).toThrow(RangeError);
  expect(() => BchCode.of(100, 50)).toThrow('length must be 2^m − 1, got 100');
  expect(() => BchCode.of(2047, 1024)).toThrow(RangeError);
  const code = BchCode.of(255, 131);
  expect(BchCode.of(255, 131)).toBe(code);
  expect(() => code.encode(new Uint8Array(130))).toThrow('message must be of 131 bits, got 130');
  expect(() => code.decode(new Uint8Array(256))).toThrow('word must be of 255 bits, got 256');
  expect(() => code.decode(new Uint8Array(255).fill(2, 9, 10))).toThrow('word[9] must be 0 or 1, got 2');
});
