import { describe, expect, it } from '@jest/globals';
import type { Licence } from '@svc/protocols';
import { LICENCE_SIGNING_SEEDS, licenceKeysOf, verifyEd25519 } from './licence-keys.js';

const OLD = 'an-old-secret-of-at-least-32-characters';
const NEW = 'the-new-secret-of-at-least-32-characters';
const keysOf = (text: string) => licenceKeysOf({ secrets: { [LICENCE_SIGNING_SEEDS]: text } });
const at = (date: string) => Date.parse(`${date}T00:00:00Z`);
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const licenceOf = (kid: string): Licence => ({
  v: 1,
  id: 'lic_AAAAAAAAAAAAAAAAAAAAAA',
  tier: 'developer_sdk',
  acct: 'acct_0123456789abcdefghij',
  iat: 1_780_000_000,
  exp: 1_790_000_000,
  features: ['sdk'],
  seats: 1,
  kid,
});

describe('licence signing keys', () => {
  it('are the same on every replica, and others for another secret', () => {
    const kid = (text: string) => keysOf(text).currentKid(Date.now())!;
    expect(kid(OLD)).toBe(kid(`${OLD}:2026-01-01`));
    expect(kid(OLD)).not.toBe(kid(NEW));
  });

  it('sign one licence as one text, under the key that it names', () => {
    const keys = keysOf(`${OLD},${NEW}:2026-01-01`);
    const kids = keys.published().map(({ kid }) => kid);
    const [first, second] = kids.map(kid => keys.sign(licenceOf(kid)));
    expect(keys.sign(licenceOf(kids[0]))).toBe(first);
    expect(first.split('.')[2]).not.toBe(second.split('.')[2]);
    expect(() => keys.sign(licenceOf('another'))).toThrow(RangeError);
  });

  it('hand over to the newest whose time has come, and are published when they have ended', () => {
    const keys = keysOf(`${OLD}:2026-01-01:2026-06-01,${NEW}:2026-05-01`);
    const [newer, older] = keys.published();
    expect(newer.notBefore).toBe('2026-05-01T00:00:00.000Z');
    expect(
      [at('2025-12-31'), at('2026-04-30'), at('2026-05-01'), at('2026-07-01')].map(ms => keys.currentKid(ms)),
    ).toEqual([undefined, older.kid, newer.kid, newer.kid]);
    expect(keys.isBelieved(older.kid, at('2026-05-31'))).toBe(true);
    expect(keys.isBelieved(older.kid, at('2026-06-01'))).toBe(false);
    expect(JSON.stringify(keys.published())).not.toContain('secret');
  });

  it('that were given up sign nothing and are believed nothing', () => {
    const keys = keysOf(`${OLD}:revoked=2026-03-01,${NEW}`);
    const given = keys.published().find(({ revokedAt }) => revokedAt !== null)!;
    expect(keys.currentKid(Date.now())).not.toBe(given.kid);
    expect(keys.isBelieved(given.kid, at('2026-02-01'))).toBe(false);
  });
});

describe('Ed25519', () => {
  // RFC 8032 section 7.1, test 3.
  const publicKey = bytes('fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025');
  const message = bytes('af82');
  const signature = bytes(
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac' +
      '18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  );

  it('is that of RFC 8032', async () => {
    expect(await verifyEd25519(publicKey, message, signature)).toBe(true);
    expect(await verifyEd25519(publicKey, bytes('af83'), signature)).toBe(false);
  });

  it('takes no signature whose scalar is not reduced: there is one for one message', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = signature.slice(32).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + order;
    const other = signature.slice();
    for (let index = 0, rest = scalar; index < 32; index++, rest >>= 8n)
      other[32 + index] = Number(rest & 255n);
    expect(await verifyEd25519(publicKey, message, other)).toBe(false);
  });
});
