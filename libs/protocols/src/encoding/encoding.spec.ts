import { describe, expect, it } from '@jest/globals';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { createHash, createHmac } from 'node:crypto';
import { decodeBase64, encodeBase64, encodeBase64Url } from './base64.js';
import { decodeJson } from './base64-json.js';
import * as base64OfBrowsers from './base64-encode.js';
import { constantTimeEqual, deriveKey, hmacSha256, opensPaymentHash, requestDigest } from './digest.js';
import { hmacSha256 as hmacOfBrowsers } from './sha256.js';
import { canonicalJson, JcsError } from './jcs.js';

describe('base64', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });

  it('agrees with node in both alphabets and reads both, padded or not', () => {
    fc.assert(
      fc.property(bytes, input => {
        expect(encodeBase64(input)).toBe(Buffer.from(input).toString('base64'));
        expect(encodeBase64Url(input)).toBe(Buffer.from(input).toString('base64url'));
        for (const text of [
          encodeBase64(input),
          encodeBase64Url(input),
          encodeBase64(input).replace(/=+$/, ''),
        ]) {
          expect(decodeBase64(text, 200)).toEqual(input);
        }
      }),
    );
  });

  it('is the same in node and in browsers, of bytes and of text', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, fc.string({ unit: 'binary' })), input => {
        expect(base64OfBrowsers.encodeBase64(input)).toBe(encodeBase64(input));
        expect(base64OfBrowsers.encodeBase64Url(input)).toBe(encodeBase64Url(input));
      }),
    );
  });

  it('reads no text that is none, nor more than the bound', () => {
    for (const text of ['a', 'ab=', 'a b=', 'ab\n=', 'ab===', '=', 'a+-b', 'ä=='])
      expect(decodeBase64(text, 99)).toBeUndefined();
    expect(decodeBase64('AAAA', 2)).toBeUndefined();
    expect(decodeBase64('AAA', 2)).toEqual(new Uint8Array(2));
  });
});

describe('JSON in base64', () => {
  const read = (text: string) => decodeJson(Buffer.from(text).toString('base64url'), 20_000);

  it('is the value of every JSON that names each member once', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isSpaced) => {
        const text = JSON.stringify(value, null, isSpaced ? 1 : 0);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(read('{"a:b":"c\\":d:\\\\","e":[{"a":1},{"a":2}]}')).toEqual({
      ...{ 'a:b': 'c":d:\\', e: [{ a: 1 }, { a: 2 }] },
    });
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{"a":1,"b":2,"a":3}}]',
    '{"":0,"":0}',
    '{"__proto__":1,"__proto__":2}',
    `${'['.repeat(9_000)}${']'.repeat(9_000)}{`,
    '{"a":1',
  ])('is none of %.40s', text => expect(read(text)).toBeUndefined());
});

describe('canonical JSON', () => {
  it('is that of the example of RFC 8785 section 3.2.2', () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it.each([[{ a: '\ud800' }], [Number.NaN], [undefined]])('refuses %p, which has none', value => {
    expect(() => canonicalJson(value)).toThrow(JcsError);
  });
});

describe('request digest', () => {
  it('is SHA-256 over the canonical operation and body, as node computes it', () => {
    expect(requestDigest('zk.prove', { b: 1, a: 'x' })).toBe(
      createHash('sha256').update('{"body":{"a":"x","b":1},"operationId":"zk.prove"}').digest('hex'),
    );
  });

  it('is one for all orders of members, and another for another body or operation', () => {
    const digest = requestDigest('zk.prove', { a: 1, b: 2 });
    expect(requestDigest('zk.prove', { b: 2, a: 1 })).toBe(digest);
    expect(requestDigest('zk.prove', { a: 1, b: 3 })).not.toBe(digest);
    expect(requestDigest('zk.other', { a: 1, b: 2 })).not.toBe(digest);
  });
});

describe('digests', () => {
  it('are those of node, with its library and without, for text and for bytes', () => {
    const messages = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array(), fc.constant('\ud800'));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 99 }), messages, (key, message) => {
        const bytes = typeof message === 'string' ? utf8ToBytes(message) : message;
        const expected = createHmac('sha256', key).update(bytes).digest('hex');
        for (const hmac of [hmacSha256, hmacOfBrowsers])
          expect(bytesToHex(hmac(key, message))).toBe(expected);
      }),
    );
  });

  it('make an independent key for each purpose and each secret', () => {
    const keys = [deriveKey('s', 'a'), deriveKey('s', 'b'), deriveKey('t', 'a')].map(bytesToHex);
    expect(new Set(keys).size).toBe(3);
  });

  it('compare bytes exactly', () => {
    const bytes = fc.uint8Array({ maxLength: 8 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => expect(constantTimeEqual(a, b)).toBe(Buffer.from(a).equals(b))),
    );
    expect(constantTimeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
  });

  it('open a payment hash with its preimage alone', () => {
    const hash = createHash('sha256').update(Buffer.alloc(32, 1)).digest('hex');
    expect(opensPaymentHash('01'.repeat(32), hash)).toBe(true);
    expect(opensPaymentHash('02'.repeat(32), hash)).toBe(false);
  });
});
