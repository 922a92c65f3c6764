import { describe, expect, it } from '@jest/globals';
import { fineMassG, meltValue, spotAge } from './melt-value.js';

const at = (text: string) => Date.parse(text);

describe('melt value', () => {
  it('is grams × fineness / 31.1034768 × price, to the cent, without the errors of binary fractions', () => {
    expect(meltValue(31.1034768, 1, '2387.15')).toBe('2387.15');
    expect(meltValue(33.93, 0.9167, '2400')).toBe('2400.01');
    expect(meltValue(100_000, 1, '999999999999.99999999')).toBe('3215074656862798.05');
    expect(meltValue(31.1034768, 0.1, '0.05')).toBe('0.01');
    expect(fineMassG(0.1, 0.3)).toBe(0.03);
  });
});

describe('age of a spot price', () => {
  // 2026-11-20 is a Friday.
  it.each([
    ['an hour', '2026-11-18T12:00:00Z', '2026-11-18T13:00:00Z', 'fresh'],
    ['24 h of a working week', '2026-11-17T12:00:00Z', '2026-11-18T12:00:00Z', 'fresh'],
    ['a second more', '2026-11-17T12:00:00Z', '2026-11-18T12:00:01Z', 'stale'],
    ['72 h over a weekend', '2026-11-20T12:00:00Z', '2026-11-23T12:00:00Z', 'fresh'],
    ['a second more', '2026-11-20T12:00:00Z', '2026-11-23T12:00:01Z', 'stale'],
    ['Thursday until Saturday', '2026-11-19T11:00:00Z', '2026-11-21T12:00:00Z', 'stale'],
    ['Saturday until Sunday', '2026-11-21T01:00:00Z', '2026-11-22T23:00:00Z', 'fresh'],
    ['Saturday until Monday', '2026-11-21T01:00:00Z', '2026-11-23T23:00:00Z', 'fresh'],
    ['7 days', '2026-11-13T12:00:00Z', '2026-11-20T12:00:00Z', 'stale'],
    ['a second more', '2026-11-13T12:00:00Z', '2026-11-20T12:00:01Z', 'expired'],
    ['a clock that is late', '2026-11-18T12:00:30Z', '2026-11-18T12:00:00Z', 'fresh'],
  ])('after %s (%s to %s): %s', (_name, asOf, now, age) => {
    expect(spotAge(at(asOf), at(now))).toBe(age);
  });
});
