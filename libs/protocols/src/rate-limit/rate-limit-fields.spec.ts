import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { monthlyRateLimit, parseRateLimit, rateLimitFields } from './rate-limit-fields.js';

const count = fc.integer({ min: 0, max: 999_999_999_999_999 });

describe('RateLimit fields', () => {
  it('name the policy of the month, its quota, what is left and when it begins anew', () => {
    const nowMs = Date.UTC(2026, 1, 27, 23, 59, 59, 500);
    const plan = { limit: 50_000, used: 1, resetsAt: '2026-03-01T00:00:00.000Z' };
    expect(rateLimitFields(monthlyRateLimit(plan, nowMs))).toEqual({
      'RateLimit-Policy': `"month";q=50000;w=${28 * 86_400}`,
      RateLimit: '"month";r=49999;t=86401',
    });
  });

  it('never promise a wait that is too short, nor less than nothing', () => {
    const plan = { limit: 1_000, used: 1_003, resetsAt: '2027-01-01T00:00:00.000Z' };
    const end = Date.UTC(2027, 0, 1);
    expect(monthlyRateLimit(plan, end + 5)).toMatchObject({
      remaining: 0,
      resetSeconds: 0,
      windowSeconds: 31 * 86_400,
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 31 * 86_400_000 }), before => {
        const { resetSeconds } = monthlyRateLimit(plan, end - before);
        expect(resetSeconds * 1_000).toBeGreaterThanOrEqual(before);
        expect(resetSeconds * 1_000 - before).toBeLessThan(1_000);
      }),
    );
  });

  it('read back as they were written', () => {
    const states = fc.record({
      policy: fc.stringMatching(/^[a-z0-9_-]{1,64}$/),
      quota: count,
      remaining: count,
      windowSeconds: fc.integer({ min: 1, max: 999_999_999_999_999 }),
      resetSeconds: count,
    });
    fc.assert(
      fc.property(states, state => {
        const { policy, remaining, resetSeconds } = state;
        expect(parseRateLimit(rateLimitFields(state).RateLimit)).toEqual([
          { policy, remaining, resetSeconds },
        ]);
      }),
    );
  });

  it('of several policies, with comments and partition keys, are read', () => {
    expect(parseRateLimit('"permin";r=5;t=3, "a b";r=999;pk=:dHJpYWw=:;acme-x;t=0')).toEqual([
      { policy: 'permin', remaining: 5, resetSeconds: 3 },
      { policy: 'a b', remaining: 999, resetSeconds: 0 },
    ]);
  });

  it.each([
    '',
    'default;r=1',
    '"a"',
    '"a";r=-1',
    '"a";r=1.5',
    '"a";r=1,',
    '"a";r=1;t=x',
    `"a";r=${'9'.repeat(16)}`,
    '"a;r=1',
  ])('that are malformed are ignored: %j', field => expect(parseRateLimit(field)).toBeUndefined());

  it('meet any text without throwing, in bounded time', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000 }), text => void parseRateLimit(text)));
    expect(parseRateLimit('"a";r=1,'.repeat(100_000))).toBeUndefined();
    expect(parseRateLimit(`"a";${' '.repeat(1_000)}`)).toBeUndefined();
  });

  it.each([
    { policy: 'a"b' },
    { remaining: -1 },
    { quota: 1.5 },
    { windowSeconds: 0 },
    { resetSeconds: Infinity },
    { remaining: 1e15 },
  ])('are not written for %j', change => {
    const state = { policy: 'month', quota: 1, remaining: 1, windowSeconds: 1, resetSeconds: 1, ...change };
    expect(() => rateLimitFields(state)).toThrow(RangeError);
  });
});
