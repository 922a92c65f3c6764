import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import fastify from 'fastify';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bodyDigestOf } from '../../src/http/body-digest.js';
import { type BodyForm, readBodies } from '../../src/http/json-body.js';
import { JsonThreads } from '../../src/http/json-threads.js';
import { infinitePathOf, jsonShape, membersOf } from '../../src/http/json-text.js';
import {
  JSON_ALL_MEMBERS_MAX,
  JSON_CONTAINERS_MAX,
  JSON_DEPTH_MAX,
  JSON_MEMBERS_MAX,
  JSON_VALUES_MAX,
  LONG_JSON_BYTES,
} from '../../src/http/limits.js';

/** The readable oracle: depth of the parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('looks for infinite numbers in an array of 8 MiB of text in what its values take', () => {
  const cpuMs = (work: () => unknown) => {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
  const numbers = JSON.parse(`[${'1,'.repeat(4_194_303)}1]`) as unknown[];
  let finite = 0;
  const reference = () => {
    for (let turn = 0; turn < 4; turn++) for (const each of numbers) if (Number.isFinite(each)) finite++;
  };
  cpuMs(reference);
  // With a name for each value, as `Object.entries` makes, it takes some 30 of them, and as it is, less than one.
  expect(cpuMs(() => infinitePathOf(numbers))).toBeLessThan(10 * cpuMs(reference));
  expect(finite).toBe(8 * numbers.length);
});

test('counts the depth of any JSON text as its parsed value has it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      expect(jsonShape(bytes).depth).toBe(depthOf(value));
    }),
  );
});

test('counts the members of any JSON text as its parsed value has them', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(jsonShape(Buffer.from(text)).members).toBe(membersOf(JSON.parse(text)).all);
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

/** The readable oracle: values, and containers that hold nothing, of a parsed value. */
function countsOf(value: unknown): { values: number; containers: number; empty: number } {
  const sums = { values: 1, containers: 0, empty: 0 };
  if (typeof value !== 'object' || value === null) return sums;
  const within = Object.values(value);
  sums.containers = 1;
  sums.empty = within.length === 0 ? 1 : 0;
  for (const counts of within.map(countsOf))
    for (const name of ['values', 'containers', 'empty'] as const) sums[name] += counts[name];
  return sums;
}

test('counts the values and containers of any JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), fc.integer({ min: 0, max: 2 }), (value, indent) => {
      const shape = jsonShape(Buffer.from(JSON.stringify(value, null, indent)));
      const { values, containers, empty } = countsOf(value);
      expect([shape.values, shape.containers]).toEqual([values + empty, containers]);
    }),
  );
});

test.each(['1e309', '-2E+400', '1.5e999', `1${'0'.repeat(309)}`, `-${'9'.repeat(400)}.5`])(
  'sees in the text of any value that %s may be infinite',
  number => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), value => {
        const bytes = Buffer.from(JSON.stringify([value, '#']).replace('"#"]', `{"a":${number}}]`));
        expect(jsonShape(bytes).mayOverflow).toBe(true);
      }),
      { numRuns: 20 },
    );
  },
);

test('sees in words, strings and plain numbers none that may be infinite', () => {
  const text = '[true,false,null,"1e999",12.5,{"5e5":-0.25}]';
  expect(jsonShape(Buffer.from(text)).mayOverflow).toBe(false);
});

test('brackets inside of strings do not count, also behind an escaped quote', () => {
  expect(jsonShape(Buffer.from('["[[[{{{", "\\"[[[", "\\\\"]')).depth).toBe(1);
});

test('stops one level past the limit', () => {
  expect(jsonShape(Buffer.from('['.repeat(100_000))).depth).toBe(JSON_DEPTH_MAX + 1);
});

test('reads any bytes without failing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), bytes => {
      expect(jsonShape(bytes).depth).toBeLessThanOrEqual(JSON_DEPTH_MAX + 1);
    }),
  );
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const FORMS: Readonly<Record<string, BodyForm>> = { '/raw': 'raw', '/packed': 'packed' };

describe('a route that takes the bytes of its body', () => {
  const instance = fastify({ bodyLimit: 8_388_608 });
  readBodies(instance, {
    formOf: ({ url }) => FORMS[url] ?? 'parsed',
    subjectOf: ({ url }) => `whoever asks for ${url}`,
    isDigested: ({ headers }) => headers['content-type'] !== 'application/json; of=nothing',
  });
  instance.post('/digest', request => ({ digest: bodyDigestOf(request) }));
  for (const url of ['/raw', '/parsed']) {
    instance.post(url, request => ({
      bytes: Buffer.isBuffer(request.body) ? request.body.toString('hex') : undefined,
    }));
  }
  instance.post('/echo', request => ({ echo: request.body }));
  beforeAll(() => instance.listen({ port: 0, host: '127.0.0.1' }));
  afterAll(() => instance.close());
  const post = async (
    url: string,
    body: string | Buffer<ArrayBuffer>,
    type = 'application/json; charset=utf-8',
  ) => {
    const { port } = instance.server.address() as AddressInfo;
    const headers = { 'content-type': type };
    const response = await fetch(`http://127.0.0.1:${port}${url}`, { method: 'POST', body, headers });
    return { status: response.status, json: (await response.json()) as unknown };
  };

  test.each([
    ['short', '{"b":1,  "a":2}\n'],
    ['long', JSON.stringify('x'.repeat(300_000))],
    ['none', ''],
  ])('is told the digest of its bytes: %s', async (_, payload) => {
    const digest = createHash('sha256').update(payload).digest('hex');
    expect((await post('/digest', payload)).json).toEqual({ digest });
    // Where it is not wanted it is not made, and that of no bytes stands there.
    const { json } = await post('/digest', payload, 'application/json; of=nothing');
    expect(json).toEqual({ digest: createHash('sha256').digest('hex') });
  });

  test.each(['{"b":1,  "a":2}\n', '{"a":', '\u00e4', ''])('gets %j as it came', async payload => {
    const { status, json } = await post('/raw', payload);
    expect([status, json]).toEqual([200, { bytes: Buffer.from(payload).toString('hex') }]);
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"b":[0,{"a":1,"c":":","\\u0061":2}]}', 'b[1].a'],
    ['{"":{},"":[]}', ''],
    ['{"a":{"x":1},"b":["x","x",[{"x":"{\\"y,"}]],"c":[[],{"x":{},"y":[1,2],"x":0}]}', 'c[1].x'],
    ['[[1,2],[{"a":1},{"a":"a","b":"a","b":1}]]', '[1][1].b'],
  ])('parsed, %s names %j twice and is refused', async (payload, path) => {
    const { status, json } = await post('/parsed', payload);
    expect([status, json]).toMatchObject([
      400,
      { message: `An object of the body names a member twice: ${path}` },
    ]);
    expect((await post('/raw', payload)).status).toBe(200);
  });

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

  test.each([
    ['values', `[${'0,'.repeat(JSON_VALUES_MAX)}0]`, 200, 413],
    ['arrays', `[${'[],'.repeat(JSON_CONTAINERS_MAX)}[]]`, 200, 413],
    ['objects', `[${'{},'.repeat(JSON_CONTAINERS_MAX)}{}]`, 200, 413],
    ['members', `[${'{"a":1,"b":2},'.repeat(JSON_ALL_MEMBERS_MAX / 2)}{"a":1}]`, ...[200, 413]],
    ['members below the bound', `[${'{"a":1,"b":2},'.repeat(JSON_ALL_MEMBERS_MAX / 2)}1]`, ...[200, 200]],
    ['values below the bound', `[${'0,'.repeat(JSON_VALUES_MAX - 3)}0]`, 200, 200],
  ])(
    'of too many %s is refused before it is parsed, and as bytes it is taken',
    async (_name, body, raw, parsed) => {
      expect((await post('/raw', body)).status).toBe(raw);
      const answer = await post('/parsed', body);
      expect(answer.status).toBe(parsed);
      if (parsed === 413)
        expect(JSON.stringify(answer.json)).toMatch(
          /holds more than \d+ (values|members|arrays and objects)/,
        );
    },
  );

  test.each([
    [JSON_MEMBERS_MAX, 200],
    [JSON_MEMBERS_MAX + 1, 413],
  ])('of %d members in one object is answered %d, in a thread too', async (members, expected) => {
    for (const name of ['m', 'm'.repeat(LONG_JSON_BYTES / JSON_MEMBERS_MAX)]) {
      const body = JSON.stringify(
        Object.fromEntries(Array.from({ length: members }, (_, i) => [name + i, 0])),
      );
      expect((await post('/parsed', body)).status).toBe(expected);
    }
  });

  test('costs a body in pieces of one byte no more than its bytes', async () => {
    const { port } = instance.server.address() as AddressInfo;
    const count = 120_000;
    const heldMb = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return (heapUsed + external) / 1e6;
    };
    const accepted = once(instance.server, 'connection') as Promise<[Socket]>;
    const socket = connect({ port, host: '127.0.0.1' });
    const [connection] = await accepted;
    const head =
      'POST /raw HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const pieces = Buffer.from('1\r\n5\r\n'.repeat(count));
    const before = heldMb();
    try {
      socket.write(head);
      socket.write(pieces);
      while (connection.bytesRead < head.length + pieces.length)
        await new Promise(resolve => setImmediate(resolve));
      expect(heldMb() - before).toBeLessThan(8);
      socket.write('0\r\n\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toContain('200 OK');
    } finally {
      socket.destroy();
    }
  });

  test('has the same value and the same refusals, whether it is read here or in a thread', async () => {
    const [short, long] = ['x', 'x\u00e4\u2028'.repeat(LONG_JSON_BYTES / 2)];
    const texts = (filler: string) => [
      JSON.stringify({ filler, list: [1, null, true, { deep: [-0.5, 'e'] }] }),
      `{"filler":${JSON.stringify(filler)},"a":1,"a":2}`,
      `{"filler":${JSON.stringify(filler)},"a":[1e400]}`,
      `{"filler":${JSON.stringify(filler)},"__proto__":1}`,
      `{"filler":${JSON.stringify(filler)},`,
    ];
    const answers = async (filler: string) =>
      Promise.all(
        texts(filler).map(async text => JSON.stringify(await post('/echo', text)).replace(filler, '')),
      );
    const inThread = await answers(long);
    expect(inThread.map(answer => answer.replace(/position \d+|line 1 column \d+/g, '#'))).toEqual(
      (await answers(short)).map(answer => answer.replace(/position \d+|line 1 column \d+/g, '#')),
    );
    const notUtf8 = Buffer.concat([Buffer.from('"'), Buffer.alloc(LONG_JSON_BYTES, 0xff), Buffer.from('"')]);
    expect(JSON.stringify((await post('/echo', notUtf8)).json)).toContain('not UTF-8');
  });

  test('waits for a thread in the turn of its caller', async () => {
    const asked = jest.spyOn(JsonThreads.prototype, 'read');
    await post('/echo', JSON.stringify('x'.repeat(LONG_JSON_BYTES)));
    expect(asked.mock.calls.map(([, subject]) => subject)).toEqual(['whoever asks for /echo']);
    asked.mockRestore();
  });

  test('gets no other media type, and no other route gets bytes', async () => {
    expect((await post('/raw', 'x', 'text/plain')).status).toBe(415);
    expect(await post('/parsed', '{"a":1}')).toEqual({ status: 200, json: {} });
  });
});
