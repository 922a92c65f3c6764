import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CALLBACK_TRIES_MAX, nextCallbackTryMs } from './callback-retry.js';

const DAY_MS = 86_400_000;
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('all tries of a callback are within a day, and there is none after the eighth', () => {
  expect(CALLBACK_TRIES_MAX).toBe(8);
  fc.assert(
    fc.property(fc.array(share, { minLength: 7, maxLength: 7 }), shares => {
      const waits = shares.map((random, i) => nextCallbackTryMs(i + 1, random)!);
      expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(DAY_MS);
      expect(nextCallbackTryMs(8, shares[0])).toBeUndefined();
    }),
  );
});

test('each wait is longer than the one before, whatever the jitter', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), share, share, (tries, one, other) => {
      expect(nextCallbackTryMs(tries + 1, one)).toBeGreaterThan(nextCallbackTryMs(tries, other)!);
    }),
  );
});
