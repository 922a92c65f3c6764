import { expect, test } from '@jest/globals';
import { preferredWaitSeconds, prefersAsync } from './prefer.js';

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

test.each([
  ['wait=10', 10],
  ['Wait = 10', 10],
  ['wait="7"', 7],
  ['wait=0', 0],
  ['respond-async', 0],
  ['respond-async, wait=5', 5],
  ['wait=3, wait=9', 3],
  ['wait=-1', undefined],
  ['wait=1.5', undefined],
  ['wait=', undefined],
  ['wait', undefined],
  ['return=minimal', undefined],
  [undefined, undefined],
])('Prefer: %s waits %s seconds', (header, seconds) => {
  expect(preferredWaitSeconds(header)).toBe(seconds);
});
