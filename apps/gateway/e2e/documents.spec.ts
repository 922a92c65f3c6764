import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { asyncApiDocument } from '@svc/contracts';
import { StoredAnswer } from '@svc/edge';
import { MemoryBus } from '@svc/platform';
import type { FastifyReply } from 'fastify';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';
import { type HeaderLines, rawCall } from './raw-call.js';

let gateway: RunningGateway;
beforeAll(async () => {
  // On a bus where nobody answers: documents need nobody.
  gateway = await startGatewayOn(new MemoryBus());
});
afterAll(() => gateway.close());

const get = (path: string, lines: HeaderLines = [], method = 'GET') =>
  rawCall(gateway.address, path, { method, lines });

const TOLD = ['content-type', 'content-length', 'content-encoding', 'etag', 'vary', 'cache-control'];

describe.each([
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/asyncapi.json', 'application/json; charset=utf-8'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/', 'application/json; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
])('%s', (path, mediaType) => {
  test.each([
    ['br', 'gzip, deflate, br'],
    ['gzip', 'br;q=0, gzip'],
  ])('is sent in %s to whoever likes that best, and says the same', async (coding, accepted) => {
    const plain = await get(path);
    const response = await fetch(gateway.address + path, {
      headers: { 'accept-encoding': accepted, accept: '*/*' },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-encoding': coding, 'content-type': mediaType },
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(Number(response.headers.get('content-length'))).toBeLessThan(plain.text.length / 2);
    expect((await response.text()) === plain.text).toBe(true);
  });

  test('is plain for whoever says nothing of codings, and its tags are strong and of their codings', async () => {
    const plain = await get(path);
    expect([plain.status, plain.headers['content-type']]).toEqual([200, mediaType]);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const tags = [plain, await get(path, [['Accept-Encoding', 'gzip']])].map(({ headers }) => headers.etag);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    expect(tags[0]).not.toBe(tags[1]);
  });

  test('is 304 for whoever has it, and not for whoever has another', async () => {
    for (const lines of [[], [['Accept-Encoding', 'br']]] as HeaderLines[]) {
      const { etag } = (await get(path, lines)).headers;
      for (const known of [etag!, `"other", W/${etag}`, '*']) {
        const { status, text, headers } = await get(path, [...lines, ['If-None-Match', known]]);
        expect([status, text, headers.etag]).toEqual([304, '', etag]);
        expect(headers.vary).toContain('accept-encoding');
        expect(headers).not.toHaveProperty('content-encoding');
      }
      expect((await get(path, [...lines, ['If-None-Match', '"other"']])).status).toBe(200);
    }
  });

  test('is told of by HEAD as by GET, without itself', async () => {
    for (const lines of [[], [['Accept-Encoding', 'br']]] as HeaderLines[]) {
      const asked = await get(path, lines);
      const { status, text, headers } = await get(path, lines, 'HEAD');
      expect([status, text]).toEqual([200, '']);
      for (const name of TOLD) expect([name, headers[name]]).toEqual([name, asked.headers[name]]);
    }
  });
});

test('a document is compressed once in each coding, and a picture never', async () => {
  const sent: unknown[] = [];
  const reply = (accepted: string) => {
    const request = { headers: { 'accept-encoding': accepted } };
    const self = { request, header: () => self, send: async (bytes: unknown) => void sent.push(bytes) };
    return self as unknown as FastifyReply;
  };
  const text = new StoredAnswer('x'.repeat(2_000), { mediaType: 'text/css', cacheControl: 'no-cache' });
  await Promise.all(['br', 'br', 'gzip', 'gzip'].map(coding => text.send(reply(coding))));
  expect([sent[0] === sent[1], sent[2] === sent[3], sent[0] === sent[2]]).toEqual([true, true, false]);
  const bytes = Buffer.alloc(2_000);
  await new StoredAnswer(bytes, { mediaType: 'image/png', cacheControl: 'no-cache' }).send(reply('br'));
  expect(sent[4]).toBe(bytes);
});

test('the AsyncAPI document is published as the contracts make it, and the index leads to it', async () => {
  const { json } = await get('/asyncapi.json');
  expect(json).toEqual(JSON.parse(JSON.stringify(asyncApiDocument())));
  expect((await get('/', [['Accept', 'application/json']])).text).toContain('/asyncapi.json');
});
