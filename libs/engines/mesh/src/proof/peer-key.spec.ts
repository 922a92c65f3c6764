import fc from 'fast-check';
import { createECDH, createHash, generateKeyPairSync } from 'node:crypto';
import { parsePeerKey } from './peer-key.js';
import { ProofError } from './proof-error.js';

/** RFC 8032 section 7.1, TEST 1 to 3. */
const RFC_8032_KEYS = [
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
];
/** SEC 2 section 2.4.1, the base point. */
const GX = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const GY = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8';
const SECP256K1_P = 2n ** 256n - 2n ** 32n - 977n;
/** The points of small order, each with either sign: Chalkias and others, 2020, table 2; libsodium has the same list. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  // Not canonical: p, p + 1, 2²⁵⁵ − 1.
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];
const withSign = (hex: string) => hex.slice(0, 62) + (parseInt(hex.slice(62), 16) | 0x80).toString(16);
const hex32 = (value: bigint) => value.toString(16).padStart(64, '0');
const sha256 = (hex: string) => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');

const freshSecp256k1 = () => {
  const ecdh = createECDH('secp256k1');
  ecdh.generateKeys();
  return {
    compressed: ecdh.getPublicKey('hex', 'compressed'),
    whole: ecdh.getPublicKey('hex', 'uncompressed'),
  };
};
const runs = { numRuns: process.env.SUITE_TIER === 'long' ? 5_000 : 60 };

describe('keys of Ed25519', () => {
  it.each(RFC_8032_KEYS)('takes %s in every spelling', hex => {
    for (const text of [hex, `0x${hex}`, hex.toUpperCase(), `0x${hex.toUpperCase()}`]) {
      const key = parsePeerKey(text);
      expect({ ...key, bytes: Buffer.from(key.bytes).toString('hex') }).toEqual({
        kind: 'ed25519',
        bytes: hex,
        hex,
        hash: sha256(hex),
      });
    }
  });

  it('takes every key that is made', () => {
    for (let i = 0; i < runs.numRuns; i++) {
      const spki = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
      const hex = spki.subarray(-32).toString('hex');
      expect(parsePeerKey(hex)).toMatchObject({ kind: 'ed25519', hex });
    }
  });

  it.each(SMALL_ORDER.flatMap(hex => [hex, withSign(hex)]))(
    'refuses %s, which no secret is needed for',
    hex => {
      expect(() => parsePeerKey(hex)).toThrow(ProofError);
    },
  );
});

describe('keys of secp256k1', () => {
  it('takes the base point in both forms as one peer', () => {
    const key = parsePeerKey(`02${GX}`);
    expect(key).toMatchObject({ kind: 'secp256k1', hex: `02${GX}`, hash: sha256(`02${GX}`) });
    expect(key.bytes).toHaveLength(33);
    expect(parsePeerKey(`0x04${GX}${GY}`)).toEqual(key);
  });

  it('knows a point from its opposite', () => {
    const opposite = hex32(SECP256K1_P - BigInt(`0x${GY}`));
    expect(parsePeerKey(`04${GX}${opposite}`).hex).toBe(`03${GX}`);
    expect(parsePeerKey(`03${GX}`).hex).toBe(`03${GX}`);
  });

  it('shortens as node:crypto does', () => {
    for (let i = 0; i < runs.numRuns; i++) {
      const { compressed, whole } = freshSecp256k1();
      expect(parsePeerKey(whole)).toEqual(parsePeerKey(compressed));
      expect(parsePeerKey(whole).hex).toBe(compressed);
    }
  });

  it('takes exactly the numbers for which node:crypto finds a point', () => {
    const accepts = (hex: string) => {
      const ecdh = createECDH('secp256k1');
      ecdh.generateKeys();
      try {
        ecdh.computeSecret(hex, 'hex');
        return true;
      } catch {
        return false;
      }
    };
    let taken = 0;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom('02', '03'), (x, form) => {
        const hex = form + hex32(x);
        const isPoint = accepts(hex);
        if (isPoint) expect(parsePeerKey(hex).hex).toBe(hex);
        else expect(() => parsePeerKey(hex)).toThrow(ProofError);
        taken += isPoint ? 1 : 0;
      }),
      runs,
    );
    expect(taken).toBeGreaterThan(runs.numRuns / 5);
    expect(taken).toBeLessThan((runs.numRuns * 4) / 5);
  });

  const yPlusOne = hex32(BigInt(`0x${GY}`) + 1n);
  // x³ + 7 is 8 there, which has a root: only the number is too large.
  const pPlusOne = hex32(SECP256K1_P + 1n);
  const yOfOne = rootOf8();
  it.each([
    ['a point beside the curve', `04${GX}${yPlusOne}`],
    ['an x without a point', `02${hex32(5n)}`],
    ['an x of the prime and one', `02${pPlusOne}`],
    ['a whole x of the prime and one', `04${pPlusOne}${hex32(yOfOne)}`],
    ['a form of its own for 33 bytes', `04${GX}`],
    ['a hybrid form', `06${GX}${GY}`],
    ['a compressed form of 65 bytes', `02${GX}${GY}`],
    ['form 0', `00${GX}`],
  ])('refuses %s', (_, hex) => {
    expect(() => parsePeerKey(hex)).toThrow(ProofError);
  });

  it('takes x = 1, which those are spelled from', () => {
    expect(parsePeerKey(`02${hex32(1n)}`).hex).toBe(`02${hex32(1n)}`);
    expect(parsePeerKey(`04${hex32(1n)}${hex32(yOfOne)}`).hex.slice(2)).toBe(hex32(1n));
  });
});

/** A root of 8 modulo the prime, which is 3 modulo 4. */
function rootOf8(): bigint {
  let root = 1n;
  for (let i = 0n, square = 8n, rest = (SECP256K1_P + 1n) / 4n; rest >> i > 0n; i++) {
    if ((rest >> i) & 1n) root = (root * square) % SECP256K1_P;
    square = (square * square) % SECP256K1_P;
  }
  return root;
}

describe('what is no key', () => {
  const bytes = RFC_8032_KEYS[0];
  it.each([
    '',
    '0x',
    'zz',
    bytes.slice(1),
    bytes.slice(2),
    `${bytes}0000`,
    `0x0x${bytes}`,
    ` ${bytes}`,
    `${bytes}\n`,
  ])('refuses %j', text => {
    expect(() => parsePeerKey(text)).toThrow(ProofError);
  });

  it('refuses any other text by a ProofError', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^(0x)?[0-9a-f]*$/),
      fc.constant('0'.repeat(100_000)),
    );
    fc.assert(
      fc.property(text, text => {
        const bare = text.replace(/^0x/, '');
        fc.pre(![64, 66, 130].includes(bare.length));
        expect(() => parsePeerKey(text)).toThrow(ProofError);
      }),
    );
  });
});
