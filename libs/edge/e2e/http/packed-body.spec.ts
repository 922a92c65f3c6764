import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENVELOPE_BYTES_MAX } from '@svc/platform';
import fc from 'fast-check';
import fastify from 'fastify';
import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { boundDigest } from '../../src/payment/bound-digest.js';
import { isEmptyBody } from '../../src/payment/presented-credential.js';
import { readBodies } from '../../src/http/json-body.js';
import { boundLongBodies } from '../../src/http/long-bodies.js';
import { PACKED_BYTES_MAX, PackedBody } from '../../src/http/packed-body.js';

const bytesOf = (text: string) => Buffer.from(text, 'utf8');

describe('a packed body', () => {
  test('is its text again once inflated, and names it by its digest', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2_000 }), async text => {
        const packed = await PackedBody.of(bytesOf(text));
        expect(inflateRawSync(packed.deflated).toString('utf8')).toBe(text);
        expect(packed.sha256).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
        expect(packed.sizeBytes).toBe(bytesOf(text).length);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['{}', true],
    [' {\n\t} ', true],
    ['{"a":1}', false],
    ['[]', false],
    ['', false],
  ])('of %j says nothing: %s', async (text, isEmpty) => {
    expect(isEmptyBody(await PackedBody.of(bytesOf(text)))).toBe(isEmpty);
  });

  test('binds a payment to its bytes: the same value written otherwise is another request', async () => {
    const digestOf = async (text: string) =>
      boundDigest('snn.solve-graph', await PackedBody.of(bytesOf(text)));
    expect(await digestOf('{"a":1}')).toBe(await digestOf('{"a":1}'));
    expect(await digestOf('{"a":1}')).not.toBe(await digestOf('{"a": 1}'));
    expect(await digestOf('{"a":1}')).not.toBe(
      boundDigest('snn.solve', await PackedBody.of(bytesOf('{"a":1}'))),
    );
  });

  test('is refused where it is no UTF-8, or more than the bus carries, naming the bound', async () => {
    await expect(PackedBody.of(Uint8Array.of(0x22, 0xff, 0x22))).rejects.toMatchObject({
      code: 'MALFORMED_JSON',
    });
    const text = bytesOf(JSON.stringify([...randomBytes(20_000)]));
    const [fast, small] = [1, 6].map(level => deflateRawSync(text, { level }).length);
    expect(small).toBeLessThan(fast);
    expect(fast).toBeLessThan(1.15 * small);
    await expect(PackedBody.of(text, small)).resolves.toMatchObject({ deflated: { length: small } });
    // What is a little too large is tried again at the level that takes longer; what is far too large is not.
    for (const [bytesMax, got] of [
      [small - 1, small],
      [Math.floor(fast / 1.2), fast],
    ]) {
      await expect(PackedBody.of(text, bytesMax)).rejects.toMatchObject({
        code: 'BODY_TOO_LARGE',
        payload: { errors: [{ bound: bytesMax, got }] },
      });
    }
    expect(PACKED_BYTES_MAX).toBeLessThan(ENVELOPE_BYTES_MAX);
  });
});

describe('a route that takes its JSON packed', () => {
  const MiB = 1_048_576;
  let isHeld = true;
  const waiting: (() => void)[] = [];
  const instance = fastify({ bodyLimit: 8 * MiB });
  boundLongBodies(instance, { bytesMax: 7 * MiB, bytesOfAddress: 5 * MiB });
  readBodies(instance, { formOf: () => 'packed' });
  instance.setErrorHandler(
    (error: Error & { code?: string; status?: number; statusCode?: number }, _r, reply) =>
      reply.code(error.status ?? error.statusCode ?? 500).send({ code: error.code }),
  );
  instance.post('/', async ({ body }) => {
    if (isHeld) await new Promise<void>(resolve => waiting.push(resolve));
    return body instanceof PackedBody ? { sizeBytes: body.sizeBytes } : { none: body === undefined };
  });
  beforeAll(() => instance.listen({ port: 0, host: '127.0.0.1' }));
  afterAll(() => instance.close());
  const post = async (body: string | undefined, headers: Record<string, string> = {}) => {
    const { port } = instance.server.address() as AddressInfo;
    const asked = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(`http://127.0.0.1:${port}/`, asked);
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  test('holds what it has packed, and no longer what came: the next long body has room', async () => {
    const long = `[${'0,'.repeat(2 * MiB)}0]`;
    const first = post(long);
    while (waiting.length < 1) await new Promise(resolve => setTimeout(resolve, 5));
    isHeld = false;
    expect(await post(long)).toEqual({ status: 200, json: { sizeBytes: long.length } });
    waiting[0]();
    expect((await first).status).toBe(200);
  });

  test('gets what is no JSON as well, nothing for nothing, and refuses what is compressed already', async () => {
    expect((await post('{"a":')).json).toEqual({ sizeBytes: 5 });
    expect((await post(undefined, { 'content-length': '0' })).json).toEqual({ none: true });
    expect(await post('{}', { 'content-encoding': 'gzip' })).toEqual({
      status: 415,
      json: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
  });
});
