import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { freshBytes } from './fresh-bytes.js';

describe('fresh bytes', () => {
  it('are as many as were asked for, and given to one caller alone', () => {
    const given = new Set<string>();
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 5_000 }), count => {
        const bytes = freshBytes(count);
        expect(bytes).toHaveLength(count);
        // Sixteen random bytes come twice only where they were handed out twice.
        for (let at = 0; at + 16 <= count; at += 16) {
          const text = bytes.toString('hex', at, at + 16);
          expect(given.has(text)).toBe(false);
          given.add(text);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('stay as they are while others are drawn', () => {
    const kept = freshBytes(32);
    const before = kept.toString('hex');
    for (let draw = 0; draw < 1_000; draw++) freshBytes(32);
    expect(kept.toString('hex')).toBe(before);
  });
});
