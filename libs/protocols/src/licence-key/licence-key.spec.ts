import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import {
  checkLicenceKey,
  joinLicenceKey,
  type Licence,
  LICENCE_KEY_CHARS_MAX,
  licenceSigningInput,
  parseLicenceKey,
} from './licence-key.js';
import type { PublishedKey, VerifyEd25519 } from '../signed-token/signed-token.js';

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
const licence: Licence = {
  v: 1,
  id: 'lic_AAAAAAAAAAAAAAAAAAAAAA',
  tier: 'enterprise',
  acct: 'acct_0123456789abcdefghij',
  iat: Date.UTC(2026, 1, 1) / 1_000,
  exp: Date.UTC(2027, 1, 1) / 1_000,
  features: ['sdk', 'audit:all'],
  seats: 5,
  kid: 'kid-1',
};
const signText = (input: string) => joinLicenceKey(input, sign(null, Buffer.from(input), pair.privateKey));
const issue = (changes: Partial<Licence> = {}) => signText(licenceSigningInput({ ...licence, ...changes }));
const key = issue();
const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  return verify(
    null,
    message,
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    signature,
  );
};
const check = (text: string, keys = [published], atMs = nowMs) =>
  checkLicenceKey(text, keys, atMs, verifyEd25519);
const codeOf = async (...given: Parameters<typeof check>) => (await check(...given)).code;
const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');
/** A key whose payload is this text, rightly signed. */
const signedPayload = (payload: string) => signText(`sam1.${encode(payload)}`);

describe('licence key', () => {
  it('says what was signed, to whoever has the published key, until it expires', async () => {
    expect(await check(key)).toEqual({ code: 'VALID', licence });
    expect(await codeOf(key, [published], licence.exp * 1_000 - 1)).toBe('VALID');
    expect(await check(key, [published], licence.exp * 1_000)).toEqual({ code: 'EXPIRED', licence });
  });

  it('is canonical JSON under its prefix, and Ed25519 over both', () => {
    const [prefix, payload, signature] = key.split('.');
    expect(prefix).toBe('sam1');
    expect(Buffer.from(payload, 'base64url').toString()).toBe(
      `{"acct":"acct_0123456789abcdefghij","exp":${licence.exp},"features":["sdk","audit:all"],"iat":${licence.iat},` +
        '"id":"lic_AAAAAAAAAAAAAAAAAAAAAA","kid":"kid-1","seats":5,"tier":"enterprise","v":1}',
    );
    const signed = Buffer.from(`sam1.${payload}`);
    expect(verify(null, signed, pair.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('with any one character changed, left out or added is MALFORMED or BAD_SIGNATURE, at every position', async () => {
    const alphabet = ['A', 'B', 'g', 'w', '_', '-', '.', '=', '+', '/', '0', ' ', 'é'];
    const bad = new Set<string>();
    for (let index = 0; index < key.length; index++) {
      const [before, after] = [key.slice(0, index), key.slice(index + 1)];
      const changed = alphabet.filter(character => character !== key[index]).map(c => before + c + after);
      // The neighbour in the base64 alphabet: the last character's bits beyond the signature alone differ.
      changed.push(
        before + String.fromCharCode(key.charCodeAt(index) ^ 1) + after,
        before + after,
        `${before}A${key.slice(index)}`,
      );
      for (const text of changed) if (text !== key) bad.add(await codeOf(text));
    }
    expect([...bad].sort()).toEqual(['BAD_SIGNATURE', 'MALFORMED']);
  });

  it('has one spelling: no other base64, padding, white space, case of its prefix or trailing bits', async () => {
    const [, payload, signature] = key.split('.');
    const last = signature.at(-1)!;
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 64 bytes leave four unused bits in the 86th character: fifteen other characters decode to the same bytes.
    const same = [...digits].filter(
      digit => digit !== last && (digits.indexOf(digit) ^ digits.indexOf(last)) < 16,
    );
    const spellings = [
      ...same.map(digit => `sam1.${payload}.${signature.slice(0, -1)}${digit}`),
      `sam1.${payload}.${signature}==`,
      `SAM1.${payload}.${signature}`,
      ` ${key}`,
      `${key}\n`,
      `${key}.`,
      `sam1.${payload}=.${signature}`,
      `sam1.${Buffer.from(payload, 'base64url').toString('base64')}.${signature}`,
    ];
    expect(same).toHaveLength(15);
    for (const spelling of new Set(spellings))
      if (spelling !== key) expect(await codeOf(spelling)).toBe('MALFORMED');
  });

  it('whose JSON is not canonical is MALFORMED though it is rightly signed', async () => {
    const { acct: _acct, ...rest } = licence;
    const canonical = Buffer.from(key.split('.')[1], 'base64url').toString();
    const texts = [
      JSON.stringify(licence),
      ` ${canonical}`,
      `\uFEFF${canonical}`,
      canonical.replace('"v":1', '"v":1.0'),
      canonical.replace('"seats":5', '"seats":5e0'),
      canonical.replace('"tier"', '"\\u0074ier"'),
      canonical.replace('"v":1', '"v":1,"v":1'),
      canonical.replace('"v":1', '"v":2'),
      canonical.replace('"v":1', '"v":1,"x":1'),
      canonical.replace('"v":1', '"v":1,"__proto__":{}'),
      JSON.stringify(rest),
      JSON.stringify([licence]),
      'null',
      '',
      '['.repeat(900),
    ];
    for (const text of texts) expect(await codeOf(signedPayload(text))).toBe('MALFORMED');
    expect(await codeOf(signedPayload(canonical))).toBe('VALID');
    const invalidUtf8 = Buffer.concat([Buffer.from(canonical.slice(0, -2)), Buffer.from([0xff, 0x7d])]);
    expect(await codeOf(signText(`sam1.${encode(invalidUtf8)}`))).toBe('MALFORMED');
  });

  it.each([
    { id: 'x' },
    { id: `lic_${'A'.repeat(61)}` },
    { tier: 'Enterprise' },
    { tier: '' },
    { acct: 'acct_' },
    { kid: 'a b' },
    { iat: -1 },
    { iat: 1.5 },
    { iat: 1e21 },
    { exp: licence.iat - 1 },
    { exp: 253_402_300_800 },
    { seats: 0 },
    { seats: 1_000_001 },
    { features: ['sdk', 'sdk'] },
    { features: ['ü'] },
    { features: Array.from({ length: 33 }, (_, index) => `f${index}`) },
    { features: Array.from({ length: 32 }, (_, index) => `f${index}`.padEnd(64, 'x')) },
  ])('that could not be read again is not issued: %j', changes => {
    expect(() => licenceSigningInput({ ...licence, ...changes })).toThrow(RangeError);
  });

  it('of another deployment, or whose signing key is not published, is BAD_SIGNATURE', async () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!;
    expect(await codeOf(key, [{ ...published, publicKey: other }])).toBe('BAD_SIGNATURE');
    expect(await codeOf(key, [{ ...published, kid: 'kid-2' }])).toBe('BAD_SIGNATURE');
    expect(await codeOf(key, [{ ...published, alg: 'ML-DSA-65' }])).toBe('BAD_SIGNATURE');
    expect(await codeOf(key, [])).toBe('BAD_SIGNATURE');
    expect(await codeOf(key, [{ ...published, publicKey: 'AA' }])).toBe('BAD_SIGNATURE');
  });

  it('outlives the time of its signing key, and not its revocation; one from outside that time is not believed', async () => {
    const at = (date: string) => `${date}T00:00:00.000Z`;
    expect(await codeOf(key, [{ ...published, notAfter: at('2026-03-01') }])).toBe('VALID');
    expect(await codeOf(key, [{ ...published, notAfter: at('2026-02-01') }])).toBe('BAD_SIGNATURE');
    expect(await codeOf(key, [{ ...published, notBefore: at('2026-02-02') }])).toBe('BAD_SIGNATURE');
    expect(await codeOf(key, [{ ...published, revokedAt: at('2026-05-01') }])).toBe('BAD_SIGNATURE');
  });

  it('reads back every licence that can be issued', async () => {
    const licences = fc.record({
      v: fc.constant(1 as const),
      id: fc.stringMatching(/^lic_[A-Za-z0-9_-]{1,60}$/),
      tier: fc.stringMatching(/^[a-z0-9_]{1,32}$/),
      acct: fc.stringMatching(/^acct_[a-z0-9]{1,40}$/),
      iat: fc.integer({ min: licence.iat, max: licence.exp }),
      exp: fc.integer({ min: licence.exp, max: 253_402_300_799 }),
      features: fc.uniqueArray(fc.stringMatching(/^[a-z0-9_.:-]{1,64}$/), { maxLength: 8 }),
      seats: fc.integer({ min: 1, max: 1_000_000 }),
      kid: fc.constant('kid-1'),
    });
    await fc.assert(
      fc.asyncProperty(licences, async any => {
        expect(await check(signText(licenceSigningInput(any)), [published])).toEqual({
          code: 'VALID',
          licence: any,
        });
      }),
      { numRuns: 100 },
    );
  });

  it('is undefined for any text that is none, and is not read beyond its bound', () => {
    const near = fc.tuple(fc.base64String(), fc.base64String()).map(([a, b]) => `sam1.${a}.${b}`);
    const json = fc.jsonValue().map(value => signedPayload(JSON.stringify(value)));
    fc.assert(
      fc.property(fc.oneof(fc.string(), near, json), text => expect(parseLicenceKey(text)).toBeUndefined()),
      { numRuns: 1_000 },
    );
    expect(parseLicenceKey(`sam1.${'A'.repeat(LICENCE_KEY_CHARS_MAX)}.A`)).toBeUndefined();
    expect(parseLicenceKey('sam1.'.repeat(100_000))).toBeUndefined();
  });
});
