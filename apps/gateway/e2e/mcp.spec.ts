import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { TOOL_NAMES } from '@svc/contracts';
import { MemoryBus } from '@svc/platform';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { request as httpRequest } from 'node:http';
import type { RunningGateway } from '../src/start-gateway.js';
import { startGatewayOn } from './gateway-under-test.js';
import { BOTH_TYPES, initialize, postMcp, rpc } from './mcp-post.js';

const DESK_TOOLS = [
  ...['verify_bullion', 'value_card', 'verify_certificate'],
  ...['search_cards', 'list_bullion_products', 'list_requirement_sets', 'prove_own_statement'],
];
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGatewayOn(new MemoryBus());
});
afterAll(() => gateway.close());

const post = async (body: unknown, headers: Record<string, string> = {}) => {
  const { messages, ...answer } = await postMcp(`${gateway.address}/mcp`, body, { headers });
  return { ...answer, json: messages[0] };
};

describe('a client that knows nothing of us', () => {
  test('finds the ten tools and those of the desks, with schemas that the SDK takes and Ajv compiles', async () => {
    const client = new Client({ name: 'a client', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${gateway.address}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES, ...DESK_TOOLS]);
    const ajv = new Ajv2020({ strict: false, logger: false });
    for (const { inputSchema, outputSchema, description } of tools) {
      expect(description).toEqual(expect.any(String));
      ajv.compile(inputSchema);
      ajv.compile(outputSchema!);
    }
    await expect(client.ping()).resolves.toEqual({});
    await client.close();
  });

  test.each(SUPPORTED_PROTOCOL_VERSIONS)('speaks version %s of the protocol', async version => {
    const { json, headers } = await post(initialize(version));
    expect(json.result.protocolVersion).toBe(version);
    const { json: listed } = await post(rpc('tools/list', {}), {
      'mcp-protocol-version': version,
      'mcp-session-id': headers.get('mcp-session-id')!,
    });
    expect(listed.result.tools).toHaveLength(TOOL_NAMES.length + DESK_TOOLS.length);
  });

  test('is offered the newest version where its own is not known', async () => {
    const { json } = await post(initialize('1999-01-01'));
    expect(json.result.protocolVersion).toBe(SUPPORTED_PROTOCOL_VERSIONS[0]);
  });

  test('needs no session: a request without one is answered', async () => {
    const { status, json } = await post(rpc('tools/list'));
    expect([status, json.id]).toEqual([200, 1]);
  });
});

describe('what is not taken', () => {
  const faulty = (code: number, status = 400, says = '') => ({
    status,
    json: { jsonrpc: '2.0', id: null, error: { code, message: expect.stringContaining(says) } },
  });

  test.each([
    ['no JSON', '{"jsonrpc"', faulty(-32_700)],
    ['1 MB of nesting', '['.repeat(1_000_000), faulty(-32_700)],
    ['a member named twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', faulty(-32_700)],
    [
      'an argument named twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_purchase_link","arguments":{"tier":"developer_sdk","\\u0074ier":"enterprise_sam"}}}',
      faulty(-32_700, 400, 'twice'),
    ],
    ['a batch', [rpc('ping')], faulty(-32_600, 400, 'batch')],
    ['an empty batch', [], faulty(-32_600, 400, 'batch')],
    ['no message', '"ping"', faulty(-32_600)],
    ['another JSON-RPC', { id: 1, method: 'ping' }, faulty(-32_600)],
    ['an id that is no id', rpc('ping', {}, {}), faulty(-32_600)],
    ['an id of null', rpc('ping', {}, null), faulty(-32_600)],
    ['a huge id', rpc('ping', {}, 'x'.repeat(129)), faulty(-32_600)],
    ['a number that is no integer', rpc('ping', {}, 1.5), faulty(-32_600)],
    ['a huge method', rpc('x'.repeat(129)), faulty(-32_600)],
    ['params of an array', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, faulty(-32_600)],
    ['a member of no protocol', { ...rpc('ping'), extra: 1 }, faulty(-32_600, 400, 'extra')],
    ['a _meta of text', rpc('ping', { _meta: 'x' }), faulty(-32_600, 400, 'params._meta')],
    ['a _meta of null', rpc('tools/call', { name: 'x', _meta: null }), faulty(-32_600, 400, 'params._meta')],
    [
      'a progress token of an object',
      rpc('tools/call', { name: 'get_product_catalog', _meta: { progressToken: {} } }),
      faulty(-32_600, 400, 'params._meta.progressToken'),
    ],
    ['a body beyond 1 MiB', rpc('ping', { x: 'y'.repeat(1_048_576) }), faulty(-32_600, 413)],
  ])('%s is an error of JSON-RPC', async (_, body, expected) => {
    expect(await post(body)).toMatchObject(expected);
  });

  test('an unknown method is said to be none, under its id', async () => {
    expect(await post(rpc('tools/invent', {}, 'mine'))).toMatchObject({
      status: 200,
      json: { id: 'mine', error: { code: -32_601 } },
    });
  });

  test.each([
    ['tools/call', {}, 'params.name'],
    ['tools/call', { name: {} }, 'params.name'],
    ['tools/call', { name: 'get_product_catalog', arguments: [] }, 'params.arguments'],
    ['tools/call', { name: 'get_product_catalog', arguments: 'x' }, 'params.arguments'],
    ['resources/read', { uri: 1 }, 'params.uri'],
    ['prompts/get', { name: 'pay_for_call', arguments: { a: 1 } }, 'params.arguments.a'],
    ['completion/complete', { ref: { type: 'x' } }, 'params.ref'],
    ['initialize', {}, 'params.protocolVersion'],
    ['initialize', undefined, 'params'],
  ])('the params of %s are named where they are none: %j', async (method, params, path) => {
    const { status, json, headers } = await post(rpc(method, params, 'mine'));
    expect([status, json.id, json.error.code]).toEqual([200, 'mine', -32_602]);
    const { code, errors } = json.error.data.problem;
    expect([code, errors[0].path]).toEqual(['VALIDATION_FAILED', path]);
    expect(headers.has('mcp-session-id')).toBe(false);
  });

  test.each(['task', 'related task'])('a call that names a %s is answered as any other', async kind => {
    const task = kind === 'task' ? { task: { ttl: 1 } } : {};
    const meta = { 'io.modelcontextprotocol/related-task': { taskId: 'x' } };
    const _meta = kind === 'task' ? undefined : meta;
    const { status, json } = await post(rpc('tools/call', { name: 'none', arguments: {}, _meta, ...task }));
    expect([status, json.id, json.error.code]).toEqual([200, 1, -32_602]);
  });

  test('a cursor that was never given out is refused', async () => {
    expect((await post(rpc('tools/list', { cursor: 'x' }))).json.error.code).toBe(-32_602);
  });

  test.each([
    [{ 'mcp-protocol-version': '1999-01-01' }, 400],
    [{ 'mcp-session-id': 'made up' }, 404],
    [{ accept: 'text/html' }, 400],
    [{ 'content-type': 'text/plain' }, 415],
  ])('a request with %j is refused', async (headers, status) => {
    const { json, ...answer } = await post(rpc('ping'), headers as Record<string, string>);
    expect([answer.status, json.error.data.problem.status]).toEqual([status, status]);
  });

  test.each(['DELETE', 'PUT'])('%s is 405: there is no session to end', async method => {
    const { status, headers } = await fetch(`${gateway.address}/mcp`, {
      method,
      headers: { accept: BOTH_TYPES },
    });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('a page with a rebound name', () => {
  /** fetch sets these headers itself. */
  const statusWith = (headers: [string, string][]) =>
    new Promise<number>((resolve, reject) => {
      const lines = [['content-type', 'application/json'], ['accept', BOTH_TYPES], ...headers];
      const outgoing = httpRequest(
        `${gateway.address}/mcp`,
        { method: 'POST', headers: lines.flat() },
        incoming => {
          incoming.resume().on('end', () => resolve(incoming.statusCode!));
        },
      );
      outgoing.on('error', reject).end(JSON.stringify(rpc('ping')));
    });

  test.each([
    [[['host', 'evil.example.com']], 403],
    [
      [
        ['host', 'evil.example.com'],
        ['origin', 'http://evil.example.com'],
      ],
      403,
    ],
    [[['host', 'localhost.evil.example']], 403],
    [
      [
        ['host', 'localhost:3000'],
        ['origin', 'https://evil.example.com'],
      ],
      403,
    ],
    [
      [
        ['host', 'localhost:3000'],
        ['origin', 'null'],
      ],
      403,
    ],
    [
      [
        ['host', 'localhost:3000'],
        ['origin', 'http://localhost.evil.example'],
      ],
      403,
    ],
    [[['host', 'localhost:3000']], 200],
    [[['host', '127.0.0.1']], 200],
    [
      [
        ['host', '[::1]:3000'],
        ['origin', 'http://[::1]:3000'],
      ],
      200,
    ],
    [
      [
        ['host', 'localhost:3000'],
        ['origin', 'http://127.0.0.1:6274'],
      ],
      200,
    ],
  ] as [[string, string][], number][])('with %j gets %i', async (headers, status) => {
    expect(await statusWith(headers)).toBe(status);
  });
});

describe('notifications and answers', () => {
  test('are taken with 202 and nothing else, also for nobody', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_product_catalog', arguments: {} } },
      { jsonrpc: '2.0', id: 3, result: {} },
    ]) {
      expect(await post(message)).toMatchObject({ status: 202, text: '' });
    }
  });
});
