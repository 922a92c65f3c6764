import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonDepth } from './json-body.js';
import { JSON_DEPTH_MAX } from './limits.js';

/** The readable oracle: depth of the parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('counts the depth of any JSON text as its parsed value has it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      expect(jsonDepth(bytes, JSON_DEPTH_MAX)).toBe(depthOf(value));
    }),
  );
});

test('brackets inside of strings do not count, also behind an escaped quote', () => {
  expect(jsonDepth(Buffer.from('["[[[{{{", "\\"[[[", "\\\\"]'), JSON_DEPTH_MAX)).toBe(1);
});

test('stops one level past the limit', () => {
  expect(jsonDepth(Buffer.from('['.repeat(100_000)), JSON_DEPTH_MAX)).toBe(JSON_DEPTH_MAX + 1);
});

test('reads any bytes without failing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), bytes => {
      expect(jsonDepth(bytes, JSON_DEPTH_MAX)).toBeLessThanOrEqual(JSON_DEPTH_MAX + 1);
    }),
  );
});
