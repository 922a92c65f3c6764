import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { PublishedKey, VerifyEd25519 } from '../signed-token/signed-token.js';
import {
  checkPairingToken,
  joinPairingToken,
  type Pairing,
  pairingSigningInput,
  PAIRING_TOKEN_CHARS_MAX,
  parsePairingToken,
} from './pairing-token.js';

const pair = generateKeyPairSync('ed25519');
const published: PublishedKey = {
  kid: 'kid-1',
  alg: 'Ed25519',
  publicKey: pair.publicKey.export({ format: 'jwk' }).x!,
  notBefore: '2026-01-01T00:00:00.000Z',
  notAfter: null,
  revokedAt: null,
};
const iat = Date.UTC(2026, 5, 1) / 1_000;
const pairing: Pairing = {
  ...{ v: 1, deviceId: 'door-7', nonceHash: 'ab'.repeat(32), band: 'ultrasonic_19khz' },
  ...{ berNoiseFloorDb: -21.35, assurance: 'beacon', iat, exp: iat + 300, kid: 'kid-1' },
};
const signText = (input: string) => joinPairingToken(input, sign(null, Buffer.from(input), pair.privateKey));
const issue = (changes: Partial<Pairing> = {}) => signText(pairingSigningInput({ ...pairing, ...changes }));
const verifyEd25519: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};
const check = (text: string, atMs = iat * 1_000, keys = [published]) =>
  checkPairingToken(text, keys, atMs, verifyEd25519);

describe('pairing token', () => {
  it('says what was signed, to whoever has the published key, until it expires', async () => {
    const token = issue();
    expect(await check(token)).toEqual({ code: 'VALID', pairing });
    expect(await check(token, pairing.exp * 1_000 - 1)).toMatchObject({ code: 'VALID' });
    expect(await check(token, pairing.exp * 1_000)).toEqual({ code: 'EXPIRED', pairing });
  });

  it('is canonical JSON under its prefix, and Ed25519 over both', () => {
    const [prefix, payload, signature] = issue().split('.');
    expect(prefix).toBe('pair1');
    expect(Buffer.from(payload, 'base64url').toString()).toBe(
      '{"assurance":"beacon","band":"ultrasonic_19khz","berNoiseFloorDb":-21.35,"deviceId":"door-7",' +
        `"exp":${pairing.exp},"iat":${iat},"kid":"kid-1","nonceHash":"${'ab'.repeat(32)}","v":1}`,
    );
    const signed = Buffer.from(`pair1.${payload}`);
    expect(verify(null, signed, pair.publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('is believed of no key that is not published, was revoked, or did not sign then', async () => {
    const token = issue();
    const late = { ...published, notBefore: '2026-07-01T00:00:00.000Z' };
    const given = { ...published, revokedAt: '2026-06-02T00:00:00.000Z' };
    for (const keys of [[], [{ ...published, kid: 'kid-2' }], [late], [given]]) {
      expect(await check(token, iat * 1_000, keys)).toEqual({ code: 'BAD_SIGNATURE' });
    }
  });

  it('with any one character changed is no token that is believed', async () => {
    const token = issue();
    const spoiled = fc.tuple(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '-', '_', '.', '=', '9'));
    await fc.assert(
      fc.asyncProperty(spoiled, async ([at, character]) => {
        fc.pre(token[at] !== character);
        const { code } = await check(token.slice(0, at) + character + token.slice(at + 1));
        expect(['MALFORMED', 'BAD_SIGNATURE']).toContain(code);
      }),
      { numRuns: 400, seed: 20_261_122 },
    );
  });

  it('of any device that a challenge may name can be read again', () => {
    const names = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 128 });
    fc.assert(
      fc.property(names, deviceId => {
        fc.pre(deviceId.length <= 128);
        const token = issue({ deviceId });
        expect(token.length).toBeLessThanOrEqual(PAIRING_TOKEN_CHARS_MAX);
        expect(parsePairingToken(token)?.pairing).toEqual({ ...pairing, deviceId });
      }),
      { numRuns: 200, seed: 20_261_122 },
    );
    // Control characters take most bytes.
    expect(parsePairingToken(issue({ deviceId: '\u0001'.repeat(128) }))).toBeDefined();
  });

  it.each([
    { deviceId: '' },
    { deviceId: 'x'.repeat(129) },
    { nonceHash: 'AB'.repeat(32) },
    { band: 'radio' as never },
    { assurance: 'distance' as never },
    { berNoiseFloorDb: -91 },
    { berNoiseFloorDb: 0.1 },
    { berNoiseFloorDb: Number.NaN },
    { exp: iat + 301 },
    { exp: iat - 1 },
    { kid: 'a b' },
  ])('that says what none may is not issued: %j', changes => {
    expect(() => pairingSigningInput({ ...pairing, ...changes })).toThrow();
  });

  it('is none of another kind', async () => {
    const token = issue();
    expect(await check(token.replace('pair1.', 'm2m1.'))).toEqual({ code: 'MALFORMED' });
    expect(parsePairingToken(`${token}.`)).toBeUndefined();
  });
});
