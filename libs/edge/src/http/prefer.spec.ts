import { expect, test } from '@jest/globals';
import { prefersAsync } from './prefer.js';

test.each([
  ['respond-async', true],
  ['Respond-Async', true],
  ['wait=10, respond-async', true],
  [' respond-async ; foo="bar"', true],
  [undefined, false],
  ['', false],
  ['respond-asynchronously', false],
  ['x=respond-async', false],
  ['return=minimal', false],
  [`${'a,'.repeat(100)}respond-async`, false],
])('Prefer: %s is read as %s', (header, asks) => {
  expect(prefersAsync(header)).toBe(asks);
});
