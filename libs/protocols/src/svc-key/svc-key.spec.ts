import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import {
  ACCOUNT_ID_BYTES,
  base32,
  deriveSvcKey,
  makeAccountId,
  makeSvcKey,
  parseSvcKey,
  SVC_KEY_BYTES,
} from './svc-key.js';

const SECRET = 'credit key secret of the tests, 32 characters';
const random = fc.uint8Array({ minLength: SVC_KEY_BYTES, maxLength: SVC_KEY_BYTES });
const mode = fc.constantFrom('live' as const, 'test' as const);

describe('account keys', () => {
  it('are read back as they were made, whatever their bytes', () => {
    fc.assert(
      fc.property(mode, random, (made, bytes) => {
        const { keyId, key } = makeSvcKey(made, bytes);
        expect(parseSvcKey(key)).toEqual({ mode: made, keyId });
      }),
    );
  });

  it('hold 32 bytes of secret that their id tells nothing of', () => {
    const bytes = new Uint8Array(SVC_KEY_BYTES).map((_, index) => index);
    const { keyId, key } = makeSvcKey('live', bytes);
    expect(key.slice(-43)).toBe(Buffer.from(bytes.subarray(0, 32)).toString('base64url'));
    bytes.fill(0xff, 0, 32);
    expect(makeSvcKey('live', bytes).keyId).toBe(keyId);
    expect(() => makeSvcKey('live', bytes.subarray(1))).toThrow(RangeError);
  });

  it('are nothing else: other spellings are refused', () => {
    const { key } = makeSvcKey('test', new Uint8Array(SVC_KEY_BYTES));
    const spoilt = [
      '',
      ` ${key}`,
      `${key} `,
      `${key}\n`,
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      key.replace('test', 'prod'),
      key.replace('svc_', ''),
      key.replace(/.$/, '='),
      key.replace('_aaaa', '_aa-a'),
    ];
    for (const text of spoilt) expect(parseSvcKey(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), text => {
        const read = parseSvcKey(text);
        expect(read === undefined || text.includes(read.keyId)).toBe(true);
      }),
    );
  });
});

describe('keys derived from a payment', () => {
  it('are one HMAC-SHA512, cut into secret, key id and account id', () => {
    const bytes = createHmac('sha512', SECRET).update('credit-key\0lightning\0proof').digest();
    const derived = deriveSvcKey(SECRET, 'live', 'lightning', 'proof');
    expect(derived).toEqual({
      key: `svc_live_${base32(bytes.subarray(32, 42), 16)}_${bytes.subarray(0, 32).toString('base64url')}`,
      keyId: base32(bytes.subarray(32, 42), 16),
      accountId: makeAccountId(bytes.subarray(42, 42 + ACCOUNT_ID_BYTES)),
    });
    expect(derived.accountId).toMatch(/^acct_[a-z2-7]{20}$/);
  });

  it('differ for another proof key, family or secret, and the parts do not run into each other', () => {
    const keys = [
      deriveSvcKey(SECRET, 'live', 'lightning', 'proof'),
      deriveSvcKey(SECRET, 'live', 'lightning', 'proof2'),
      deriveSvcKey(SECRET, 'live', 'stripe', 'proof'),
      deriveSvcKey(`${SECRET}.`, 'live', 'lightning', 'proof'),
      deriveSvcKey(SECRET, 'live', 'lightningp', 'roof'),
    ];
    expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
    expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(keys.length);
    expect(new Set(keys.map(({ accountId }) => accountId)).size).toBe(keys.length);
  });
});

describe('base32', () => {
  it('is that of RFC 4648, in lower case', () => {
    const vectors = [
      ['f', 'my'],
      ['fo', 'mzxq'],
      ['foob', 'mzxw6yq'],
      ['foobar', 'mzxw6ytboi'],
    ];
    for (const [text, digits] of vectors) {
      const whole = Math.floor((text.length * 8) / 5);
      expect(base32(Buffer.from(text), 99)).toBe(digits.slice(0, whole));
    }
  });
});
