import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { PublishedKey, VerifyEd25519 } from '../signed-token/signed-token.js';
import {
  checkM2mToken,
  isM2mTokenLike,
  joinM2mToken,
  M2M_TOKEN_CHARS_MAX,
  type M2mLicence,
  m2mSigningInput,
  parseM2mToken,
} from './m2m-token.js';

const pair = generateKeyPairSync('ed25519');
const published: PublishedKey = {
  kid: 'kid-1',
  alg: 'Ed25519',
  publicKey: pair.publicKey.export({ format: 'jwk' }).x!,
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: null,
  revokedAt: null,
};
const nowMs = Date.UTC(2026, 5, 1);
const licence: M2mLicence = {
  v: 1,
  jti: 'm2m_AAAAAAAAAAAAAAAAAAAAAA',
  tier: 'm2m_continuous_metered',
  capability: 'spatial.prove',
  licensee: 'agent-é',
  contract: 'ctr_AAAAAAAAAAAAAAAAAAAAAA',
  streamIndex: 7,
  iat: Date.UTC(2026, 4, 20) / 1_000,
  exp: Date.UTC(2026, 5, 19) / 1_000,
  kid: 'kid-1',
  nodesMax: 1,
  sublicense: false,
  metered: true,
  saga: '00000000-0000-4000-8000-000000000001',
};
const signText = (input: string) => joinM2mToken(input, sign(null, Buffer.from(input), pair.privateKey));
const issue = (changes: Partial<M2mLicence> = {}) => signText(m2mSigningInput({ ...licence, ...changes }));
const token = issue();
const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
const check = (text: string, keys = [published], atMs = nowMs) =>
  checkM2mToken(text, keys, atMs, verifyEd25519);
const codeOf = async (...given: Parameters<typeof check>) => (await check(...given)).code;
/** A token whose payload is this text, rightly signed. */
const signedPayload = (payload: string) => signText(`m2m1.${Buffer.from(payload).toString('base64url')}`);
const canonical = Buffer.from(token.split('.')[1], 'base64url').toString();

describe('machine-to-machine licence token', () => {
  it('says what was signed, to whoever has the published key, until it expires', async () => {
    expect(await check(token)).toEqual({ code: 'VALID', licence });
    expect(await codeOf(token, [published], licence.exp! * 1_000 - 1)).toBe('VALID');
    expect(await check(token, [published], licence.exp! * 1_000)).toEqual({ code: 'EXPIRED', licence });
  });

  it('without an end never expires', async () => {
    expect(await codeOf(issue({ exp: null }), [published], Date.UTC(9999, 0, 1))).toBe('VALID');
  });

  it('is canonical JSON under its prefix, and Ed25519 over both', () => {
    const [prefix, payload, signature] = token.split('.');
    expect(prefix).toBe('m2m1');
    expect(canonical).toBe(
      '{"capability":"spatial.prove","contract":"ctr_AAAAAAAAAAAAAAAAAAAAAA",' +
        `"exp":${licence.exp},"iat":${licence.iat},"jti":"m2m_AAAAAAAAAAAAAAAAAAAAAA","kid":"kid-1",` +
        '"licensee":"agent-é","metered":true,"nodesMax":1,"saga":"00000000-0000-4000-8000-000000000001",' +
        '"streamIndex":7,"sublicense":false,"tier":"m2m_continuous_metered","v":1}',
    );
    const signed = Buffer.from(`m2m1.${payload}`);
    expect(verify(null, signed, pair.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('is checked alike by the Ed25519 that browsers have', async () => {
    const web: VerifyEd25519 = async (publicKey, message, signature) => {
      const { subtle } = globalThis.crypto;
      const key = await subtle.importKey('raw', Buffer.from(publicKey), 'Ed25519', false, ['verify']);
      return subtle.verify('Ed25519', key, Buffer.from(signature), Buffer.from(message));
    };
    expect(await checkM2mToken(token, [published], nowMs, web)).toEqual({ code: 'VALID', licence });
    const other = issue({ streamIndex: 8 });
    const crossed = `${token.slice(0, token.lastIndexOf('.'))}${other.slice(other.lastIndexOf('.'))}`;
    expect(await checkM2mToken(crossed, [published], nowMs, web)).toEqual({ code: 'BAD_SIGNATURE' });
  });

  it('with any one character changed, left out or added is MALFORMED or BAD_SIGNATURE, at every position', async () => {
    const alphabet = ['A', 'B', 'g', 'w', '_', '-', '.', '=', '+', '/', '0', ' ', 'é'];
    const bad = new Set<string>();
    for (let index = 0; index < token.length; index++) {
      const [before, after] = [token.slice(0, index), token.slice(index + 1)];
      const changed = alphabet.filter(character => character !== token[index]).map(c => before + c + after);
      changed.push(
        before + String.fromCharCode(token.charCodeAt(index) ^ 1) + after,
        before + after,
        `${before}A${token.slice(index)}`,
      );
      for (const text of changed) if (text !== token) bad.add(await codeOf(text));
    }
    expect([...bad].sort()).toEqual(['BAD_SIGNATURE', 'MALFORMED']);
  });

  it('has one spelling: no padding, other base64, white space, case of its prefix, or trailing bits', async () => {
    const [, payload, signature] = token.split('.');
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = digits.indexOf(signature.at(-1)!);
    const same = [...digits].filter((_, index) => index !== last && (index ^ last) < 16);
    expect(same).toHaveLength(15);
    const spellings = [
      ...same.map(digit => `m2m1.${payload}.${signature.slice(0, -1)}${digit}`),
      ...[`m2m1.${payload}.${signature}==`, `M2M1.${payload}.${signature}`, ` ${token}`, `${token}\n`],
      ...[`${token}.`, `m2m1.${payload}=.${signature}`, `sam1.${payload}.${signature}`],
    ];
    for (const spelling of spellings) expect(await codeOf(spelling)).toBe('MALFORMED');
  });

  it('whose JSON is not canonical is MALFORMED though it is rightly signed', async () => {
    const { licensee: _licensee, ...rest } = licence;
    const texts = [
      JSON.stringify(licence),
      ` ${canonical}`,
      `\uFEFF${canonical}`,
      canonical.replace('"v":1', '"v":1.0'),
      canonical.replace('"streamIndex":7', '"streamIndex":7e0'),
      canonical.replace('"streamIndex":7', '"streamIndex":-0'),
      canonical.replace('"tier"', '"\\u0074ier"'),
      canonical.replace('"v":1', '"v":1,"v":1'),
      canonical.replace('"v":1', '"v":2'),
      canonical.replace('"v":1', '"v":1,"x":1'),
      canonical.replace('"v":1', '"v":1,"__proto__":{}'),
      canonical.replace('agent-é', 'agent-\\ud800'),
      JSON.stringify(rest),
      'null',
      '[]',
      '',
      '['.repeat(2_000),
    ];
    for (const text of texts) expect(await codeOf(signedPayload(text))).toBe('MALFORMED');
    expect(await codeOf(signedPayload(canonical))).toBe('VALID');
  });

  it.each([
    { jti: 'm2m_A' },
    { jti: 'lic_AAAAAAAAAAAAAAAAAAAAAA' },
    { tier: 'Mesh' },
    { capability: '' },
    { licensee: '' },
    { licensee: 'x'.repeat(129) },
    { contract: '' },
    { streamIndex: -1 },
    { streamIndex: 1.5 },
    { streamIndex: 2 ** 53 },
    { iat: -1 },
    { exp: licence.iat - 1 },
    { exp: 253_402_300_800 },
    { kid: 'a b' },
    { nodesMax: 0 },
    { nodesMax: 1_000_001 },
    { sublicense: 1 as never },
    { metered: 'yes' as never },
    { saga: 'saga' },
    { saga: licence.saga.toUpperCase().replace('1', 'A') },
  ])('that could not be read again is not issued: %j', changes => {
    expect(() => m2mSigningInput({ ...licence, ...changes })).toThrow(RangeError);
  });

  it('is issued for no name that is no Unicode text', () => {
    expect(() => m2mSigningInput({ ...licence, licensee: 'agent-\ud800' })).toThrow('canonical');
  });

  it('fits the bound of its length with the longest names of the widest characters', async () => {
    const name = '\u0001'.repeat(128);
    const most = issue({
      ...{ licensee: name, contract: name, capability: name, tier: 'x'.repeat(32) },
      ...{ streamIndex: Number.MAX_SAFE_INTEGER, nodesMax: 1_000_000 },
    });
    expect(most.length).toBeLessThanOrEqual(M2M_TOKEN_CHARS_MAX);
    expect(await codeOf(most)).toBe('VALID');
  });

  it('of a key that is unknown, revoked, or did not sign then is BAD_SIGNATURE', async () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
    const at = (date: string) => `${date}T00:00:00.000Z`;
    expect(await codeOf(token, [])).toBe('BAD_SIGNATURE');
    for (const change of [
      { kid: 'kid-2' },
      { alg: 'ML-DSA-65' },
      { publicKey: other },
      { publicKey: 'AA' },
      { revokedAt: at('2026-05-30') },
      { notAfter: at('2026-05-20') },
      { notBefore: at('2026-05-21') },
    ])
      expect(await codeOf(token, [{ ...published, ...change }])).toBe('BAD_SIGNATURE');
    expect(await codeOf(token, [{ ...published, notAfter: at('2026-05-21') }])).toBe('VALID');
  });

  it('reads back every licence that can be issued', async () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter(text => text.length <= 128);
    const licences = fc.record({
      v: fc.constant(1 as const),
      jti: fc.stringMatching(/^m2m_[A-Za-z0-9_-]{22}$/),
      tier: fc.stringMatching(/^[a-z0-9_]{1,32}$/),
      capability: fc.option(name),
      licensee: name,
      contract: name,
      streamIndex: fc.maxSafeNat(),
      iat: fc.integer({ min: licence.iat, max: nowMs / 1_000 }),
      exp: fc.option(fc.integer({ min: nowMs / 1_000, max: 253_402_300_799 })),
      kid: fc.constant('kid-1'),
      nodesMax: fc.integer({ min: 1, max: 1_000_000 }),
      sublicense: fc.boolean(),
      metered: fc.boolean(),
      saga: fc.uuid(),
    });
    await fc.assert(
      fc.asyncProperty(licences, async each => {
        const text = issue(each);
        expect(parseM2mToken(text)!.licence).toEqual(each);
        expect((await check(text)).code).toMatch(/^(VALID|EXPIRED)$/);
        expect(issue(each)).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  it('is undefined for any text that is none, and is not read beyond its bound', () => {
    const near = fc.tuple(fc.base64String(), fc.base64String()).map(([a, b]) => `m2m1.${a}.${b}`);
    const json = fc.jsonValue().map(value => signedPayload(JSON.stringify(value)));
    fc.assert(
      fc.property(fc.oneof(fc.string(), near, json), text => expect(parseM2mToken(text)).toBeUndefined()),
      { numRuns: 1_000 },
    );
    expect(parseM2mToken(`m2m1.${'A'.repeat(M2M_TOKEN_CHARS_MAX)}.A`)).toBeUndefined();
    expect(parseM2mToken('m2m1.'.repeat(100_000))).toBeUndefined();
  });

  it('is told from a licence key by its beginning, and neither is read as the other', () => {
    expect([isM2mTokenLike(token), isM2mTokenLike('m2m1'), isM2mTokenLike('sam1.x.y')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
