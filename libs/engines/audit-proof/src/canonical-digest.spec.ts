import { createHash } from 'node:crypto';
import { canonicalDigest } from './canonical-digest.js';

const hex = (value: unknown) => Buffer.from(canonicalDigest(value)).toString('hex');
const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

it('is SHA-256 of the canonical form of RFC 8785, section 3.2.3 but for its integer beyond 2^53', () => {
  const value = {
    numbers: [333333333.33333329, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '€$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
  };
  const canonical =
    '{"literals":[null,true,false],"numbers":[333333333.3333333,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
  expect(hex(value)).toBe(sha256(canonical));
});

it('is the same for every order of members, and sorts them by UTF-16 code units', () => {
  expect(hex({ b: 1, a: [{ d: 1, c: 2 }] })).toBe(sha256('{"a":[{"c":2,"d":1}],"b":1}'));
  expect(
    hex({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }),
  ).toBe(sha256('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}'));
});

it('refuses what JSON cannot say', () => {
  expect(() => canonicalDigest(undefined)).toThrow();
  expect(() => canonicalDigest({ x: NaN })).toThrow();
  expect(() => canonicalDigest({ x: Infinity })).toThrow();
});

it('refuses integers that a double cannot tell apart, naming where they stand', () => {
  expect(hex({ a: [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER] })).toBe(
    sha256('{"a":[9007199254740991,-9007199254740991]}'),
  );
  // Read from 9007199254740993, which is the same double.
  for (const inexact of [2 ** 53, -(2 ** 53), 1e30]) {
    expect(() => canonicalDigest({ a: [{ b: inexact }] })).toThrow(/^a\.0\.b is an integer beyond 2\^53/);
    expect(() => canonicalDigest(inexact)).toThrow(RangeError);
  }
});
