import fc from 'fast-check';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { parseSignature } from './peer-signature.js';
import { ProofError } from './proof-error.js';

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const runs = { numRuns: process.env.SUITE_TIER === 'long' ? 20_000 : 500 };
const hex32 = (value: bigint) => value.toString(16).padStart(64, '0');
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const scalar = fc.oneof(
  fc.bigInt({ min: 1n, max: N - 1n }),
  fc.nat(255).chain(bits => fc.bigInt({ min: 1n, max: 2n ** BigInt(bits) })),
);

/** DER by the book, written apart from the reader. */
function derOf(r: bigint, s: bigint): string {
  const integers = [r, s].map(value => {
    const digits = value.toString(16);
    const even = digits.length % 2 ? `0${digits}` : digits;
    const content = parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even;
    return `02${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
  });
  const body = integers.join('');
  return `30${(body.length / 2).toString(16).padStart(2, '0')}${body}`;
}

const refuses = (hex: string, kind: 'ed25519' | 'secp256k1' = 'secp256k1') =>
  expect(() => parseSignature(hex, kind)).toThrow(ProofError);

describe('signatures of Ed25519', () => {
  /** RFC 8032 section 7.1, TEST 1. */
  const known =
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b';
  it('takes 64 bytes as they are', () => {
    expect(toHex(parseSignature(`0x${known.toUpperCase()}`, 'ed25519'))).toBe(known);
  });
  it.each(['', known.slice(2), `${known}00`, known.slice(1), `${known.slice(1)}g`])('refuses %j', hex => {
    refuses(hex, 'ed25519');
  });
});

describe('signatures of secp256k1', () => {
  it('reads what node:crypto signs, in both forms, into what node:crypto verifies', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    for (let i = 0; i < 100; i++) {
      const text = Buffer.from(`text ${i}`);
      const der = sign('sha256', text, privateKey);
      const compact = parseSignature(toHex(der), 'secp256k1');
      expect(verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, compact)).toBe(true);
      expect(parseSignature(toHex(compact), 'secp256k1')).toEqual(compact);
    }
  });

  it('reads every r and s from DER and from 64 bytes alike, also an s of the upper half', () => {
    fc.assert(
      fc.property(scalar, scalar, (r, s) => {
        const der = derOf(r, s);
        fc.pre(der.length !== 128);
        expect(toHex(parseSignature(der, 'secp256k1'))).toBe(hex32(r) + hex32(s));
        expect(toHex(parseSignature(hex32(r) + hex32(s), 'secp256k1'))).toBe(hex32(r) + hex32(s));
      }),
      runs,
    );
    expect(toHex(parseSignature(derOf(N - 1n, N - 1n), 'secp256k1'))).toBe(hex32(N - 1n).repeat(2));
    expect(derOf(N - 1n, N - 1n)).toHaveLength(144);
  });

  it.each([
    [0n, 1n],
    [1n, 0n],
    [N, 1n],
    [1n, N],
    [2n ** 256n - 1n, 1n],
  ])('refuses r = %d, s = %d in both forms', (r, s) => {
    refuses(hex32(r) + hex32(s));
    refuses(derOf(r, s));
  });

  it.each([
    ['a byte behind', '300602010102010100'],
    ['a length that is too short', '3005020101020101'],
    ['a length that is too long', '3007020101020101'],
    ['a length in the long form', '308106020101020101'],
    ['an endless length', '30800201010201010000'],
    ['no sequence', '310602010102010100'.slice(0, 16)],
    ['no integers', '3006030101030101'],
    ['one integer', '3003020101'],
    ['three integers', '3009020101020101020101'],
    ['an integer of nothing', '300502000201' + '01'],
    ['a zero too many', '300702020001020101'],
    ['a zero too many in s', '300702010102020001'],
    ['a negative r', '3006020181020101'],
    ['a negative s', '3006020101020181'],
    ['an r that runs over the end', '3006022001020101'],
    ['an s that runs over the end', '3006020101022001'],
    ['an r of 33 bytes', `3026022101${'00'.repeat(32)}020101`],
    ['an end behind the tag of s', '300402010102'],
    ['an end behind the sequence', '3000'],
    ['only a tag', '30'],
    ['nothing', ''],
    ['63 bytes', '01'.repeat(63)],
    ['73 bytes', '01'.repeat(73)],
  ])('refuses %s', (_, hex) => refuses(hex));

  it('takes nothing but the one spelling of what it reads', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 73 }),
      fc.tuple(scalar, scalar, fc.nat(71), fc.nat(255)).map(([r, s, at, value]) => {
        const der = Buffer.from(derOf(r, s), 'hex');
        der[at % der.length] = value;
        return new Uint8Array(der);
      }),
    );
    fc.assert(
      fc.property(bytes, bytes => {
        const hex = toHex(bytes);
        let compact: string;
        try {
          compact = toHex(parseSignature(hex, 'secp256k1'));
        } catch (error) {
          if (error instanceof ProofError) return;
          throw error;
        }
        const [r, s] = [compact.slice(0, 64), compact.slice(64)].map(half => BigInt(`0x${half}`));
        expect([hex32(r) + hex32(s), derOf(r, s)]).toContain(hex);
      }),
      { numRuns: runs.numRuns * 4 },
    );
  });
});
