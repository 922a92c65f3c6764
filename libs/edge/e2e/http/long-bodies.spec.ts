import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { problem, ProblemError } from '@svc/platform';
import { fastify, type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { boundLongBodies } from '../../src/http/long-bodies.js';
import { noteCaller } from '../../src/rate-limit/caller.js';
import type { TrustedProxies } from '../../src/rate-limit/client-address.js';
import { addressUnderTest } from './address-under-test.js';

const MiB = 1_048_576;
/** The least that is counted. */
const LITTLE = MiB / 16 + 1;

let instance: FastifyInstance;
let port: number;
let waiting: (() => void)[];
let isHeld: boolean;
beforeEach(async () => {
  waiting = [];
  isHeld = false;
  instance = fastify({ bodyLimit: 4 * MiB });
  // Addresses of the test: whoever sends one in this header.
  instance.addHook('onRequest', (asked, _reply, done) => {
    const clientOf = () => (asked.headers['x-from'] as string) ?? '192.0.2.1';
    noteCaller(asked, { trustedProxies: { clientOf } as unknown as TrustedProxies });
    done();
  });
  boundLongBodies(instance, { bytesMax: 6 * MiB, bytesOfAddress: 4 * MiB, stalledMs: 200 });
  instance.addHook('preParsing', async asked => {
    if (asked.headers['x-refused']) throw problem('FORBIDDEN', 'refused while the body comes');
    for (let turn = 0; asked.headers['x-waits'] && turn < 10; turn++) await setImmediate();
  });
  instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  instance.setErrorHandler((error: ProblemError & { statusCode?: number }, _request, reply) =>
    reply.code(error.status ?? error.statusCode).send({ code: error.code }),
  );
  instance.post('/long', async asked => {
    if (isHeld) await new Promise<void>(resolve => waiting.push(resolve));
    return { bytes: (asked.body as Buffer).length };
  });
  instance.post('/middling', { bodyLimit: MiB }, async asked => ({ bytes: (asked.body as Buffer).length }));
  instance.post('/short', { bodyLimit: MiB / 16 }, async asked => ({ bytes: (asked.body as Buffer).length }));
  await instance.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = instance.server.address() as AddressInfo);
});
afterEach(() => {
  isHeld = false;
  for (const answer of waiting) answer();
  return instance.close();
});

async function send(path: string, bytes: number, from = '192.0.2.1') {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', 'x-from': from },
    body: new Uint8Array(bytes),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}
const held = async (count: number) => {
  while (waiting.length < count) await new Promise(resolve => setTimeout(resolve, 5));
};

/** Part of a body. */
function begin(headers = {}, path = '/long', bytes = 2 * MiB) {
  const outgoing = request({
    ...{ port, path, method: 'POST' },
    headers: path === '/long' ? { 'content-length': 4 * MiB, ...headers } : headers,
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.on('error', () => undefined);
  outgoing.write(new Uint8Array(bytes));
  return { outgoing, answered };
}

describe('long bodies', () => {
  it('are read whole, and refused beyond what may be held at once until one of them is answered', async () => {
    isHeld = true;
    const first = send('/long', 3 * MiB);
    await held(1);
    expect(await send('/long', 3 * MiB)).toEqual({ status: 429, json: { code: 'RATE_LIMITED' } });
    expect(await send('/long', 3 * MiB, '192.0.2.2')).toEqual({ status: 503, json: { code: 'OVERLOADED' } });
    // What was refused holds nothing, and a short body is not asked.
    const second = send('/long', 1.5 * MiB, '192.0.2.2');
    await held(2);
    for (const path of ['/short', '/middling'])
      expect(await send(path, MiB / 16, '192.0.2.2')).toEqual({ status: 200, json: { bytes: MiB / 16 } });
    for (const answer of waiting) answer();
    expect(await first).toEqual({ status: 200, json: { bytes: 3 * MiB } });
    expect((await second).json).toEqual({ bytes: 1.5 * MiB });
    isHeld = false;
    for (let turn = 0; turn < 4; turn++) expect((await send('/long', 4 * MiB)).status).toBe(200);
  });

  it('of several addresses leave room for one more, however many of them take all that they get', async () => {
    isHeld = true;
    const sent: Promise<unknown>[] = [];
    /** Bytes that are held for it: all, or none where it was refused. */
    const hold = async (bytes: number, from: string): Promise<number> => {
      const before = waiting.length;
      let isAnswered = false;
      const sending = send('/long', bytes, from).finally(() => (isAnswered = true));
      while (!isAnswered && waiting.length === before) await new Promise(resolve => setTimeout(resolve, 5));
      if (isAnswered) return 0;
      sent.push(sending);
      return bytes;
    };
    /** Again and again: what was refused before may still be on its way out. */
    const holdLittle = async (from: string): Promise<number> => {
      let bytes = 0;
      for (let turn = 0; bytes === 0 && turn < 100; turn++) bytes = await hold(LITTLE, from);
      return bytes;
    };
    const got: number[] = [];
    for (let address = 1; address <= 6; address++) {
      const from = `198.51.100.${address}`;
      let bytes = 0;
      for (const parts of [1, 2, 4, 8, 16, 32]) bytes += await hold((4 * MiB) / parts, from);
      bytes ||= await holdLittle(from);
      got.push(bytes);
    }
    expect(got[0]).toBe(4 * MiB);
    expect(Math.min(...got)).toBeGreaterThan(0);
    expect(await holdLittle('203.0.113.1')).toBeGreaterThan(0);
    expect(waiting).toHaveLength(sent.length);
    for (const answer of waiting) answer();
    await Promise.all(sent);
  });

  it('count as they come: an announced length holds nothing, and what a caller left behind is free again', async () => {
    const starting = Array.from({ length: 8 }, () => {
      const outgoing = request({
        port,
        path: '/long',
        method: 'POST',
        headers: { 'content-length': 4 * MiB },
      });
      outgoing.on('error', () => undefined);
      return new Promise<typeof outgoing>(resolve =>
        outgoing.write(new Uint8Array(MiB / 2), () => resolve(outgoing)),
      );
    });
    const abandoned = await Promise.all(starting);
    for (const outgoing of abandoned) outgoing.destroy();
    let sent = await send('/long', 4 * MiB);
    while (sent.status !== 200) sent = await send('/long', 4 * MiB);
    expect(sent).toEqual({ status: 200, json: { bytes: 4 * MiB } });
  });

  it('that stall, or come too slowly, are given up, and what they held is free again', async () => {
    const { outgoing, answered } = begin();
    const slow = setInterval(() => outgoing.write(new Uint8Array(1)), 20);
    try {
      const [{ statusCode }] = await answered;
      expect(statusCode).toBe(408);
    } finally {
      clearInterval(slow);
      outgoing.destroy();
    }
    let sent = await send('/long', 4 * MiB);
    while (sent.status !== 200) sent = await send('/long', 4 * MiB);
    expect(sent.json).toEqual({ bytes: 4 * MiB });
  });

  it.each([
    ['announced', { 'content-length': MiB }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('%s, of a route for some hundred kilobytes, stall and are counted too', async (_what, headers) => {
    isHeld = true;
    const first = send('/long', 4 * MiB);
    await held(1);
    const refused = begin(headers, '/middling', MiB / 2);
    expect((await refused.answered)[0].statusCode).toBe(429);
    for (const answer of waiting) answer();
    expect((await first).status).toBe(200);
    const stalled = begin(headers, '/middling', 10);
    expect((await stalled.answered)[0].statusCode).toBe(408);
    for (const { outgoing } of [refused, stalled]) outgoing.destroy();
  });

  it('beyond the bound do not stop the process, whatever their requests wait for before they are read', async () => {
    isHeld = true;
    const first = send('/long', 4 * MiB);
    await held(1);
    const more = Array.from({ length: 8 }, () => begin({ 'x-waits': '1' }));
    for (const { answered } of more) expect((await answered)[0].statusCode).toBe(429);
    const refused = begin({ 'x-refused': '1' });
    expect((await refused.answered)[0].statusCode).toBe(403);
    for (const { outgoing } of [...more, refused]) outgoing.destroy();
    for (const answer of waiting) answer();
    expect((await first).status).toBe(200);
  });

  it('beyond the route’s own bound are 413', async () => {
    expect((await send('/long', 4 * MiB + 1)).status).toBe(413);
    expect((await send('/long', 4 * MiB)).status).toBe(200);
  });
});

it('an address of the product holds no more of long bodies than an address may have', async () => {
  const address = await addressUnderTest();
  address.post('/long', { bodyLimit: 64 * MiB }, async () => ({}));
  await address.listen({ port: 0, host: '127.0.0.1' });
  const answered = async (bytes: number) => {
    const response = await fetch(`http://127.0.0.1:${(address.server.address() as AddressInfo).port}/long`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: `"${'a'.repeat(bytes)}"`,
    });
    return [response.status, ((await response.json()) as { detail?: string }).detail];
  };
  expect(await answered(2 * MiB)).toEqual([200, undefined]);
  expect(await answered(32 * MiB)).toEqual([429, expect.stringContaining('bytes of request bodies')]);
  await address.close();
});
