import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import { jsonDepth, readBodies } from './json-body.js';
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

describe('a route that takes the bytes of its body', () => {
  const instance = fastify();
  readBodies(instance, [], ({ url }) => url === '/raw');
  for (const url of ['/raw', '/parsed']) {
    instance.post(url, request => ({
      bytes: Buffer.isBuffer(request.body) ? request.body.toString('hex') : undefined,
    }));
  }
  beforeAll(() => instance.listen({ port: 0, host: '127.0.0.1' }));
  afterAll(() => instance.close());
  const post = async (url: string, body: string, type = 'application/json; charset=utf-8') => {
    const { port } = instance.server.address() as AddressInfo;
    const headers = { 'content-type': type };
    const response = await fetch(`http://127.0.0.1:${port}${url}`, { method: 'POST', body, headers });
    return { status: response.status, json: (await response.json()) as unknown };
  };

  test.each(['{"b":1,  "a":2}\n', '{"a":', '\u00e4', ''])('gets %j as it came', async payload => {
    const { status, json } = await post('/raw', payload);
    expect([status, json]).toEqual([200, { bytes: Buffer.from(payload).toString('hex') }]);
  });

  test('gets no other media type, and no other route gets bytes', async () => {
    expect((await post('/raw', 'x', 'text/plain')).status).toBe(415);
    expect(await post('/parsed', '{"a":1}')).toEqual({ status: 200, json: {} });
  });
});
