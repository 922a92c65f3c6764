import { expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { idempotencyKeyOf } from './idempotency-key.js';

const keyOf = (...keys: string[]) =>
  idempotencyKeyOf({ rawHeaders: keys.flatMap(key => ['Idempotency-Key', key]) } as IncomingMessage);

test('is one where it is sent twice and the two are equal, as a message and its request may both have it', () => {
  expect([keyOf(), keyOf('a'), keyOf('a', ' a ')]).toEqual([undefined, 'a', 'a']);
});

test.each([
  [['a', 'b'], 'differ'],
  [[''], '1 to 255'],
  [['x'.repeat(256)], '1 to 255'],
])('is refused as %j', (keys, said) => {
  const refusal = { code: 'VALIDATION_FAILED', message: expect.stringContaining(said) };
  expect(() => keyOf(...keys)).toThrow(expect.objectContaining(refusal));
});
