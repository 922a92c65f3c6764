import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import fastify from 'fastify';
import type { AddressInfo } from 'node:net';
import { type BodyForm, infinitePathOf, jsonShape, membersOf, readBodies } from '../../src/http/json-body.js';
import { JSON_DEPTH_MAX } from '../../src/http/limits.js';

/** The readable oracle: depth of the parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('counts the depth of any JSON text as its parsed value has it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      expect(jsonShape(bytes, JSON_DEPTH_MAX).depth).toBe(depthOf(value));
    }),
  );
});

test('counts the members of any JSON text as its parsed value has them', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(jsonShape(Buffer.from(text), JSON_DEPTH_MAX).members).toBe(membersOf(JSON.parse(text)));
    }),
  );
});

test('finds the number that no double holds, and no other', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
      expect(infinitePathOf(value)).toBeUndefined();
      expect(infinitePathOf({ a: [value, { b: -Infinity }], c: value })).toBe('a[1].b');
    }),
  );
});

test('brackets inside of strings do not count, also behind an escaped quote', () => {
  expect(jsonShape(Buffer.from('["[[[{{{", "\\"[[[", "\\\\"]'), JSON_DEPTH_MAX).depth).toBe(1);
});

test('stops one level past the limit', () => {
  expect(jsonShape(Buffer.from('['.repeat(100_000)), JSON_DEPTH_MAX).depth).toBe(JSON_DEPTH_MAX + 1);
});

test('reads any bytes without failing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), bytes => {
      expect(jsonShape(bytes, JSON_DEPTH_MAX).depth).toBeLessThanOrEqual(JSON_DEPTH_MAX + 1);
    }),
  );
});

const FORMS: Readonly<Record<string, BodyForm>> = { '/raw': 'raw', '/packed': 'packed' };

describe('a route that takes the bytes of its body', () => {
  const instance = fastify();
  readBodies(instance, [], ({ url }) => FORMS[url] ?? 'parsed');
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

  test.each(['{"a":1,"a":1}', '{"b":[0,{"a":1,"c":":","\\u0061":2}]}', '{"":{},"":[]}'])(
    'parsed, %s names a member twice and is refused',
    async payload => {
      const { status, json } = await post('/parsed', payload);
      expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('names a member twice')]);
      expect((await post('/raw', payload)).status).toBe(200);
    },
  );

  test.each([
    ['{"sales":[{"price":1e400}]}', 'sales[0].price'],
    ['[0,[-1e999]]', '[1][0]'],
    ['1e400', ''],
  ])('parsed, %s is no number that can be sent on, and its path is named', async (payload, path) => {
    const { status, json } = await post('/parsed', payload);
    expect([status, JSON.stringify(json)]).toEqual([
      400,
      expect.stringContaining(`${path || 'The body'}: is a number`),
    ]);
  });

  test.each(['{"a":{"a":1},"b":[{"a":":\\":"},{"a":2}]}', '":::"', '[1,2]', '{}'])(
    'parsed, %s names each once and is taken',
    async payload => expect((await post('/parsed', payload)).status).toBe(200),
  );

  test('gets no other media type, and no other route gets bytes', async () => {
    expect((await post('/raw', 'x', 'text/plain')).status).toBe(415);
    expect(await post('/parsed', '{"a":1}')).toEqual({ status: 200, json: {} });
  });
});
